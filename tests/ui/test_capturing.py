"""Live capture in the window, on loopback: rows as they come, stop and start, nothing unsaved goes unasked, faults."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from capture_files import BUNDLED, ROOT
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from analyzer import kernel_cache
from analyzer.engine.capture import Capture
from analyzer.store.tables import Tables
from tests.capture.live.network import ethernet, needs_right, needs_tun, port_filter, sockets, tap
from tests.engine.table_content import table_content
from tests.ui.conftest import WAIT_MS
from ui import app
from ui.document import Document
from ui.main_window import MainWindow
from ui.settings import CaptureOptions
from ui.views.status import StatusBar

pytestmark = needs_right
Buttons = QMessageBox.StandardButton
GAME = BUNDLED / "ddnet_tsunami_head.pcapng"
OTHER = BUNDLED / "serverinfo_and_play_head.pcap"


class Sender:
    """Sends datagrams that only this test's capture lets through."""

    def __init__(self, sender: socket.socket, receiver: socket.socket) -> None:
        self._sender = sender
        self.filter = port_filter(receiver)

    def send(self, count: int) -> None:
        for number in range(count):
            self._sender.send(b"%06d" % number)


@pytest.fixture
def sender() -> Iterator[Sender]:
    with sockets() as (one, other):
        yield Sender(one, other)


@pytest.fixture
def live(window: MainWindow, qtbot: QtBot, sender: Sender) -> Callable[..., Document]:
    """`live(count, **options)`: captures, and has captured so many datagrams."""

    def begin(count: int, **options: object) -> Document:
        window.capturing.start(CaptureOptions("lo", sender.filter, **options))  # type: ignore[arg-type]
        return begun(window, qtbot, sender, count)

    return begin


def begun(window: MainWindow, qtbot: QtBot, sender: Sender, count: int) -> Document:
    """The document of a capture that was started, with so many rows."""
    running = window.capturing.live
    assert running is not None
    qtbot.waitUntil(lambda: running.begun or not window.capturing.active)
    document = window.document
    assert document is not None
    sender.send(count)
    qtbot.waitUntil(lambda: window.packets.model.rowCount() == count)
    return document


def stop(window: MainWindow, qtbot: QtBot, document: Document) -> None:
    window.actions_by_name["stop"].trigger()
    qtbot.waitUntil(lambda: document.is_decoded)
    assert not window.capturing.active


def answer(window: MainWindow, button: Buttons) -> None:
    question = window.capturing.question
    assert question is not None
    question.button(button).click()
    assert window.capturing.question is None


def save_to(monkeypatch: pytest.MonkeyPatch, path: Path | None) -> None:
    """What a person answers the system's dialog, which no test can press."""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **options: (str(path or ""), ""))


def said(status: StatusBar) -> str:
    return " | ".join(label.text() for label in status.findChildren(type(status._file)))


