"""A filter that was checked, as the tree that is evaluated: each node says which of some rows it is true of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum

import numpy as np

from analyzer.filters.columns import READERS
from analyzer.filters.fields import FieldInfo
from analyzer.filters.on_demand import Asked
from analyzer.filters.value_tests import Bools, Test
from analyzer.filters.values import Values, absolute, any_of, counted, fits, lengths, masked, present, summed
from analyzer.filters.view import Scope


class Needs(IntEnum):
    """What has to be read to evaluate something; each includes those before it."""

    COLUMNS = 0
    BYTES = 1
    ITEMS = 2


class Quantifier(Enum):
    """How many values a comparison has to be true of."""

    ANY = "any"
    NONE = "none"
    """There is a value, and it is true of none: what != means."""
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Step:
    """A function of values, in the order in which it is applied."""

    name: str
    """`count`, `sum`, `len`, `abs` or `mask`."""
    mask: int = 0


@dataclass(frozen=True, slots=True)
class Everything:
    """True of every row."""

    needs = Needs.COLUMNS

    def true_of(self, scope: Scope, asked: Asked, wanted: Bools) -> Bools:
        """Which of the `wanted` rows it is true of, shape (rows,)."""
        return wanted.copy()


@dataclass(frozen=True, slots=True)
class Not:
    """The contrary."""

    inner: Node

    @property
    def needs(self) -> Needs:
        """What the inner one needs."""
        return self.inner.needs

    def true_of(self, scope: Scope, asked: Asked, wanted: Bools) -> Bools:
        """Which of the `wanted` rows it is true of, shape (rows,)."""
        return wanted & ~self.inner.true_of(scope, asked, wanted)


@dataclass(frozen=True, slots=True)
class Joined:
    """Every part is true, or any is. What costs least is asked first, what costs more only where that left doubt."""

    every: bool
    parts: tuple[Node, ...]

    @property
    def needs(self) -> Needs:
        """The most that a part needs."""
        return max(part.needs for part in self.parts)

    def true_of(self, scope: Scope, asked: Asked, wanted: Bools) -> Bools:
        """Which of the `wanted` rows it is true of, shape (rows,)."""
        left, found = wanted, np.zeros(len(wanted), np.bool_)
        for part in sorted(self.parts, key=lambda part: part.needs):
            if not left.any():
                break
            true = part.true_of(scope, asked, left)
            if self.every:
                left = true
            else:
                found |= true
                left = left & ~true
        return left if self.every else found


@dataclass(frozen=True, slots=True)
class Comparison:
    """Values of a field, or what functions make of them, and a test; without one: that there are some."""

    field: FieldInfo
    steps: tuple[Step, ...] = ()
    quantifier: Quantifier = Quantifier.ANY
    test: Test | None = None

    @property
    def needs(self) -> Needs:
        """By where the field comes from."""
        if self.field.item is not None:
            return Needs.ITEMS
        return Needs.COLUMNS if self.field.in_columns else Needs.BYTES

    def true_of(self, scope: Scope, asked: Asked, wanted: Bools) -> Bools:
        """Which of the `wanted` rows it is true of, shape (rows,)."""
        values = self._values(scope, asked, wanted)
        for step in self.steps:
            values = _STEPS[step.name](values, scope.rows) if step.name in _STEPS else masked(values, step.mask)
        if self.test is None:
            return wanted & present(values, scope.rows)
        true = fits(values, self.test)
        if self.quantifier is Quantifier.ANY:
            return wanted & any_of(values, true, scope.rows)
        against = true if self.quantifier is Quantifier.NONE else ~true
        return wanted & present(values, scope.rows) & ~any_of(values, against, scope.rows)

    def _values(self, scope: Scope, asked: Asked, wanted: Bools) -> Values:
        if self.field.message is not None:
            return asked.of_messages(scope, self.field.message, wanted)
        if self.field.item is not None:
            return asked.of_items(scope, self.field.item, wanted)
        return READERS[self.field.name](scope)


Node = Everything | Not | Joined | Comparison

_STEPS: dict[str, Callable[[Values, int], Values]] = {
    "count": counted,
    "sum": summed,
    "len": lambda values, rows: lengths(values),
    "abs": lambda values, rows: absolute(values),
}
