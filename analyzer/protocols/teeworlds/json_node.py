"""JSON values that know where they stand, so that a schema error can name the place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from analyzer.protocols.base import SchemaError
from analyzer.protocols.teeworlds.json_text import LinedDict, LinedList
from analyzer.protocols.teeworlds.values import INT_MAX, INT_MIN


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value and where it stands."""

    file: str
    where: str
    value: object
    line: int = 0
    """From 1; 0: not known."""

    def error(self, expected: str) -> SchemaError:
        """What to raise if something else was expected here."""
        shown = json.dumps(self.value)
        shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
        return SchemaError(f"{self.place}: {self.where or 'top level'}: expected {expected}, found {shown}")

    @property
    def place(self) -> str:
        """File and line, for the beginning of a sentence."""
        return f"{self.file}, line {self.line}" if self.line else self.file

    def text(self) -> str:
        """A string that is not empty."""
        if not isinstance(self.value, str) or not self.value:
            raise self.error("a text")
        return self.value

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.error("true or false")
        return self.value

    def integer(self, low: int = INT_MIN, high: int = INT_MAX) -> int:
        """A whole number from `low` to `high`."""
        if not isinstance(self.value, int) or isinstance(self.value, bool) or not low <= self.value <= high:
            raise self.error(f"a whole number from {low} to {high}")
        return self.value

    def one_of(self, choices: Iterable[str]) -> str:
        """One of some words."""
        if not isinstance(self.value, str) or self.value not in choices:
            raise self.error("one of " + ", ".join(choices))
        return self.value

    def entries(self) -> list[Node]:
        """The entries of a list."""
        if not isinstance(self.value, list):
            raise self.error("a list")
        lines = self.value.lines if isinstance(self.value, LinedList) else [self.line] * len(self.value)
        return [
            Node(self.file, f"{self.where}[{number}]", entry, line)
            for number, (entry, line) in enumerate(zip(self.value, lines, strict=True))
        ]

    def members(self) -> dict[str, Node]:
        """The members of an object, whatever their names."""
        if not isinstance(self.value, dict):
            raise self.error("an object")
        prefix = f"{self.where}." if self.where else ""
        lines = self.value.lines if isinstance(self.value, LinedDict) else {}
        return {
            str(key): Node(self.file, f"{prefix}{key}", value, lines.get(key, self.line))
            for key, value in self.value.items()
        }

    def record(self, required: Iterable[str], optional: Iterable[str]) -> dict[str, Node]:
        """The members of an object of fixed shape."""
        members = self.members()
        for key in required:
            if key not in members:
                raise self.error(f"an object with {key!r}")
        allowed = {*required, *optional}
        for key, node in members.items():
            if key not in allowed:
                raise node.error("no member of this name, but " + ", ".join(sorted(allowed)))
        return members

    def numbered(self) -> dict[int, str]:
        """An object from numbers to names."""
        names: dict[int, str] = {}
        for key, node in self.members().items():
            if not re.fullmatch(r"-?(0|[1-9]\d{0,9})", key):
                raise node.error("a number as its key")
            names[int(key)] = node.text()
        return names
