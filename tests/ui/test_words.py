"""How the window writes numbers and counts."""

from __future__ import annotations

import pytest

from ui import words

THIN = "\u202f"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (999, "999"), (8810, f"8{THIN}810"), (1_234_567, f"1{THIN}234{THIN}567"), (-1000, f"\u22121{THIN}000")],
)
def test_quantity(value: int, text: str) -> None:
    assert words.quantity(value) == text


@pytest.mark.parametrize(("value", "text"), [(8303, "8303"), (0, "0"), (-1, "\u22121")])
def test_number_is_not_grouped(value: int, text: str) -> None:
    assert words.number(value) == text


@pytest.mark.parametrize(("value", "text"), [(5, "+5"), (0, "0"), (-32, "\u221232")])
def test_signed(value: int, text: str) -> None:
    assert words.signed(value) == text


@pytest.mark.parametrize(
    ("value", "places", "text"), [(1234.567, 2, f"1{THIN}234.57"), (-0.5, 1, "\u22120.5"), (3.0, 0, "3")]
)
def test_decimal(value: float, places: int, text: str) -> None:
    assert words.decimal(value, places) == text


def test_count() -> None:
    assert [words.count(value, "part") for value in (0, 1, 2)] == ["0 parts", "1 part", "2 parts"]
    assert words.count(1, "delta", "deltas") == "1 delta"
    assert words.count(1200, "entry", "entries") == f"1{THIN}200 entries"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"),
        (9999, f"9{THIN}999 B"),
        (10_000, "10.0 kB"),
        (999_949, "999.9 kB"),
        (1_234_567, "1.2 MB"),
        (1_234_567_890, "1.2 GB"),
    ],
)
def test_size(value: int, text: str) -> None:
    assert words.size(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(8_400_000, "8 MB"), (999_499_999, "999 MB"), (999_500_000, "1.0 GB"), (12_345_678_901, "12.3 GB")],
)
def test_about(value: int, text: str) -> None:
    assert words.about(value) == text


@pytest.mark.parametrize(
    ("part", "whole", "text"), [(403, 1000, "40.3 %"), (0, 5, "0.0 %"), (0, 0, "\u2013"), (3, 0, "\u2013")]
)
def test_percent(part: float, whole: float, text: str) -> None:
    assert words.percent(part, whole) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0, "0 s"), (59.9, "59 s"), (60.0, "1:00"), (185.0, "3:05"), (7385.0, "2:03:05")]
)
def test_duration(seconds: float, text: str) -> None:
    assert words.duration(seconds) == text
