"""Regular expressions that answer in time proportional to the text, whatever the expression.

Python's own tries one way after the other, and some expressions have more ways than anybody waits for: `(a+)+b`. Those
with more than one repetition are therefore followed here in all ways at once, by sets of places that are kept once they
are made.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

_parser: Any = import_module("re._parser")
FLAGS = re.IGNORECASE | re.DOTALL | re.MULTILINE | re.ASCII
MOST_PLACES = 5_000
MOST_SETS = 20_000
"""Sets that are kept, before they are begun anew."""
FEW = 4
"""Ways of a repetition that are harmless, as in `colou?r`, if there are not many such repetitions."""
HARMLESS = 0.2
"""What one of those counts."""
REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}
CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
Search = Callable[[str], bool]
Condition = Callable[[str, str, bool], bool]
"""Of the characters before and behind a place, empty at the ends, and of whether the latter is the last one."""


def searcher(pattern: str, flags: int = 0) -> Search:
    """Whether an expression fits a part of a text, whatever the case. Raises ValueError with what is wrong with it."""
    flags |= re.IGNORECASE
    with warnings.catch_warnings():
        # Of what may mean something else in a later Python.
        warnings.simplefilter("ignore")
        try:
            compiled = re.compile(pattern, flags)
            tree = _parser.parse(pattern, flags)
        except (re.error, OverflowError, RecursionError, ValueError) as error:
            raise ValueError(f"the regular expression is wrong: {error}") from None
        if _repetitions(tree) <= 1:
            return lambda text: compiled.search(text) is not None
        return _Automaton(tree, compiled.flags).search


def _repetitions(tree: Any) -> float:
    """How many repetitions may go on for long; one in another counts as many."""
    found = 0.0
    for code, argument in tree:
        inner = sum(map(_repetitions, _parts(argument)))
        if code.name == "BRANCH":
            inner += HARMLESS
        if code.name in REPEATS:
            least, most, again = argument
            inner *= min(most, 2)
            inner += 1 if most - least > FEW else HARMLESS * (most > least)
            inner += 2 * (most > FEW and _ways(again))
        found += inner
    return found


def _ways(tree: Any) -> bool:
    """It may fit in more than one way."""
    return any(
        code.name == "BRANCH"
        or (code.name in REPEATS and argument[0] != argument[1])
        or any(map(_ways, _parts(argument)))
        for code, argument in tree
    )


def _parts(argument: Any) -> Iterable[Any]:
    """The expressions in what an operation is given."""
    if isinstance(argument, _parser.SubPattern):
        yield argument
    elif isinstance(argument, tuple | list):
        for one in argument:
            yield from _parts(one)


@dataclass(slots=True)
class _Place:
    """Where one may be in an expression."""

    fits: Callable[[str], bool] | None = None
    """The character that leads on; None: none is needed."""
    holds: Condition | None = None
    """What has to be true there; None: nothing."""
    on: list[int] = field(default_factory=list)


Set = frozenset[int]


class _Automaton:
    def __init__(self, tree: Any, flags: int) -> None:
        self._places: list[_Place] = [_Place()]
        self._end = self._sequence(tree, 0, flags)
        self._steps: dict[tuple[Set, str, str, bool], Set | None] = {}

    def search(self, text: str) -> bool:
        """Whether it fits a part of the text."""
        if len(self._steps) > MOST_SETS:
            self._steps.clear()
        here: Set = frozenset((0,))
        before = ""
        for number, sign in enumerate(text, 1):
            key = here, before, sign, number == len(text)
            if key not in self._steps:
                self._steps[key] = self._step(*key)
            after = self._steps[key]
            if after is None:
                return True
            here, before = after, sign
        return self._step(here, before, "", True) is None

    def _step(self, here: Set, before: str, sign: str, last: bool) -> Set | None:
        """Where one may be behind a character; None: at the end already."""
        seen, waiting = set(here), list(here)
        after = {0}
        while waiting:
            number = waiting.pop()
            if number == self._end:
                return None
            place = self._places[number]
            if place.fits is not None:
                if sign and place.fits(sign):
                    after.update(place.on)
            elif place.holds is None or place.holds(before, sign, last):
                new = [one for one in place.on if one not in seen]
                seen.update(new)
                waiting += new
        return frozenset(after)

    def _new(self, start: int) -> int:
        """A place behind another one."""
        if len(self._places) >= MOST_PLACES:
            raise ValueError("the regular expression is too long once its repetitions are written out")
        self._places.append(_Place())
        self._places[start].on.append(len(self._places) - 1)
        return len(self._places) - 1

    def _sequence(self, tree: Any, start: int, flags: int) -> int:
        for code, argument in tree:
            start = self._one(code.name, argument, start, flags)
        return start

    def _one(self, code: str, argument: Any, start: int, flags: int) -> int:
        """Build an operation behind a place: the place behind it."""
        if code in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, tree = argument
            return self._repeat(least, most, tree, start, flags)
        if code == "SUBPATTERN":
            _, more, fewer, tree = argument
            return self._sequence(tree, start, (flags | more) & ~fewer)
        if code == "BRANCH":
            ends = [self._sequence(tree, self._new(start), flags) for tree in argument[1]]
            end = self._new(ends[0])
            for other in ends[1:]:
                self._places[other].on.append(end)
            return end
        # A place of its own, so that nothing else leads on from it.
        start = self._new(start)
        if code == "AT":
            self._places[start].holds = _condition(argument.name, flags)
        else:
            self._places[start].fits = _character(code, argument, flags)
        return self._new(start)

    def _repeat(self, least: int, most: int, tree: Any, start: int, flags: int) -> int:
        for _ in range(least):
            start = self._sequence(tree, self._new(start), flags)
        if most >= int(_parser.MAXREPEAT):
            start = self._new(start)
            end = self._sequence(tree, self._new(start), flags)
            self._places[end].on.append(start)
            return self._new(start)
        stops = [start]
        for _ in range(most - least):
            start = self._sequence(tree, self._new(start), flags)
            stops.append(start)
        end = self._new(start)
        for stop in stops[:-1]:
            self._places[stop].on.append(end)
        return end


def _character(code: str, argument: Any, flags: int) -> Callable[[str], bool]:
    """What a single character has to be, asked of Python's own."""
    if code == "ANY":
        text = "."
    elif code == "LITERAL":
        text = re.escape(chr(argument))
    elif code == "NOT_LITERAL":
        text = f"[^{re.escape(chr(argument))}]"
    elif code == "IN":
        text = f"[{''.join(_in_brackets(*one) for one in argument)}]"
    else:
        words = "it has several repetitions, and looks ahead or behind, refers back or is possessive"
        raise ValueError(f"the regular expression may take forever: {words}")
    fits = re.compile(text, flags & FLAGS).fullmatch
    return lambda sign: fits(sign) is not None


def _in_brackets(code: Any, argument: Any) -> str:
    if code.name == "NEGATE":
        return "^"
    if code.name == "RANGE":
        return "-".join(re.escape(chr(one)) for one in argument)
    return CATEGORIES[argument.name] if code.name == "CATEGORY" else re.escape(chr(argument))


def _condition(name: str, flags: int) -> Condition:
    """What has to be true at a place."""
    word = re.compile(r"\w", flags & re.ASCII).match
    lines = bool(flags & re.MULTILINE)
    conditions: dict[str, Condition] = {
        "AT_BEGINNING": lambda before, sign, last: not before or (lines and before == "\n"),
        "AT_BEGINNING_STRING": lambda before, sign, last: not before,
        "AT_END": lambda before, sign, last: not sign or (sign == "\n" and (lines or last)),
        "AT_END_STRING": lambda before, sign, last: not sign,
        "AT_BOUNDARY": lambda before, sign, last: bool(word(before)) != bool(word(sign)),
        "AT_NON_BOUNDARY": lambda before, sign, last: bool(word(before)) == bool(word(sign)),
    }
    return conditions[name]
