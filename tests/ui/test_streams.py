"""Pipes and growing files in the window: rows as they come, an end, stop, what is not saved is asked about."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from capture_files import BUNDLED, ROOT
from PySide6.QtWidgets import QFileDialog, QLabel, QMessageBox
from pytestqt.qtbot import QtBot

from analyzer.engine.capture import Capture
from tests.engine.table_content import table_content
from ui import app, words
from ui.document import Document
from ui.main_window import MainWindow
from ui.settings import Settings

pytestmark = pytest.mark.skipif(os.name != "posix", reason="named pipes as POSIX has them")
GAME = BUNDLED / "serverinfo_and_play_head.pcap"
BLOCKS = BUNDLED / "ddnet_tsunami_head.pcapng"
Buttons = QMessageBox.StandardButton
WRITER = """
import sys
data = open(sys.argv[1], "rb").read()
target = sys.stdout.buffer if sys.argv[2] == "-" else open(sys.argv[2], "ab", buffering=0)
at = 0
for line in sys.stdin:
    target.write(data[at:int(line)])
    target.flush()
    at = int(line)
"""


class Writer:
    """A process that writes a capture, as far as it is told."""

    def __init__(self, capture: Path, target: str = "-") -> None:
        self.size = capture.stat().st_size
        self.process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(capture), target],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if target == "-" else None,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def write(self, until: int | None = None) -> None:
        """Up to this byte, or all."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{self.size if until is None else until}\n")
        self.process.stdin.flush()

    def end(self) -> None:
        """It closes the pipe and ends."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()


@pytest.fixture
def writer() -> Iterator[Callable[..., Writer]]:
    started: list[Writer] = []

    def start(capture: Path, target: str = "-") -> Writer:
        started.append(Writer(capture, target))
        return started[-1]

    yield start
    for one in started:
        one.end()
        if one.process.stdout is not None:
            one.process.stdout.close()


@pytest.fixture
def piped(
    window: MainWindow, qtbot: QtBot, writer: Callable[..., Writer], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Path], tuple[Writer, Document]]]:
    """`piped(capture)`: its first half has come through the standard input; who writes it, and what is shown."""
    streams = []

    def begin(capture: Path) -> tuple[Writer, Document]:
        source = writer(capture)
        # A descriptor of its own: what is read from becomes /dev/null when it is closed.
        stream = os.fdopen(os.dup(source.process.stdout.fileno()))  # type: ignore[union-attr]
        source.process.stdout.close()  # type: ignore[union-attr]
        streams.append(stream)
        monkeypatch.setattr(sys, "stdin", stream)
        window.streams.open_path("-")
        assert "Waiting for the standard input" in said(window)
        assert window.actions_by_name["stop"].isEnabled()
        assert window.document is None
        source.write(source.size // 2)
        qtbot.waitUntil(lambda: window.document is not None)
        assert window.document is not None
        return source, window.document

    yield begin
    window.capturing.close()
    assert window.capturing.wait(60)
    for stream in streams:
        stream.close()


def said(window: MainWindow) -> str:
    """What stands in the status bar."""
    return " | ".join(label.text() for label in window.status.findChildren(QLabel))


def answer(window: MainWindow, button: Buttons) -> None:
    assert window.capturing.question is not None
    window.capturing.question.button(button).click()


def assert_same(document: Document, capture: Path) -> None:
    """What came is what the file has."""
    with Capture.open(capture, strict=True) as whole:
        whole.decode()
        assert table_content(document.tables) == table_content(whole.tables)


@pytest.mark.parametrize(
    "recorded", [GAME, BLOCKS, BUNDLED / "ddnet_ctf3_midsession_head.pcap.gz"], ids=["pcap", "pcapng", "gz"]
)
def test_rows_come_as_they_come(
    window: MainWindow,
    qtbot: QtBot,
    piped: Callable[[Path], tuple[Writer, Document]],
    recorded: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source, document = piped(recorded)
    qtbot.waitUntil(lambda: window.packets.model.rowCount() > 0)
    assert document.is_live
    assert "Reading from the standard input" in said(window)
    assert "(live)" in window.windowTitle()
    assert not window.actions_by_name["capture_restart"].isEnabled()
    assert not window.actions_by_name["capture_start"].isEnabled()
    before = window.packets.model.rowCount()
    source.write()
    qtbot.waitUntil(lambda: window.packets.model.rowCount() > before)
    source.end()
    qtbot.waitUntil(lambda: document.is_decoded)
    assert "standard input" not in said(window).replace(document.path.name, "")
    assert window.banner.text == ""
    assert not window.capturing.active
    assert_same(document, recorded)
    window.close()
    assert window.isVisible(), "it is not saved"
    answer(window, Buttons.Cancel)
    kept = tmp_path / "kept"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **options: (str(kept), ""))
    window.actions_by_name["save"].trigger()
    qtbot.waitUntil(lambda: not document.temporary)
    assert document.path.name == f"kept{''.join(recorded.suffixes)}"
    assert document.path.read_bytes() == recorded.read_bytes()


def test_stopped_whoever_writes_is_told(
    window: MainWindow, qtbot: QtBot, piped: Callable[[Path], tuple[Writer, Document]]
) -> None:
    source, document = piped(BLOCKS)
    qtbot.waitUntil(lambda: window.packets.model.rowCount() > 0)
    window.actions_by_name["stop"].trigger()
    qtbot.waitUntil(lambda: document.is_decoded)
    assert not window.capturing.active
    source.write()
    assert source.process.wait(60) != 0, "nobody reads any more"
    spool = document.worker.capture.path
    window.actions_by_name["close_capture"].trigger()
    answer(window, Buttons.Discard)
    assert not spool.parent.exists()


def test_saved_while_it_comes_it_is_stopped_first(
    window: MainWindow,
    qtbot: QtBot,
    piped: Callable[[Path], tuple[Writer, Document]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    piped(GAME)
    qtbot.waitUntil(lambda: window.packets.model.rowCount() > 0)
    kept = tmp_path / "kept.pcap"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **options: (str(kept), ""))
    window.close()
    answer(window, Buttons.Save)
    qtbot.waitUntil(lambda: not window.isVisible())
    assert GAME.read_bytes().startswith(kept.read_bytes())
    assert kept.stat().st_size >= 24


def test_no_room_for_what_comes(
    window: MainWindow, qtbot: QtBot, piped: Callable[[Path], tuple[Writer, Document]]
) -> None:
    resource = pytest.importorskip("resource")
    source, document = piped(BLOCKS)
    qtbot.waitUntil(lambda: window.packets.model.rowCount() > 0)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    most = source.size * 3 // 4
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        source.write()
        qtbot.waitUntil(lambda: document.is_decoded)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert window.banner.text == (
        "What comes through the standard input cannot be kept: File too large. All that came until then is shown."
    )
    with Capture.open(document.worker.capture.path) as whole:
        whole.decode()
        assert len(document.tables.frames) == len(whole.tables.frames) > 0
    assert document.worker.capture.path.stat().st_size == most
    assert not window.capturing.active


def test_another_capture_takes_its_place(
    window: MainWindow, qtbot: QtBot, piped: Callable[[Path], tuple[Writer, Document]]
) -> None:
    _, document = piped(GAME)
    qtbot.waitUntil(lambda: window.packets.model.rowCount() > 0)
    window.welcome.open_requested.emit(str(BLOCKS))
    answer(window, Buttons.Discard)
    assert window.document is not document
    assert not window.capturing.active
    assert "standard input" not in said(window)


def test_given_up_while_it_is_waited_for(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, opened: Callable[[Path], Document]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    window.streams.open_path(pipe)
    assert "Waiting for the pipe" in said(window)
    window.actions_by_name["stop"].trigger()
    assert not window.capturing.active
    assert "Waiting" not in said(window)
    window.streams.open_path(pipe)
    opened(GAME)
    assert not window.capturing.active, "what was opened meanwhile stays"
    assert "Waiting" not in said(window)


def test_a_named_pipe(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, writer: Callable[..., Writer], state_folder: Path
) -> None:
    pipe = tmp_path / "game.pipe"
    os.mkfifo(pipe)
    window.welcome.open_requested.emit(str(pipe))
    source = writer(GAME, str(pipe))
    source.write()
    qtbot.waitUntil(lambda: window.document is not None)
    document = window.document
    assert document is not None
    assert "Reading from the game.pipe" in said(window)
    source.end()
    qtbot.waitUntil(lambda: document.is_decoded)
    assert_same(document, GAME)
    assert document.worker.capture.path.is_relative_to(state_folder)
    window.actions_by_name["close_capture"].trigger()
    answer(window, Buttons.Discard)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "Nothing came through the game.pipe."),
        (b"these are not the packets\n", "is not a capture file: it begins with 74 68 65 73"),
        (b"\xd4\xc3", "is not a capture file: it begins with d4 c3"),
    ],
)
def test_what_is_no_capture(
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    state_folder: Path,
    expect_log: Callable[[str], None],
    data: bytes,
    told: str,
) -> None:
    expect_log("decoding stopped: ")
    pipe = tmp_path / "game.pipe"
    os.mkfifo(pipe)
    window.streams.open_path(pipe)
    with pipe.open("wb") as file:
        file.write(data)
    qtbot.waitUntil(lambda: told in window.banner.text)
    assert not window.capturing.active
    window.actions_by_name["close_capture"].trigger()
    assert window.document is None
    assert list((state_folder / "snapscope" / "spools").glob("*")) == []


def test_a_terminal_as_the_standard_input(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    controller, terminal = os.openpty()
    with os.fdopen(terminal) as stream, os.fdopen(controller):
        monkeypatch.setattr(sys, "stdin", stream)
        window.streams.open_path("-")
    assert window.banner.text == "No capture comes from the standard input: it is a terminal or closed."
    assert not window.capturing.active


@pytest.mark.parametrize("recorded", [GAME, BLOCKS], ids=["pcap", "pcapng"])
def test_a_file_that_another_program_still_writes(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, writer: Callable[..., Writer], recorded: Path
) -> None:
    path = tmp_path / f"growing{recorded.suffix}"
    source = writer(recorded, str(path))
    source.write(source.size // 2)
    qtbot.waitUntil(lambda: path.exists() and path.stat().st_size == source.size // 2)
    window.streams.open_path(path, follow=True)
    document = window.document
    assert document is not None
    qtbot.waitUntil(lambda: window.packets.model.rowCount() > 0)
    assert "Following the file" in said(window)
    assert not window.actions_by_name["follow"].isEnabled()
    before = window.packets.model.rowCount()
    source.write()
    qtbot.waitUntil(lambda: window.packets.model.rowCount() > before)
    qtbot.waitUntil(lambda: document.worker.capture.source.progress()[0] == source.size)
    window.actions_by_name["stop"].trigger()
    qtbot.waitUntil(lambda: document.is_decoded)
    assert "Following" not in said(window)
    assert_same(document, recorded)
    assert window.banner.text == ""
    window.close()
    assert not window.isVisible(), "the file has a name: there is nothing to save"


def test_that_a_file_grows_is_noticed(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, writer: Callable[..., Writer], opened: Callable[[Path], Document]
) -> None:
    path = tmp_path / "growing.pcapng"
    source = writer(BLOCKS, str(path))
    source.write(source.size // 2)
    qtbot.waitUntil(lambda: path.exists() and path.stat().st_size == source.size // 2)
    first = opened(path)
    window.banner.say("")
    source.write()
    qtbot.waitUntil(lambda: "growing.pcapng is still being written" in window.banner.text)
    window.actions_by_name["follow"].trigger()
    document = window.document
    assert document is not None
    assert document is not first
    assert window.banner.text == ""
    qtbot.waitUntil(lambda: document.worker.capture.source.progress()[0] == source.size)
    window.actions_by_name["stop"].trigger()
    qtbot.waitUntil(lambda: document.is_decoded)
    assert_same(document, BLOCKS)


def test_a_file_to_follow_that_is_not_there(window: MainWindow, tmp_path: Path) -> None:
    window.streams.open_path(tmp_path / "none.pcap", follow=True)
    assert window.banner.text.startswith("none.pcap does not exist.")
    assert "Following" not in said(window)


def test_words_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert app._read_arguments(["-"]).capture == "-"
    options = app._read_arguments(["--follow", "game.pcap"])
    assert (options.capture, options.follow) == ("game.pcap", True)
    for wrong in (["--follow"], ["-", "-k"]):
        with pytest.raises(SystemExit):
            app._read_arguments(wrong)


WINDOW = """
import sys
from PySide6.QtWidgets import QApplication
from ui import app
from ui.settings import Settings
application = QApplication([])
window = app.start(application, "-", Settings())
application.exec()
"""


def test_killed_what_came_is_offered(
    window: MainWindow, qtbot: QtBot, state_folder: Path, writer: Callable[..., Writer], settings: Settings
) -> None:
    """`tcpdump -w - | snapscope -`, as two processes of their own."""
    source = writer(BLOCKS)
    environment = {"PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(state_folder), "NUMBA_DISABLE_JIT": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", WINDOW], stdin=source.process.stdout, env={**os.environ, **environment}
    )
    spools = state_folder / "snapscope" / "spools"
    try:
        # The last block is cut; it counts drops.
        source.write(source.size - 1)
        qtbot.waitUntil(lambda: any(file.stat().st_size == source.size - 1 for file in spools.glob("*/standard*")))
    finally:
        process.kill()
        process.wait()
    window.recovery.look()
    qtbot.waitUntil(lambda: not window.recovery_bar.isHidden())
    with Capture.open(BLOCKS) as whole:
        whole.decode()
        count = words.count(len(whole.tables.frames), "packet")
    (text,) = window.recovery_bar.texts
    assert text.startswith("Not saved: ")
    assert f" · {count} · " in text
