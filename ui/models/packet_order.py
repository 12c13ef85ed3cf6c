"""In which order the packet list shows which packets: row numbers, from stable sorts over columns. No proxy model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from analyzer.store.columns import CHUNK_ROWS
from analyzer.store.tables import Tables
from ui.models.packet_cells import Column, PacketCells

_Key = TypeVar("_Key", str, tuple[str, int])
Rows = NDArray[np.int64]
"""Row numbers of `packets`."""


def session_rows(tables: Tables, session: int, stop: int) -> Rows:
    """Packets of one session among the first `stop`, ascending."""
    found = [
        np.flatnonzero(tables.packets.array("session", start, min(stop, start + CHUNK_ROWS)) == session) + start
        for start in range(0, stop, CHUNK_ROWS)
    ]
    return np.concatenate(found) if found else np.arange(0)


def sorted_rows(tables: Tables, cells: PacketCells, rows: Rows, column: Column, *, descending: bool) -> Rows:
    """`rows` by a column; equal ones stay in the order they have."""
    keys = _KEYS[column](tables, cells, rows)
    if descending:
        keys = [-key for key in keys]
    return rows[np.lexsort(keys[::-1])]


def _frame(tables: Tables, cells: PacketCells, rows: Rows) -> list[Rows]:
    return [tables.packets.take("frame", rows).astype(np.int64)]


def _time(tables: Tables, cells: PacketCells, rows: Rows) -> list[Rows]:
    return [tables.frames.take("time_ns", tables.packets.take("frame", rows).astype(np.int64)).astype(np.int64)]


def _source(tables: Tables, cells: PacketCells, rows: Rows) -> list[Rows]:
    return _address(tables, rows, 0)


def _destination(tables: Tables, cells: PacketCells, rows: Rows) -> list[Rows]:
    return _address(tables, rows, 1)


def _address(tables: Tables, rows: Rows, other: int) -> list[Rows]:
    """Rank of the sender's address, or with `other` 1 the receiver's: by host, then by port as a number."""
    ends = [_column(tables, name) for name in ("address_a", "address_b")]
    ranks = _ranks([_host_port(address) for side in ends for address in side])
    flow, direction = _flow(tables, rows), tables.packets.take("direction", rows).astype(np.int64)
    return [ranks[flow + len(ends[0]) * (direction ^ other)]]


def _host_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host, int(port) if port.isdecimal() else -1


def _client(tables: Tables, cells: PacketCells, rows: Rows) -> list[Rows]:
    session, flow = tables.packets.take("session", rows).astype(np.int64), _flow(tables, rows)
    servers = tables.flows.integers("server").tolist()
    flow_of = tables.readings.integers("flow")[tables.sessions.integers("reading")].tolist()
    names = [cells.client_of(own, at, servers[at]) for own, at in enumerate(flow_of)]
    names += [cells.client_of(-1, at, server) for at, server in enumerate(servers)]
    return [_ranks(names)[np.where(session >= 0, session, len(flow_of) + flow)]]


def _direction(tables: Tables, cells: PacketCells, rows: Rows) -> list[Rows]:
    server = tables.flows.integers("server")[_flow(tables, rows)]
    return [np.where(server < 0, 2, (tables.packets.take("direction", rows) != server).astype(np.int64))]


def _protocol(tables: Tables, cells: PacketCells, rows: Rows) -> list[Rows]:
    names = [cells.dialect_of(flow) for flow in range(len(tables.flows))]
    return [_ranks(names)[_flow(tables, rows)]]


def _length(tables: Tables, cells: PacketCells, rows: Rows) -> list[Rows]:
    return [tables.frames.take("original", tables.packets.take("frame", rows).astype(np.int64)).astype(np.int64)]


def _info(tables: Tables, cells: PacketCells, rows: Rows) -> list[Rows]:
    """By the name of the first message, then by the tick of the snapshot that the packet completed."""
    first = tables.packets.take("first_message", rows).astype(np.int64)
    has = first >= 0
    ranks = _ranks([tables.names[number] for number in range(len(tables.names))])
    name = np.full(len(rows), -1, dtype=np.int64)
    name[has] = ranks[tables.messages.take("name", first[has]).astype(np.int64)]
    snapshot = tables.packets.take("snapshot", rows).astype(np.int64)
    tick = np.full(len(rows), -1, dtype=np.int64)
    tick[snapshot >= 0] = tables.snapshots.take("tick", snapshot[snapshot >= 0])
    return [name, tick]


def _flow(tables: Tables, rows: Rows) -> Rows:
    return tables.packets.take("flow", rows).astype(np.int64)


def _column(tables: Tables, name: str) -> list[str]:
    return [tables.flows.text(name, row) for row in range(len(tables.flows))]


def _ranks(values: Sequence[_Key]) -> Rows:
    """The place of each value among the distinct ones in order."""
    places = {value: place for place, value in enumerate(sorted(set(values)))}
    return np.array([places[value] for value in values], dtype=np.int64)


_KEYS: dict[Column, Callable[[Tables, PacketCells, Rows], list[Rows]]] = {
    Column.NUMBER: _frame,
    Column.TIME: _time,
    Column.SOURCE: _source,
    Column.DESTINATION: _destination,
    Column.CLIENT: _client,
    Column.DIRECTION: _direction,
    Column.PROTOCOL: _protocol,
    Column.LENGTH: _length,
    Column.INFO: _info,
}
"""Column -> sort keys, the most significant first. The gutter has no order."""
