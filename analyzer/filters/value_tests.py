"""Tests of single values and of many numbers at once: what an operator and a value become."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.filters.endpoints import Endpoint

Number = int | float
Bools = NDArray[np.bool_]

ORDERS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


@dataclass(frozen=True, slots=True)
class NumberTest:
    """A number compared with another one."""

    operator: str
    number: Number

    def one(self, value: object) -> bool:
        """Of one value."""
        return isinstance(value, int | float) and bool(ORDERS[self.operator](value, self.number))

    def many(self, values: NDArray[np.generic]) -> Bools:
        """Of numbers, shape like they."""
        return np.asarray(ORDERS[self.operator](values, self.number), np.bool_)


@dataclass(frozen=True, slots=True)
class RangeTest:
    """A number between two, both included."""

    low: Number
    high: Number

    def one(self, value: object) -> bool:
        """Of one value."""
        return isinstance(value, int | float) and self.low <= value <= self.high

    def many(self, values: NDArray[np.generic]) -> Bools:
        """Of numbers, shape like they."""
        return np.asarray((values >= self.low) & (values <= self.high), np.bool_)  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class TextTest:
    """Anything told by one function of a value that is no number."""

    test: Callable[[object], bool]

    def one(self, value: object) -> bool:
        """Of one value."""
        return self.test(value)

    def many(self, values: NDArray[np.generic]) -> Bools:
        """Of numbers, shape like they: none fits."""
        return np.zeros(values.shape, np.bool_)


@dataclass(frozen=True, slots=True)
class AnyTest:
    """At least one of several tests."""

    tests: tuple[Test, ...]

    def one(self, value: object) -> bool:
        """Of one value."""
        return any(test.one(value) for test in self.tests)

    def many(self, values: NDArray[np.generic]) -> Bools:
        """Of numbers, shape like they."""
        found = np.zeros(values.shape, np.bool_)
        for test in self.tests:
            found |= test.many(values)
        return found


Test = NumberTest | RangeTest | TextTest | AnyTest


def text_of(value: object) -> str:
    """A value as text, for `contains`, `matches` and `len`."""
    if isinstance(value, Endpoint):
        return value.text
    return value if isinstance(value, str) else ""
