"""How fields of frames, datagrams, flows, sessions and packets are read."""

from __future__ import annotations

import numpy as np

from analyzer.filters.stretches import NUMBERS, Read, frame_values, word_table
from analyzer.filters.value_tests import Bools
from analyzer.filters.values import Array, Ints, Values
from analyzer.filters.view import Scope, alive_sessions

NO_ACK = 65535
UP, DOWN = "up", "down"
DIRECTIONS = (UP, DOWN)


def _packet(column: str, unset: int | None = None) -> Read:
    def read(scope: Scope) -> Values:
        values = scope.packet(column)
        return Values(values, there=None if unset is None else np.asarray(values != unset))

    return read


def _frames(scope: Scope, column: str) -> Array:
    """A column of the frame of each row's packet."""
    return frame_values(scope.view.tables.frames, column, scope.packet("frame"))


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
        table, said = word_table(scope.view, names, words)
        return Values(keys, table, there=said[keys])

    return read


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
}
"""By name of the field."""
