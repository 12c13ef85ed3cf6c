"""How fields of snapshots and findings are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from analyzer.filters.stretches import NUMBERS, Read, frame_values, taken, word_table
from analyzer.filters.value_tests import Bools
from analyzer.filters.values import Ints, Values
from analyzer.filters.view import SEVERITIES, Carried, Scope
from analyzer.snapshots.status import REBUILT, ClientHas, LostBy, Proof, Status

REBUILT_NUMBERS = ("state_bytes", "items", "added", "changed", "removed")
"""Columns of snapshots that mean something of rebuilt ones only."""


def _snapshot(column: str, kept: Callable[[Carried], Bools] | None = None) -> Read:
    def read(scope: Scope) -> Values:
        carried = scope.snapshots
        values, owner = carried.column(column), carried.owner
        if kept is not None:
            known = kept(carried)
            values, owner = values[known], owner[known]
        return Values(values, owner=owner)

    return read


def rebuilt(carried: Carried) -> Bools:
    """Which of some snapshots were rebuilt."""
    known = np.zeros(NUMBERS, np.bool_)
    known[list(REBUILT)] = True
    return known[carried.column("status").astype(np.intp)]


def _words(column: str, table: Sequence[str]) -> Read:
    """A number of a snapshot that means the same in every protocol."""

    def read(scope: Scope) -> Values:
        carried = scope.snapshots
        return Values(carried.column(column), table, owner=carried.owner)

    return read


def _snapshot_word(column: str, words: str) -> Read:
    """A number of a snapshot whose meaning its protocol knows."""

    def read(scope: Scope) -> Values:
        carried, tables = scope.snapshots, scope.view.tables
        protocols = [str(text) for text in tables.readings.array("protocol").tolist()]
        names = sorted(set(protocols))
        places = np.array([names.index(text) for text in protocols], np.int64)
        readings = tables.sessions.integers("reading")[carried.column("session").astype(np.int64)]
        keys = (places[readings] if len(readings) else readings) * NUMBERS + carried.column(column).astype(np.int64)
        return Values(keys, word_table(scope.view, names, words)[0], owner=carried.owner)

    return read


def _base_age(scope: Scope) -> Values:
    carried = scope.snapshots
    base = carried.column("base_tick").astype(np.int64)
    known = base >= 0
    return Values((carried.column("tick").astype(np.int64) - base)[known], owner=carried.owner[known])


def _between(scope: Scope, from_packets: Ints, to_packets: Ints) -> Ints:
    """Nanoseconds from each of some packets to each of others, shape like both."""
    packets, frames = scope.view.tables.packets, scope.view.tables.frames
    every = np.concatenate([from_packets, to_packets])
    low, high = (int(every.min()), int(every.max()) + 1) if len(every) else (0, 0)
    if high - low > 4 * len(every) + 1024:
        times = frames.integers("time_ns", 0, 0) if not len(every) else _far_times(scope, every)
    else:
        # Of many out of a stretch, that is read as a whole, which is faster.
        times = frame_values(frames, "time_ns", packets.array("frame", low, high)).astype(np.int64)[every - low]
    return times[len(from_packets) :] - times[: len(from_packets)]


def _far_times(scope: Scope, rows: Ints) -> Ints:
    tables = scope.view.tables
    return tables.frames.take("time_ns", tables.packets.take("frame", rows).astype(np.int64)).astype(np.int64)


def _ack_delay(scope: Scope) -> Values:
    carried = scope.snapshots
    acked = carried.column("acked_packet").astype(np.int64)
    known = (acked >= 0) & rebuilt(carried)
    own = carried.column("packet")[known].astype(np.int64)
    return Values(_between(scope, own, acked[known]), owner=carried.owner[known])


def _base_time(scope: Scope) -> Values:
    """From the packet that completed the base; of a base that an excerpt was given its time says nothing."""
    carried, tables = scope.snapshots, scope.view.tables
    base = carried.column("base").astype(np.int64)
    known = np.flatnonzero(base >= 0)
    packets = taken(tables.snapshots, "packet", base[known]).astype(np.int64)
    if tables.made_interfaces:
        frames = tables.packets.take("frame", packets).astype(np.int64)
        sent = ~np.isin(tables.frames.take("interface", frames), sorted(tables.made_interfaces))
        known, packets = known[sent], packets[sent]
    own = carried.column("packet")[known].astype(np.int64)
    return Values(_between(scope, packets, own), owner=carried.owner[known])


def _crc_ok(scope: Scope) -> Values:
    """Of rebuilt snapshots with a checksum of their own."""
    carried = scope.snapshots
    right, wrong = carried.column("proof") == Proof.OWN, carried.column("status") == Status.CRC
    known = np.asarray(right | wrong)
    return Values(np.asarray(right)[known], owner=carried.owner[known])


def _finding_rule(scope: Scope) -> Values:
    findings, here, owner = scope.found
    return Values(findings.rule[here], findings.rules, owner=owner)


def _finding_severity(scope: Scope) -> Values:
    findings, here, owner = scope.found
    return Values(findings.severity[here], SEVERITIES, owner=owner)


READERS: dict[str, Read] = {
    "snapshot.tick": _snapshot("tick"),
    "snapshot.base_tick": _snapshot("base_tick"),
    "snapshot.base_age": _base_age,
    "snapshot.base_time": _base_time,
    "snapshot.ack_delay": _ack_delay,
    "snapshot.parts": _snapshot("parts"),
    "snapshot.part_count": _snapshot("part_count"),
    "snapshot.wire_bytes": _snapshot("wire_bytes"),
    "snapshot.delta_bytes": _snapshot("delta_bytes"),
    "snapshot.deleted": _snapshot("deleted"),
    "snapshot.updated": _snapshot("updated"),
    "snapshot.client_kept": _snapshot("client_kept"),
    "snapshot.crc_ok": _crc_ok,
    "snapshot.kind": _snapshot_word("kind", "snapshot_kinds"),
    "snapshot.code": _snapshot_word("code", "codes"),
    "snapshot.status": _words("status", [status.word for status in Status]),
    "snapshot.client_has": _words("client_has", [has.word for has in ClientHas]),
    "snapshot.lost_by": _words("lost_by", [lost.word for lost in LostBy]),
    "snapshot.proof": _words("proof", [proof.name.lower() for proof in Proof]),
    **{f"snapshot.{name}": _snapshot(name, rebuilt) for name in REBUILT_NUMBERS},
    "finding.rule": _finding_rule,
    "finding.severity": _finding_severity,
}
"""By name of the field."""
