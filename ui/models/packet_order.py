"""In which order the packet list shows which packets: row numbers, from stable sorts over columns. No proxy model.

Of a capture of hours everything here that has a number for each packet lies where the tables have room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.columns import CHUNK_ROWS
from analyzer.store.growing import Growing
from analyzer.store.tables import Tables
from ui.models.packet_cells import Column, PacketCells, Rows, TimeFormat
from ui.models.packet_kept import Kept

_Key = TypeVar("_Key", str, tuple[str, int])
KeptRows = NDArray[np.int32]
"""As they are kept."""
Keys: TypeAlias = Callable[[Rows], list[Rows]]
"""The sort keys of some packets, the most significant first."""
_DIGIT_BITS = 32


def chosen_rows(tables: Tables, session: int, kept: Kept | None, stop: int) -> Growing[np.int32]:
    """Packets of one session (-1: of all) that a filter lets through, among the first `stop`, ascending."""
    found: Growing[np.int32] = Growing(np.int32, tables.chunks)
    for start, end in _parts(stop):
        own = np.ones(end - start, np.bool_) if kept is None else kept.of(start, end)
        if session >= 0:
            own &= tables.packets.array("session", start, end) == session
        found.append((np.flatnonzero(own) + start).astype(np.int32))
    return found


def sorted_rows(tables: Tables, cells: PacketCells, rows: KeptRows, column: Column, *, descending: bool) -> KeptRows:
    """`rows` by a column; equal ones stay in the order they have."""
    return sorted_by(tables, _KEYS[column](tables, cells), rows, descending=descending)


def sorted_by(tables: Tables, make: Keys, rows: KeptRows, *, descending: bool) -> KeptRows:
    """`rows` by some keys; equal ones stay in the order they have."""
    count, memory = len(rows), tables.chunks
    places = memory.room(count, np.dtype(np.int32)).view(np.int32)
    for start, end in _parts(count):
        places[start:end] = np.arange(start, end)
    for number in reversed(range(len(make(rows[:0].astype(np.int64))))):
        keys = memory.room(count, np.dtype(np.int64)).view(np.int64)
        for start, end in _parts(count):
            found = make(rows[start:end].astype(np.int64))[number]
            keys[start:end] = ~found if descending else found
        _sort(places, keys, memory)
    result = memory.room(count, np.dtype(np.int32)).view(np.int32)
    for start, end in _parts(count):
        result[start:end] = rows[places[start:end]]
    return result


def _sort(places: KeptRows, keys: Rows, memory: ChunkMemory) -> None:
    """Put places in the order of their keys; of equal ones the first stays first.

    Digit and position are one number, so that nothing but the numbers themselves is needed to sort them.
    """
    if not len(keys):
        return
    low, high = int(keys.min()), int(keys.max())
    mixed = memory.room(len(keys), np.dtype(np.uint64)).view(np.uint64)
    mask, bits = np.uint64((1 << _DIGIT_BITS) - 1), np.uint64(_DIGIT_BITS)
    for shift in range(0, (high - low).bit_length(), _DIGIT_BITS):
        for start, end in _parts(len(keys)):
            above = keys[places[start:end]].astype(np.uint64) - np.uint64(low & ((1 << 64) - 1))
            digits = above >> np.uint64(shift) & mask
            mixed[start:end] = digits << bits | np.arange(start, end, dtype=np.uint64)
        mixed.sort()
        before = memory.room(len(places), places.dtype).view(np.int32)
        before[:] = places
        for start, end in _parts(len(keys)):
            places[start:end] = before[(mixed[start:end] & mask).astype(np.int64)]


def _parts(count: int) -> Iterator[tuple[int, int]]:
    for start in range(0, count, CHUNK_ROWS):
        yield start, min(start + CHUNK_ROWS, count)


def _frame(tables: Tables, cells: PacketCells) -> Keys:
    return lambda rows: [tables.packets.take("frame", rows).astype(np.int64)]


def _time(tables: Tables, cells: PacketCells) -> Keys:
    """What the column says: of a time of day the time itself."""

    def times(rows: Rows) -> Rows:
        frames = tables.packets.take("frame", rows).astype(np.int64)
        return np.asarray(tables.frames.take("time_ns", frames), np.int64)

    def since_shown(rows: Rows) -> list[Rows]:
        before = cells.before(rows)
        return [times(rows) - times(np.where(before >= 0, before, rows))]

    references = cells.references.members

    def since_reference(rows: Rows) -> list[Rows]:
        places = np.searchsorted(references, rows, side="right") - 1
        start = tables.frames.integer("time_ns", 0) if len(tables.frames) else 0
        counted = places >= 0
        starts = np.full(len(rows), start)
        starts[counted] = times(references[places[counted]])
        return [times(rows) - starts]

    if cells.time_format is TimeFormat.PREVIOUS:
        return since_shown
    return since_reference if cells.time_format is TimeFormat.REFERENCE else lambda rows: [times(rows)]


def _source(tables: Tables, cells: PacketCells) -> Keys:
    return _address(tables, 0)


def _destination(tables: Tables, cells: PacketCells) -> Keys:
    return _address(tables, 1)


def _address(tables: Tables, other: int) -> Keys:
    """Rank of the sender's address, or with `other` 1 the receiver's: by host, then by port as a number."""
    ends = [_column(tables, name) for name in ("address_a", "address_b")]
    ranks = _ranks([_host_port(address) for side in ends for address in side])

    def keys(rows: Rows) -> list[Rows]:
        flow, direction = _flow(tables, rows), tables.packets.take("direction", rows).astype(np.int64)
        return [ranks[flow + len(ends[0]) * (direction ^ other)]]

    return keys


def _host_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host, int(port) if port.isdecimal() else -1


def _client(tables: Tables, cells: PacketCells) -> Keys:
    readings = tables.sessions.integers("reading")
    flow_of = tables.readings.integers("flow")[readings].tolist()
    # Last: what the others refer to is there.
    servers = tables.flows.integers("server").tolist()
    names = [cells.client_of(own, at, servers[at]) for own, at in enumerate(flow_of)]
    names += [cells.client_of(-1, at, server) for at, server in enumerate(servers)]
    ranks = _ranks(names)

    def keys(rows: Rows) -> list[Rows]:
        session, flow = tables.packets.take("session", rows).astype(np.int64), _flow(tables, rows)
        # A session that came meanwhile has no rank yet.
        known = (session >= 0) & (session < len(flow_of))
        return [ranks[np.where(known, session, len(flow_of) + flow)]]

    return keys


def _direction(tables: Tables, cells: PacketCells) -> Keys:
    servers = tables.flows.integers("server")

    def keys(rows: Rows) -> list[Rows]:
        server = servers[_flow(tables, rows)]
        return [np.where(server < 0, 2, (tables.packets.take("direction", rows) != server).astype(np.int64))]

    return keys


def _protocol(tables: Tables, cells: PacketCells) -> Keys:
    ranks = _ranks([cells.dialect_of(flow) for flow in range(len(tables.flows))])
    return lambda rows: [ranks[_flow(tables, rows)]]


def _length(tables: Tables, cells: PacketCells) -> Keys:
    return lambda rows: [
        tables.frames.take("original", tables.packets.take("frame", rows).astype(np.int64)).astype(np.int64)
    ]


def _info(tables: Tables, cells: PacketCells) -> Keys:
    """By the name of the first message, then by the tick of the snapshot that the packet completed."""
    ranks = _ranks([tables.names[number] for number in range(len(tables.names))])

    def keys(rows: Rows) -> list[Rows]:
        first = tables.packets.take("first_message", rows).astype(np.int64)
        has = first >= 0
        name = np.full(len(rows), -1, dtype=np.int64)
        numbers = tables.messages.take("name", first[has]).astype(np.int64)
        # A name that came meanwhile stands behind the others.
        name[has] = np.append(ranks, len(ranks))[np.minimum(numbers, len(ranks))]
        snapshot = tables.packets.take("snapshot", rows).astype(np.int64)
        tick = np.full(len(rows), -1, dtype=np.int64)
        tick[snapshot >= 0] = tables.snapshots.take("tick", snapshot[snapshot >= 0])
        return [name, tick]

    return keys


def _flow(tables: Tables, rows: Rows) -> Rows:
    return tables.packets.take("flow", rows).astype(np.int64)


def _column(tables: Tables, name: str) -> list[str]:
    return [tables.flows.text(name, row) for row in range(len(tables.flows))]


def _ranks(values: Sequence[_Key]) -> Rows:
    """The place of each value among the distinct ones in order."""
    places = {value: place for place, value in enumerate(sorted(set(values)))}
    return np.array([places[value] for value in values], dtype=np.int64)


_KEYS: dict[Column, Callable[[Tables, PacketCells], Keys]] = {
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
"""Column -> what makes sort keys. The gutter has no order."""
