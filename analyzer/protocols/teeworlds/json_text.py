"""Reads JSON (RFC 8259) so that every value knows the line it stands on; the standard library's reader keeps none."""

from __future__ import annotations

import json
import re

MAX_DEPTH = 64
"""Lists and objects in one another; no schema needs a tenth of that."""
_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_HALF = re.compile("[\ud800-\udfff]")
_WORDS = {"true": True, "false": False, "null": None}
_STRINGS = json.JSONDecoder()
MAX_DIGITS = 400
"""Of a number; Python refuses to read some thousands."""


class JsonError(Exception):
    """Text that is not JSON."""

    def __init__(self, text: str, line: int, column: int) -> None:
        super().__init__(text)
        self.text = text
        self.line = line
        """From 1."""
        self.column = column
        """From 1."""


class LinedList(list[object]):
    """A list, and the line of each of its entries."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[int] = []


class LinedDict(dict[str, object]):
    """An object, and the line of each of its names."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, int] = {}


def read_json(text: str) -> tuple[object, int]:
    """The value, and its line. Lists are `LinedList`, objects `LinedDict`. Raises `JsonError`."""
    cursor = _Cursor(text)
    cursor.skip()
    line = cursor.line
    value = cursor.value(0)
    cursor.skip()
    if cursor.at < len(text):
        raise cursor.error("nothing is expected behind the last bracket")
    return value, line


class _Cursor:
    """Where the reading stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1

    def error(self, text: str, at: int | None = None) -> JsonError:
        place = self.at if at is None else at
        line = self.text.count("\n", 0, place) + 1
        return JsonError(text, line, place - self.text.rfind("\n", 0, place))

    def skip(self) -> None:
        """Go past white space."""
        found = _SPACE.match(self.text, self.at)
        assert found is not None
        self.line += self.text.count("\n", self.at, found.end())
        self.at = found.end()

    def value(self, depth: int) -> object:
        """The value that begins here."""
        first = self.text[self.at : self.at + 1]
        if first in ("{", "["):
            if depth == MAX_DEPTH:
                raise self.error(f"more than {MAX_DEPTH} brackets are open here")
            return self._object(depth + 1) if first == "{" else self._list(depth + 1)
        if first == '"':
            return self._string()
        for word, value in _WORDS.items():
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return value
        return self._number()

    def _number(self) -> int | float:
        found = _NUMBER.match(self.text, self.at)
        if found is None:
            raise self.error("a value is expected" if self.at < len(self.text) else "the text ends too early")
        if found.end() - found.start() > MAX_DIGITS:
            raise self.error(f"a number has more than {MAX_DIGITS} digits")
        self.at = found.end()
        return float(found[0]) if found[1] or found[2] else int(found[0])

    def _string(self) -> str:
        start = self.at
        try:
            value, self.at = _STRINGS.raw_decode(self.text, self.at)
        except json.JSONDecodeError as error:
            raise self.error(error.msg.lower().removesuffix(" at"), error.pos) from error
        assert isinstance(value, str)
        if _HALF.search(value):
            raise self.error("a character is written by half, \\ud800 to \\udfff only count in pairs", start)
        return value

    def _list(self, depth: int) -> LinedList:
        entries = LinedList()
        if self._opens("]"):
            return entries
        while True:
            line = self.line
            entries.append(self.value(depth))
            entries.lines.append(line)
            if self._ends("]", "entry"):
                return entries

    def _object(self, depth: int) -> LinedDict:
        members = LinedDict()
        if self._opens("}"):
            return members
        while True:
            start, line = self.at, self.line
            if not self.text.startswith('"', start):
                raise self.error("a name in double quotes is expected")
            name = self._string()
            if name in members:
                raise self.error(f"member {name!r} stands twice in one object", start)
            self.skip()
            if not self.text.startswith(":", self.at):
                raise self.error("a colon is expected behind a name")
            self.at += 1
            self.skip()
            members[name] = self.value(depth)
            members.lines[name] = line
            if self._ends("}", "member"):
                return members

    def _opens(self, close: str) -> bool:
        """Go past an opening bracket. True: it is closed at once."""
        self.at += 1
        self.skip()
        if not self.text.startswith(close, self.at):
            return False
        self.at += 1
        return True

    def _ends(self, close: str, what: str) -> bool:
        """Go past what stands behind an entry. True: that was the closing bracket."""
        self.skip()
        found = self.text[self.at : self.at + 1]
        if found == close:
            self.at += 1
            return True
        if found != ",":
            raise self.error(f"a comma or {close} is expected behind a{'n' if what == 'entry' else ''} {what}")
        self.at += 1
        comma = self.at - 1
        self.skip()
        if self.text.startswith(close, self.at):
            raise self.error(f"no comma is expected before {close}", comma)
        return False
