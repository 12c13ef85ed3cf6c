"""What a person points at as the text of a filter that is true of it: cells, fields, items, clients, points of charts.

The only place that makes such texts. A text that the registry does not know is none: empty. Knows no Qt.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from analyzer.filters.errors import FilterError
from analyzer.filters.kinds import Kind
from analyzer.filters.parse import parse
from analyzer.filters.registry import Registry
from analyzer.filters.schema_fields import spelled
from analyzer.snapshots.model import Change, FieldChange
from analyzer.stats.series import Metric
from analyzer.store.tables import Tables
from analyzer.wire.reader import Field
from ui.models.packet_cells import Column, TimeFormat

SECOND, MS = 1_000_000_000, 1_000_000
MOST_BYTES = 64
"""Longer ones make no filter that a person would read."""
HEADER = {"ack": "packet.ack", "chunks": "packet.chunks"}
"""Fields that stand before all messages."""
CHUNK = {"resend": "message.resent", "vital": "message.vital", "size": "message.size", "sequence": "message.sequence"}
"""Fields that stand before a message's own."""
NAMING = ("uuid", "id", "control message")
"""Fields of a message whose texts say its name."""
METRICS = {
    Metric.WIRE_BYTES: "snapshot.wire_bytes",
    Metric.DELTA_BYTES: "snapshot.delta_bytes",
    Metric.PARTS: "snapshot.parts",
    Metric.ITEMS: "snapshot.items",
    Metric.BASE_AGE_TICKS: "snapshot.base_age",
    Metric.BASE_AGE_MS: "snapshot.base_time",
    Metric.ACK_MS: "snapshot.ack_delay",
}
SIDES = {"new": "", "old": ".old", "difference": ".difference"}
"""What of a change is compared -> what the field's name ends with."""


