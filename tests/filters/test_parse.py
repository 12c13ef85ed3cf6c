"""Names and values of filters: what they mean, and what is said of those that mean nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine import filtering
from analyzer.filters.errors import FilterError
from analyzer.filters.nodes import Needs
from analyzer.filters.parse import parse
from analyzer.filters.registry import Registry
from analyzer.protocols import PROTOCOLS

REGISTRY = filtering.registry(PROTOCOLS)
WORDS = [
    *(
        "frame.number",
        "client",
        "snapshot.status",
        "snapshot.ack_delay",
        "frame.time",
        "item.Character.x",
        "item.Laser",
    ),
    *("message.input.ack_game_tick", "session.player", "message.vital", "packet.flags", "finding.severity", "nothing"),
    *(
        "==",
        "!=",
        ">",
        "<=",
        "contains",
        "matches",
        "in",
        "not",
        "&&",
        "||",
        "&",
        "(",
        ")",
        "{",
        "}",
        ",",
        "!",
        "=",
        "..",
        "&",
    ),
    *(
        "any",
        "all",
        "count",
        "sum",
        "len",
        "abs",
        '"',
        '"a"',
        '"["',
        "\\",
        "5",
        "-1",
        "0x",
        "1.5",
        "20ms",
        "1e999",
        "9" * 50,
    ),
    *(
        "10.0.0.0/8",
        "10.0.0.0/99",
        "::1",
        "[::1]:99999",
        "ok",
        "crcc",
        "true",
        "2020-01-01",
        '"2020-01-01 99:00"',
        "1..5",
        "5..1",
    ),
    *("item.Character.player_flags", "message.sv_teamsstate.team[3]", "[", "]", "\u20ac", "\x00", "de:ad"),
]


@given(st.text(max_size=60))
def test_any_text_is_a_filter_or_an_error_with_a_place(text: str) -> None:
    _judged(text)


@given(st.lists(st.sampled_from(WORDS), max_size=12), st.sampled_from(["", " "]))
def test_any_words_are_a_filter_or_an_error_with_a_place(words: list[str], between: str) -> None:
    _judged(between.join(words))


def _judged(text: str) -> None:
    wrong: FilterError | None = None
    try:
        parse(text, REGISTRY)
    except FilterError as error:
        wrong = error
    if wrong is not None:
        assert 0 <= wrong.start <= wrong.end <= len(text)
        assert wrong.text


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("frame.nmber > 5", "frame.nmber", "there is no field frame.nmber; did you mean frame.number"),
        ("tick == 5", "tick", "there is no field tick; did you mean snapshot.tick"),
        ("item.Charcter.x > 5", "item.Charcter.x", "there is no field item.Charcter.x; did you mean item.Character.x"),
        ("snapshot.status == okk", "okk", "snapshot.status is never okk; it may be ok, crc, incomplete"),
        ("message.name == NETMSG_INPT", "NETMSG_INPT", "no message.name is known that is NETMSG_INPT"),
        ("frame.number == five", "five", "frame.number is compared with a number, not five"),
        ("message.size > 20ms", "20ms", "message.size is compared with a number, not 20ms; durations are for"),
        (
            "snapshot.ack_delay > 5m",
            "5m",
            "snapshot.ack_delay is compared with a duration such as 20ms or 1.5s, not 5m",
        ),
        ("item.Character.weapon == granade", "granade", "item.Character.weapon is compared with a number or one of"),
        ("client == 1.2.3", "1.2.3", "an address is written as 10.0.0.1"),
        ("client == 10.0.0.0/99", "10.0.0.0/99", "a network is written as 10.0.0.0/8"),
        ("frame.number in {1, 5..3}", "5..3", "the range is empty: 5 is above 3"),
        ("client == [::1]:99999", "99999", "ports end at 65535"),
        ('client == "1.2.3.4:65536"', "65536", "ports end at 65535"),
        ("message.sv_teamsstate.team[x] == 1", "x", "an index is a number from 0"),
        ("message.sv_teamsstate.team[-1] == 1", "-1", "an index is a number from 0"),
        ("message.sv_teamsstate.team[] == 1", "]", "an index is a number from 0"),
        ('frame.time in {"2020-02-01".."2020-01-01"}', '"2020-02-01".."2020-01-01"', "the range is empty"),
        ('session.player in {"a".."b"}', '"a".."b"', "session.player is a text, which has no ranges"),
        ('frame.time in {"2020-02-01".."noon"}', '"noon"', "a time is written as"),
        ('frame.time in {"2020-02-01"..}', "..", "}, a comma or .. with a quoted value is"),
        ('session.player in {"a", 5..7}', "5..7", "session.player is a text, which has no ranges"),
        (
            "session.player > 5",
            "session.player > 5",
            "session.player is text, for which there is no >, only ==, !=, in",
        ),
        ("item.Laser > 5", "item.Laser > 5", "item.Laser has no value to compare: name it alone, or write count"),
        ("message.vital == maybe", "maybe", "message.vital is true or false, not maybe"),
        ("cnt(item.Laser) > 2", "cnt", "there is no function cnt; did you mean count"),
        ("sum(session.player) > 2", "sum(session.player)", "sum() is for number or duration"),
        ("count(all(frame.number)) > 2", "count(all(frame.number))", "all() has to be the outermost function"),
        ("any(frame.number)", "any(frame.number)", "any(frame.number) is to be compared with something"),
        ("count > 2", "count", "count is a function: a field in brackets is expected behind it"),
        ('session.player matches "("', '"("', "the regular expression is wrong"),
        ("packet.flags & x", "x", "packet.flags & wants a mask such as 0x20, not x"),
        ("session.player & 3", "session.player & 3", "session.player is text, for which there is no &"),
        ("frame.time > noon", "noon", "a time is written as"),
        ("message.checksumresponse.sha256 == zz", "zz", "bytes are written as de:ad:be:ef"),
    ],
)
def test_what_is_wrong_and_where(text: str, place: str, said: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse(text, REGISTRY)
    assert str(caught.value).startswith(said)
    assert text[caught.value.start : caught.value.end] == place


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("", Needs.COLUMNS),
        ("frame.number > 5 && !(snapshot.status == ok)", Needs.COLUMNS),
        ("message.input.ack_game_tick > 5 || frame.number == 1", Needs.BYTES),
        ("message.input.ack_game_tick > 5 || item.Laser", Needs.ITEMS),
        ("change.Projectile.added", Needs.ITEMS),
    ],
)
def test_what_has_to_be_read(text: str, needs: Needs) -> None:
    found = parse(text, REGISTRY)
    assert found.needs is needs
    assert found.needs_items is (needs is Needs.ITEMS)


def test_names_do_not_depend_on_the_case() -> None:
    names = [info.name for info in parse("ITEM.character.X > 5 && Frame.Number == 1", REGISTRY).fields]
    assert names == ["item.Character.x", "frame.number"]


def test_every_example_is_a_filter() -> None:
    assert len(REGISTRY) > 1000
    for info in REGISTRY:
        if info.example:
            assert info in parse(info.example, REGISTRY).fields, info.name


def test_a_registry_without_protocols_has_the_fields_of_every_capture() -> None:
    from analyzer.filters.fields import FIXED
    from analyzer.filters.vocabulary import Vocabulary

    fields = Registry(Vocabulary())
    assert [info.name for info in fields] == [info.name for info in FIXED]
    assert not parse("frame.number == 1 && client", fields).needs_items
