"""A document announces what was decoded and answers on the window's thread."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from capture_files import BUNDLED
from pytestqt.qtbot import QtBot

from analyzer.engine.query import Query
from ui.document import Document

SMALL = "serverinfo_and_play"


def test_everything_is_announced(document: Callable[..., Document], qtbot: QtBot) -> None:
    opened = document(SMALL, wait=False)
    shown: list[int] = []
    opened.rows_added.connect(lambda: shown.append(len(opened.tables.packets)))
    with qtbot.waitSignal(opened.decoded, timeout=60_000):
        pass
    assert opened.is_decoded
    assert shown == sorted(shown)
    assert shown[-1] == len(opened.tables.packets) > 0


def test_the_newest_question_is_answered_here(document: Callable[..., Document], qtbot: QtBot) -> None:
    opened = document(SMALL)
    answers: list[tuple[int, bool]] = []
    here = threading.current_thread()

    def answer(size: int) -> None:
        answers.append((size, threading.current_thread() is here))

    for packet in range(20):
        opened.ask("size", lambda query, packet=packet: len(query.payload(packet)), answer)
    qtbot.waitUntil(lambda: bool(answers))
    last = opened.tables.packets.integer("length", 19)
    assert answers == [(last, True)]


def test_a_failed_question_is_reported(
    document: Callable[..., Document], qtbot: QtBot, expect_log: Callable[[str], None]
) -> None:
    expect_log("a question about the capture failed")
    opened = document(BUNDLED / "serverinfo_and_play_head.pcap")

    def question(query: Query) -> int:
        raise ArithmeticError("no such number")

    with qtbot.waitSignal(opened.question_failed) as failed:
        opened.ask("any", question, pytest.fail)
    assert "ArithmeticError: no such number" in failed.args[0]
