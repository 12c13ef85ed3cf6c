"""Stretches of time as a person types them: "100ms", "1.5s"."""

from __future__ import annotations

import re
from decimal import Decimal

import typer

_UNITS = {"us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000}
_DURATION = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*(us|ms|s|min)\s*", re.ASCII)


def read_duration(text: str, least_ns: int) -> int:
    """Nanoseconds. Raises BadParameter for what is none, and for less than `least_ns`."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise typer.BadParameter(f"'{text}' is no time such as 100ms, 1.5s or 1min")
    nanoseconds = int(Decimal(match[1]) * _UNITS[match[2]])
    if nanoseconds < least_ns:
        raise typer.BadParameter(f"'{text}' is too short, {least_ns / 1e6:g} ms is the least")
    return nanoseconds
