"""A document announces what was decoded and answers on the window's thread."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_files import BUNDLED
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.engine.worker import Worker
from tests.engine.test_capture import ToyFile
from tests.engine.toy import RAISE, SURE, TOY
from ui.document import Document

SMALL = "serverinfo_and_play"
PLAIN = BUNDLED / "serverinfo_and_play_head.pcap"


def test_everything_is_announced(document: Callable[..., Document], qtbot: QtBot) -> None:
    opened = document(SMALL, wait=False)
    shown: list[int] = []
    opened.rows_added.connect(lambda: shown.append(len(opened.tables.packets)))
    qtbot.waitUntil(lambda: opened.is_decoded, timeout=60_000)
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


def test_a_file_that_is_cut_short_is_no_mistake_of_ours(
    document: Callable[..., Document], qtbot: QtBot, tmp_path: Path, expect_log: Callable[[str], None]
) -> None:
    expect_log("a question about the capture failed: short.pcap was cut short")
    path = tmp_path / "short.pcap"
    path.write_bytes(PLAIN.read_bytes())
    opened = document(path)
    os.truncate(path, 1000)
    opened.question_failed.connect(pytest.fail)
    with qtbot.waitSignal(opened.unreadable) as said:
        opened.ask("any", lambda query: query.explain(len(opened.tables.packets) - 1), pytest.fail)
    assert said.args[0].startswith("short.pcap was cut short while it was open")


def test_a_file_that_is_cut_short_while_it_is_decoded(
    qtbot: QtBot, tmp_path: Path, expect_log: Callable[[str], None]
) -> None:
    expect_log("decoding stopped: short.pcap was cut short")
    path = tmp_path / "short.pcap"
    path.write_bytes(PLAIN.read_bytes())
    capture = Capture.open(path, batch=16)
    # Its frames are known now, whose bytes are gone when they are read.
    assert capture.step()
    os.truncate(path, 1000)
    opened = Document(Worker(capture))
    try:
        with qtbot.waitSignals([opened.unreadable, opened.decoded]):
            opened.start()
        assert opened.failure_report == ""
    finally:
        opened.close()
        opened.deleteLater()


def test_a_mistake_of_ours_ends_decoding_with_a_report(
    qtbot: QtBot, tmp_path: Path, expect_log: Callable[[str], None]
) -> None:
    expect_log("decoding stopped")
    path = ToyFile(tmp_path / "toy.pcap").write([(1, SURE), (1, bytes((RAISE,)))])
    opened = Document(Worker(Capture.open(path, protocols=(TOY,), batch=1, strict=True)))
    opened.unreadable.connect(pytest.fail)
    with qtbot.waitSignal(opened.decoded):
        opened.start()
    assert "RuntimeError: a bug of ours" in opened.failure_report
    assert len(opened.tables.packets) >= 1
    opened.close()
    opened.deleteLater()


def test_nothing_is_announced_or_answered_after_closing(document: Callable[..., Document], qtbot: QtBot) -> None:
    opened = document("ddnet_tsunami_head", wait=False)
    qtbot.waitUntil(lambda: len(opened.tables.packets) > 0)
    answered = threading.Event()

    def question(query: Query) -> int:
        answered.set()
        return 1

    opened.ask("any", question, pytest.fail)
    assert answered.wait(60)
    opened.close()
    for signal in (opened.rows_added, opened.amended, opened.progressed, opened.decoded):
        signal.connect(pytest.fail)
    QCoreApplication.sendPostedEvents()
    QCoreApplication.processEvents()


def test_the_tables_of_a_closed_document_can_be_collected(qtbot: QtBot) -> None:
    opened = Document.open(PLAIN)
    with qtbot.waitSignal(opened.decoded):
        opened.start()
    answers: list[int] = []
    opened.ask("any", lambda query, tables=opened.tables: len(tables.packets), answers.append)
    qtbot.waitUntil(lambda: bool(answers))
    opened.close()
    opened.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    left = weakref.ref(opened.tables)
    # The threads end on their own, a moment after they were told to.
    assert opened.worker.wait(60)
    del opened
    gc.collect()
    assert left() is None
