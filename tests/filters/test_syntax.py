"""Texts of filters and the trees they become; where reading stops, and what was expected there."""

from __future__ import annotations

import re

import pytest

from analyzer.filters.errors import FilterError
from analyzer.filters.syntax import (
    MOST_CHARACTERS,
    MOST_DEPTH,
    Call,
    Compared,
    Joined,
    Masked,
    Member,
    Name,
    Negated,
    Present,
    Value,
    begin,
    read,
)

A, B, C = (Present(at, at + 1, Name(at, at + 1, "a")) for at in (0, 5, 10))


def test_blank_is_nothing() -> None:
    assert read(" \n\t") is None


def test_a_comparison_and_where_it_stands() -> None:
    assert read("a.b >= 0x1f") == Compared(0, 11, Name(0, 3, "a.b"), ">=", Value(7, 11, "0x1f", quoted=False))


def test_and_binds_closer_than_or_and_not_closest() -> None:
    assert read("a || a && a") == Joined(0, 11, False, (A, Joined(5, 11, True, (B, C))))
    assert read("(a || a) && a") == Joined(1, 13, True, (Joined(1, 7, False, (_at(1), _at(6))), _at(12)))
    assert read("!a && a") == Joined(0, 7, True, (Negated(0, 2, _at(1)), _at(6)))


def _at(place: int) -> Present:
    return Present(place, place + 1, Name(place, place + 1, "a"))


@pytest.mark.parametrize(
    ("words", "signs"),
    [
        ("a eq 1 and b ne 2", "a == 1 && b != 2"),
        ("a gt 1 or b lt 2", "a > 1 || b < 2"),
        ("a ge 1 and not b le 2", "a >= 1 && !b <= 2"),
        ("a ~ x", "a matches x"),
    ],
)
def test_words_and_signs_mean_the_same(words: str, signs: str) -> None:
    assert _without_places(read(words)) == _without_places(read(signs))


def _without_places(tree: object) -> str:
    return re.sub(r"\b(start|end)=\d+, ", "", repr(tree))


def test_not_in_is_the_contrary_of_in() -> None:
    inside = read("a in {1, 2..3}")
    assert isinstance(inside, Member)
    assert [value.text for value in inside.values] == ["1", "2..3"]
    assert isinstance(read("a not in {1, 2..3}"), Negated)


def test_functions_and_masks() -> None:
    tree = read("sum(abs(a)) & 3 == 1")
    assert isinstance(tree, Compared)
    assert isinstance(tree.operand, Masked)
    assert isinstance(tree.operand.term, Call)
    assert tree.operand.term.function.text == "sum"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r'"a\"b"', 'a"b'),
        (r'"a\\b"', r"a\b"),
        (r'"\n\t\0"', "\n\t\0"),
        (r'"\x41\u20ac"', "A\u20ac"),
        (r'"\d+\."', r"\d+\."),
        (r'"\xg1"', r"\xg1"),
        ('""', ""),
    ],
)
def test_escapes_in_quotes(written: str, meant: str) -> None:
    tree = read(f"a == {written}")
    assert isinstance(tree, Compared)
    assert tree.value.text == meant


@pytest.mark.parametrize("word", ["10.0.0.0/8", "fe80::1", "[::1]:8303", "-5", "20ms", "1.5e3", "no-base", "OK-E"])
def test_values_without_quotes(word: str) -> None:
    tree = read(f"a=={word}")
    assert isinstance(tree, Compared)
    assert tree.value.text == word


@pytest.mark.parametrize(
    ("text", "start", "end", "said"),
    [
        ("a ==", 4, 4, "the filter ends too early: a value is expected"),
        ("(a", 2, 2, "the filter ends too early: ) is expected"),
        ("a &&", 4, 4, "the filter ends too early: a field, not or ( is expected"),
        ("a = 5", 2, 3, "= is no operator; did you mean ==?"),
        ('a == "x', 5, 7, "the closing quote is missing"),
        ("a b", 2, 3, "an operator such as ==, in, &&, || or the end is expected here, not b"),
        ("a in {1,}", 8, 9, "a value is expected here, not }"),
        ("a == 1 2", 7, 8, "&&, || or the end is expected here, not 2"),
        ("a in 5", 5, 6, "{ is expected here, not 5"),
        ("$", 0, 1, "a field, not or ( is expected here, not $"),
        ("\x01", 0, 1, "a field, not or ( is expected here, not character 0x1"),
    ],
)
def test_what_was_expected_and_where(text: str, start: int, end: int, said: str) -> None:
    with pytest.raises(FilterError) as caught:
        read(text)
    assert (str(caught.value), caught.value.start, caught.value.end) == (said, start, end)


def test_what_is_too_long_or_too_deep_is_refused() -> None:
    with pytest.raises(FilterError, match="at most 20,000 characters"):
        read("a" * (MOST_CHARACTERS + 1))
    with pytest.raises(FilterError, match="more than 100 brackets or functions"):
        read("!" * MOST_DEPTH + "a")
    assert read("(" * 5000 + "a" + ")" * 5000) == Present(5000, 5001, Name(5000, 5001, "a"))
    assert isinstance(read(" && ".join(["a"] * 3000)), Joined)


def test_what_may_follow_the_beginning_of_a_filter() -> None:
    tokens, accepted = begin("a == 1 && ")
    assert [token.type for token in tokens] == ["NAME", "OPERATOR", "WORD", "AND"]
    assert accepted == {"NAME", "NOT", "LPAR"}
    assert "WORD" in begin("a ==")[1]
    with pytest.raises(FilterError):
        begin("a b")
