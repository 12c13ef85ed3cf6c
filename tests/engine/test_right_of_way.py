"""Work waits while somebody has the right of way, but for what the other processors can do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from analyzer.engine.right_of_way import RightOfWay

WAIT_S = 30.0
WATCH_S = 0.05


class Works:
    """A thread that works until it is let go."""

    def __init__(self, way: RightOfWay) -> None:
        self.works = threading.Event()
        self.leave = threading.Event()
        self._way = way
        self.thread = threading.Thread(target=self._work)
        self.thread.start()

    def _work(self) -> None:
        with self._way:
            self.works.set()
            self.leave.wait(WAIT_S)


@contextmanager
def at_work(way: RightOfWay, count: int) -> Iterator[list[Works]]:
    workers = [Works(way) for _ in range(count)]
    try:
        yield workers
    finally:
        for holder in ("window", "answer"):
            way.give_back(holder)
        for worker in workers:
            worker.leave.set()
            worker.thread.join(WAIT_S)


def test_all_work_at_once_where_nobody_has_it() -> None:
    with at_work(RightOfWay(2), 5) as workers:
        assert all(worker.works.wait(WAIT_S) for worker in workers)


@pytest.mark.parametrize(("processors", "beside"), [(1, 1), (2, 1), (4, 3)])
def test_one_less_while_somebody_has_it(processors: int, beside: int) -> None:
    way = RightOfWay(processors)
    way.take("window")
    with at_work(way, beside) as allowed, at_work(way, 1) as more:
        assert all(worker.works.wait(WAIT_S) for worker in allowed)
        assert not more[0].works.wait(WATCH_S)
        allowed[0].leave.set()
        assert more[0].works.wait(WAIT_S)


def test_all_go_on_when_it_is_given_back() -> None:
    way = RightOfWay(2)
    way.take("window")
    with at_work(way, 4) as workers:
        assert not all(worker.works.wait(WATCH_S) for worker in workers)
        way.give_back("window")
        assert all(worker.works.wait(WAIT_S) for worker in workers)


def test_all_of_several_give_it_back() -> None:
    way = RightOfWay(2)
    way.take("window")
    way.take("answer")
    way.take("answer")
    with at_work(way, 2) as workers:
        way.give_back("answer")
        assert not all(worker.works.wait(WATCH_S) for worker in workers)
        way.give_back("window")
        assert all(worker.works.wait(WAIT_S) for worker in workers)


def test_waiting_until_nobody_has_it() -> None:
    way = RightOfWay(2)
    assert way.wait(0.0)
    way.take("window")
    assert not way.wait(0.01)
    found: list[bool] = []
    waiting = threading.Thread(target=lambda: found.append(way.wait(WAIT_S)))
    waiting.start()
    way.give_back("window")
    waiting.join(WAIT_S)
    assert found == [True]


def test_what_fails_makes_room() -> None:
    way = RightOfWay(2)
    way.take("window")
    with pytest.raises(ZeroDivisionError), way:
        raise ZeroDivisionError
    with at_work(way, 1) as workers:
        assert workers[0].works.wait(WAIT_S)
