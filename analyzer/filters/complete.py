"""What may stand at the cursor of a filter that is being typed: fields, operators that fit, values that occur."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from lark import Token

from analyzer.filters import syntax
from analyzer.filters.columns import READERS
from analyzer.filters.endpoints import Endpoint
from analyzer.filters.errors import FilterError
from analyzer.filters.fields import FieldInfo
from analyzer.filters.kinds import FUNCTIONS, MEANINGS, OPERATORS, Kind
from analyzer.filters.parse import Subject, subject_of
from analyzer.filters.registry import Registry
from analyzer.filters.view import PacketScope, View

MOST = 100
"""Candidates."""
LOOKED_AT = 200_000
"""Packets, the newest, whose values are counted."""
FREQUENT = 12
"""Values that are offered because they are frequent."""
WORD = r"[^\s(){},\"&|!<>=~]*"
BARE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/\[\]+-]*")
"""A value that needs no quotes."""
JOINING = {"&&": "both sides are true", "||": "one side is true"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that may stand there."""

    text: str
    """What is to be put in."""
    sort: str
    """`field`, `function`, `operator`, `value` or `word`."""
    kind: str
    """Of a field: the kind of its values in words; of a frequent value: how often it occurs; else empty."""
    meaning: str


@dataclass(frozen=True, slots=True)
class Completion:
    """Candidates, the likeliest first, and what of the text each of them replaces."""

    start: int
    end: int
    candidates: tuple[Candidate, ...]


def complete(text: str, cursor: int, fields: Registry, view: View | None = None) -> Completion:
    """What may stand at the cursor. `view`: of a capture whose frequent values are offered. Never raises."""
    cursor = max(0, min(cursor, len(text)))
    start, end = _word_at(text, cursor)
    typed = text[start:cursor]
    try:
        tokens, accepted = syntax.begin(text[:start])
    except FilterError:
        return Completion(start, end, ())
    found: list[Candidate] = []
    if "NAME" in accepted:
        found += _names(typed, fields, negates="NOT" in accepted)
    elif "WORD" in accepted:
        subject = _subject(text, tokens, fields)
        found += _matching(typed, _values(subject, tokens, view)) if subject is not None else []
    else:
        found += _matching(typed, _operators(_subject(text, tokens, fields), accepted))
    return Completion(start, end, tuple(found[:MOST]))


def _word_at(text: str, cursor: int) -> tuple[int, int]:
    """Where the word or the quoted text at the cursor begins and ends."""
    at = 0
    for quoted in re.finditer(r'"(?:[^"\\]|\\.)*("|$)', text, re.DOTALL):
        at = quoted.start()
        if at < cursor and (cursor < quoted.end() or not quoted[1]):
            return at, quoted.end()
    before = re.search(WORD + r"$", text[:cursor])
    behind = re.match(WORD, text[cursor:])
    return cursor - (len(before[0]) if before else 0), cursor + (len(behind[0]) if behind else 0)


def _names(typed: str, fields: Registry, *, negates: bool) -> list[Candidate]:
    """Fields and functions: those that begin so, then those of which a part does, then those with it anywhere."""
    wanted = typed.lower()
    ranked: list[tuple[int, int, int]] = []
    for place, (name, depth) in enumerate(fields.ranks):
        # Most have it nowhere.
        if wanted in name:
            ranked.append((_rank(name, wanted), depth, place))
    ranked.sort()
    every = fields.every
    found = [
        Candidate(info.name, "field", info.kind.value, info.meaning)
        for info in (every[place] for _, _, place in ranked[:MOST])
    ]
    functions = [
        Candidate(f"{name}(", "function", "", meaning) for name, meaning in FUNCTIONS.items() if name.startswith(wanted)
    ]
    words = [Candidate("not", "word", "", "the contrary")] if negates and "not".startswith(wanted) else []
    # With nothing typed the fields of every capture come first, and functions are seen, too.
    return found[: MOST - len(functions) - len(words)] + functions + words


def _rank(name: str, wanted: str) -> int:
    if name.startswith(wanted):
        return 0
    if f".{wanted}" in name:
        return 1
    return 2 if wanted in name else 3


def _matching(typed: str, candidates: Iterable[Candidate]) -> list[Candidate]:
    wanted = typed.strip('"').lower()
    found = [(_rank(candidate.text.strip('"').lower(), wanted), candidate) for candidate in candidates]
    found = [entry for entry in found if entry[0] < 3]
    unique = {candidate.text: candidate for _, candidate in sorted(found, key=lambda entry: entry[0])}
    return list(unique.values())


