"""What goes wrong while the window captures: a clear sentence, all that was written stays, stop and restart work."""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QMessageBox
from pytestqt.qtbot import QtBot

from analyzer.capture.spool import Frame, Spool, SpoolInterface
from tests.capture.live.network import Tap, ethernet, install_dumpcap, needs_right, needs_tun, read_frames, tap
from ui.document import Document
from ui.main_window import MainWindow
from ui.settings import CaptureOptions

pytestmark = [needs_right, needs_tun]
AND_THEN = " All that was captured until then is shown; Ctrl+E starts again."
SECOND = 1_000_000_000


@pytest.fixture
def interface() -> Iterator[Tap]:
    with tap() as made:
        yield made


def frame(number: int) -> bytes:
    return ethernet(struct.pack("<I", number) * 25)


def start(window: MainWindow, qtbot: QtBot, options: CaptureOptions) -> Document:
    """The document of a capture that has begun."""
    before = window.document
    window.capturing.start(options)
    qtbot.waitUntil(lambda: window.document is not before or not window.capturing.active)
    assert window.capturing.dialog is None, window.capturing.dialog.sentence.text()
    document = window.document
    assert document is not None
    return document


def receive(qtbot: QtBot, interface: Tap, document: Document, count: int) -> None:
    """Let so many more frames come, and wait until they are rows."""
    before = len(document.tables.frames)
    for number in range(count):
        interface.receive(frame(before + number))
    qtbot.waitUntil(lambda: len(document.tables.frames) == before + count)


def assert_all_is_shown(document: Document, expected: int | None = None) -> None:
    """The rows are the frames of the file, without a gap."""
    frames, source = read_frames(document.worker.capture.path)
    assert source.problems == []
    assert [struct.unpack_from("<I", data, 14)[0] for _, _, data in frames] == list(range(len(frames)))
    assert len(document.tables.frames) == len(frames)
    assert expected is None or len(frames) == expected


def start_again(window: MainWindow, qtbot: QtBot, interface: Tap) -> None:
    """Ctrl+E after the fault: what there is is asked about, and the next capture works and is stopped."""
    old = window.document
    window.actions_by_name["capture_start"].trigger()
    discard(window)
    qtbot.waitUntil(lambda: window.document is not old and window.capturing.active)
    document = window.document
    assert document is not None
    receive(qtbot, interface, document, 3)
    window.actions_by_name["stop"].trigger()
    qtbot.waitUntil(lambda: document.is_decoded)
    assert_all_is_shown(document, 3)
    assert window.banner.text == ""
    close(window)


def discard(window: MainWindow) -> None:
    assert window.capturing.question is not None
    window.capturing.question.button(QMessageBox.StandardButton.Discard).click()


def close(window: MainWindow) -> None:
    window.actions_by_name["close_capture"].trigger()
    discard(window)
    assert window.document is None


def said(window: MainWindow) -> str:
    """What stands in the status bar."""
    return " | ".join(label.text() for label in window.status.findChildren(QLabel))


def test_no_room_left(window: MainWindow, qtbot: QtBot, interface: Tap) -> None:
    resource = pytest.importorskip("resource")
    document = start(window, qtbot, CaptureOptions(interface.name))
    assert window.capturing.live is not None
    resource.prlimit(window.capturing.live.process_id, resource.RLIMIT_FSIZE, (100_000, 100_000))
    for number in range(2000):
        interface.receive(frame(number))
    qtbot.waitUntil(lambda: document.is_decoded)
    name = document.worker.capture.path.name
    why = f"{name} cannot be written any further: there is no room left for it; what was written is whole."
    assert window.banner.text == f"{why}{AND_THEN}"
    assert not window.capturing.active
    assert 100_000 - 148 < document.worker.capture.path.stat().st_size <= 100_000
    assert_all_is_shown(document)
    assert "Dropped " in said(window)
    assert "(disk " in said(window), "what was lost is told"
    start_again(window, qtbot, interface)


@pytest.fixture
def small_disk(state_folder: Path) -> Iterator[Path]:
    """The folder of temporary captures on a disk that has room for little."""
    state_folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=17m", "none", str(state_folder)]
    with contextlib.suppress(FileNotFoundError):
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            yield state_folder
            # Lazily: a thread that is about to end may have the file still open.
            subprocess.run(["umount", "--lazy", str(state_folder)], check=True)
            return
    pytest.skip("this user may not mount a disk here")


def fill(disk: Path) -> None:
    with (disk / "filling").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))


def test_a_disk_that_is_full(window: MainWindow, qtbot: QtBot, interface: Tap, small_disk: Path) -> None:
    document = start(window, qtbot, CaptureOptions(interface.name))
    assert document.worker.capture.path.is_relative_to(small_disk)
    fill(small_disk)
    for number in range(3000):
        interface.receive(frame(number))
    qtbot.waitUntil(lambda: document.is_decoded)
    assert "there is no room left for it; what was written is whole." in window.banner.text
    assert window.banner.text.endswith(AND_THEN)
    assert_all_is_shown(document)
    assert len(document.tables.frames) > 0
    # Elsewhere, as there is no room here.
    start_again(window, qtbot, interface)


def test_no_room_for_a_beginning(window: MainWindow, qtbot: QtBot, interface: Tap, small_disk: Path) -> None:
    """Where the user's folder is full a capture lies where other large temporary files do."""
    fill(small_disk)
    document = start(window, qtbot, CaptureOptions(interface.name))
    assert not document.worker.capture.path.is_relative_to(small_disk)
    receive(qtbot, interface, document, 5)
    assert_all_is_shown(document, 5)
    spool = document.worker.capture.path
    close(window)
    assert window.capturing.wait(60)
    assert not spool.parent.exists()


