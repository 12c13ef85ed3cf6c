"""Stretches of time as they are typed."""

from __future__ import annotations

import pytest
import typer

from analyzer.cli.durations import read_duration


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [("100ms", 100_000_000), ("1.5s", 1_500_000_000), (" 2 min ", 120_000_000_000), ("1000us", 1_000_000), ("0s", 0)],
)
def test_read(text: str, nanoseconds: int) -> None:
    assert read_duration(text, 0) == nanoseconds


@pytest.mark.parametrize("text", ["", "5", "ms", "-1s", "1h", "1e3s", "٣s", "1ms", "99999999999s"])
def test_what_is_none(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        read_duration(text, 1_000_001)
