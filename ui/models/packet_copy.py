"""Rows of the packet list as text, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence

from ui.models.packet_cells import Column, PacketCells

DRAWN = (Column.GUTTER, Column.DIRECTION)
"""Columns without a text."""
Columns = Mapping[int, str]
"""Section and name of each column, in their order."""
Form = Callable[[PacketCells, Sequence[int], Columns], str]
"""Packets and columns as one of the forms below."""


def as_text(cells: PacketCells, packets: Sequence[int], columns: Columns) -> str:
    """A line for each packet, columns parted by tabs."""
    return "\n".join("\t".join(cells.some_texts(packet, tuple(columns))) for packet in packets)


def as_csv(cells: PacketCells, packets: Sequence[int], columns: Columns) -> str:
    """A line for each packet, and one above with the names of the columns."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns.values())
    writer.writerows(cells.some_texts(packet, tuple(columns)) for packet in packets)
    return out.getvalue()


def as_json(cells: PacketCells, packets: Sequence[int], columns: Columns) -> str:
    """A list of records with the names of the columns; packet numbers and lengths are numbers."""
    return json.dumps([_record(cells, packet, columns) for packet in packets], ensure_ascii=False, indent=2)


def _record(cells: PacketCells, packet: int, columns: Columns) -> dict[str, str | int]:
    texts = cells.some_texts(packet, tuple(columns))
    return {
        name: int(text) if section in (Column.NUMBER, Column.LENGTH) else text
        for (section, name), text in zip(columns.items(), texts, strict=True)
    }
