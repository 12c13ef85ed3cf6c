"""Percentiles of a number stretch of time by stretch, of values that are sorted once: of all, or of all but some."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.growing import Growing

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_BITS = 33
"""Of a key, for the value: a 32-bit float, as an integer in the same order, and its sign."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Of the values in each stretch of time, shape (n,); NaN where there are none. Nearest rank."""

    p10: Floats
    p50: Floats
    p90: Floats


class SortedStretches:
    """Values in the order of stretches, which are numbered from 0, and ascending in each.

    Stretch and value are packed into one integer: it is sorted many times faster than by two keys. Values are compared
    as 32-bit floats: exact to 16 million.
    """

    def __init__(self, memory: ChunkMemory | None = None) -> None:
        """`memory`: that of the capture's tables."""
        self._keys: Growing[np.int64] = Growing(np.int64, memory)
        self._ends: Growing[np.int64] = Growing(np.int64, memory)
        """Where in `_keys` each stretch ends."""

    def __len__(self) -> int:
        """How many stretches there are."""
        return len(self._ends)

    def add(self, stretches: Ints, values: Floats, count: int) -> None:
        """The next `count` stretches: values without NaN and the stretch of each, counted from the first new one."""
        numbers = np.bincount(stretches, minlength=count)
        self._ends.append(len(self._keys) + np.cumsum(numbers))
        self._keys.append(keys_of(stretches + (len(self) - count), values))

    def cut(self, count: int) -> None:
        """Only the first `count` stretches still hold."""
        if count < len(self):
            self._keys.cut(int(self._ends.view[count - 1]) if count else 0)
            self._ends.cut(count)

    def spread(self, first: int, stop: int, left_out: Ints) -> Spread:
        """Of the stretches first to stop - 1, of which some may not exist. `left_out`: `keys_of` values in them."""
        begin, end = min(max(first, 0), len(self)), min(max(stop, 0), len(self))
        ends = self._ends.view[begin:end]
        starts = np.concatenate([self._ends.view[begin - 1 : begin] if begin else np.zeros(1, np.int64), ends])[:-1]
        numbers = ends - starts
        stretches = (left_out >> _BITS) - begin
        before = self._others_before(left_out, stretches, starts)
        numbers = numbers - np.bincount(stretches, minlength=len(numbers))
        some = numbers > 0

        def quantile(percent: int) -> Floats:
            rank = -(-numbers * percent // 100) - 1
            skipped = np.bincount(stretches[before <= rank[stretches]], minlength=len(numbers))
            result = np.full(stop - first, np.nan)
            result[begin - first : end - first][some] = _values(self._keys.view[(starts + rank + skipped)[some]])
            return result

        return Spread(quantile(10), quantile(50), quantile(90))

    def _others_before(self, keys: Ints, stretches: Ints, starts: Ints) -> Ints:
        """For each of the values left out: how many others stand before it in its stretch."""
        numbers = np.arange(len(keys))
        # Which of several equal ones stands where does not matter.
        places = np.searchsorted(self._keys.view, keys) + numbers - np.searchsorted(keys, keys)
        return np.asarray(places - starts[stretches] - numbers + np.searchsorted(stretches, stretches))


def keys_of(stretches: Ints, values: Floats) -> Ints:
    """Values without NaN, packed with the stretch of each, ascending."""
    bits = values.astype(np.float32).view(np.int32).astype(np.int64)
    ordered = np.where(bits < 0, -(bits & 0x7FFF_FFFF), bits)
    return np.sort((stretches << _BITS) + ordered + (1 << _BITS - 1))


def _values(keys: Ints) -> NDArray[np.float32]:
    ordered = (keys & ((1 << _BITS) - 1)) - (1 << _BITS - 1)
    return np.where(ordered < 0, -ordered | 0x8000_0000, ordered).astype(np.uint32).view(np.float32)