def test_rows_come_while_it_runs_and_are_those_of_the_file(
    window: MainWindow,
    qtbot: QtBot,
    live: Callable[..., Document],
    sender: Sender,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = live(200)
    assert document.is_live
    assert not document.is_decoded
    assert window.windowTitle().startswith("lo-")
    assert "(live)" in window.windowTitle()
    qtbot.waitUntil(lambda: window.live_bar.isVisible() and "packets/s" in window.live_bar.source.text())
    assert window.live_bar.pill.text.startswith("Live ")
    assert window.live_bar.source.text().startswith("lo · ")
    assert window.live_bar.source.text().endswith(sender.filter)
    qtbot.waitUntil(lambda: "Dropped 0" in said(window.status))
    assert "%" not in said(window.status)
    assert not window.actions_by_name["capture_start"].isEnabled()
    assert not window.actions_by_name["reload"].isEnabled()
    sender.send(100)
    qtbot.waitUntil(lambda: window.packets.model.rowCount() == 300)
    stop(window, qtbot, document)
    assert not window.live_bar.isVisible()
    qtbot.waitUntil(lambda: "Dropped 0" in said(window.status))
    assert "(not saved)" in window.windowTitle()
    kept = tmp_path / "kept.pcapng"
    save_to(monkeypatch, kept)
    window.actions_by_name["save"].trigger()
    qtbot.waitUntil(lambda: not document.temporary)
    assert "kept.pcapng" in said(window.status)
    assert not window.actions_by_name["save"].isEnabled()
    assert window._settings.recent[0].path == str(kept)
    with Capture.open(kept, strict=True) as whole:
        whole.decode()
        assert len(whole.tables.packets) == 300
        assert table_content(whole.tables) == table_content(document.tables)
        assert whole.problems == []
    spool = document.worker.capture.path
    window.actions_by_name["close_capture"].trigger()
    assert window.document is None
    assert not spool.parent.exists()


def test_the_list_follows_the_end_until_somebody_scrolls_up(
    window: MainWindow, qtbot: QtBot, live: Callable[..., Document], sender: Sender
) -> None:
    document = live(300)
    bar = window.packets.table.verticalScrollBar()
    assert window.packets.following
    assert bar.value() == bar.maximum()
    bar.setValue(10)
    assert not window.packets.following
    sender.send(100)
    qtbot.waitUntil(lambda: window.packets.model.rowCount() == 400)
    assert bar.value() == 10
    bar.setValue(bar.maximum())
    assert window.packets.following
    sender.send(100)
    qtbot.waitUntil(lambda: window.packets.model.rowCount() == 500)
    assert bar.value() == bar.maximum()
    window.packets.go_previous()
    assert not window.packets.following
    stop(window, qtbot, document)
    answer_all(window)


def answer_all(window: MainWindow) -> None:
    """Close what is open and discard it."""
    window.actions_by_name["close_capture"].trigger()
    answer(window, Buttons.Discard)
    assert window.document is None


def test_closing_asks_and_cancel_keeps(window: MainWindow, qtbot: QtBot, live: Callable[..., Document]) -> None:
    document = live(20)
    window.close()
    assert window.isVisible()
    assert window.capturing.question is not None
    assert "runs" in window.capturing.question.text()
    answer(window, Buttons.Cancel)
    assert window.document is document
    assert document.is_live
    window.close()
    answer(window, Buttons.Discard)
    assert not window.isVisible()
    assert window.capturing.wait(WAIT_MS / 1000)
    assert not document.worker.capture.path.parent.exists()


def test_opening_another_file_asks_and_saves_first(
    window: MainWindow, qtbot: QtBot, live: Callable[..., Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = live(20)
    kept = tmp_path / "kept.pcapng"
    save_to(monkeypatch, None)
    window.welcome.open_requested.emit(str(OTHER))
    answer(window, Buttons.Save)
    qtbot.waitUntil(lambda: document.is_decoded)
    assert window.document is document, "no name was given: it stays"
    save_to(monkeypatch, tmp_path / "none" / "kept.pcapng")
    window.welcome.open_requested.emit(str(OTHER))
    answer(window, Buttons.Save)
    qtbot.waitUntil(lambda: "does not exist. The capture s" in window.banner.text)
    assert document.temporary
    save_to(monkeypatch, kept)
    window.welcome.open_requested.emit(str(OTHER))
    answer(window, Buttons.Save)
    qtbot.waitUntil(lambda: window.document is not None and window.document.path == OTHER)
    with Capture.open(kept) as whole:
        whole.decode()
        assert len(whole.tables.packets) == 20


def test_restart_begins_with_nothing(
    window: MainWindow, qtbot: QtBot, live: Callable[..., Document], sender: Sender
) -> None:
    first = live(20)
    spool = first.worker.capture.path
    window.actions_by_name["capture_restart"].trigger()
    answer(window, Buttons.Discard)
    qtbot.waitUntil(lambda: window.document is not None and window.document.worker.capture.path != spool)
    second = begun(window, qtbot, sender, 5)
    assert not spool.parent.exists()
    stop(window, qtbot, second)
    window.actions_by_name["capture_start"].trigger()
    answer(window, Buttons.Cancel)
    assert window.document is second
    answer_all(window)


def test_a_named_file_is_saved_already_and_a_further_one_has_a_number(
    window: MainWindow, qtbot: QtBot, live: Callable[..., Document], sender: Sender, tmp_path: Path
) -> None:
    document = live(10, file=str(tmp_path / "game.pcapng"), packets=10)
    qtbot.waitUntil(lambda: document.is_decoded)
    assert not window.capturing.active, "it stopped by itself after 10 packets"
    assert window.windowTitle() == "game.pcapng – Snapscope"
    assert stat.S_IMODE((tmp_path / "game.pcapng").stat().st_mode) == 0o600
    window.actions_by_name["capture_start"].trigger()
    qtbot.waitUntil(lambda: window.document is not document)
    second = begun(window, qtbot, sender, 10)
    qtbot.waitUntil(lambda: second.is_decoded)
    assert sorted(path.name for path in tmp_path.glob("*.pcapng")) == ["game-2.pcapng", "game.pcapng"]


def test_a_sniffer_that_is_killed(
    window: MainWindow, qtbot: QtBot, live: Callable[..., Document], sender: Sender
) -> None:
    document = live(50)
    assert window.capturing.live is not None
    os.kill(window.capturing.live.process_id, signal.SIGKILL)
    qtbot.waitUntil(lambda: document.is_decoded)
    assert window.banner.text == (
        "The sniffer ended unexpectedly (signal 9). All that was captured until then is shown; Ctrl+E starts again."
    )
    assert window.packets.model.rowCount() == 50
    window.actions_by_name["capture_start"].trigger()
    answer(window, Buttons.Discard)
    qtbot.waitUntil(lambda: window.document is not document)
    second = begun(window, qtbot, sender, 5)
    stop(window, qtbot, second)
    answer_all(window)


def test_what_cannot_begin_is_said_in_the_options(window: MainWindow, qtbot: QtBot) -> None:
    window.capturing.start(CaptureOptions("snapnone"))
    qtbot.waitUntil(lambda: window.capturing.dialog is not None)
    dialog = window.capturing.dialog
    assert dialog is not None
    assert dialog.sentence.text() == "There is no network interface snapnone."
    assert window.document is None
    assert not window.capturing.active
    dialog.close()


def test_what_is_shown_stays_until_a_capture_begins(
    window: MainWindow, qtbot: QtBot, opened: Callable[[Path], Document]
) -> None:
    document = opened(OTHER)
    window.capturing.start(CaptureOptions("snapnone"))
    qtbot.waitUntil(lambda: window.capturing.dialog is not None)
    assert window.document is document
    assert window.capturing.dialog is not None
    window.capturing.dialog.close()


def test_the_options_are_asked_for_and_remembered(window: MainWindow, qtbot: QtBot, sender: Sender) -> None:
    window.actions_by_name["capture_start"].trigger()
    dialog = window.capturing.dialog
    assert dialog is not None, "nothing was captured before"
    qtbot.waitUntil(lambda: bool(dialog.interfaces.name))
    row = next(
        item
        for item in map(dialog.interfaces.topLevelItem, range(dialog.interfaces.topLevelItemCount()))
        if item.text(0) == "lo"
    )
    assert "127.0.0.1" in row.text(1)
    dialog.interfaces.setCurrentItem(row)
    dialog.filter.set_text(sender.filter)
    qtbot.waitUntil(lambda: dialog.filter.is_known)
    dialog.start.click()
    document = begun(window, qtbot, sender, 5)
    assert window.capturing.dialog is None
    stop(window, qtbot, document)
    assert window._settings.capture_options.interface == "lo"
    assert window._settings.capture_options.filter == sender.filter
    answer_all(window)


def test_the_welcome_page_captures(window: MainWindow, qtbot: QtBot, sender: Sender) -> None:
    card = window.welcome.interfaces
    qtbot.waitUntil(lambda: bool(card.list.chosen))
    card.list.choose("lo")
    card.filter.set_text(sender.filter)
    card.start.click()
    document = begun(window, qtbot, sender, 5)
    assert not card.isVisible()
    stop(window, qtbot, document)
    answer_all(window)
    assert card.isVisible()
    assert (card.list.chosen, card.filter.text) == ("lo", sender.filter)


def test_closing_the_options_while_it_starts_starts_nothing(window: MainWindow, qtbot: QtBot) -> None:
    window.capturing.ask_options(CaptureOptions("lo"))
    dialog = window.capturing.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: bool(dialog.interfaces.name))
    dialog.start.click()
    dialog.reject()
    assert not window.capturing.active
    assert window.document is None


def test_as_the_command_line_says(window: MainWindow, qtbot: QtBot, sender: Sender) -> None:
    options = app._read_arguments(["-i", "lo", "-f", sender.filter, "-k"])
    app.begin_capture(window, options, CaptureOptions())
    document = begun(window, qtbot, sender, 5)
    stop(window, qtbot, document)
    answer_all(window)
    app.begin_capture(window, app._read_arguments(["-i", "lo"]), CaptureOptions("eth9", "tcp"))
    dialog = window.capturing.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: bool(dialog.interfaces.name))
    assert (dialog.options.interface, dialog.options.filter) == ("lo", "")
    dialog.close()


def test_while_nothing_comes_nothing_is_decoded(
    window: MainWindow, qtbot: QtBot, live: Callable[..., Document]
) -> None:
    document = live(1)
    end = time.monotonic() + 0.5
    qtbot.waitUntil(lambda: time.monotonic() > end)
    assert document.is_live
    assert window.packets.model.rowCount() == 1
    stop(window, qtbot, document)
    answer_all(window)


@contextlib.contextmanager
def replayed(capture: Path, net: str, speed: int) -> Iterator[subprocess.Popen[bytes]]:
    """A capture is played onto loopback."""
    command = [sys.executable, str(ROOT / "scripts" / "replay"), str(capture), "--net", net, "--speed", str(speed)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def outcomes(tables: Tables) -> list[tuple[int, ...]]:
    """Of each snapshot: tick, status, number of items, checksum."""
    columns = (tables.snapshots.integers(name).tolist() for name in ("tick", "status", "items", "crc_computed"))
    return list(zip(*columns, strict=True))


def test_a_game_is_decoded_as_it_comes(window: MainWindow, qtbot: QtBot) -> None:
    with Capture.open(GAME) as whole:
        whole.decode()
        expected = outcomes(whole.tables)
    # Nobody else's traffic.
    net = f"127.{100 + os.getpid() % 100}"
    window.capturing.start(CaptureOptions("lo", f"udp and net {net}.0.0/16"))
    qtbot.waitUntil(lambda: window.document is not None)
    document = window.document
    assert document is not None
    qtbot.waitUntil(lambda: window.charts.state.isVisible())
    ends = set()

    def is_over() -> bool:
        ends.add(window.charts.range_s[1])
        return game.poll() is not None

    with replayed(GAME, net, 2) as game:
        qtbot.waitUntil(is_over)
        assert game.wait() == 0
    qtbot.waitUntil(lambda: len(document.tables.snapshots) == len(expected))
    assert len(ends) > 4, "the charts move while it is captured"
    assert document.is_live
    assert not window.charts.state.isVisible()
    qtbot.waitUntil(lambda: "Failed 0" in said(window.status) and window.clients.clients.rowCount() > 0)
    stop(window, qtbot, document)
    assert outcomes(document.tables) == expected
    answer_all(window)


@needs_tun
def test_an_interface_that_goes_away(window: MainWindow, qtbot: QtBot) -> None:
    with tap() as interface:
        window.capturing.start(CaptureOptions(interface.name))
        qtbot.waitUntil(lambda: window.document is not None)
        document = window.document
        assert document is not None
        interface.receive(ethernet(b"\0" * 60))
        qtbot.waitUntil(lambda: len(document.tables.frames) == 1)
        interface.close()
        qtbot.waitUntil(lambda: document.is_decoded)
    assert "All that was captured until then is shown" in window.banner.text
    assert len(document.tables.frames) == 1
    answer_all(window)


def test_kernels_that_become_ready_take_over(
    window: MainWindow, qtbot: QtBot, live: Callable[..., Document], sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_cache, "ready", lambda: False)
    plain = live(50)
    assert not plain.worker.capture.compiled
    monkeypatch.setattr(kernel_cache, "ready", lambda: True)
    window.actions_by_name["pause"].trigger()
    with qtbot.waitSignal(plain.waiting):
        window.opening.decode_again()
        sender.send(20)
    successor = window.opening._successor
    assert successor is not None
    with qtbot.waitSignal(successor.rows_added):
        sender.send(20)
    assert (window.document, plain.is_paused) == (plain, True), "a pause does not end by itself"
    window.actions_by_name["pause"].trigger()
    sender.send(10)
    qtbot.waitUntil(lambda: window.document is not plain)
    fast = window.document
    assert fast is not None
    assert fast.worker.capture.compiled
    assert fast.is_live
    assert fast.temporary
    sender.send(50)
    qtbot.waitUntil(lambda: window.packets.model.rowCount() == 150)
    assert window.capturing.active
    assert window.live_bar.isVisible()
    stop(window, qtbot, fast)
    answer_all(window)