class FilterTexts:
    """Of one registry."""

    def __init__(self, fields: Registry) -> None:
        self._fields = fields
        self._messages: dict[tuple[str, str], str] | None = None
        """Name of a message and of a field of it -> name for filters."""

    def is_filter(self, text: str) -> bool:
        """Can it be applied?"""
        try:
            parse(text, self._fields)
        except FilterError:
            return False
        return bool(text)

    def column_of(self, text: str) -> str:
        """The field of a filter of one comparison, where a column of the packet list can show it."""
        try:
            fields = parse(text, self._fields).fields
        except FilterError:
            return ""
        return fields[0].name if len(fields) == 1 and fields[0].kind is not Kind.PRESENCE else ""

    # Packets

    def cell(self, tables: Tables, packet: int, column: Column, form: TimeFormat = TimeFormat.FIRST) -> str:
        """A column of the packet list."""
        made = {
            Column.NUMBER: lambda: f"frame.number == {tables.packets.integer('frame', packet) + 1}",
            Column.TIME: lambda: _time(tables, packet, form),
            Column.SOURCE: lambda: f"ip.src == {_end(tables, packet, 0)}",
            Column.DESTINATION: lambda: f"ip.dst == {_end(tables, packet, 1)}",
            Column.CLIENT: lambda: _client(tables, packet),
            Column.DIRECTION: lambda: _direction(tables, packet),
            Column.PROTOCOL: lambda: _protocol(tables, packet),
            Column.LENGTH: lambda: f"frame.len == {_frame(tables, packet, 'original')}",
        }.get(column, lambda: _info(tables, packet))()
        return self._checked(made)

    def added(self, name: str, said: str) -> str:
        """A column that a person added, by the name of its field and by what the cell says."""
        info = self._fields.get(name)
        value = said.removesuffix(", ...")
        if info is None or not value:
            return ""
        if info.kind is Kind.DURATION:
            # It is rounded to microseconds.
            middle = round(float(value.partition(", ")[0]) * MS)
            return self._checked(f"{name} in {{{_duration(middle - 500)}..{_duration(middle + 500)}}}")
        if info.kind is Kind.FLAG:
            return self._checked(f"{name} == {'true' if value.startswith('yes') else 'false'}")
        if info.kind is Kind.BYTES:
            return self._checked(f"{name} == {value.partition(', ')[0].replace(' ', ':')}")
        if info.kind in (Kind.NUMBER, Kind.ADDRESS):
            return self._checked(f"{name} == {value.partition(', ')[0]}")
        if info.kind is Kind.TEXT:
            return self._checked(f"{name} == {quoted(value)}") if ", " not in value else ""
        return self._checked(f"{name} == {quoted(value.partition(', ')[0])}")

    # The tree of a packet

    def field(self, path: Sequence[Field]) -> str:
        """A field, given with all that it is in, the outermost first. Of what is secret nothing is said."""
        node = path[-1]
        if any(one.secret for one in path):
            return ""
        for depth in reversed(range(len(path))):
            names = _names_of(path[depth])
            if names:
                return self._of_message(names, path[depth], path[depth + 1 :])
        if node.name in HEADER and len(path) > 1:
            return self._compared(HEADER[node.name], node.value)
        return ""

    def change(self, change: Change, field: FieldChange | None) -> str:
        """A number of a delta: a field of an item that changed, or the item."""
        if field is None:
            return self.item(change.name, change.id, change.kind)
        if field.new is None:
            return self.item_field(change.name, field.name, "difference", field.difference)
        return self.item_field(change.name, field.name, "new", field.new, changed=True)

    # The tree of a snapshot

    def type(self, name: str, *, changed: bool = False) -> str:
        """Items of a type, or changes of them."""
        return self._checked(f"{'change' if changed else 'item'}.{_item_name(name)}")

    def item(self, name: str, id: int, kind: str = "same") -> str:
        """An item by its id; one that is not there any more is found among the changes."""
        stem = "change" if kind in ("removed", "unknown") else "item"
        return self._checked(f"{stem}.{_item_name(name)}.id == {id}")

    def bits(self, name: str, bits: int) -> str:
        """What the change of an item took."""
        return self._checked(f"change.{_item_name(name)}.bits == {bits}")

    def item_field(self, name: str, field: str, side: str, value: int | str | None, *, changed: bool = False) -> str:
        """A field of an item: its new value, `old` one or `difference`; with no value that it changed.

        `changed`: the new value only where it was sent and differs, as it is meant of a delta.
        """
        stem, _, index = field.partition("[")
        own = f"{_item_name(name)}.{spelled(stem)}{f'[{index}' if index else ''}"
        if value is None:
            return self._checked(f"change.{own}")
        if side == "new" and not changed:
            return self._compared(f"item.{own}", value)
        return self._compared(f"change.{own}{SIDES[side]}", value)

    # Clients and charts

    def session(self, tables: Tables, session: int) -> str:
        """The packets of a session."""
        flow = tables.readings.integer("flow", tables.sessions.integer("reading", session))
        readings = tables.sessions.integers("reading")
        of_flow = tables.readings.integers("flow")[readings] == flow
        alive = tables.readings.array("alive")[readings].astype(bool)
        text = _client_end(tables, flow)
        if text and int((of_flow & alive).sum()) > 1:
            text += f" && session.number == {tables.sessions.integer('number', session)}"
        return self._checked(text)

    def snapshot(self, tables: Tables, snapshot: int) -> str:
        """The packets of one snapshot."""
        tick = tables.snapshots.integer("tick", snapshot)
        session = self.session(tables, tables.snapshots.integer("session", snapshot))
        return self._checked(f"snapshot.tick == {tick} && {session}") if session else ""

    def point(self, metric: Metric, value: float) -> str:
        """Snapshots that have at least the value of a point: hardly another one has the same."""
        if value != value:
            return ""
        said = _duration(round(value * MS)) if metric in (Metric.BASE_AGE_MS, Metric.ACK_MS) else f"{round(value)}"
        return self._checked(f"{METRICS[metric]} >= {said}")

    def times(self, first_ns: int, last_ns: int) -> str:
        """Packets of a stretch of time, nanoseconds since 1970; both ends are in it."""
        return self._checked(f"frame.time >= {_moment(first_ns)} && frame.time <= {_moment(last_ns)}")

    def _of_message(self, names: Sequence[str], group: Field, below: Sequence[Field]) -> str:
        named = next((text for name in names if (text := self._checked(f"message.name == {quoted(name)}"))), "")
        if not below or below[0].name in NAMING:
            return named
        own = below[0]
        before = [child.name for child in group.children].index("id") if _has(group, "id") else 0
        if any(child is own for child in group.children[:before]):
            return self._compared(CHUNK[own.name], own.value) if own.name in CHUNK else named
        known = self._by_message()
        last = below[-1]
        stem, _, index = last.name.partition("[")
        for name in names:
            found = known.get((name, last.name)) or known.get((name, stem))
            if found is not None:
                return self._compared(f"{found}[{index}" if index else found, last.value)
        return named

    def _by_message(self) -> dict[tuple[str, str], str]:
        if self._messages is None:
            self._messages = {
                (name, info.message.field): info.name
                for info in self._fields
                if info.message is not None
                for name in info.message.names
            }
        return self._messages

    def _compared(self, name: str, value: object) -> str:
        """A field that is equal to a value; empty where they do not fit."""
        info = self._fields.get(name)
        if info is None or value is None:
            return ""
        if isinstance(value, bool) or info.kind is Kind.FLAG:
            return self._checked(f"{name} == {'true' if value else 'false'}") or self._checked(
                f"{name} == {int(bool(value))}"
            )
        if isinstance(value, bytes):
            if len(value) > MOST_BYTES:
                return ""
            return self._checked(f"{name} == {value.hex(':')}" if value else f"{name} && len({name}) == 0")
        if isinstance(value, int):
            return self._checked(f"{name} == {value}")
        return self._checked(f"{name} == {quoted(value)}") if isinstance(value, str) else ""

    def _checked(self, text: str) -> str:
        return text if self.is_filter(text) else ""


