"""Values as they are written: what each kind of field takes, and what it is then compared with."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import numpy as np
import pytest

from analyzer.filters import literals
from analyzer.filters.endpoints import endpoint_of
from analyzer.filters.errors import FilterError
from analyzer.filters.kinds import Kind
from analyzer.filters.literals import Meaning, entry_test, mask_of, number_of
from analyzer.filters.syntax import Value
from analyzer.filters.value_tests import AnyTest, Test, TextTest

SECOND = 1_000_000_000


def value(text: str, *, quoted: bool = False) -> Value:
    return Value(0, len(text), text, quoted)


def meaning(kind: Kind, **words: tuple[int, ...]) -> Meaning:
    return Meaning("x", kind, words)


def made(own: Meaning, sign: str, text: str, *, quoted: bool = False) -> Test:
    return literals.test_of(own, sign, value(text, quoted=quoted))


@pytest.mark.parametrize(
    ("kind", "text", "number"),
    [
        (Kind.NUMBER, "5", 5),
        (Kind.NUMBER, "-5", -5),
        (Kind.NUMBER, "+5", 5),
        (Kind.NUMBER, "0x1F", 31),
        (Kind.NUMBER, "-0x10", -16),
        (Kind.NUMBER, "1.5", 1.5),
        (Kind.NUMBER, "2e3", 2000.0),
        (Kind.NUMBER, "1" + "0" * 39, 10**39),
        (Kind.DURATION, "20ms", 20_000_000),
        (Kind.DURATION, "1.5s", 1_500_000_000),
        (Kind.DURATION, "-.5us", -500),
        (Kind.DURATION, "0.1ns", 0.1),
        (Kind.DURATION, "2min", 120 * SECOND),
        (Kind.DURATION, "1h", 3600 * SECOND),
        (Kind.DURATION, "0.123456789s", 123_456_789),
        (Kind.DURATION, "3", 3 * SECOND),
        (Kind.DURATION, "0.5", SECOND // 2),
        (Kind.DURATION, "1e300", math.inf),
    ],
)
def test_numbers_and_durations(kind: Kind, text: str, number: float) -> None:
    assert number_of(meaning(kind), value(text)) == number


@pytest.mark.parametrize("text", ["", "-", "x", "0x", "1e999", "9" * 41, "5 ms", "1_000", "\u0661"])
def test_what_is_no_number(text: str) -> None:
    for kind in (Kind.NUMBER, Kind.DURATION):
        with pytest.raises(FilterError):
            number_of(meaning(kind), value(text))


def test_times_are_in_utc_unless_they_say_otherwise() -> None:
    noon = int(datetime(2026, 1, 31, 12, tzinfo=UTC).timestamp()) * SECOND
    for text, time in (
        ("2026-01-31 12:00:00", noon),
        ("2026-01-31T12:00:00.000000001", noon + 1),
        ("2026-01-31 14:00:00.5+02:00", noon + SECOND // 2),
        ("2026-01-31", noon - 12 * 3600 * SECOND),
        (str(noon // SECOND), noon),
    ):
        assert number_of(meaning(Kind.TIME), value(text)) == time


def test_words_of_numbers() -> None:
    own = meaning(Kind.NUMBER, gun=(1,), laser=(4, 7))
    assert number_of(own, value("GUN")) == 1
    assert made(own, "==", "laser").many(np.array([1, 4, 5, 7])).tolist() == [False, True, False, True]
    with pytest.raises(FilterError) as caught:
        number_of(own, value("lazer"))
    assert caught.value.suggestions == ("laser",)


def test_numbers_beyond_what_a_column_holds() -> None:
    numbers = np.array([0, 255], np.uint8)
    assert made(meaning(Kind.NUMBER), "<", "1" + "0" * 30).many(numbers).tolist() == [True, True]
    assert made(meaning(Kind.NUMBER), "==", "-1").many(numbers).tolist() == [False, False]
    assert entry_test(meaning(Kind.NUMBER), value("-5..300")).many(numbers).tolist() == [True, True]


def test_fields_with_several_numbers_a_row() -> None:
    ports = np.array([[8303, 9], [10, 8303]])
    either = AnyTest((entry_test(meaning(Kind.NUMBER), value("8303")), entry_test(meaning(Kind.NUMBER), value("5..9"))))
    assert either.many(ports).tolist() == [[True, True], [False, True]]
    assert AnyTest((TextTest(lambda own: True), either)).many(ports).tolist() == [[True, True], [False, True]]


@pytest.mark.parametrize(
    ("text", "own", "fits"),
    [
        ("10.0.0.1", "10.0.0.1:8303", True),
        ("10.0.0.1:8303", "10.0.0.1:8303", True),
        ("10.0.0.1:8304", "10.0.0.1:8303", False),
        ("10.0.0.0/8", "10.200.0.1:1", True),
        ("10.0.0.0/8", "11.0.0.1:1", False),
        ("10.0.0.5/8", "10.200.0.1:1", True),
        ("::1", "[::1]:8303", True),
        ("[::1]:8303", "[::1]:8303", True),
        ("0:0::1", "[::1]:8303", True),
        ("fe80::/10", "[fe81::2]:1", True),
        ("10.0.0.0/8", "[::1]:1", False),
        ("10.0.0.1", "nonsense", False),
    ],
)
def test_addresses_and_networks(text: str, own: str, fits: bool) -> None:
    assert made(meaning(Kind.ADDRESS), "==", text).one(endpoint_of(own)) is fits


def test_texts_in_one_another_and_regular_expressions() -> None:
    own = meaning(Kind.TEXT)
    assert made(own, "contains", "b", quoted=True).one("abc")
    assert not made(own, "contains", "B", quoted=True).one("abc")
    assert made(own, "matches", "^A.c$", quoted=True).one("abc")
    assert made(meaning(Kind.ADDRESS), "contains", ":83").one(endpoint_of("10.0.0.1:8303"))


def test_bytes() -> None:
    own = meaning(Kind.BYTES)
    for text in ("de:ad", "dead", "0xDEAD", "de-ad"):
        assert made(own, "==", text).one(b"\xde\xad")
    assert made(own, "contains", "ad").one(b"\xde\xad")
    assert made(own, "contains", "b", quoted=True).one(b"abc")
    assert made(own, "matches", "^.B", quoted=True).one(b"abc")


def test_masks() -> None:
    assert mask_of("x", {"playing": 1}, value("Playing")) == 1
    assert mask_of("x", {}, value("0x80")) == 128
    for text in ("0", "-1", "x", "0x" + "f" * 17):
        with pytest.raises(FilterError, match="wants a mask"):
            mask_of("x", {}, value(text))
