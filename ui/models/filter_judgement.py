"""What the text of a filter is while it is being typed: its tokens, and whether it is one, may become one, or is wrong.

Knows no Qt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from analyzer.filters.complete import complete
from analyzer.filters.errors import FilterError
from analyzer.filters.filter import Filter
from analyzer.filters.kinds import FUNCTIONS
from analyzer.filters.parse import parse
from analyzer.filters.registry import Registry

WORDS = frozenset(("and", "or", "not", "in", "contains", "matches", "eq", "ne", "ge", "le", "gt", "lt"))
COMPARING = frozenset(("==", "!=", ">", ">=", "<", "<=", "&", "~", "{", ",", "=")) | (
    WORDS - {"and", "or", "not", "in"}
)
"""Behind these stands a value."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[=!<>]=|&&|\|\||[(){},!<>=&|~]|[^\s(){},"&|!<>=~]+', re.DOTALL)

_ENDS = re.compile(r"the filter ends too early: (.+) is expected|(the closing quote) is missing")
HALVES = frozenset("=!&|")
"""Of signs that are two."""


class Standing(Enum):
    """What a text is."""

    EMPTY = "empty"
    UNFINISHED = "unfinished"
    """No filter yet, but what is missing may still be typed."""
    GOOD = "good"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Judgement:
    """Of one text."""

    standing: Standing
    filter: Filter | None = None
    """Of a good one."""
    reason: str = ""
    """A sentence without a full stop: what is wrong or missing, and where."""
    start: int = 0
    end: int = 0
    """Which characters are wrong; none of one that ends too early."""


@dataclass(frozen=True, slots=True)
class Token:
    """Some characters that are painted in one colour of the theme."""

    start: int
    end: int
    tone: str


def judge(text: str, fields: Registry) -> Judgement:
    """What a text is."""
    if not text.strip():
        return Judgement(Standing.EMPTY)
    try:
        return Judgement(Standing.GOOD, parse(text, fields))
    except FilterError as error:
        unfinished = _may_go_on(text, error, fields)
        standing = Standing.UNFINISHED if unfinished else Standing.WRONG
        return Judgement(standing, None, _reason(text, error, unfinished=unfinished), error.start, error.end)


def tokens(text: str) -> list[Token]:
    """The tokens of any text, right or wrong."""
    found: list[Token] = []
    before = ""
    inside = False
    for match in _TOKEN.finditer(text):
        word = match[0]
        lower = word.lower()
        if word == "{" or word == "}":
            inside = word == "{"
        is_word = word[0] not in '(){},"!<>=&|~'
        if word[0] == '"' or (is_word and (inside or before in COMPARING)):
            tone = "added"
        elif is_word and lower not in WORDS and not (lower in FUNCTIONS and text[match.end() :].startswith("(")):
            tone = "accent"
        else:
            tone = "text2"
        found.append(Token(match.start(), match.end(), tone))
        before = lower
    return found


def _may_go_on(text: str, error: FilterError, fields: Registry) -> bool:
    """Is the text the beginning of a filter?"""
    rest = text[error.start :].rstrip()
    if not rest or rest in HALVES:
        return True
    if error.end < len(text.rstrip()):
        return False
    if rest[0] == '"' and not re.fullmatch(r'"(?:[^"\\]|\\.)*"', rest, re.DOTALL):
        return True
    if text != text.rstrip():
        return False
    known = complete(text, len(text), fields)
    typed = text[known.start :].lower()
    offered = [one.text.strip('"').lower() for one in known.candidates]
    return bool(typed) and any(word.startswith(typed) for word in (*offered, *WORDS))


def _reason(text: str, error: FilterError, *, unfinished: bool) -> str:
    """Of a word that may become a known one nothing is said."""
    if unfinished:
        needed = _ENDS.fullmatch(error.text)
        return f"Needs {needed[1] or needed[2]}" if needed is not None else ""
    word = error.text.split(maxsplit=1)[0]
    said = error.text if "." in word or "_" in word else error.text[:1].upper() + error.text[1:]
    if error.suggestions:
        said = f"{said}, did you mean {error.suggestions[0]}?"
    return said if not error.start or error.start >= len(text.rstrip()) else f"At {error.start + 1}: {said}"


class How(Enum):
    """What a filter becomes with another one."""

    SELECTED = "selected"
    NOT_SELECTED = "not selected"
    AND = "and"
    OR = "or"
    AND_NOT = "and not"
    OR_NOT = "or not"


def combined(before: str, added: str, how: How) -> str:
    """The text of `before` with `added` to it. With nothing before, `and` and `or` are nothing either."""
    before = before.strip()
    if how in (How.NOT_SELECTED, How.AND_NOT, How.OR_NOT):
        added = f"!({added})"
    if not before or how in (How.SELECTED, How.NOT_SELECTED):
        return added
    sign = "&&" if how in (How.AND, How.AND_NOT) else "||"
    return f"{_grouped(before, sign)} {sign} {_grouped(added, sign)}"


def _grouped(text: str, sign: str) -> str:
    """In brackets, where something else than `sign` joins parts of it."""
    depth = 0
    for match in _TOKEN.finditer(text):
        word = {"and": "&&", "or": "||"}.get(match[0].lower(), match[0])
        depth += (word == "(") - (word == ")")
        if not depth and word in ("&&", "||") and word != sign:
            return f"({text})"
    return text
