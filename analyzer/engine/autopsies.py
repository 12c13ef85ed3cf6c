"""Gathers what explaining a wrong checksum needs, for one snapshot that somebody looks at."""

from __future__ import annotations

import numpy as np

from analyzer.engine.states import States
from analyzer.protocols.base import CrcCase, SessionFacts
from analyzer.snapshots.autopsy import Autopsy
from analyzer.snapshots.status import Status
from analyzer.stats.flows import ends_of, session_flow
from analyzer.stats.live import live_mask
from analyzer.store.tables import Tables
from analyzer.wire.errors import DecodeError

MOST_BASES = 300
"""Other baselines that are tried, the newest first."""
MOST_OTHERS = 16
"""Other clients that are looked at."""


def autopsy(tables: Tables, states: States, snapshot: int) -> Autopsy | None:
    """What could explain the checksum of a snapshot; None where it is right, or its protocol explains none."""
    snapshots = tables.snapshots
    protocol = states.protocol_of(snapshot)
    explain, joined = protocol.expertise.explain_crc, states.joined(snapshot)
    facts = tables.sessions.get("facts", snapshots.integer("session", snapshot))
    if snapshots.integer("status", snapshot) != Status.CRC or explain is None or joined is None:
        return None
    assert isinstance(facts, SessionFacts)
    wire, computed = snapshots.integer("crc_wire", snapshot), snapshots.integer("crc_computed", snapshot)
    base = snapshots.integer("base", snapshot)
    empty = _packed_empty(states, snapshot)
    own = _packed(states, base) if base >= 0 else empty
    difference = (computed - wire + 0x80000000 & 0xFFFFFFFF) - 0x80000000
    if own is None:
        return Autopsy(difference, ())
    bases = {} if base < 0 else {-1: empty}
    case = CrcCase(
        joined.data, own, wire, bases | _bases(tables, states, snapshot, base), _others(tables, states, snapshot)
    )
    try:
        return Autopsy(difference, tuple(explain(case, facts)))
    except DecodeError:
        return Autopsy(difference, ())


def _bases(tables: Tables, states: States, snapshot: int, base: int) -> dict[int, bytes]:
    """Snapshots of the session before it that are not its base, by tick."""
    snapshots = tables.snapshots
    session = snapshots.integer("session", snapshot)
    first = max(0, snapshot - 64 * MOST_BASES)
    own = snapshots.array("session", first, snapshot) == session
    good = own & (snapshots.array("status", first, snapshot) == Status.OK)
    rows = (np.flatnonzero(good) + first)[-MOST_BASES:].tolist()
    found = {}
    for row in rows:
        packed = _packed(states, row) if row != base else None
        if packed is not None:
            found[snapshots.integer("tick", row)] = packed
    return found


def _others(tables: Tables, states: States, snapshot: int) -> tuple[tuple[str, bytes], ...]:
    """What other clients of the server were told of the tick, with their names."""
    snapshots = tables.snapshots
    session, tick = snapshots.integer("session", snapshot), snapshots.integer("tick", snapshot)
    server = ends_of(tables, session_flow(tables, session)).server
    same = live_mask(tables, len(snapshots)) & (snapshots.array("tick") == tick)
    found: list[tuple[str, bytes]] = []
    for row in np.flatnonzero(same & (snapshots.array("status") == Status.OK)).tolist():
        other = snapshots.integer("session", row)
        ends = ends_of(tables, session_flow(tables, other))
        if other == session or ends.server != server or len(found) >= MOST_OTHERS:
            continue
        packed = _packed(states, row)
        if packed is not None:
            found.append((tables.sessions.text("player", other) or ends.client, packed))
    return tuple(found)


def _packed(states: States, row: int) -> bytes | None:
    state = states.state(row)
    return None if state is None else states.codec(row).pack(state)


def _packed_empty(states: States, row: int) -> bytes:
    codec = states.codec(row)
    return codec.pack(codec.empty())
