"""What a window that was killed had captured is offered by the next one, and opened, saved or deleted there."""

from __future__ import annotations

import os
import random
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from capture_files import BUNDLED, ROOT
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QToolButton
from pytestqt.qtbot import QtBot

from analyzer.capture.lock import Lock
from analyzer.engine.capture import Capture
from tests.capture.live.network import Captured, needs_right, port_filter, read_frames, sockets
from ui import app, words
from ui.main_window import MainWindow
from ui.settings import CaptureOptions, Settings

GAME = BUNDLED / "serverinfo_and_play_head.pcap"
LEFT_BEHIND = "Not saved: "


@pytest.fixture
def left(state_folder: Path) -> Callable[..., Path]:
    """`left(name)`: a capture of the game that a window has left behind; the file."""

    def leave(name: str = "lo", capture: Path = GAME, bytes_: int | None = None) -> Path:
        folder = state_folder / "snapscope" / "spools" / f"snapscope-spool-{name}"
        folder.mkdir(parents=True)
        (folder / "owner").touch()
        file = folder / f"{name}-20261130-133815{capture.suffix}"
        shutil.copyfile(capture, file)
        if bytes_ is not None:
            os.truncate(file, bytes_)
        return file

    return leave


def look(window: MainWindow, qtbot: QtBot, offers: int = 1) -> None:
    window.recovery.look()
    qtbot.waitUntil(lambda: len(window.recovery_bar.texts) == offers)


def button(window: MainWindow, text: str) -> QToolButton:
    """Of the first line that has it."""
    return next(one for one in window.recovery_bar.findChildren(QToolButton) if one.text() == text)


def press(window: MainWindow, qtbot: QtBot, text: str) -> None:
    """Press a button, and wait until it has been taken."""
    before = window.recovery_bar.texts
    button(window, text).click()
    qtbot.waitUntil(lambda: window.recovery_bar.texts != before)


def packets_of(capture: Path) -> int:
    with Capture.open(capture) as whole:
        whole.decode()
        return len(whole.tables.packets)


def test_nothing_is_said_where_nothing_was_left(window: MainWindow, qtbot: QtBot, left: Callable[..., Path]) -> None:
    empty = left("empty", bytes_=24)
    owned = left("owned")
    lock = Lock.take(owned.parent / "owner")
    window.recovery.look()
    assert window.recovery.wait(60)
    qtbot.wait(0)
    assert window.recovery_bar.isHidden()
    assert not empty.parent.exists()
    assert owned.exists()
    assert lock is not None


def test_the_start_offers_it(
    qapp: QApplication, qtbot: QtBot, settings: Settings, left: Callable[..., Path], state_folder: Path
) -> None:
    left()
    window = app.start(qapp, None, settings)
    qtbot.waitUntil(lambda: not window.recovery_bar.isHidden())
    assert window.recovery_bar.texts[0].startswith(LEFT_BEHIND)
    window.close()
    assert window.recovery.wait(60)
    window.deleteLater()


def test_opened_it_is_an_unsaved_capture_of_this_window(
    window: MainWindow, qtbot: QtBot, left: Callable[..., Path]
) -> None:
    spool = left()
    look(window, qtbot)
    count = packets_of(GAME)
    (text,) = window.recovery_bar.texts
    assert text.startswith(f"{LEFT_BEHIND}lo · 20")
    assert f" · {count} packets · " in text
    press(window, qtbot, "Open")
    document = window.document
    assert document is not None
    assert window.recovery_bar.isHidden()
    assert window.capturing.unsaved == count, "also before it is read"
    qtbot.waitUntil(lambda: document.is_decoded)
    assert window.packets.model.rowCount() == count
    assert window.windowTitle() == "lo-20261130-133815.pcap (not saved) – Snapscope"
    window.close()
    assert window.isVisible()
    question = window.capturing.question
    assert question is not None
    question.button(QMessageBox.StandardButton.Discard).click()
    assert not window.isVisible()
    assert window.opening.wait(60)
    assert window.capturing.wait(60)
    assert not spool.parent.exists()


def test_opened_it_asks_about_what_is_open(window: MainWindow, qtbot: QtBot, left: Callable[..., Path]) -> None:
    first, second = left("eth0"), left("eth1")
    look(window, qtbot, 2)
    press(window, qtbot, "Open")
    assert window.document is not None
    shown = window.document.worker.capture.path
    other = second if shown == first else first
    button(window, "Open").click()
    qtbot.waitUntil(lambda: window.capturing.question is not None)
    assert window.capturing.question is not None
    window.capturing.question.button(QMessageBox.StandardButton.Cancel).click()
    assert len(window.recovery_bar.texts) == 1, "it is still offered"
    button(window, "Open").click()
    qtbot.waitUntil(lambda: window.capturing.question is not None)
    window.capturing.question.button(QMessageBox.StandardButton.Discard).click()
    assert window.document.worker.capture.path == other
    assert window.recovery_bar.isHidden()
    assert not shown.parent.exists()
    window.actions_by_name["close_capture"].trigger()
    window.capturing.question.button(QMessageBox.StandardButton.Discard).click()
    assert not other.parent.exists()


