"""From a text to a filter: every name looked up, every value read, or an error that says where and what is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from analyzer.filters import syntax
from analyzer.filters.errors import FilterError, near
from analyzer.filters.fields import FieldInfo
from analyzer.filters.filter import Filter
from analyzer.filters.kinds import FUNCTIONS, OPERATORS, Kind
from analyzer.filters.literals import Meaning, entry_test, mask_of, test_of
from analyzer.filters.nodes import Comparison, Everything, Joined, Node, Not, Quantifier, Step
from analyzer.filters.registry import Registry
from analyzer.filters.value_tests import AnyTest, NumberTest

COUNTED = Kind.NUMBER
INDEX = re.compile(r"\[([^\]]*)\]")
NUMBER = re.compile(r"[0-9]+")


def parse(text: str, fields: Registry) -> Filter:
    """The filter that a text is; a blank one is true of everything. Raises FilterError, and nothing else."""
    tree = syntax.read(text)
    return Filter(text, Everything() if tree is None else _node(tree, fields))


@dataclass(frozen=True, slots=True)
class Subject:
    """What is compared, with the kind of its values after all functions."""

    field: FieldInfo
    meaning: Meaning
    steps: tuple[Step, ...] = ()
    quantifier: str = ""
    """`any` or `all`, where it is written."""


def _node(tree: syntax.Node, fields: Registry) -> Node:
    if isinstance(tree, syntax.Joined):
        return Joined(tree.every, tuple(_node(part, fields) for part in tree.parts))
    if isinstance(tree, syntax.Negated):
        return Not(_node(tree.inner, fields))
    if isinstance(tree, syntax.Present):
        return _presence(tree, fields)
    if isinstance(tree, syntax.Member):
        subject = subject_of(tree.operand, fields)
        _allow(subject, "in", tree)
        tests = tuple(entry_test(subject.meaning, value) for value in tree.values)
        quantifier = Quantifier.ALL if subject.quantifier == "all" else Quantifier.ANY
        return Comparison(subject.field, subject.steps, quantifier, AnyTest(tests))
    return _comparison(tree, fields)


def _presence(tree: syntax.Present, fields: Registry) -> Node:
    """Something is there; of what is true or false it is true, of bits and functions it is not 0."""
    subject = subject_of(tree.operand, fields)
    if subject.quantifier:
        text = f"{subject.quantifier}({subject.field.name}) is to be compared with something"
        raise FilterError(text, tree.start, tree.end)
    if subject.meaning.kind is Kind.FLAG or subject.steps:
        test = _not_zero() if subject.steps else NumberTest("==", 1)
        return Comparison(subject.field, subject.steps, Quantifier.ANY, test)
    return Comparison(subject.field)


def _not_zero() -> AnyTest:
    return AnyTest((NumberTest(">", 0), NumberTest("<", 0)))


def _comparison(tree: syntax.Compared, fields: Registry) -> Node:
    subject = subject_of(tree.operand, fields)
    _allow(subject, tree.operator, tree)
    if tree.operator != "!=":
        test = test_of(subject.meaning, tree.operator, tree.value)
        quantifier = Quantifier.ALL if subject.quantifier == "all" else Quantifier.ANY
        return Comparison(subject.field, subject.steps, quantifier, test)
    test = test_of(subject.meaning, "==", tree.value)
    if subject.quantifier != "any":
        return Comparison(subject.field, subject.steps, Quantifier.NONE, test)
    present = Comparison(subject.field, subject.steps)
    # Any that differs: it is there, and not all are equal.
    return Joined(True, (present, Not(Comparison(subject.field, subject.steps, Quantifier.ALL, test))))


def subject_of(operand: syntax.Operand, fields: Registry) -> Subject:
    """What an operand is. Raises FilterError."""
    if isinstance(operand, syntax.Name):
        return _field(operand, fields)
    if isinstance(operand, syntax.Masked):
        inner = subject_of(operand.term, fields)
        if inner.meaning.kind is not Kind.NUMBER:
            raise FilterError(_unfit(inner, "&"), operand.start, operand.end)
        mask = mask_of(inner.meaning.name, inner.field.bits, operand.mask)
        return replace(inner, steps=(*inner.steps, Step("mask", mask)))
    return _call(operand, fields)


def _field(name: syntax.Name, fields: Registry) -> Subject:
    found = fields.get(name.text)
    if found is not None:
        return Subject(found, found.meant)
    word = name.text if len(name.text) < 60 else f"{name.text[:57]}..."
    if name.text.lower() in FUNCTIONS:
        text = f"{word} is a function: a field in brackets is expected behind it"
        raise FilterError(text, name.start, name.end)
    for index in INDEX.finditer(name.text):
        start, end = index.span(1)
        known = fields.get(name.text[: start - 1] + name.text[end + 1 :])
        if known is not None and not NUMBER.fullmatch(index[1]):
            raise FilterError("an index is a number from 0", name.start + start, name.start + max(end, start + 1))
    raise FilterError(f"there is no field {word}", name.start, name.end, fields.near(name.text))


def _call(call: syntax.Call, fields: Registry) -> Subject:
    function = call.function.text.lower()
    if function not in FUNCTIONS:
        text = f"there is no function {call.function.text[:60]}"
        raise FilterError(text, call.function.start, call.function.end, near(function, FUNCTIONS))
    inner = subject_of(call.argument, fields)
    name = f"{function}({inner.meaning.name})"
    if inner.quantifier:
        text = f"{inner.quantifier}() has to be the outermost function"
        raise FilterError(text, call.start, call.end)
    if function in ("any", "all"):
        if inner.meaning.kind is Kind.PRESENCE:
            raise FilterError(f"{inner.meaning.name} has no values to compare", call.start, call.end)
        return replace(inner, quantifier=function)
    allowed = {
        "count": tuple(Kind),
        "sum": (Kind.NUMBER, Kind.DURATION, Kind.ANY),
        "abs": (Kind.NUMBER, Kind.DURATION, Kind.ANY),
        "len": (Kind.TEXT, Kind.CHOICE, Kind.BYTES, Kind.ANY),
    }[function]
    if inner.meaning.kind not in allowed:
        kinds = " or ".join(dict.fromkeys(kind.value for kind in allowed))
        text = f"{function}() is for {kinds}, and {inner.meaning.name} is {inner.meaning.kind.value}"
        raise FilterError(text, call.start, call.end)
    kind = inner.meaning.kind if function in ("sum", "abs") and inner.meaning.kind is Kind.DURATION else COUNTED
    return Subject(inner.field, Meaning(name, kind, {}), (*inner.steps, Step(function)))


def _allow(subject: Subject, operator: str, tree: syntax.Place) -> None:
    if operator not in OPERATORS[subject.meaning.kind]:
        raise FilterError(_unfit(subject, operator), tree.start, tree.end)


def _unfit(subject: Subject, operator: str) -> str:
    name, kind = subject.meaning.name, subject.meaning.kind
    known = OPERATORS[kind]
    if not known:
        return f"{name} has no value to compare: name it alone, or write count({name})"
    return f"{name} is {kind.value}, for which there is no {operator}, only {', '.join(known)}"
