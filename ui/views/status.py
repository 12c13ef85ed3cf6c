"""The status bar: file, packets, what was rebuilt and proved, what failed, drops, progress, dialects, memory."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QWidget

from analyzer.stats.live import live_sessions
from analyzer.stats.snapshots import rebuilt_counts
from ui import fonts, words
from ui.document import Document

STATUS_HEIGHT = 24
REFRESH_MS = 250
"""Numbers that change faster than this nobody reads."""


class StatusBar(QStatusBar):
    """Follows a document."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self._document: Document | None = None
        self._file = QLabel()
        self._packets = QLabel()
        self._snapshots = QLabel()
        self._failed = QLabel()
        self._failed.setToolTip(self.tr("Unknown: the baseline lies before the capture or was not captured"))
        self._dropped = QLabel()
        self._progress = QProgressBar()
        self._progress.setMaximumWidth(140)
        self._progress.setMaximumHeight(14)
        self._progress.setTextVisible(False)
        self._progress.setAccessibleName(self.tr("Decoding"))
        self._decoding = QLabel()
        self._dialects = QLabel()
        self._memory = QLabel()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(REFRESH_MS)
        self._soon.timeout.connect(self._say)
        self.setContentsMargins(8, 0, 8, 0)
        for label in (self._file, self._packets, self._snapshots, self._failed, self._dropped):
            label.setContentsMargins(0, 0, 12, 0)
            self.addWidget(label)
        for label in (self._decoding, self._dialects, self._memory):
            label.setContentsMargins(12, 0, 0, 0)
        for widget in (self._decoding, self._progress, self._dialects, self._memory):
            self.addPermanentWidget(widget)
        self.set_zoom(1.0)
        self.show_document(None)

    def set_zoom(self, zoom: float) -> None:
        """Other sizes of type."""
        font = fonts.font(fonts.Use.HEAD, zoom=zoom)
        for label in self.findChildren(QLabel):
            label.setFont(font)

    def show_document(self, document: Document | None) -> None:
        """Follow another document, or none."""
        self._soon.stop()
        if self._document is not None:
            self._document.rows_added.disconnect(self._on_rows)
            self._document.progressed.disconnect(self._on_progress)
            self._document.decoded.disconnect(self._on_decoded)
        self._document = document
        for label in self.findChildren(QLabel):
            label.clear()
        self._progress.setVisible(document is not None and not document.is_decoded)
        if document is None:
            self._file.setText(self.tr("Ready to open a capture"))
            return
        self._file.setText(document.path.name)
        document.rows_added.connect(self._on_rows)
        document.progressed.connect(self._on_progress)
        document.decoded.connect(self._on_decoded)
        self._say()

    @Slot()
    def _on_rows(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    @Slot()
    def _say(self) -> None:
        document = self._document
        if document is None:
            return
        tables = document.tables
        self._packets.setText(self.tr("Packets {0}").format(words.quantity(len(tables.packets))))
        stats = rebuilt_counts(tables)
        self._snapshots.setText(
            self.tr("Rebuilt {0}, proved {1}, unproven {2}").format(
                words.quantity(stats.rebuilt), words.quantity(stats.proved), words.quantity(stats.unproven)
            )
        )
        failed, unknown = words.quantity(stats.failed), words.quantity(stats.unknown)
        self._failed.setText(self.tr("Failed {0}, unknown {1}").format(failed, unknown))
        protocols = document.worker.capture.protocols
        titles = {dialect: name for protocol in protocols for dialect, name in protocol.dialect_names.items()}
        dialects = sorted({titles.get(name, name) for name in tables.readings.array("dialect").tolist()})
        readings = tables.sessions.integers("reading")[live_sessions(tables)]
        flows = set(tables.readings.integers("flow")[readings].tolist())
        clients = words.count(len(flows), self.tr("client"), self.tr("clients"))
        self._dialects.setText(words.DOT.join([", ".join(dialects), clients]) if dialects else "")
        used = sum(size for _, size in tables.memory().values())
        self._memory.setText(self.tr("Tables {0}").format(words.size(used)))
        dropped = document.worker.capture.source.dropped
        self._dropped.setText("" if dropped is None else self.tr("Dropped {0}").format(words.quantity(dropped)))

    @Slot(object, object)
    def _on_progress(self, done: int, total: int) -> None:
        share = 100 * done // total if total else 100
        self._progress.setValue(share)
        self._decoding.setText(self.tr("Decoding {0} %").format(share))

    @Slot()
    def _on_decoded(self) -> None:
        self._soon.stop()
        self._progress.hide()
        document = self._document
        stopped = document is not None and document.worker.cancelled
        self._decoding.setText(self.tr("Stopped") if stopped else "")
        self._say()
