"""Percentiles and rows of sessions that ended."""

from __future__ import annotations

import numpy as np

from analyzer.stats.session_counts import NO_QUANTILES, Finished, Quantiles, SessionTallies, Spans


def test_finished_percentiles_are_what_they_were() -> None:
    finished, some = Finished(), Quantiles(0, -5, None, 2**62, None, 7)
    for session in (9, 2, 300):
        finished.keep(session, some)
    finished.keep(2, NO_QUANTILES)
    assert [finished.of(session) for session in (2, 9, 300)] == [NO_QUANTILES, some, some]


def test_nothing_was_counted() -> None:
    assert SessionTallies().quantiles() == NO_QUANTILES
    assert len(SessionTallies()) == 0


def test_spans_go_on() -> None:
    spans = Spans()
    spans.extend(np.array([1, 4]), np.array([0, 3]), np.array([2, 3]))
    spans.extend(np.array([1, 2]), np.array([5, 6]), np.array([7, 6]))
    assert [spans.of(session) for session in (0, 1, 2, 4, 99)] == [None, (0, 7), (6, 6), (3, 3), None]
    sessions, rows = spans.known(np.array([0, 1, 4, 99]))
    assert sessions.tolist() == [1, 4]
    assert rows.tolist() == [[0, 7], [3, 3]]
