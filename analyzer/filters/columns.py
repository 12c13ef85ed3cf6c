"""How the values of the fields that tables hold are read, by the field's name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from analyzer.filters.literals import Bools
from analyzer.filters.values import Array, Ints, Values
from analyzer.filters.view import SEVERITIES, Carried, Scope, alive_sessions
from analyzer.snapshots.status import REBUILT, ClientHas, LostBy, Proof, Status
from analyzer.store.columns import Table

Read = Callable[[Scope], Values]

NUMBERS = 256
"""More than any protocol has of kinds or codes: they are bytes in the tables."""
NO_ACK = 65535
NO_NUMBER = 65535
UP, DOWN = "up", "down"
DIRECTIONS = (UP, DOWN)
REBUILT_NUMBERS = ("state_bytes", "items", "added", "changed", "removed")
"""Columns of snapshots that mean something of rebuilt ones only."""
MESSAGE_FLAGS = {
    "system": 1,
    "vital": 2,
    "resent": 4,
    "repeated": 8,
    "ahead": 16,
    "control": 32,
    "connless": 64,
}
"""Bits of messages.flags."""


def _packet(column: str, unset: int | None = None) -> Read:
    def read(scope: Scope) -> Values:
        values = scope.packet(column)
        return Values(values, there=None if unset is None else np.asarray(values != unset))

    return read


def _frames(scope: Scope, column: str) -> Array:
    """A column of the frame of each row's packet."""
    frames, table = scope.packet("frame"), scope.view.tables.frames
    if len(frames) and frames[-1] - frames[0] == len(frames) - 1 and bool((np.diff(frames) == 1).all()):
        # Mostly every frame is a packet in its order.
        return table.array(column, int(frames[0]), int(frames[-1]) + 1)
    return _taken(table, column, frames.astype(np.int64))


def _frame(column: str) -> Read:
    return lambda scope: Values(_frames(scope, column))


def _frame_number(scope: Scope) -> Values:
    return Values(scope.packet("frame").astype(np.int64) + 1)


def _packet_number(scope: Scope) -> Values:
    return Values(scope.packet_rows + 1)


def _time(scope: Scope) -> Values:
    return Values(_frames(scope, "time_ns"))


def _time_relative(scope: Scope) -> Values:
    frames = scope.view.tables.frames
    return Values(_frames(scope, "time_ns") - (frames.integer("time_ns", 0) if len(frames) else 0))


def _end(sender: bool | None) -> Read:
    """The sender's endpoint, the receiver's, or (None) both."""

    def read(scope: Scope) -> Values:
        flow, direction = scope.packet("flow").astype(np.int64), scope.packet("direction").astype(np.int64)
        count = len(scope.view.tables.flows)
        a, b = scope.view.ends(count)
        if sender is None:
            return Values(flow + np.array([[0], [len(a)]]), [*a, *b])
        return Values(flow + (direction if sender else 1 - direction) * len(a), [*a, *b])

    return read


def _port(sender: bool | None) -> Read:
    ends = _end(sender)

    def read(scope: Scope) -> Values:
        values = ends(scope)
        assert values.table is not None
        ports = np.array([-1 if end.port is None else end.port for end in values.table] or [-1], np.int64)  # type: ignore[attr-defined]
        return Values(ports[values.values.astype(np.int64)])

    return read


def _role(client: bool) -> Read:
    """The client's endpoint, or the server's; none while nobody knows which is which."""

    def read(scope: Scope) -> Values:
        tables = scope.view.tables
        flow = scope.packet("flow").astype(np.int64)
        server = tables.flows.integers("server")
        a, b = scope.view.ends(len(server))
        side = np.where((server == 0) == client, 1, 0)
        places = np.arange(len(server)) + side * len(a)
        return Values(places[flow], [*a, *b], there=(server >= 0)[flow])

    return read


def _direction(scope: Scope) -> Values:
    server = scope.view.tables.flows.integers("server")[scope.packet("flow").astype(np.int64)]
    return Values((scope.packet("direction") == server).astype(np.int64), DIRECTIONS, there=server >= 0)


