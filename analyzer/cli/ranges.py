"""Frame numbers as a person types them: "1-10,42"."""

from __future__ import annotations

import re

import typer

_RANGE = re.compile(r"\s*(\d{1,12})\s*(?:-\s*(\d{1,12})\s*)?", re.ASCII)


def read_ranges(text: str) -> list[range]:
    """The ranges, each with both of its ends. Raises BadParameter for anything else, and for numbers below 1."""
    found = []
    for piece in text.split(","):
        match = _RANGE.fullmatch(piece)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 0 < first <= last:
            raise typer.BadParameter(f"'{piece.strip()}' is no frame number and no range such as 1-10")
        found.append(range(first, last + 1))
    return found
