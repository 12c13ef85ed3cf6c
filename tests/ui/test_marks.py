"""Bits for packets: equal to plain Python sets, whatever is done to them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ui.marks import Change, Mark, Marks, PacketSet, read_runs, runs_of
from ui.undo import UndoStack

PACKETS = st.sets(st.integers(0, 3000), max_size=60)


def mask(packets: set[int]) -> np.ndarray:
    found = np.zeros(max(packets, default=-1) + 1, np.bool_)
    found[list(packets)] = True
    return found


@given(st.lists(st.tuples(PACKETS, st.booleans()), max_size=6), st.integers(-1, 3001))
def test_as_sets(steps: list[tuple[set[int], bool]], packet: int) -> None:
    found, plain = PacketSet(), set[int]()
    for packets, on in steps:
        changed = found.change(mask(packets), on)
        assert set(np.flatnonzero(changed).tolist()) == (packets - plain if on else packets & plain)
        plain = plain | packets if on else plain - packets
    assert found.members.tolist() == sorted(plain)
    assert len(found) == len(plain)
    assert (packet in found) == (packet in plain)
    assert found.last_until(packet) == max((one for one in plain if one <= packet), default=-1)
    assert found.has(np.array([0, 7, 9000])).tolist() == [0 in plain, 7 in plain, False]
    assert np.flatnonzero(found.mask(5, 5000)).tolist() == [one - 5 for one in sorted(plain) if one >= 5]
    assert found.run_count == len(found.runs())
    assert {one for first, last in found.runs() for one in range(first, last + 1)} == plain


def test_a_packet_before_the_first_is_in_no_set() -> None:
    found = PacketSet()
    found.change(np.ones(2000, np.bool_), True)
    assert -1 not in found


def test_taken_back_and_done_again() -> None:
    undo = UndoStack()
    marks, told = Marks(undo), list[Change]()
    marks.changed.connect(told.append)
    everything = np.ones(5000, np.bool_)
    assert marks.put(Mark.MARKED, mask({3, 4}), True, "few") == 2
    assert marks.put(Mark.MARKED, everything, True, "all") == 4998
    assert marks.put(Mark.MARKED, everything, True, "nothing") == 0
    assert [(change.kind, change.count) for change in told] == [(Mark.MARKED, 2), (Mark.MARKED, 4998)]
    assert undo.undo() == "all"
    assert marks.of(Mark.MARKED).members.tolist() == [3, 4]
    assert undo.undo() == "few"
    assert not len(marks.of(Mark.MARKED))
    assert (undo.redo(), undo.redo()) == ("few", "all")
    assert len(marks.of(Mark.MARKED)) == 5000
    assert not len(marks.of(Mark.IGNORED))


def test_restored_and_cut() -> None:
    undo = UndoStack()
    marks = Marks(undo)
    marks.restore(Mark.REFERENCE, [(2, 3), (90, 90)])
    assert marks.of(Mark.REFERENCE).members.tolist() == [2, 3, 90]
    assert not undo.can_undo
    marks.cut(90)
    assert marks.of(Mark.REFERENCE).members.tolist() == [2, 3]


def test_runs() -> None:
    assert runs_of(mask({0, 1, 5, 7, 8})) == [(0, 1), (5, 5), (7, 8)]
    assert runs_of(np.zeros(0, np.bool_)) == []


@given(
    st.recursive(st.none() | st.integers() | st.text(max_size=3) | st.booleans(), st.lists, max_leaves=12)
    | st.lists(st.lists(st.integers(-5, 1 << 40), min_size=2, max_size=2))
)
def test_whatever_was_remembered_is_read(stored: object) -> None:
    runs = read_runs(stored)
    assert all(0 <= first <= last < 1 << 26 for first, last in runs)
    assert all(before[1] < after[0] for before, after in pairwise(runs))
