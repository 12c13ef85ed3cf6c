"""What the recorder writes, until when, and what it notices."""

from __future__ import annotations

from pathlib import Path
from queue import SimpleQueue

import pytest

from analyzer.capture.live.messages import Counts, Reason
from analyzer.capture.live.recorder import Limits, Recorder
from analyzer.capture.live.sockets import Batch, DropsKnown
from analyzer.capture.spool import Frame, Spool, SpoolInterface
from tests.capture.live.network import read_frames

SECOND = 1_000_000_000
NO_LIMITS = Limits()


class Made:
    """A recorder, its file, and the reasons to stop that it gave."""

    def __init__(
        self, folder: Path, limits: Limits = NO_LIMITS, drops_known: DropsKnown = DropsKnown.MEANWHILE
    ) -> None:
        self.path = folder / "spool.pcapng"
        self.spool = Spool.create(self.path, [SpoolInterface("lo", 1, 262144)], "tests")
        self.stop: SimpleQueue[Reason] = SimpleQueue()
        self.recorder = Recorder(self.spool, limits, self.stop, drops_known)

    def record(self, *seconds: int) -> None:
        self.recorder.record(Batch(Frame(at * SECOND, 60, bytes(60)) for at in seconds))

    def reasons(self) -> list[Reason]:
        return [self.stop.get_nowait() for _ in range(self.stop.qsize())]


def test_no_limit(tmp_path: Path) -> None:
    made = Made(tmp_path, Limits())
    made.record(1, 2)
    made.record()
    made.record(3)
    assert made.recorder.count(3, 0, 0) == Counts(3, made.path.stat().st_size, 3, 0, 0)
    assert made.reasons() == []


@pytest.mark.parametrize("batches", [[(1, 2, 3)], [(1, 2), (3, 4)], [(1,), (2,), (3,)], [(1, 2, 3, 4), (5,)]])
def test_exactly_so_many_frames(tmp_path: Path, batches: list[tuple[int, ...]]) -> None:
    made = Made(tmp_path, Limits(packets=3))
    for batch in batches:
        made.record(*batch)
    assert made.reasons() == [Reason.PACKETS]
    made.recorder.count(9, 0, 0, last=True)
    assert [time_ns // SECOND for time_ns, _, _ in read_frames(made.path)[0]] == [1, 2, 3]
    assert made.recorder.delivered == sum(map(len, batches))


def test_the_batch_that_reaches_the_size_is_whole(tmp_path: Path) -> None:
    made = Made(tmp_path, Limits(bytes=200))
    for batch in ((1, 2), (3, 4), (5,)):
        made.record(*batch)
    assert made.reasons() == [Reason.BYTES]
    # The first frame reaches it.
    assert len(read_frames(made.path)[0]) == 2


def test_drops_stand_in_the_file_as_soon_as_they_are_known(tmp_path: Path) -> None:
    made = Made(tmp_path, Limits())
    assert read_frames(made.path)[1].dropped is None
    made.recorder.count(0, 0, 0)
    assert read_frames(made.path)[1].dropped == 0
    before = made.path.stat().st_size
    made.recorder.count(5, 0, 0)
    assert made.path.stat().st_size == before, "nothing new about drops"
    made.recorder.count(9, 3, 1)
    assert read_frames(made.path)[1].dropped == 4


def drops(path: Path) -> list[tuple[int, int, int]]:
    return [(drop.since, drop.frame, drop.lost) for drop in read_frames(path)[1].take_drops()]


def test_what_was_dropped_before_a_batch_stands_exactly_there(tmp_path: Path) -> None:
    made = Made(tmp_path, drops_known=DropsKnown.EXACTLY)
    for dropped in (0, 0, 5, 5, 7):
        batch = Batch(Frame(SECOND, 60, bytes(60)) for _ in range(3))
        batch.dropped = dropped
        made.recorder.record(batch)
        # It is known already, but of later frames.
        made.recorder.count(100, 50, 0)
    made.recorder.count(100, 9, 0, last=True)
    assert drops(made.path) == [(6, 6, 5), (12, 12, 2), (15, 15, 2)]


def test_otherwise_between_two_counts(tmp_path: Path) -> None:
    made = Made(tmp_path, Limits())
    for dropped in (0, 0, 5, 5, 7):
        made.record(1, 2, 3)
        made.recorder.count(100, dropped, dropped)
    assert drops(made.path) == [(6, 9, 10), (12, 15, 4)]


def test_drops_that_are_not_known_before_the_end(tmp_path: Path) -> None:
    made = Made(tmp_path, drops_known=DropsKnown.AT_END)
    made.record(1, 2, 3)
    made.recorder.count(3, 0, 0)
    made.record(4)
    made.recorder.count(9, 5, 0, last=True)
    assert drops(made.path) == [(0, 4, 5)]


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    made = Made(tmp_path, Limits())
    made.record(1)
    made.spool.close()
    made.record(2, 3)
    made.record(4)
    assert made.reasons() == [Reason.FAILED]
    assert made.recorder.failure is not None
    assert made.recorder.count(4, 0, 0, last=True).unwritten == 3
    assert made.reasons() == []


def test_a_clock_that_is_set_back(tmp_path: Path) -> None:
    made = Made(tmp_path, Limits())
    for batch in ((1000, 1001), (1001,), (1000,), (900, 901), (501, 502)):
        made.record(*batch)
    assert made.recorder.set_back_ns == (100 + 400) * SECOND
