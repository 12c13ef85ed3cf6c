"""Who works in a turn of the event loop has the right of way until the loop waits; what can wait is put off."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QAbstractEventDispatcher, QObject, QTimer
from pytestqt.qtbot import QtBot

from analyzer.engine.right_of_way import RightOfWay
from ui.charts import turns
from ui.turn import Turn

pytestmark = pytest.mark.usefixtures("qapp")


class _Busy(Turn):
    """Somebody has worked in every turn."""

    @property
    def is_long(self) -> bool:
        return True


def test_the_right_of_way_ends_where_the_loop_waits(qtbot: QtBot) -> None:
    way = RightOfWay(2)
    turn, seen = Turn(way), list[bool]()
    turn.follow(QAbstractEventDispatcher.instance())

    def work() -> None:
        turn.begin()
        turn.begin()
        seen.append(way.wait(0))

    QTimer.singleShot(0, work)
    qtbot.waitUntil(lambda: bool(seen), timeout=20_000)
    assert seen == [False]
    waiting = threading.Thread(target=lambda: seen.append(way.wait(20)))
    waiting.start()
    qtbot.waitUntil(lambda: len(seen) == 2, timeout=20_000)
    waiting.join()
    assert seen == [False, True]


def test_before_there_is_a_loop_nobody_has_it() -> None:
    way = RightOfWay(2)
    turn = Turn(way)
    turn.begin()
    assert way.wait(0)
    assert not turn.is_long


def test_work_is_put_off_but_not_for_ever(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "TURN", _Busy())
    done = list[int]()

    def work() -> Iterator[bool]:
        for part in range(3):
            done.append(part)
            yield False

    owner = QObject()
    asked = turns.Turns(work, owner)
    asked.ask_next()
    qtbot.waitUntil(lambda: not asked.busy, timeout=20_000)
    assert done == [0, 1, 2]
    owner.deleteLater()