def _flow(scope: Scope) -> Values:
    flows = scope.view.tables.flows
    server = flows.array("server").tolist()
    ends = zip(flows.array("address_a").tolist(), flows.array("address_b").tolist(), server, strict=False)
    names = [f"{b}-{a}" if place == 0 else f"{a}-{b}" for a, b, place in ends]
    return Values(scope.packet("flow"), names)


def _flow_protocol(scope: Scope) -> Values:
    names, places = scope.view.protocol_of_flow()
    return Values(places[scope.packet("flow").astype(np.int64)], names)


def _flow_dialect(scope: Scope) -> Values:
    tables = scope.view.tables
    readings = tables.flows.integers("reading")
    dialects = [str(text) for text in tables.readings.array("dialect").tolist()]
    recognised = [str(text) for text in tables.flows.array("recognised", 0, len(readings)).tolist()]
    pairs = zip(readings.tolist(), recognised, strict=True)
    names = [dialects[reading] if reading >= 0 else text for reading, text in pairs]
    known = np.array([bool(name) for name in names], np.bool_)
    flow = scope.packet("flow").astype(np.int64)
    return Values(flow, names, there=known[flow])


def _of_protocol(column: str, words: str) -> Read:
    """A number whose meaning the protocol of the packet's flow knows; the word behind 0 of a code is empty: none."""

    def read(scope: Scope) -> Values:
        names, places = scope.view.protocol_of_flow()
        keys = places[scope.packet("flow").astype(np.int64)] * NUMBERS + scope.packet(column).astype(np.int64)
        table, said = _table(scope, names, words)
        return Values(keys, table, there=said[keys])

    return read


def _table(scope: Scope, protocols: Sequence[str], words: str) -> tuple[list[str], Bools]:
    """The words for all numbers of all protocols, one protocol after the other, and which of them are not empty."""
    table: list[str] = []
    for protocol in protocols:
        known: Sequence[str] = getattr(scope.view.words(protocol), words)
        table += [*known[:NUMBERS], *[""] * (NUMBERS - len(known))]
    return table, np.fromiter(map(bool, table), np.bool_, len(table))


def _session_there(scope: Scope) -> tuple[Ints, Bools]:
    session = scope.packet("session").astype(np.int64)
    alive = alive_sessions(scope.view.tables)
    known = (session >= 0) & (session < len(alive))
    known[known] = alive[session[known]]
    return np.where(known, session, 0), known


def _session(column: str) -> Read:
    """A number of the session."""

    def read(scope: Scope) -> Values:
        session, known = _session_there(scope)
        numbers = scope.view.tables.sessions.integers(column)
        return Values(numbers[session] if len(numbers) else session, there=known)

    return read


def _session_text(column: str) -> Read:
    """A text of the session; none while it is not known."""

    def read(scope: Scope) -> Values:
        session, known = _session_there(scope)
        names = [str(text) for text in scope.view.tables.sessions.array(column).tolist()] or [""]
        said = np.array([bool(name) for name in names], np.bool_)
        return Values(session, names, there=known & said[session])

    return read


def _message_name(scope: Scope) -> Values:
    carried, names = scope.messages, scope.view.tables.names
    return Values(carried.column("name"), [names[number] for number in range(len(names))], owner=carried.owner)


def _message(column: str, unset: int | None = None) -> Read:
    def read(scope: Scope) -> Values:
        carried = scope.messages
        values, owner = carried.column(column), carried.owner
        if unset is not None:
            known = np.asarray(values != unset)
            values, owner = values[known], owner[known]
        return Values(values, owner=owner)

    return read


def _message_flag(bit: int) -> Read:
    def read(scope: Scope) -> Values:
        carried = scope.messages
        return Values(np.asarray(carried.column("flags") & bit != 0), owner=carried.owner)  # type: ignore[operator]

    return read


def _message_code(scope: Scope) -> Values:
    carried = scope.messages
    names, places = scope.view.protocol_of_flow()
    tables = scope.view.tables
    flows = tables.readings.integers("flow")[carried.column("reading").astype(np.int64)]
    keys = places[flows] * NUMBERS + carried.column("code").astype(np.int64)
    table, said = _table(scope, names, "packet_codes")
    there = said[keys]
    return Values(keys[there], table, owner=carried.owner[there])


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
    return np.isin(carried.column("status"), REBUILT)


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
        return Values(keys, _table(scope, names, words)[0], owner=carried.owner)

    return read


