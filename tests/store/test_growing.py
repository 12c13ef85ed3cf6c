"""Arrays that grow at their end."""

from __future__ import annotations

import mmap
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.store.chunk_memory import SMALLEST_MAPPING, ChunkMemory
from analyzer.store.growing import Growing


@given(st.lists(st.integers(0, 700) | st.integers(30_000, 90_000), max_size=12), st.integers(0, 300))
def test_everything_stays_in_order(lengths: list[int], cut: int) -> None:
    growing: Growing[np.int64] = Growing(np.int64)
    added = 0
    for length in lengths:
        growing.append(np.arange(added, added + length))
        added += length
        assert growing.view.tolist() == list(range(added))
    growing.cut(min(cut, added))
    assert growing.view.tolist() == list(range(min(cut, added)))


def test_arrays_that_grow_together_are_copied_apart() -> None:
    """A turn that adds one value to each of many arrays copies only a few of them."""
    together: list[Growing[np.int8]] = [Growing(np.int8) for _ in range(40)]
    value = np.zeros(1, dtype=np.int8)
    for length in range(4000):
        before = [growing.view.base for growing in together]
        for growing in together:
            growing.append(value)
        copied = sum(growing.view.base is not old for growing, old in zip(together, before, strict=True))
        assert length < 1000 or copied <= 4


def test_past_the_limit_of_memory_they_grow_in_the_file(tmp_path: Path) -> None:
    memory = ChunkMemory(1 << 20, tmp_path)
    arrays: list[Growing[np.int64]] = [Growing(np.int64, memory) for _ in range(8)]
    step = np.arange(1000)
    for start in range(0, 200_000, 1000):
        for number, growing in enumerate(arrays):
            growing.append(step + start + number)
    for number, growing in enumerate(arrays):
        assert np.array_equal(growing.view, np.arange(200_000) + number)
        growing.view[5] = -1
        assert growing.view[4:7].tolist() == [4 + number, -1, 6 + number]
    assert memory.held <= 1 << 20
    assert memory.moved >= 8 * 8 * 200_000 - memory.held
    assert memory.moved <= 2 * 8 * 8 * 200_000, "what was left behind is given back"
    held = arrays[0].view
    arrays.clear()
    assert memory.held + memory.moved >= held.nbytes
    del held, growing
    assert (memory.held, memory.moved) == (0, 0)


def test_small_ones_are_not_counted() -> None:
    memory = ChunkMemory(0)
    growing: Growing[np.int8] = Growing(np.int8, memory)
    growing.append(np.zeros(1000, np.int8))
    assert (memory.held, memory.moved) == (0, 0)


@pytest.mark.skipif(not hasattr(mmap.mmap, "resize") or sys.platform != "linux", reason="only Linux moves pages")
def test_what_is_large_grows_without_copying() -> None:
    """Its pages move: nothing else refers to them, or they stay where they are and are copied."""
    memory = ChunkMemory()
    growing: Growing[np.int64] = Growing(np.int64, memory)
    growing.append(np.arange(SMALLEST_MAPPING))
    (mapping,) = mappings_of(growing)
    growing.append(np.arange(4 * SMALLEST_MAPPING))
    assert mappings_of(growing) == [mapping]
    assert len(mapping) >= 5 * 8 * SMALLEST_MAPPING
    assert memory.held == len(mapping)
    kept = growing.view
    growing.append(np.arange(8 * SMALLEST_MAPPING))
    assert mappings_of(growing) != [mapping]
    expected = [*range(SMALLEST_MAPPING), *range(4 * SMALLEST_MAPPING)]
    assert np.array_equal(kept, expected)
    assert np.array_equal(growing.view[: len(kept)], expected)
    assert growing.view[-1] == 8 * SMALLEST_MAPPING - 1
    del kept, mapping
    assert memory.held == growing.view.base.nbytes
    del growing
    assert memory.held == 0


def mappings_of(growing: Growing[np.int64]) -> list[mmap.mmap]:
    """The memory that its values are in, where that is a mapping."""
    base: object = growing.view
    while isinstance(base, np.ndarray):
        base = base.base
    return [base.obj] if isinstance(base, memoryview) and isinstance(base.obj, mmap.mmap) else []
