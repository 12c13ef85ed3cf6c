"""Reads datagrams of one flow plainly and in bulk, and compares everything the two readings say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np

from analyzer.protocols.flow import DatagramBatch, Reading, Verdict
from analyzer.protocols.teeworlds import open_bulk_reading, open_reading
from analyzer.store.rows import Rows
from tests.row_views import amended, amendments, messages, packets


@dataclass(frozen=True)
class Sent:
    """A datagram as it was captured."""

    time_ns: int
    direction: int
    payload: bytes
    udp_length: int


def batches(sent: Sequence[Sent], sizes: Sequence[int]) -> list[DatagramBatch]:
    """The datagrams in batches of these sizes, the last one with the rest."""
    lengths = np.array([len(one.payload) for one in sent], dtype=np.int64)
    times = np.array([one.time_ns for one in sent], dtype=np.int64)
    whole = DatagramBatch(
        np.arange(len(sent), dtype=np.int64),
        times,
        np.array([one.direction for one in sent], dtype=np.int8),
        np.cumsum(lengths) - lengths,
        lengths,
        np.array([one.udp_length for one in sent], dtype=np.int64),
        np.maximum.accumulate(times),
        b"".join(one.payload for one in sent),
    )
    edges = [0, *accumulate(sizes), len(sent)]
    return [part for start, stop in pairwise(edges) if len(part := whole.part(start, stop))]


def rows_of(reading: Reading, parts: Sequence[DatagramBatch]) -> dict[str, object]:
    """Everything that a reading says, with texts for numbers that only it defines."""
    for part in parts:
        reading.feed(part)
    reading.finish()
    rows = reading.rows
    return {
        "packets": packets(rows),
        "messages": [(rows.names[row.name], replace(row, name=0)) for row in messages(rows)],
        "snapshots": amended(rows),
        "amendments": sorted(amendments(rows)),
        "sessions": rows.sessions,
        "session amendments": rows.session_amendments,
        "findings": rows.findings,
        "blocks": rows.blocks,
        "types": rows.types,
    }


def check(verdict: Verdict, sent: Sequence[Sent], sizes: Sequence[int] = ()) -> Rows:
    """Read plainly and in bulk; the plain rows."""
    parts = batches(sent, sizes)
    rows = Rows(0, 0)
    plain = rows_of(open_reading(rows, verdict), parts)
    bulk = rows_of(open_bulk_reading(Rows(0, 0), verdict), parts)
    for name, expected in plain.items():
        assert bulk[name] == expected, name
    return rows
