"""Filters choose what a slow, obvious evaluation over the printed records chooses, on the head of every capture."""

from __future__ import annotations

import gzip
import ipaddress
import json
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.engine import filtering
from analyzer.engine.capture import Capture
from analyzer.filters.parse import parse
from analyzer.protocols import PROTOCOLS
from tests.filters.printed import Printed, Record, address, change_values, chunks, head, item_values, message_values

HEAD_BYTES = 30_000
"""Of the unpacked file: some hundred frames."""
ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
SNAPSHOT_NUMBERS = (
    "tick",
    "base_tick",
    "parts",
    "part_count",
    "wire_bytes",
    "delta_bytes",
    "deleted",
    "updated",
)
REBUILT_NUMBERS = ("state_bytes", "items", "added", "changed", "removed")
SNAPSHOT_WORDS = ("kind", "status", "code", "proof", "client_has", "lost_by")
ITEMS = ("Character", "Projectile", "Laser", "PlayerInfo", "ClientInfo", "GameInfo", "DDNetCharacter", "Flag")
MESSAGES = {
    "input": ("NETMSG_INPUT",),
    "snap": ("NETMSG_SNAP", "NETMSG_SNAPSINGLE", "NETMSG_SNAPEMPTY"),
    "sv_chat": ("Sv_Chat",),
    "sv_tuneparams": ("Sv_TuneParams",),
}
MESSAGE_FIELDS = {
    "input": {"ack_game_tick": "number", "intended_tick": "number", "target_x": "number"},
    "snap": {"tick": "number", "crc": "number", "length": "number"},
    "sv_chat": {"message": "text", "client_id": "number"},
    "sv_tuneparams": {"gravity": "number"},
}

Groups = list[list[Any]]
"""Values of a field in a packet, by what they are counted under."""


@dataclass(frozen=True)
class Field:
    """A field, and its values in a record of a packet."""

    name: str
    kind: str
    """`number`, `duration`, `text`, `word`, `flag`, `address` or `presence`."""
    read: Callable[[Record], Groups]


def one(
    *names: str, absent: Any = None, change: Callable[[Any], Any] = lambda value: value
) -> Callable[[Record], Groups]:
    """Keys of a packet's record."""
    return lambda packet: [[change(packet[name]) for name in names if packet[name] != absent]]


def carried(read: Callable[[Record], list[Any] | None]) -> Callable[[Record], Groups]:
    """Values in each snapshot of a packet; None: the snapshot does not count."""
    return lambda packet: [found for snapshot in packet["carried"] if (found := read(snapshot)) is not None]


def together(read: Callable[[Record], list[Any]]) -> Callable[[Record], Groups]:
    """Values in all snapshots of a packet, counted together."""
    return lambda packet: [[value for snapshot in packet["carried"] for value in read(snapshot)]]


def rebuilt_number(name: str) -> Callable[[Record], list[Any]]:
    return lambda snapshot: [snapshot["count" if name == "items" else name]] if snapshot["items"] is not None else []


def fields() -> Iterator[Field]:
    yield Field("frame.number", "number", one("frame"))
    yield Field("frame.time_relative", "duration", one("time", change=lambda value: round(value * 1_000_000_000)))
    yield Field("ip.src", "address", one("source"))
    yield Field("ip.addr", "address", one("source", "destination"))
    yield Field("udp.dstport", "number", one("destination", change=lambda value: address(value)[1]))
    yield Field("udp.length", "number", one("length"))
    yield Field("udp.cap_length", "number", one("captured"))
    yield Field("flow.protocol", "word", one("protocol"))
    yield Field("flow.dialect", "text", one("dialect", absent=""))
    yield Field("packet.kind", "word", one("kind", absent=""))
    yield Field("packet.code", "word", one("code", absent=""))
    yield Field("packet.flags", "number", one("flags"))
    yield Field("packet.ack", "number", one("ack"))
    yield Field("packet.chunks", "number", one("chunks"))
    yield Field("message.name", "word", lambda packet: [packet["messages"]])
    yield Field("message.vital", "flag", lambda packet: [_of_messages(packet, "vital")])
    yield Field("message.sequence", "number", lambda packet: [head(packet, "sequence")])
    for name in SNAPSHOT_NUMBERS:
        yield Field(f"snapshot.{name}", "number", together(lambda snapshot, name=name: [snapshot[name]]))
    for name in REBUILT_NUMBERS:
        yield Field(f"snapshot.{name}", "number", together(rebuilt_number(name)))
    for name in SNAPSHOT_WORDS:
        yield Field(f"snapshot.{name}", "word", together(lambda snapshot, name=name: [snapshot[name]]))
    yield Field("snapshot.client_kept", "flag", together(lambda snapshot: [snapshot["client_kept"]]))
    yield Field("snapshot.crc_ok", "flag", together(lambda snapshot: _known(snapshot["crc_ok"])))
    yield Field(
        "snapshot.base_age",
        "number",
        together(lambda one: [one["tick"] - one["base_tick"]] if one["base_tick"] >= 0 else []),
    )
    for message, names in MESSAGES.items():
        for name, kind in MESSAGE_FIELDS[message].items():
            yield Field(
                f"message.{message}.{name}",
                kind,
                lambda packet, names=names, name=name: [message_values(packet, names, name)],
            )
    for item in ITEMS:
        yield Field(f"item.{item}", "presence", carried(lambda one, item=item: item_values(one, item, "")))
        yield Field(f"item.{item}.id", "number", carried(lambda one, item=item: item_values(one, item, "id")))
        yield Field(f"change.{item}", "presence", carried(lambda one, item=item: _changes(one, item, "")))
        for what in ("added", "changed", "removed"):
            yield Field(
                f"change.{item}.{what}",
                "presence",
                carried(lambda one, item=item, what=what: _changes(one, item, what)),
            )
        yield Field(f"change.{item}.bits", "number", carried(lambda one, item=item: _changes(one, item, "bits")))
    for name in ("x", "y", "health", "weapon", "hook_state"):
        yield Field(
            f"item.Character.{name}", "number", carried(lambda one, name=name: item_values(one, "Character", name))
        )
        yield Field(
            f"change.Character.{name}", "number", carried(lambda one, name=name: _changes(one, "Character", name))
        )


