"""What is offered while a filter is typed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from capture_files import BUNDLED
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine import filtering
from analyzer.engine.capture import Capture
from analyzer.filters.complete import Completion, complete
from analyzer.filters.errors import FilterError
from analyzer.filters.parse import parse
from analyzer.filters.view import View
from analyzer.protocols import PROTOCOLS

REGISTRY = filtering.registry(PROTOCOLS)


@pytest.fixture(scope="module")
def view() -> Iterator[View]:
    with Capture.open(BUNDLED / "ddnet_tsunami_head.pcapng") as capture:
        capture.decode()
        yield View(capture.tables, REGISTRY.vocabulary)


def offered(text: str, view: View | None = None) -> list[str]:
    return [candidate.text for candidate in complete(text, len(text), REGISTRY, view).candidates]


def test_fields_of_every_capture_come_first_and_functions_are_seen() -> None:
    found = offered("")
    assert found[:3] == ["flow", "client", "server"]
    assert found[-7:] == ["any(", "all(", "count(", "sum(", "len(", "abs(", "not"]
    assert "not" not in offered("count(")


def test_fields_by_their_beginning_a_part_or_anything_in_them() -> None:
    assert offered("snapshot.st") == ["snapshot.state_bytes", "snapshot.status"]
    assert offered("crc_o") == ["snapshot.crc_ok"]
    assert offered("base_ti")[:2] == ["snapshot.base_tick", "snapshot.base_time"]
    assert offered("item.Las")[0] == "item.Laser"
    assert offered("item.laser.from") == ["item.Laser.from_x", "item.Laser.from_y"]


def test_a_field_has_its_kind_and_meaning() -> None:
    found = complete("snapshot.ack", 12, REGISTRY).candidates[0]
    meaning = "of a rebuilt one, time until the client acknowledged it"
    assert (found.sort, found.kind, found.meaning) == ("field", "duration", meaning)


def test_operators_that_fit_the_kind() -> None:
    assert offered("snapshot.tick ") == ["==", "!=", "in {", ">", ">=", "<", "<=", "&", "&&", "||"]
    assert offered("session.player ") == ["==", "!=", "in {", "contains", "matches", "&&", "||"]
    assert offered("item.Laser ") == ["&&", "||"]
    assert offered("count(item.Laser) ")[:3] == ["==", "!=", "in {"]
    assert offered("(message.vital ") == ["==", "!=", "&&", "||", ")"]
    assert offered("frame.number == 1 ") == ["&&", "||"]
    assert offered("frame.number not ") == ["in {"]
    assert offered("frame.number in {1 ") == [",", "}"]


def test_values_with_a_name() -> None:
    assert offered("snapshot.status == ")[:3] == ["ok", "crc", "incomplete"]
    assert offered("snapshot.status in {ok, no") == ["no-base"]
    assert offered("item.Character.weapon == gr") == ["grenade"]
    assert offered("item.Character.player_flags & pl") == ["playing"]
    assert offered("message.vital == ") == ["true", "false"]
    assert offered("finding.severity >= ") == ["note", "warn", "error"]


def test_frequent_values_come_first(view: View) -> None:
    assert offered("message.name == ", view)[:2] == ["NETMSG_SNAPSINGLE", "NETMSG_INPUT"]
    assert offered("client == ", view)[0] == "127.0.0.1:36879"
    assert offered('session.player == "b', view)[:2] == ['"bot0"', '"bot1"']
    assert complete("client == ", 10, REGISTRY, view).candidates[0].kind == "210"


def test_the_word_at_the_cursor_is_replaced() -> None:
    assert (complete("snap == 1", 2, REGISTRY).start, complete("snap == 1", 2, REGISTRY).end) == (0, 4)
    found = complete('session.player == "bo" && x', 20, REGISTRY)
    assert (found.start, found.end) == (18, 22)
    found = complete("frame.number == 1 && snap", 25, REGISTRY)
    assert (found.start, found.end) == (21, 25)


def test_nothing_is_offered_behind_what_is_wrong() -> None:
    assert complete("a b c ", 6, REGISTRY) == Completion(6, 6, ())
    assert offered("nosuchfield == ") == []


@given(st.text(alphabet='abe. (){}"\\=!<>&|,in5snapshot', max_size=30), st.integers(-1, 40))
def test_any_text_is_answered(text: str, cursor: int) -> None:
    found = complete(text, cursor, REGISTRY)
    assert 0 <= found.start <= found.end <= len(text)


def test_what_is_offered_for_a_value_is_one(view: View) -> None:
    for info in REGISTRY:
        if info.in_columns:
            for value in offered(f"{info.name} == ", view):
                try:
                    parse(f"{info.name} == {value}", REGISTRY)
                except FilterError as error:
                    raise AssertionError(f"{info.name} == {value}") from error
