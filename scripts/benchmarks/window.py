"""The window, without a screen: when the first rows are on it, and how late its event loop is while it decodes."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication

from scripts.benchmarks.table import percentile
from ui.app import EXIT_WAIT_S, start
from ui.main_window import MainWindow
from ui.settings import Settings
from ui.views.packet_table import PacketTable

BEAT_MS = 5


def task(path: str, seconds: float) -> dict[str, object]:
    """Open a capture in a window that is shown, and watch until it is decoded, `seconds` at the longest."""
    application = QApplication(["snapscope"])
    with tempfile.TemporaryDirectory() as folder:
        store = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        window = start(application, None, Settings(store))
        shown = time.perf_counter()
        watch = Watch(window, seconds)
        QTimer.singleShot(0, lambda: window.opening.open_path(path))
        application.exec()
        window.close()
        window.opening.wait(EXIT_WAIT_S)
        answer = watch.answer(shown)
        window.deleteLater()
        application.processEvents()
    return answer


class Watch(QObject):
    """Takes the time of the first rows and the lateness of a timer, and ends the event loop."""

    def __init__(self, window: MainWindow, seconds: float) -> None:
        super().__init__(window)
        self._window = window
        self._end = time.perf_counter() + seconds
        self._first_rows: float | None = None
        self._decoded = False
        self._packets = 0
        self._late: list[float] = []
        self._due = time.perf_counter() + BEAT_MS / 1000
        (self._table,) = window.findChildren(PacketTable)
        self._table.viewport().installEventFilter(self)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(BEAT_MS)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """The first repaint of the list with rows in it; the timer comes behind the repaint."""
        if self._first_rows is None and event.type() == QEvent.Type.Paint and self._table.model().rowCount():
            self._first_rows = 0.0
            QTimer.singleShot(0, self._note_first_rows)
        return False

    def answer(self, shown: float) -> dict[str, object]:
        """What was seen, in seconds; `first_rows` is None if none came."""
        return {
            "first_rows": self._first_rows and self._first_rows - shown,
            "decoded": self._decoded,
            "packets": self._packets,
            "beats": len(self._late),
            "late": [percentile(self._late, share) for share in (0.5, 0.99, 1.0)],
        }

    def _note_first_rows(self) -> None:
        self._first_rows = time.perf_counter()

    def _beat(self) -> None:
        now = time.perf_counter()
        self._late.append(now - self._due)
        self._due = now + BEAT_MS / 1000
        document = self._window.document
        if document is not None:
            self._decoded, self._packets = document.is_decoded, len(document.tables.packets)
        if self._decoded or now > self._end:
            self._timer.stop()
            QApplication.quit()