def _base_age(scope: Scope) -> Values:
    carried = scope.snapshots
    base = carried.column("base_tick").astype(np.int64)
    known = base >= 0
    return Values((carried.column("tick").astype(np.int64) - base)[known], owner=carried.owner[known])


def _times(scope: Scope, packets: Ints) -> Ints:
    tables = scope.view.tables
    frames = _taken(tables.packets, "frame", packets).astype(np.int64)
    return _taken(tables.frames, "time_ns", frames).astype(np.int64)


def _taken(table: Table, column: str, rows: Ints) -> Array:
    """The column's values of any rows; of many out of a stretch, that is read as a whole, which is faster."""
    low, high = (int(rows.min()), int(rows.max()) + 1) if len(rows) else (0, 0)
    if high - low > 4 * len(rows) + 1024:
        return table.take(column, rows)
    return table.array(column, low, high)[rows - low]


def _ack_delay(scope: Scope) -> Values:
    carried = scope.snapshots
    acked = carried.column("acked_packet").astype(np.int64)
    known = (acked >= 0) & rebuilt(carried)
    own = carried.column("packet").astype(np.int64)[known]
    return Values(_times(scope, acked[known]) - _times(scope, own), owner=carried.owner[known])


def _base_time(scope: Scope) -> Values:
    """From the packet that completed the base; of a base that an excerpt was given its time says nothing."""
    carried, tables = scope.snapshots, scope.view.tables
    base = carried.column("base").astype(np.int64)
    known = np.flatnonzero(base >= 0)
    packets = tables.snapshots.take("packet", base[known]).astype(np.int64)
    if tables.made_interfaces:
        frames = tables.packets.take("frame", packets).astype(np.int64)
        sent = ~np.isin(tables.frames.take("interface", frames), sorted(tables.made_interfaces))
        known, packets = known[sent], packets[sent]
    own = carried.column("packet").astype(np.int64)[known]
    return Values(_times(scope, own) - _times(scope, packets), owner=carried.owner[known])


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
    "frame.number": _frame_number,
    "frame.time": _time,
    "frame.time_relative": _time_relative,
    "frame.len": _frame("original"),
    "frame.cap_len": _frame("captured"),
    "frame.interface": _frame("interface"),
    "ip.src": _end(True),
    "ip.dst": _end(False),
    "ip.addr": _end(None),
    "udp.srcport": _port(True),
    "udp.dstport": _port(False),
    "udp.port": _port(None),
    "udp.length": _packet("udp_length"),
    "udp.cap_length": _packet("length"),
    "flow": _flow,
    "flow.protocol": _flow_protocol,
    "flow.dialect": _flow_dialect,
    "client": _role(True),
    "server": _role(False),
    "session.number": _session("number"),
    "session.player": _session_text("player"),
    "session.dialect": _session_text("dialect"),
    "session.generation": _session("generation"),
    "session.epoch": _session("epoch"),
    "session.map": _session_text("map"),
    "packet.number": _packet_number,
    "packet.direction": _direction,
    "packet.kind": _of_protocol("kind", "packet_kinds"),
    "packet.code": _of_protocol("code", "packet_codes"),
    "packet.flags": _packet("flags"),
    "packet.ack": _packet("ack", NO_ACK),
    "packet.chunks": _packet("chunks"),
    "message.name": _message_name,
    "message.id": _message("id", NO_NUMBER),
    "message.sequence": _message("sequence", NO_NUMBER),
    "message.size": _message("size"),
    "message.code": _message_code,
    **{f"message.{name}": _message_flag(bit) for name, bit in MESSAGE_FLAGS.items()},
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
    **{
        f"snapshot.{name}": _snapshot(name, rebuilt) for name in ("state_bytes", "items", "added", "changed", "removed")
    },
    "finding.rule": _finding_rule,
    "finding.severity": _finding_severity,
}
"""By name of the field."""
