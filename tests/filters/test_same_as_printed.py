"""Filters choose what a slow, obvious evaluation over the printed records chooses, on the head of every capture.

For long runs SNAPSCOPE_FILTER_BYTES says how much of each capture is read, SNAPSCOPE_FILTER_EXAMPLES how many filters.
"""

from __future__ import annotations

import gzip
import ipaddress
import json
import operator
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from capture_files import SAMPLE
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.engine import filtering
from analyzer.engine.capture import Capture
from analyzer.filters.fields import FIXED
from analyzer.filters.parse import parse
from analyzer.protocols import PROTOCOLS
from analyzer.stats.live import live_snapshots
from tests.filters.printed import Printed, Record, address
from tests.filters.printed_fields import NOT_PRINTED, SEVERITIES, Field, fields

HEAD_BYTES = int(os.environ.get("SNAPSCOPE_FILTER_BYTES", "30000"))
"""Of the unpacked file: some hundred frames."""
EXAMPLES = int(os.environ.get("SNAPSCOPE_FILTER_EXAMPLES", "40"))
ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
ORDERED = list(SEVERITIES.values())
Judge = Callable[[Record], bool]
Judged = tuple[str, Judge]
"""A filter, and what it means for a packet."""


class Known:
    """The fields that occur in a capture, and values of them."""

    def __init__(self, sorts: list[list[Field]], packets: Sequence[Record]) -> None:
        self.sorts = sorts
        self._packets = packets
        self._values: dict[str, list[Any]] = {}

    def __repr__(self) -> str:
        return f"{sum(map(len, self.sorts))} fields"

    def values(self, field: Field) -> list[Any]:
        """Values of a field, each once."""
        if field.name not in self._values:
            self._values[field.name] = list(
                dict.fromkeys(value for packet in self._packets for value in field.values(packet))
            )
        return self._values[field.name]


def literal(kind: str, value: Any) -> str:
    if kind == "time":
        seconds, rest = divmod(value, 1_000_000_000)
        return f'"{_date(seconds)}.{rest:09d}"'
    if isinstance(value, bytes):
        return value.hex(":")
    if isinstance(value, str) and kind != "address":
        return json.dumps(value, ensure_ascii=False)
    return f"{value}ns" if kind == "duration" else str(value).lower() if kind == "flag" else str(value)


def _date(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}"


@st.composite
def judged(draw: st.DrawFn, known: Known) -> Judged:
    """A filter with values that mostly occur."""
    return draw(st.recursive(leaf(known), _joined, max_leaves=4))


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
def leaf(draw: st.DrawFn, known: Known) -> Judged:
    """One comparison, or that something is there."""
    field = draw(st.sampled_from(draw(st.sampled_from(known.sorts))))
    values = known.values(field)
    way = draw(st.sampled_from(["compare", "compare", "present", "count", "function", "all", "any", "in", "not in"]))
    if way == "count":
        sign, number = draw(st.sampled_from(sorted(ORDERS))), draw(st.integers(0, 4))
        return f"count({field.name}) {sign} {number}", _groups(field, lambda group: ORDERS[sign](len(group), number))
    if way == "present" or field.kind == "presence" or not values:
        return field.name, lambda one: any(value if field.kind == "flag" else True for value in field.values(one))
    value = values[draw(st.integers(0, len(values) - 1))]
    if way == "function":
        return draw(function(field, value))
    if way in ("in", "not in") and field.kind != "flag":
        return draw(member(field, values, value, outside=way == "not in"))
    return draw(comparison(field, value, quantifier=way if way in ("all", "any") else ""))


def _groups(field: Field, true: Callable[[list[Any]], bool]) -> Judge:
    return lambda one: any(map(true, field.groups(one)))


@st.composite
def function(draw: st.DrawFn, field: Field, value: Any) -> Judged:
    """What there is of functions and bits for the kind of the field."""
    name, shown = field.name, literal(field.kind, value)
    sign = draw(st.sampled_from(sorted(ORDERS)))
    compare = ORDERS[sign]
    if field.kind in ("number", "duration"):
        way = draw(st.sampled_from(["sum", "abs", "&"] if field.kind == "number" else ["sum", "abs"]))
        if way == "sum":
            return f"sum({name}) {sign} {shown}", _groups(
                field, lambda group: bool(group) and compare(sum(group), value)
            )
        if way == "abs":
            return f"abs({name}) {sign} {shown}", _any(field, lambda own: compare(abs(own), value))
        mask = 1 << draw(st.integers(0, 31))
        return f"{name} & {mask:#x}", _any(field, lambda own: bool(own & mask))
    if field.kind in ("text", "word", "bytes"):
        return f"len({name}) {sign} {len(value)}", _any(field, lambda own: compare(len(own), len(value)))
    return name, lambda one: any(own if field.kind == "flag" else True for own in field.values(one))


