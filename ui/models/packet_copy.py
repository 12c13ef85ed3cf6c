"""Rows of the packet list as text, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence

from ui.models.packet_cells import Column, PacketCells

DRAWN = (Column.GUTTER, Column.DIRECTION)
"""Columns without a text."""
Form = Callable[[PacketCells, Sequence[int], Sequence[Column]], str]
"""Packets and columns as one of the forms below."""


def as_text(cells: PacketCells, packets: Sequence[int], columns: Sequence[Column]) -> str:
    """A line for each packet, columns parted by tabs."""
    return "\n".join("\t".join(cells.some_texts(packet, tuple(columns))) for packet in packets)


def as_csv(cells: PacketCells, packets: Sequence[int], columns: Sequence[Column]) -> str:
    """A line for each packet, and one above with the names of the columns."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.name.lower() for column in columns)
    writer.writerows(cells.some_texts(packet, tuple(columns)) for packet in packets)
    return out.getvalue()


def as_json(cells: PacketCells, packets: Sequence[int], columns: Sequence[Column]) -> str:
    """A list of records with the names of the columns; packet numbers and lengths are numbers."""
    return json.dumps([_record(cells, packet, columns) for packet in packets], ensure_ascii=False, indent=2)


def _record(cells: PacketCells, packet: int, columns: Sequence[Column]) -> dict[str, str | int]:
    texts = cells.some_texts(packet, tuple(columns))
    return {
        column.name.lower(): int(text) if column in (Column.NUMBER, Column.LENGTH) else text
        for column, text in zip(columns, texts, strict=True)
    }
