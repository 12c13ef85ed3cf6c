"""Qt without a screen and with the shipped fonts; a test of the window leaves nothing running and warns of nothing.

Every test here fails on a Qt message from WARNING up, on a log record from WARNING up that it did not expect by
`expect_log`, and on a thread or an active timer that is still there when its fixtures are torn down.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path

import pytest
from capture_files import capture_paths

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import shiboken6
from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMessageLogContext,
    QObject,
    QSettings,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from ui import fonts
from ui.document import Document
from ui.main_window import MainWindow
from ui.settings import Settings
from ui.style import FlatStyle
from ui.theme import LIGHT

HERE = Path(__file__).resolve().parent
WAIT_MS = 120_000
"""For a whole capture on a slow machine; what is waited for ends the wait."""
PLATFORM_NOISE = r"This plugin does not support (propagateSizeHints|raise|grabbing)"
"""What the platform without a screen cannot do, and says."""
_QUIET = (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg)

OpenDocument = Callable[..., Document]
Opener = Callable[[str | Path], Document]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """While a test runs, pytest-qt watches Qt's messages; around it, the hooks below do."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.qt_log_level_fail("WARNING"))
            item.add_marker(pytest.mark.qt_log_ignore(PLATFORM_NOISE))


class _Records(logging.Handler):
    """Keeps what was logged."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


_RECORDS = pytest.StashKey[_Records]()
_THREADS = pytest.StashKey[set[threading.Thread]]()
_EXPECTED = pytest.StashKey[list[str]]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    """Note what runs before the test, and listen to the log."""
    item.stash[_THREADS] = set(threading.enumerate())
    item.stash[_EXPECTED] = []
    handler = item.stash[_RECORDS] = _Records()
    logging.getLogger().addHandler(handler)
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """When all fixtures are gone, nothing may be left, and nothing may have been complained about."""
    messages: list[str] = []

    def keep(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if kind not in _QUIET and not re.search(PLATFORM_NOISE, text):
            messages.append(text)

    previous = qInstallMessageHandler(keep)
    try:
        result = yield
        if QCoreApplication.instance() is not None:
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    finally:
        qInstallMessageHandler(previous)
        logging.getLogger().removeHandler(item.stash[_RECORDS])
    expected = item.stash[_EXPECTED]
    logged = [record.getMessage() for record in item.stash[_RECORDS].records]
    unexpected = [text for text in logged if not any(re.search(pattern, text) for pattern in expected)]
    assert not messages, f"Qt complained while the test was taken down: {messages}"
    assert not unexpected, f"logged: {unexpected}"
    assert not (threads := _left_threads(item.stash[_THREADS])), f"threads still run: {threads}"
    assert not (timers := _active_timers()), f"timers are still active: {timers}"
    return result


def _left_threads(before: set[threading.Thread]) -> list[str]:
    """Threads that began in the test; one that has just been told to end gets a moment for it."""
    end = time.monotonic() + 5.0
    left = [thread for thread in threading.enumerate() if thread not in before]
    for thread in left:
        thread.join(max(0.0, end - time.monotonic()))
    return [thread.name for thread in left if thread.is_alive()]


def _active_timers() -> list[str]:
    """Timers that tick on, with their owners. One whose owner is gone as a Python object is found through Qt."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        return []
    found = {id(timer): timer for timer in shiboken6.getAllValidWrappers() if isinstance(timer, QTimer)}
    for root in (app, *app.topLevelWidgets()):
        found.update({id(timer): timer for timer in root.findChildren(QTimer)})
    return [_place(timer) for timer in found.values() if shiboken6.isValid(timer) and timer.isActive()]


def _place(timer: QTimer) -> str:
    owners: list[str] = []
    owner: QObject | None = timer
    while owner is not None:
        owners.append(type(owner).__name__)
        owner = owner.parent()
    return " of ".join(owners)


@pytest.fixture
def expect_log(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """`expect_log(pattern)`: log records from WARNING up that match are right here."""
    return request.node.stash[_EXPECTED].append


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> QApplication:
    """The application as the window sets it up."""
    fonts.load()
    qapp.setStyle(FlatStyle())
    return qapp


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """pytest-qt's, with the patience that a busy machine needs: what is waited for ends the wait.

    A window that a test before made may have left the application dark, or with larger type, and the pointer where a
    widget of this one comes to lie.
    """
    QCursor.setPos(qapp.primaryScreen().geometry().bottomRight())
    qapp.setPalette(LIGHT.palette())
    qapp.setFont(fonts.font(fonts.Use.TABLE))
    bot = QtBot(request)
    for name in ("waitUntil", "waitSignal", "waitSignals", "waitExposed"):
        setattr(bot, name, partial(getattr(bot, name), timeout=WAIT_MS))
    return bot


@pytest.fixture
def document(qtbot: QtBot) -> Iterator[OpenDocument]:
    """`document(name_or_path, wait=True)` opens a capture, by the beginning of its name or by its path, and starts.

    With `wait` the document is returned when everything is decoded and announced; it is closed when the test ends.
    """
    opened: list[Document] = []

    def open_document(capture: str | Path, *, wait: bool = True) -> Document:
        path = capture if isinstance(capture, Path) else find_capture(capture)
        found = Document.open(path)
        opened.append(found)
        if wait:
            with qtbot.waitSignal(found.decoded, timeout=WAIT_MS):
                found.start()
        else:
            found.start()
        return found

    yield open_document
    for found in opened:
        found.close()
        found.deleteLater()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings that nobody else has."""
    return Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary captures lie: not where those of whoever runs the tests do."""
    folder = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    # Where they lie else.
    other = tmp_path / "temporary"
    other.mkdir()
    monkeypatch.setenv("TMPDIR", str(other))
    monkeypatch.setattr("tempfile.tempdir", str(other))
    return folder


@pytest.fixture
def window(qtbot: QtBot, settings: Settings) -> Iterator[MainWindow]:
    """The whole window, shown, with nothing open."""
    made = MainWindow(settings)
    made.resize(1024, 700)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.close()
    if (question := made.capturing.question) is not None:
        # Of a test that failed before it had closed its capture.
        question.button(QMessageBox.StandardButton.Discard).click()
    assert made.opening.wait(WAIT_MS / 1000)
    assert made.capturing.wait(WAIT_MS / 1000)
    assert made.recovery.wait(WAIT_MS / 1000)
    assert made.welcome.interfaces.wait(WAIT_MS / 1000)
    assert made.saving.wait(WAIT_MS / 1000)
    assert made.filtering.wait(WAIT_MS / 1000)
    made.deleteLater()


@pytest.fixture
def opened(window: MainWindow, qtbot: QtBot) -> Opener:
    """`opened(name_or_path)` opens a capture in the window and waits until it is decoded."""

    def open_capture(capture: str | Path) -> Document:
        assert window.opening.open_path(capture if isinstance(capture, Path) else find_capture(capture))
        document = window.document
        assert document is not None
        qtbot.waitUntil(lambda: document.is_decoded)
        return document

    return open_capture


def find_capture(name: str) -> Path:
    """The capture whose file name begins with `name`."""
    return next(path for path in capture_paths() if path.name.startswith(name))
