"""What a text is while it is typed: any text has tokens and a standing, and joined filters mean what they say."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine.filtering import registry
from analyzer.filters.filter import comparisons
from analyzer.filters.parse import parse
from analyzer.protocols import PROTOCOLS
from ui.models.filter_judgement import How, Standing, combined, judge, tokens

FIELDS = registry(PROTOCOLS)
PIECES = (
    "snapshot.tick",
    "session.player",
    ">",
    "==",
    "3",
    '"a b"',
    '"',
    "&&",
    "or",
    "!",
    "(",
    ")",
    "{",
    "}",
    ",",
    "in",
    "count(",
)


@pytest.mark.parametrize(
    ("text", "standing", "reason"),
    [
        ("", Standing.EMPTY, ""),
        ("  ", Standing.EMPTY, ""),
        ("s", Standing.UNFINISHED, ""),
        ("snapshot.", Standing.UNFINISHED, ""),
        ("snapshot.tick", Standing.GOOD, ""),
        ("snapshot.tick >", Standing.UNFINISHED, "Needs a value"),
        ("snapshot.tick > 3 &&", Standing.UNFINISHED, "Needs a field, not or ("),
        ("snapshot.tick =", Standing.UNFINISHED, ""),
        ("snapshot.tick > 3 a", Standing.UNFINISHED, ""),
        ("(snapshot.tick > 3", Standing.UNFINISHED, "Needs )"),
        ('session.player == "bo', Standing.UNFINISHED, "Needs the closing quote"),
        ("snapshot.status == cr", Standing.UNFINISHED, ""),
        ("snapshot.status == crc", Standing.GOOD, ""),
        (
            "snapshot.bsae_tick",
            Standing.WRONG,
            "There is no field snapshot.bsae_tick, did you mean snapshot.base_tick?",
        ),
        ("snapshot.tick = 3", Standing.WRONG, "At 15: = is no operator, did you mean ==?"),
        ("&&", Standing.WRONG, "A field, not or ( is expected here, not &&"),
    ],
)
def test_standing_and_reason(text: str, standing: Standing, reason: str) -> None:
    judged = judge(text, FIELDS)
    assert (judged.standing, judged.reason) == (standing, reason)
    assert (judged.filter is not None) == (standing is Standing.GOOD)


def test_every_beginning_of_a_filter_may_become_one() -> None:
    text = 'count(item.Laser) > 200 && (session.player in {"a", "b"} || snapshot.status != ok) and not udp.length == 3'
    wrong = [text[:end] for end in range(len(text)) if judge(text[:end], FIELDS).standing is Standing.WRONG]
    assert wrong == []


@given(st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join)))
def test_any_text_is_judged_and_painted(text: str) -> None:
    judged = judge(text, FIELDS)
    assert 0 <= judged.start <= judged.end
    found = tokens(text)
    assert all(one.start < one.end for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    painted = "".join(text[one.start : one.end] for one in found)
    assert "".join(painted.split()) == "".join(text.split())


def test_colours_by_token() -> None:
    text = 'session.player == "bot0" and count(snapshot.parts) >= 3 || x in {1, ok}'
    painted = [(text[one.start : one.end], one.tone) for one in tokens(text)]
    by_tone = {tone: [word for word, own in painted if own == tone] for tone in ("accent", "added")}
    assert by_tone == {"accent": ["session.player", "snapshot.parts", "x"], "added": ['"bot0"', "3", "1", "ok"]}


@pytest.mark.parametrize(
    ("before", "how", "joined"),
    [
        ("", How.AND, "udp.length > 3"),
        ("", How.OR_NOT, "!(udp.length > 3)"),
        ("snapshot.tick > 1", How.SELECTED, "udp.length > 3"),
        ("snapshot.tick > 1", How.NOT_SELECTED, "!(udp.length > 3)"),
        ("snapshot.tick > 1", How.AND, "snapshot.tick > 1 && udp.length > 3"),
        ("flow || client", How.AND, "(flow || client) && udp.length > 3"),
        ("flow or client", How.OR, "flow or client || udp.length > 3"),
        ("(flow || client)", How.AND_NOT, "(flow || client) && !(udp.length > 3)"),
        ('session.player == "a || b"', How.AND, 'session.player == "a || b" && udp.length > 3'),
    ],
)
def test_joined_filters(before: str, how: How, joined: str) -> None:
    text = combined(before, "udp.length > 3", how)
    assert text == joined
    assert "udp.length" in [one.field.name for one in comparisons(parse(text, FIELDS).node)]