def _of_messages(packet: Record, name: str) -> list[Any]:
    """Of chunks what stands in their heads; control messages and those outside of connections have no chunk."""
    return head(packet, name) if any(True for _ in chunks(packet)) else [False for _ in packet["messages"]]


def _known(value: object) -> list[Any]:
    return [] if value is None else [value]


def _changes(snapshot: Record, item: str, what: str) -> list[Any] | None:
    """Without a rebuilt snapshot, and without changes of that sort, nothing is counted."""
    found = change_values(snapshot, item, what)
    return found if found or snapshot["items"] is not None else None


Judged = tuple[str, Callable[[Record], bool]]
"""A filter, and what it means for a packet."""


@pytest.fixture(scope="session")
def all_fields() -> list[Field]:
    return list(fields())


def literal(kind: str, value: Any) -> str:
    if kind in ("text", "word"):
        return json.dumps(value, ensure_ascii=False)
    return f"{value}ns" if kind == "duration" else str(value).lower() if kind == "flag" else str(value)


@st.composite
def judged(draw: st.DrawFn, known: list[Field], packets: list[Record]) -> Judged:
    """A filter with values that mostly occur."""
    return draw(st.recursive(leaf(known, packets), _joined, max_leaves=4))


def _joined(inner: st.SearchStrategy[Judged]) -> st.SearchStrategy[Judged]:
    def both(pair: tuple[Judged, Judged]) -> Judged:
        (left, is_left), (right, is_right) = pair
        return f"({left} && {right})", lambda packet: is_left(packet) and is_right(packet)

    def either(pair: tuple[Judged, Judged]) -> Judged:
        (left, is_left), (right, is_right) = pair
        return f"({left} or {right})", lambda packet: is_left(packet) or is_right(packet)

    def negated(one: Judged) -> Judged:
        return f"!({one[0]})", lambda packet: not one[1](packet)

    pairs = st.tuples(inner, inner)
    return st.one_of(pairs.map(both), pairs.map(either), inner.map(negated))


@st.composite
def leaf(draw: st.DrawFn, known: list[Field], packets: list[Record]) -> Judged:
    """One comparison, or that something is there."""
    field = known[draw(st.integers(0, len(known) - 1))]
    packet = packets[draw(st.integers(0, len(packets) - 1))]
    values = [value for group in field.read(packet) for value in group]
    way = draw(st.sampled_from(["compare", "compare", "present", "count", "sum", "all", "in"]))
    if way == "count":
        sign, number = draw(st.sampled_from(sorted(ORDERS))), draw(st.integers(0, 4))
        compare = ORDERS[sign]
        return f"count({field.name}) {sign} {number}", lambda one: any(
            compare(len(group), number) for group in field.read(one)
        )
    if way == "present" or field.kind == "presence" or not values:
        return field.name, lambda one: any(
            value if field.kind == "flag" else True for group in field.read(one) for value in group
        )
    value = draw(st.sampled_from(values))
    if field.kind == "number" and way == "sum":
        return f"sum({field.name}) >= {value}", lambda one: any(
            sum(group) >= value for group in field.read(one) if group
        )
    if way == "in" and field.kind in ("number", "duration"):
        high = value + draw(st.integers(0, 100))
        return (
            f"{field.name} in {{{literal(field.kind, value)}..{literal(field.kind, high)}, {literal(field.kind, 3)}}}",
            lambda one: any(value <= own <= high or own == 3 for group in field.read(one) for own in group),
        )
    return draw(comparison(field, value, every=way == "all"))