def _subject(text: str, tokens: list[Token], fields: Registry) -> Subject | None:
    """What stands before the last operator, or at the end; None if it makes no sense."""
    operators = ("OPERATOR", "IN", "AMPERSAND")
    stop = next((at for at in reversed(range(len(tokens))) if tokens[at].type in operators), len(tokens))
    if any(token.type in ("AND", "OR") for token in tokens[stop:]) or _is_operand(tokens):
        stop = len(tokens)
    at = stop - 1
    depth = 0
    while at >= 0 and tokens[at].type == "RPAR":
        depth += 1
        at -= 1
    if at < 0 or tokens[at].type != "NAME":
        return None
    while depth and at >= 2 and tokens[at - 1].type == "LPAR" and tokens[at - 2].type == "NAME":
        depth -= 1
        at -= 2
    last = tokens[stop - 1]
    begin, end = tokens[at].start_pos or 0, (last.start_pos or 0) + len(last)
    try:
        tree = syntax.read(text[begin:end])
        return subject_of(tree.operand, fields) if isinstance(tree, syntax.Present) else None
    except FilterError:
        return None


def _is_operand(tokens: list[Token]) -> bool:
    """Do they end with a field, or a function of one?"""
    kinds = [token.type for token in tokens]
    while kinds and kinds[-1] == "RPAR":
        kinds.pop()
    return bool(kinds) and kinds[-1] == "NAME"


def _operators(subject: Subject | None, accepted: set[str]) -> Iterator[Candidate]:
    if subject is not None and "OPERATOR" in accepted:
        for sign in OPERATORS[subject.meaning.kind]:
            yield Candidate(f"{sign} {{" if sign == "in" else sign, "operator", "", MEANINGS[sign])
    elif "IN" in accepted:
        yield Candidate("in {", "operator", "", MEANINGS["in"])
    if "LBRACE" in accepted:
        yield Candidate("{", "word", "", "values and ranges follow, with commas between them")
    if "COMMA" in accepted:
        yield Candidate(",", "word", "", "another value follows")
    if "RBRACE" in accepted:
        yield Candidate("}", "word", "", "no more values")
    if "AND" in accepted:
        for sign, meaning in JOINING.items():
            yield Candidate(sign, "word", "", meaning)
    if "RPAR" in accepted:
        yield Candidate(")", "word", "", "the end of the brackets")


def _values(subject: Subject, tokens: list[Token], view: View | None) -> Iterator[Candidate]:
    """Frequent ones, then all that have a name."""
    info, meaning = subject.field, subject.meaning
    if tokens and tokens[-1].type == "AMPERSAND":
        for name, bit in info.bits.items():
            yield Candidate(_written(name), "value", "", f"{bit:#x}")
        return
    if meaning.kind is Kind.FLAG:
        yield Candidate("true", "value", "", "yes")
        yield Candidate("false", "value", "", "no")
        return
    if view is not None and not subject.steps and info.name in READERS:
        yield from frequent(info, view)
    if not subject.steps:
        for choice in info.choices:
            yield Candidate(_written(choice), "value", "", "")
        for word, numbers in info.words.items():
            yield Candidate(_written(word), "value", "", " or ".join(map(str, numbers)))


def frequent(info: FieldInfo, view: View) -> list[Candidate]:
    """The values that most of the newest packets have, and how often each occurs."""
    if info.kind in (Kind.DURATION, Kind.TIME) or not info.in_columns:
        return []
    stop = len(view.tables.packets)
    scope = PacketScope(view, max(0, stop - LOOKED_AT), stop)
    values = READERS[info.name](scope).only_there()
    different, counts = np.unique(values.values, return_counts=True)
    texts: dict[str, int] = {}
    for number, count in zip(different.tolist(), counts.tolist(), strict=True):
        value = number if values.table is None else values.table[int(number)]
        text = value.text if isinstance(value, Endpoint) else str(value)
        texts[text] = texts.get(text, 0) + count
    best = sorted(texts.items(), key=lambda entry: -entry[1])[:FREQUENT]
    quoted = info.kind is Kind.TEXT
    return [
        Candidate(json.dumps(text, ensure_ascii=False) if quoted else _written(text), "value", f"{count:,}", "")
        for text, count in best
    ]


def _written(value: str) -> str:
    """A value as it stands in a filter, in quotes where it needs them."""
    numeric = re.fullmatch(r"-?\d+", value)
    return value if numeric or BARE.fullmatch(value) or value.startswith("[") else json.dumps(value, ensure_ascii=False)
