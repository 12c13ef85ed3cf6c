"""The fields of filters, each with its values in a printed record: slow and obvious."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from analyzer.filters.fields import FieldInfo
from analyzer.filters.kinds import Kind
from analyzer.filters.registry import Registry
from tests.filters.printed import (
    Printed,
    Record,
    address,
    bodies,
    change_values,
    chunks,
    head,
    is_in_chunks,
    item_values,
    known_items,
    message_values,
    nanoseconds,
)

NOT_PRINTED = {"message.code", "message.repeated", "message.ahead"}
"""Fields that no command prints."""
SEVERITIES = {"note": "note", "warn": "warn", "error": "error"}
"""As `findings` prints them, and as filters have them; ascending."""
SNAPSHOT_NUMBERS = ("tick", "base_tick", "parts", "part_count", "wire_bytes", "delta_bytes", "deleted", "updated")
REBUILT_NUMBERS = ("state_bytes", "items", "added", "changed", "removed")
SNAPSHOT_WORDS = ("kind", "status", "code", "proof", "client_has", "lost_by")
SESSION = {
    "number": "number",
    "player": "text",
    "dialect": "word",
    "generation": "number",
    "epoch": "number",
    "map": "text",
}
KINDS = {
    Kind.NUMBER: "number",
    Kind.TEXT: "text",
    Kind.BYTES: "bytes",
    Kind.ANY: "any",
    Kind.PRESENCE: "presence",
}

Groups = list[list[Any]]
"""Values of a field in a record, by what they are counted under."""


@dataclass(frozen=True)
class Field:
    """A field, and its values in a record of a packet."""

    name: str
    kind: str
    """`number`, `duration`, `time`, `text`, `word`, `ordered`, `flag`, `address`, `bytes`, `any` or `presence`."""
    read: Callable[[Record], Groups]

    def groups(self, packet: Record) -> Groups:
        """The values, looked up once a record."""
        memo: dict[str, Groups] = packet["memo"]
        if self.name not in memo:
            memo[self.name] = self.read(packet)
        return memo[self.name]

    def values(self, packet: Record) -> list[Any]:
        """All of them."""
        return [value for group in self.groups(packet) for value in group]


def fields(printed: Printed, registry: Registry) -> list[list[Field]]:
    """All that occur, those of a sort together."""
    plain = [*_of_packets(printed), *_of_messages(), *_of_snapshots(), *_of_findings()]
    sorts: dict[str, list[Field]] = {}
    for field in (*plain, *_of_schemas(printed, registry)):
        sorts.setdefault(field.name.partition(".")[0], []).append(field)
    named = [field for field in sorts.pop("message") if field.name.count(".") > 1]
    return [*sorts.values(), list(_of_messages()), *([named] if named else [])]


def _one(read: Callable[[Record], Any], *, absent: Any = None) -> Callable[[Record], Groups]:
    """A value of the packet itself."""
    return lambda packet: [[value] if (value := read(packet)) != absent and value is not None else []]


def _key(name: str, *, absent: Any = None) -> Callable[[Record], Groups]:
    return _one(lambda packet: packet[name], absent=absent)


def _of_packets(printed: Printed) -> Iterator[Field]:
    start = printed.start_ns
    yield Field("frame.number", "number", _key("frame"))
    yield Field("frame.time", "time", _one(lambda packet: start + nanoseconds(packet)))
    yield Field("frame.time_relative", "duration", _one(nanoseconds))
    for place, name in enumerate(("interface", "cap_len", "len")):
        yield Field(f"frame.{name}", "number", _one(lambda one, place=place: printed.frames[one["frame"] - 1][place]))
    for name, key in {"src": "source", "dst": "destination"}.items():
        yield Field(f"ip.{name}", "address", _key(key))
        yield Field(f"udp.{name}port", "number", _one(lambda packet, key=key: address(packet[key])[1]))
    yield Field("ip.addr", "address", lambda packet: [[packet["source"], packet["destination"]]])
    yield Field("udp.port", "number", lambda packet: [[address(packet[key])[1] for key in ("source", "destination")]])
    yield Field("udp.length", "number", _key("length"))
    yield Field("udp.cap_length", "number", _key("captured"))
    yield Field("flow", "text", _one(lambda packet: "{client}-{server}".format(**packet["flow"])))
    yield Field("flow.protocol", "word", _key("protocol"))
    yield Field("flow.dialect", "text", _key("dialect", absent=""))
    for end in ("client", "server"):
        yield Field(
            end,
            "address",
            _one(lambda packet, end=end: packet["flow"][end] if packet["flow"]["server_known"] else None),
        )
    for name, kind in SESSION.items():
        yield Field(
            f"session.{name}",
            kind,
            _one(lambda one, name=name: one["session"][name] if one["session"] else None, absent=""),
        )
    yield Field("packet.number", "number", _one(lambda packet: printed.numbers[packet["frame"]]))
    yield Field(
        "packet.direction",
        "word",
        _one(lambda packet: None if packet["up"] is None else "up" if packet["up"] else "down"),
    )
    yield Field("packet.kind", "word", _key("kind", absent=""))
    yield Field("packet.code", "word", _key("code", absent=""))
    for name in ("flags", "ack", "chunks"):
        yield Field(f"packet.{name}", "number", _key(name))


def _of_messages() -> Iterator[Field]:
    yield Field("message.name", "word", lambda packet: [packet["messages"]])
    yield Field("message.id", "number", lambda packet: [list(_ids(packet))])
    yield Field("message.size", "number", lambda packet: [list(_sizes(packet))])
    yield Field("message.sequence", "number", lambda packet: [head(packet, "sequence")])
    yield Field("message.system", "flag", lambda packet: [_flags(packet, lambda name: name.startswith("NETMSG_"))])
    yield Field("message.vital", "flag", lambda packet: [_head_flags(packet, "vital")])
    yield Field("message.resent", "flag", lambda packet: [_head_flags(packet, "resend")])
    for kind in ("control", "connless"):
        yield Field(
            f"message.{kind}",
            "flag",
            lambda packet, kind=kind: [[packet["kind"].startswith(kind) for _ in packet["messages"]]],
        )


def _flags(packet: Record, test: Callable[[str], bool]) -> list[bool]:
    return [is_in_chunks(packet) and test(name) for name in packet["messages"]]


def _head_flags(packet: Record, name: str) -> list[Any]:
    """Of chunks what stands in their heads; control messages and those outside of connections have no chunk."""
    return head(packet, name) if is_in_chunks(packet) else [False for _ in packet["messages"]]


def _ids(packet: Record) -> Iterator[int]:
    """Numbers of messages; those named by a UUID, or outside of connections, have none."""
    if packet["kind"] == "control":
        for group in packet["tree"]:
            yield from (field["value"] for field in group["children"] if field["name"] == "control message")
    for _, chunk in chunks(packet):
        names = [field["name"] for field in chunk["children"]]
        if "id" in names and "uuid" not in names[names.index("id") :][1:2]:
            # The lowest bit is set in messages of the engine.
            yield chunk["children"][names.index("id")]["value"] >> 1


def _sizes(packet: Record) -> Iterator[int]:
    """Of chunks what their heads say; of other messages what their fields take."""
    if is_in_chunks(packet):
        yield from head(packet, "size")
        return
    for _, own in zip(packet["messages"], [list(fields) for _, fields in bodies(packet)], strict=False):
        number = 1 if packet["kind"] == "control" else 0
        yield number + sum(field["span"]["length"] for field in own if field["span"])


def _of_snapshots() -> Iterator[Field]:
    for name in SNAPSHOT_NUMBERS:
        yield Field(f"snapshot.{name}", "number", _together(lambda one, name=name: [one[name]]))
    for name in REBUILT_NUMBERS:
        yield Field(f"snapshot.{name}", "number", _together(_rebuilt_number(name)))
    for name in SNAPSHOT_WORDS:
        yield Field(f"snapshot.{name}", "word", _together(lambda one, name=name: [one[name]]))
    for name, kind in {
        "client_kept": "flag",
        "crc_ok": "flag",
        "ack_delay": "duration",
        "base_time": "duration",
    }.items():
        yield Field(f"snapshot.{name}", kind, _together(lambda one, name=name: _known(one[name])))
    yield Field(
        "snapshot.base_age",
        "number",
        _together(lambda one: [one["tick"] - one["base_tick"]] if one["base_tick"] >= 0 else []),
    )


def _together(read: Callable[[Record], list[Any]]) -> Callable[[Record], Groups]:
    """Values in all snapshots of a packet, counted together."""
    return lambda packet: [[value for snapshot in packet["carried"] for value in read(snapshot)]]


def _rebuilt_number(name: str) -> Callable[[Record], list[Any]]:
    return lambda snapshot: [snapshot["count" if name == "items" else name]] if snapshot["items"] is not None else []


def _known(value: object) -> list[Any]:
    return [] if value is None else [value]


def _of_findings() -> Iterator[Field]:
    yield Field("finding.rule", "word", lambda packet: [[one["rule"] for one in packet["findings"]]])
    yield Field(
        "finding.severity", "ordered", lambda packet: [[SEVERITIES[one["severity"]] for one in packet["findings"]]]
    )


def _of_schemas(printed: Printed, registry: Registry) -> Iterator[Field]:
    """Fields of the messages and items that occur, and one repetition of those that have several."""
    messages = {name for packet in printed.packets for name in packet["messages"]}
    items = {name for one in printed.snapshots for name in _item_names(one)}
    repeated = {one for packet in printed.packets for _, own in bodies(packet) for one in _repeated(own)}
    repeated |= {one for snapshot in printed.snapshots for one in _repeated_in_items(snapshot)}
    # In 0.7 messages tell the names of players, in an order of their own: nothing printed says who owns an item then.
    owners = all(one["dialect"] != "0.7" for one in printed.snapshots)
    for info in registry:
        if info.item is not None and info.item.part == "owner" and not owners:
            continue
        if info.message is not None and messages & info.message.names:
            names = [info.name, *([f"{info.name}[1]"] if info.message.field in repeated else [])]
        elif info.item is not None and info.item.name in items:
            names = [info.name, *([f"{info.name}[1]"] if info.item.field in repeated else [])]
        else:
            continue
        for name in names:
            found = registry.get(name)
            if found is not None:
                yield Field(name, KINDS[found.kind], (_message_reader if found.message else _item_reader)(found))


def _repeated(fields: list[Record]) -> Iterator[str]:
    """Names of fields that there are several of."""
    for field in fields:
        if "[" in field["name"]:
            yield field["name"].partition("[")[0]
        yield from _repeated(field["children"])


def _repeated_in_items(snapshot: Record) -> Iterator[str]:
    for change in snapshot["changes"]:
        yield from (one["name"].partition("[")[0] for one in change["fields"] if "[" in one["name"])


def _item_names(snapshot: Record) -> Iterator[str]:
    if snapshot["items"] is not None:
        for item in known_items(snapshot):
            yield from item.names
    yield from (change["name"] for change in snapshot["changes"])


def _message_reader(info: FieldInfo) -> Callable[[Record], Groups]:
    term = info.message
    assert term is not None

    def read(packet: Record) -> Groups:
        values = message_values(packet, term.names, term.field)
        return [[bytes.fromhex(value) if info.kind is Kind.BYTES else value for value in values]]

    return read


def _item_reader(info: FieldInfo) -> Callable[[Record], Groups]:
    """Each snapshot is counted by itself; without items, and without changes of that sort, it does not count."""
    term = info.item
    assert term is not None

    def read(packet: Record) -> Groups:
        groups: Groups = []
        for snapshot in packet["carried"]:
            if term.changes:
                found = change_values(snapshot, term.name, term.field, term.part)
                if found or snapshot["items"] is not None:
                    groups.append(found)
            elif (own := item_values(snapshot, term.name, term.field, term.part)) is not None:
                groups.append(own)
        return groups

    return read