def test_saved_without_opening_it(
    window: MainWindow, qtbot: QtBot, left: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = left()
    look(window, qtbot)
    said = window.recovery_bar.texts
    names = iter(["", str(tmp_path / "none" / "kept.pcap"), str(tmp_path / "kept")])
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **options: (next(names), ""))
    save = button(window, "Save...")
    save.click()
    save.click()
    qtbot.waitUntil(lambda: "does not exist. The capture is still there" in window.banner.text)
    assert window.recovery_bar.texts == said, "it is not lost"
    assert spool.exists()
    qtbot.waitUntil(save.isEnabled)
    save.click()
    qtbot.waitUntil(window.recovery_bar.isHidden)
    assert (tmp_path / "kept.pcap").read_bytes() == GAME.read_bytes()
    assert not spool.parent.exists()
    assert window.document is None
    assert window._settings.recent[0].path == str(tmp_path / "kept.pcap")


def test_deleted_for_good(window: MainWindow, qtbot: QtBot, left: Callable[..., Path]) -> None:
    spool = left()
    look(window, qtbot)
    press(window, qtbot, "Delete")
    assert window.recovery_bar.texts[0].startswith("Delete lo · ")
    press(window, qtbot, "Keep")
    assert window.recovery_bar.texts[0].startswith(LEFT_BEHIND)
    assert spool.exists()
    press(window, qtbot, "Delete")
    press(window, qtbot, "Delete")
    assert window.recovery_bar.isHidden()
    assert not spool.parent.exists()


def test_a_second_click_at_the_same_place_deletes_nothing(
    window: MainWindow, qtbot: QtBot, left: Callable[..., Path]
) -> None:
    left()
    look(window, qtbot)
    bar = window.recovery_bar
    place = button(window, "Delete").geometry().center()
    press(window, qtbot, "Delete")
    qtbot.waitUntil(lambda: bar.childAt(place) is button(window, "Keep"))


def test_many_are_offered_a_few_at_a_time(window: MainWindow, qtbot: QtBot, left: Callable[..., Path]) -> None:
    for number in range(5):
        left(f"eth{number}")
    look(window, qtbot, 4)
    assert window.recovery_bar.texts[3] == "2 more captures were not saved"
    press(window, qtbot, "Hide")
    assert window.recovery_bar.isHidden()


def test_hidden_or_not_the_next_start_offers_it_again(
    window: MainWindow, qtbot: QtBot, left: Callable[..., Path]
) -> None:
    spool = left()
    look(window, qtbot)
    assert Lock.take(spool.parent / "owner") is None, "no other window offers it"
    window.close()
    assert spool.exists()
    assert Lock.take(spool.parent / "owner") is not None


def test_what_cannot_be_opened_stays(window: MainWindow, qtbot: QtBot, left: Callable[..., Path]) -> None:
    spool = left()
    spool.write_bytes(b"nothing that is known" * 1000)
    look(window, qtbot)
    (text,) = window.recovery_bar.texts
    assert "packets" not in text
    button(window, "Open").click()
    qtbot.waitUntil(lambda: "is not a capture file" in window.banner.text)
    assert window.recovery_bar.texts == [text]
    assert spool.exists()


WINDOW = """
import sys
from PySide6.QtWidgets import QApplication
from ui import app
from ui.settings import CaptureOptions, Settings
application = QApplication([])
window = app.start(application, None, Settings())
app.begin_capture(window, app._read_arguments(sys.argv[1:]), CaptureOptions())
application.exec()
"""
"""As `snapscope` does, but nothing is compiled where the kernels are not ready: that would go on for a while."""