@st.composite
def comparison(draw: st.DrawFn, field: Field, value: Any, *, every: bool) -> Judged:
    """A field compared with a value."""
    name = f"all({field.name})" if every else field.name
    if field.kind == "address":
        return draw(_address(field, name, value, every=every))
    signs = [*ORDERS, "!="] if field.kind in ("number", "duration") else ["==", "!="]
    signs += ["contains", "matches"] if field.kind in ("text", "word") else []
    sign = draw(st.sampled_from(signs))
    if sign in ("contains", "matches"):
        value = value[:4].replace("\\", "").replace('"', "")
        tests = {"contains": lambda own: value in own, "matches": lambda own: value.lower() in own.lower()}
        if sign == "matches" and not value.replace("_", "").isalnum():
            sign = "contains"
        fits = tests[sign]
    else:
        compare = ORDERS["==" if sign == "!=" else sign]

        def fits(own: Any) -> bool:
            return compare(own, value)

    return f"{name} {sign} {literal(field.kind, value)}", quantified(field, fits, none=sign == "!=", every=every)


@st.composite
def _address(draw: st.DrawFn, field: Field, name: str, value: str, *, every: bool) -> Judged:
    host, port = address(value)
    way = draw(st.sampled_from(["host", "endpoint", "network"]))
    sign = draw(st.sampled_from(["==", "!="]))
    bits = draw(st.integers(1, 31))
    network = ipaddress.ip_network(f"{host}/{bits}", strict=False)
    text, fits = {
        "host": (str(host), lambda own: address(own)[0] == host),
        "endpoint": (value, lambda own: address(own) == (host, port)),
        "network": (f"{host}/{bits}", lambda own: address(own)[0] in network),
    }[way]
    return f"{name} {sign} {text}", quantified(field, fits, none=sign == "!=", every=every)


def quantified(field: Field, fits: Callable[[Any], bool], *, none: bool, every: bool) -> Callable[[Record], bool]:
    def true(packet: Record) -> bool:
        values = [value for group in field.read(packet) for value in group]
        if none:
            return bool(values) and not any(map(fits, values))
        return bool(values) and all(map(fits, values)) if every else any(map(fits, values))

    return true


def test_filters_choose_what_the_printed_records_say(
    capture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], all_fields: list[Field]
) -> None:
    """On every capture; the filters and their values come from hypothesis."""
    data = gzip.decompress(capture.read_bytes()) if capture.suffix == ".gz" else capture.read_bytes()
    path = tmp_path / f"head{'.pcapng' if 'pcapng' in capture.name else '.pcap'}"
    path.write_bytes(data[:HEAD_BYTES])
    printed = Printed(path, capsys)
    assert len(printed.packets) > 20
    registry = filtering.registry(PROTOCOLS)
    with Capture.open(path, strict=True) as opened:
        opened.decode()
        query = opened.query()
        view = filtering.view(opened.tables, query, registry)
        alive = np.arange(len(opened.tables.snapshots))

        @settings(max_examples=40)
        @given(judged(all_fields, printed.packets))
        def check(pair: Judged) -> None:
            text, true = pair
            found = parse(text, registry).packets(view, 0, len(printed.packets))
            assert found.tolist() == [true(packet) for packet in printed.packets], text

        check()
        _check_snapshots(printed, registry, view, alive)
        query.close()


def _check_snapshots(printed: Printed, registry: Any, view: Any, rows: Any) -> None:
    """The same of snapshots by themselves."""
    for text, true in (
        ("snapshot.status == ok", lambda one: one["status"] == "ok"),
        ("snapshot.parts > 1 || snapshot.base_tick < 0", lambda one: one["parts"] > 1 or one["base_tick"] < 0),
        ("count(item.Character) > 1", lambda one: len(item_values(one, "Character", "") or []) > 1),
        ("!change.Character", lambda one: not change_values(one, "Character", "")),
    ):
        found = rows[parse(text, registry).snapshots(view, rows)]
        order = np.argsort(view.tables.snapshots.take("packet", found), kind="stable")
        ticks = view.tables.snapshots.take("tick", found[order]).tolist()
        assert ticks == [one["tick"] for one in printed.snapshots if true(one)], text