def quoted(text: str) -> str:
    """A text as it stands in a filter."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(sign if sign.isprintable() else _escape(sign) for sign in escaped) + '"'


def _escape(sign: str) -> str:
    code = ord(sign)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else sign


def _names_of(group: Field) -> list[str]:
    """What a message may be called, the most certain first; none: it is none."""
    names = [child.text for child in group.children if child.name in NAMING and child.text]
    return list(reversed(names))


def _has(group: Field, name: str) -> bool:
    return any(child.name == name for child in group.children)


def _item_name(name: str) -> str:
    """An item that stands for another one is called by both: `Projectile (DDRaceProjectile)`."""
    return spelled(name.partition(" (")[0])


def _duration(ns: int) -> str:
    """Nanoseconds, exact."""
    sign, ns = ("-" if ns < 0 else ""), abs(ns)
    whole, rest = divmod(ns, MS)
    return f"{sign}{whole}.{rest:06d}".rstrip("0").rstrip(".") + "ms"


def _frame(tables: Tables, packet: int, column: str) -> int:
    return tables.frames.integer(column, tables.packets.integer("frame", packet))


def _time(tables: Tables, packet: int, form: TimeFormat) -> str:
    ns = _frame(tables, packet, "time_ns")
    if form is TimeFormat.UTC:
        return f"frame.time == {_moment(ns)}"
    whole, rest = divmod(abs(ns - tables.frames.integer("time_ns", 0)), SECOND)
    sign = "-" if ns < tables.frames.integer("time_ns", 0) else ""
    return f"frame.time_relative == {sign}{f'{whole}.{rest:09d}'.rstrip('0').rstrip('.')}s"


def _moment(ns: int) -> str:
    """A time of day in UTC."""
    return f'"{datetime.fromtimestamp(ns // SECOND, UTC):%Y-%m-%d %H:%M:%S}.{ns % SECOND:09d}"'


def _end(tables: Tables, packet: int, other: int) -> str:
    """The sender's endpoint, or with `other` 1 the receiver's."""
    side = tables.packets.integer("direction", packet) ^ other
    return tables.flows.text("address_b" if side else "address_a", tables.packets.integer("flow", packet))


def _client_end(tables: Tables, flow: int) -> str:
    server = tables.flows.integer("server", flow)
    if server < 0:
        return ""
    address = tables.flows.text("address_b" if server == 0 else "address_a", flow)
    return f"client == {address}"


def _client(tables: Tables, packet: int) -> str:
    session = tables.packets.integer("session", packet)
    player = tables.sessions.text("player", session) if session >= 0 else ""
    if player:
        return f"session.player == {quoted(player)}"
    return _client_end(tables, tables.packets.integer("flow", packet))


def _direction(tables: Tables, packet: int) -> str:
    server = tables.flows.integer("server", tables.packets.integer("flow", packet))
    if server < 0:
        return ""
    return f"packet.direction == {'down' if tables.packets.integer('direction', packet) == server else 'up'}"


def _protocol(tables: Tables, packet: int) -> str:
    flow = tables.packets.integer("flow", packet)
    reading = tables.flows.integer("reading", flow)
    said = tables.readings.text("dialect", reading) if reading >= 0 else tables.flows.text("recognised", flow)
    return f"flow.dialect == {quoted(said)}" if said else "flow.protocol == udp"


def _info(tables: Tables, packet: int) -> str:
    """The snapshot of a packet by its tick, else its first message."""
    snapshot = tables.packets.integer("snapshot", packet)
    if snapshot >= 0:
        return f"snapshot.tick == {tables.snapshots.integer('tick', snapshot)}"
    message = tables.packets.integer("first_message", packet)
    return "" if message < 0 else f"message.name == {quoted(tables.names[tables.messages.integer('name', message)])}"