@dataclass(frozen=True, slots=True)
class Captures:
    """A process with a window that captures."""

    process: subprocess.Popen[bytes]
    sniffer: int
    """A descriptor that can be read when its sniffer has ended."""
    state: Path
    spool: Path

    @classmethod
    def start(cls, folder: Path, capture_filter: str) -> Captures:
        """Capture; this returns as soon as there is a file."""
        folder.mkdir()
        environment = {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        process = subprocess.Popen(
            [sys.executable, "-c", WINDOW, "-i", "lo", "-f", capture_filter, "-k"],
            env={**os.environ, **environment, "NUMBA_DISABLE_JIT": "1"},
        )
        end = time.monotonic() + 60
        while not (spools := list(folder.glob("snapscope/spools/*/lo-*"))):
            assert process.poll() is None
            assert time.monotonic() < end, "no capture begins"
            time.sleep(0.002)
        return cls(process, os.pidfd_open(_child_that_writes(process.pid, spools[0])), folder, spools[0])

    def kill(self) -> None:
        """Nothing that it could still do is done."""
        self.process.kill()
        self.process.wait()

    def wait_for_sniffer(self) -> None:
        """Its sniffer ends by itself."""
        ended = select.select([self.sniffer], [], [], 60)[0]
        os.close(self.sniffer)
        assert ended, "the sniffer goes on alone"


def _child_that_writes(process: int, file: Path) -> int:
    """The sniffer; a window has other children too."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
    named = f"--write={file}".encode()
    (found,) = [child for child in children if named in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")]
    return int(found)


@contextmanager
def traffic() -> Iterator[str]:
    """Numbered datagrams all the time; the filter that lets them through."""
    ended = threading.Event()
    with sockets() as (sender, receiver):

        def send() -> None:
            number = 0
            while not ended.wait(0.002):
                for _ in range(4):
                    sender.send(b"%08d" % number)
                    number += 1

        thread = threading.Thread(target=send)
        thread.start()
        try:
            yield port_filter(receiver)
        finally:
            ended.set()
            thread.join()


def assert_no_gap(frames: list[Captured]) -> None:
    numbers = [int(data[-8:]) for _, _, data in frames]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)) if numbers else [])


@needs_right
def test_windows_that_are_killed_at_any_moment(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each leaves a file that is whole; its sniffer ends, and all that was written is offered."""
    offered = 0
    with traffic() as capture_filter:
        running = Captures.start(tmp_path / "window0", capture_filter)
        for moment in range(20):
            time.sleep(random.uniform(0.0, 0.5))
            running.kill()
            killed = running
            if moment < 19:
                # While the other sniffer ends.
                running = Captures.start(tmp_path / f"window{moment + 1}", capture_filter)
            monkeypatch.setenv("XDG_STATE_HOME", str(killed.state))
            killed.wait_for_sniffer()
            frames, source = read_frames(killed.spool)
            assert source.problems == []
            assert_no_gap(frames)
            window.recovery.look()
            if not frames:
                qtbot.waitUntil(lambda spool=killed.spool: not spool.parent.exists())
                continue
            offered += 1
            qtbot.waitUntil(lambda: not window.recovery_bar.isHidden())
            (text,) = window.recovery_bar.texts
            assert f" · {words.count(len(frames), 'packet')} · " in text
            press(window, qtbot, "Open")
            document = window.document
            assert document is not None
            qtbot.waitUntil(lambda opened=document: opened.is_decoded)
            assert len(document.tables.packets) == len(frames)
            window.actions_by_name["close_capture"].trigger()
            assert window.capturing.question is not None
            window.capturing.question.button(QMessageBox.StandardButton.Discard).click()
    assert offered > 10


@needs_right
def test_sniffers_that_are_killed_at_any_moment(window: MainWindow, qtbot: QtBot) -> None:
    """The window goes on, shows all that was written, and captures again."""
    shown = 0
    with traffic() as capture_filter:
        for _ in range(20):
            window.capturing.start(CaptureOptions("lo", capture_filter))
            live = window.capturing.live
            assert live is not None
            qtbot.waitUntil(lambda live=live: live.begun)
            document = window.document
            assert document is not None
            qtbot.wait(random.randrange(400))
            os.kill(live.process_id, signal.SIGKILL)
            qtbot.waitUntil(lambda opened=document: opened.is_decoded)
            assert not window.capturing.active
            assert window.banner.text.startswith("The sniffer ended unexpectedly (signal 9). All that was captured")
            frames, _ = read_frames(live.settings.file)
            assert_no_gap(frames)
            assert len(document.tables.packets) == len(frames)
            assert window.capturing.unsaved == len(frames)
            shown += len(frames)
    assert shown > 0
    window.actions_by_name["close_capture"].trigger()
    if window.capturing.question is not None:
        window.capturing.question.button(QMessageBox.StandardButton.Discard).click()


@needs_right
def test_a_sniffer_that_still_writes_is_waited_for(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next window may be there before the sniffer of the one that was killed has ended."""
    with traffic() as capture_filter:
        running = Captures.start(tmp_path / "window", capture_filter)
        end = time.monotonic() + 60
        while running.spool.stat().st_size < 10_000:
            assert time.monotonic() < end
            time.sleep(0.01)
        monkeypatch.setenv("XDG_STATE_HOME", str(running.state))
        # It cannot end before it is let go.
        signal.pidfd_send_signal(running.sniffer, signal.SIGSTOP)
        running.kill()
        looked = window.capturing.spools.look()
        assert (looked.spools, looked.written) == ([], 1)
        window.recovery.look()
        signal.pidfd_send_signal(running.sniffer, signal.SIGCONT)
        qtbot.waitUntil(lambda: not window.recovery_bar.isHidden())
        running.wait_for_sniffer()
        frames, source = read_frames(running.spool)
    assert source.problems == []
    assert f" · {words.count(len(frames), 'packet')} · " in window.recovery_bar.texts[0]
