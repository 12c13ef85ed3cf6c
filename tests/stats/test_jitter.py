"""Deviations of snapshots that came too early or too late."""

from __future__ import annotations

import numpy as np

from analyzer.stats.jitter import jitter


def found(sessions: list[int], times: list[int], ticks: list[int]) -> list[tuple[int, int]]:
    whose, deviations = jitter(*(np.array(values, dtype=np.int64) for values in (sessions, times, ticks)))
    return list(zip(whose.tolist(), deviations.tolist(), strict=True))


def test_even_snapshots_have_none() -> None:
    assert found([3] * 4, [0, 20, 40, 100], [10, 11, 12, 15]) == [(3, 0)] * 3


def test_one_that_came_late_counts_twice() -> None:
    assert found([0] * 4, [0, 27, 40, 60], [0, 1, 2, 3]) == [(0, 7), (0, 7), (0, 0)]


def test_sessions_are_told_apart() -> None:
    assert found([1, 0, 1, 0, 1], [0, 5, 10, 45, 30], [0, 7, 1, 9, 3]) == [(0, 0), (1, 0), (1, 0)]


def test_too_few_snapshots_or_ticks() -> None:
    assert found([], [], []) == []
    assert found([0, 1, 1, 2, 2], [0, 1, 2, 3, 4], [5, 5, 6, 9, 8]) == []


def test_one_that_was_overtaken_counts() -> None:
    assert found([0] * 4, [0, 20, 22, 60], [0, 2, 1, 3]) == [(0, 20), (0, 22), (0, 2)]