def test_no_room_anywhere(
    window: MainWindow, qtbot: QtBot, interface: Tap, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(small_disk))
    monkeypatch.setattr("tempfile.tempdir", str(small_disk))
    fill(small_disk)
    window.capturing.start(CaptureOptions(interface.name))
    qtbot.waitUntil(lambda: window.capturing.dialog is not None)
    dialog = window.capturing.dialog
    assert dialog is not None
    assert dialog.sentence.text().endswith(".pcapng cannot be made: there is no room left for it.")
    assert window.document is None
    (small_disk / "filling").unlink()
    dialog.close()
    document = start(window, qtbot, CaptureOptions(interface.name))
    receive(qtbot, interface, document, 5)
    close(window)


def test_an_interface_that_is_gone(window: MainWindow, qtbot: QtBot, interface: Tap) -> None:
    document = start(window, qtbot, CaptureOptions(interface.name))
    receive(qtbot, interface, document, 5)
    interface.close()
    qtbot.waitUntil(lambda: document.is_decoded)
    assert window.banner.text == f"The network interface has gone away.{AND_THEN}"
    assert_all_is_shown(document, 5)
    window.actions_by_name["capture_start"].trigger()
    discard(window)
    qtbot.waitUntil(lambda: window.capturing.dialog is not None)
    dialog = window.capturing.dialog
    assert dialog is not None
    assert dialog.sentence.text() == f"There is no network interface {interface.name}."
    assert window.document is document, "it stays until another capture begins"
    dialog.close()
    with tap() as other:
        assert other.name == interface.name
        start_again(window, qtbot, other)


def test_an_interface_that_goes_down_and_up(window: MainWindow, qtbot: QtBot, interface: Tap) -> None:
    document = start(window, qtbot, CaptureOptions(interface.name))
    receive(qtbot, interface, document, 2)
    interface.set_up(False)
    qtbot.waitUntil(lambda: "the interface is down" in said(window))
    interface.set_up(True)
    qtbot.waitUntil(lambda: "the interface is down" not in said(window))
    receive(qtbot, interface, document, 2)
    window.actions_by_name["stop"].trigger()
    qtbot.waitUntil(lambda: document.is_decoded)
    assert_all_is_shown(document, 4)
    close(window)


@contextlib.contextmanager
def without_right() -> Iterator[None]:
    """What this process starts meanwhile has no capabilities, also as root."""
    set_securebits, no_root = 28, 1
    call = ctypes.CDLL(None).prctl
    if call(set_securebits, no_root, 0, 0, 0) != 0:
        pytest.skip("this user may not take rights away")
    try:
        yield
    finally:
        assert call(set_securebits, 0, 0, 0, 0) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="rights are taken away as Linux does it")
def test_without_the_right(window: MainWindow, qtbot: QtBot, interface: Tap, state_folder: Path) -> None:
    first = start(window, qtbot, CaptureOptions(interface.name))
    receive(qtbot, interface, first, 2)
    window.actions_by_name["stop"].trigger()
    qtbot.waitUntil(lambda: first.is_decoded)
    with without_right():
        window.capturing.start(CaptureOptions(interface.name))
    qtbot.waitUntil(lambda: window.capturing.dialog is not None)
    dialog = window.capturing.dialog
    assert dialog is not None
    assert dialog.sentence.text().startswith(f"This user may not capture on {interface.name}. ")
    assert window.document is first, "what was captured before stays"
    spools = state_folder / "snapscope" / "spools"
    assert list(spools.iterdir()) == [first.worker.capture.path.parent]
    dialog.close()
    assert_all_is_shown(first, 2)
    start_again(window, qtbot, interface)


@pytest.fixture
def captured_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dumpcap that gives what is in this file, and then waits until it is stopped."""
    capture = tmp_path / "given.pcapng"
    install_dumpcap(tmp_path / "programs", f"cat '{capture}'\nexec sleep 600")
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}")
    return capture


def test_a_clock_that_is_set_back(window: MainWindow, qtbot: QtBot, interface: Tap, captured_before: Path) -> None:
    """No test may set the clock of its machine: times as they come then are given by what captures."""
    times = [5000, 5001, 5002, 1399, 1400]
    spool = Spool.create(captured_before, [SpoolInterface("lo", 1, 262144)], "tests")
    spool.append(0, [Frame(time_s * SECOND, 114, frame(number)) for number, time_s in enumerate(times)])
    spool.close()
    document = start(window, qtbot, CaptureOptions("lo", through="dumpcap"))
    qtbot.waitUntil(lambda: len(document.tables.frames) == len(times))
    qtbot.waitUntil(lambda: bool(window.banner.text))
    assert window.banner.text == (
        "The system's clock was set back by 3\u202f600 s. Packets that came later have earlier times; none is lost."
    )
    assert "the clock was set back by 3\u202f600 s" in said(window)
    assert document.is_live, "it goes on"
    window.actions_by_name["stop"].trigger()
    qtbot.waitUntil(lambda: document.is_decoded)
    assert_all_is_shown(document, len(times))
    assert document.tables.frames.integers("time_ns").tolist() == [time_s * SECOND for time_s in times]
    window.actions_by_name["show_charts"].trigger()
    window.actions_by_name["capture_options"].trigger()
    assert window.capturing.dialog is not None
    window.capturing.dialog.close()
    close(window)
