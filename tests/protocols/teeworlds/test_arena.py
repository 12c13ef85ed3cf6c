"""Memory of arenas: what it holds, and what of it is in memory."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from analyzer.protocols.teeworlds.arena import PIECE, ArenaMemory

PAGE_INTS = 1024


@pytest.mark.parametrize("ints", [1024, 1 << 16, 3 * PIECE + 5])
def test_an_arena_is_zeros_of_its_length_wherever_it_was_reached(ints: int) -> None:
    arena = ArenaMemory(ints)

    for head in range(1, ints, max(1, PIECE // 3)):
        arena.reach(head)
        arena.array[head] = head

    assert arena.array.dtype == np.int32
    assert len(arena.array) == ints
    assert np.count_nonzero(arena.array) == len(range(1, ints, max(1, PIECE // 3)))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory comes page by page")
def test_what_is_written_next_is_in_memory_and_what_is_far_away_is_not() -> None:
    arena = ArenaMemory(4 * PIECE)
    before = resident()

    arena.reach(1)

    assert PIECE * 4 * 3 // 4 <= resident() - before < PIECE * 4 * 2
    arena.reach(PIECE // 4)
    assert resident() - before < PIECE * 4 * 2


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory comes page by page")
def test_an_arena_that_begins_again_asks_for_nothing_more() -> None:
    arena = ArenaMemory(2 * PIECE)
    arena.reach(1)
    arena.reach(PIECE - PAGE_INTS)
    arena.array[:] = 1
    before = resident()

    for head in (1, PIECE, 2 * PIECE - 1):
        arena.reach(head)

    assert resident() - before < PIECE


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096