def _any(field: Field, fits: Callable[[Any], bool]) -> Judge:
    return lambda one: any(map(fits, field.values(one)))


@st.composite
def member(draw: st.DrawFn, field: Field, values: list[Any], value: Any, *, outside: bool) -> Judged:
    """One of several values, or in a range."""
    others = draw(st.lists(st.sampled_from(values), max_size=2))
    low = high = literal(field.kind, value)
    top = value
    if field.kind in ("number", "duration"):
        top = value + draw(st.integers(0, 100))
        high = literal(field.kind, top)
    entries = [low if low == high else f"{low}..{high}", *(literal(field.kind, one) for one in others)]

    def fits(own: Any) -> bool:
        return own in others or (own == value if top == value else value <= own <= top)

    inside = _any(field, fits)
    if outside:
        return f"{field.name} not in {{{', '.join(entries)}}}", lambda one: not inside(one)
    return f"{field.name} in {{{', '.join(entries)}}}", inside


@st.composite
def comparison(draw: st.DrawFn, field: Field, value: Any, *, quantifier: str) -> Judged:
    """A field compared with a value."""
    name = f"{quantifier}({field.name})" if quantifier else field.name
    if field.kind == "address":
        return draw(_address(field, name, value, quantifier=quantifier))
    signs = [*ORDERS, "!="] if field.kind in ("number", "duration", "time", "ordered") else ["==", "!="]
    signs += ["contains", "matches"] if field.kind in ("text", "word") else []
    signs += ["contains"] if field.kind == "bytes" and len(value) else []
    sign = draw(st.sampled_from(signs))
    if sign in ("contains", "matches"):
        start = draw(st.integers(0, len(value)))
        value = value[start : start + 4] or value[:4]
        if sign == "matches" and not (value.isascii() and value.replace("_", "").isalnum()):
            sign = "contains"
        fits = {"contains": lambda own: value in own, "matches": lambda own: value.lower() in own.lower()}[sign]
    else:
        compare = ORDERS["==" if sign == "!=" else sign]

        def fits(own: Any) -> bool:
            if field.kind == "ordered":
                return compare(ORDERED.index(own), ORDERED.index(value))
            return compare(own, value)

    shown = f'"{value}"' if sign == "matches" else literal(field.kind, value)
    return f"{name} {sign} {shown}", quantified(field, fits, sign, quantifier)


@st.composite
def _address(draw: st.DrawFn, field: Field, name: str, value: str, *, quantifier: str) -> Judged:
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
    return f"{name} {sign} {text}", quantified(field, fits, sign, quantifier)


def quantified(field: Field, fits: Callable[[Any], bool], sign: str, quantifier: str) -> Judge:
    """`!=`: no value is equal, behind any(): one differs."""

    def true(packet: Record) -> bool:
        values = field.values(packet)
        if sign == "!=":
            return bool(values) and not (all if quantifier == "any" else any)(map(fits, values))
        return bool(values) and (all if quantifier == "all" else any)(map(fits, values))

    return true


def test_filters_choose_what_the_printed_records_say(
    capture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Packets, and snapshots by themselves, on every capture; the filters and their values come from hypothesis."""
    data = gzip.decompress(capture.read_bytes()) if capture.suffix == ".gz" else capture.read_bytes()
    path = tmp_path / f"head{'.pcapng' if 'pcapng' in capture.name else '.pcap'}"
    path.write_bytes(data[:HEAD_BYTES])
    printed = Printed(path, capsys)
    assert len(printed.packets) > 20
    registry = filtering.registry(PROTOCOLS)
    known = Known(fields(printed, registry), printed.packets)
    with Capture.open(path, strict=True) as opened:
        opened.decode()
        query = opened.query()
        query.look_at_items()
        view = filtering.view(opened.tables, query, registry)
        rows = live_snapshots(opened.tables)

        @settings(max_examples=EXAMPLES)
        @given(judged(known))
        def check(pair: Judged) -> None:
            text, true = pair
            chosen = parse(text, registry)
            found = chosen.packets(view, 0, len(printed.packets)).tolist()
            assert found == [true(packet) for packet in printed.packets], text
            assert chosen.snapshots(view, rows).tolist() == [true(one) for one in printed.ended], text

        check()
        query.close()


def test_all_fields_but_few_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So that none is left out above."""
    path = tmp_path / "head.pcap"
    path.write_bytes(gzip.decompress(SAMPLE.read_bytes())[:HEAD_BYTES])
    sorts = fields(Printed(path, capsys), filtering.registry(PROTOCOLS))
    names = {field.name for sort in sorts for field in sort}
    assert {info.name for info in FIXED} - names == NOT_PRINTED
