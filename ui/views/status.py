"""The status bar: file, packets, what was rebuilt and proved, what failed, drops, progress, dialects, memory."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStatusBar, QToolButton, QWidget

from analyzer.engine.machine import resident_bytes
from analyzer.expert.rule import Severity
from analyzer.stats.live import live_sessions
from analyzer.stats.snapshots import RebuiltCounter, RebuiltCounts
from analyzer.store.tables import Tables
from ui import fonts, words
from ui.document import Document
from ui.live import LiveStanding
from ui.marks import Mark
from ui.theme import Theme
from ui.views.progress_bar import ProgressBar
from ui.views.severity_chips import SeverityCounts

STATUS_HEIGHT = 24
REFRESH_MS = 250
"""Numbers that change faster than this nobody reads."""
SAID_MS = 10_000
"""For so long something stands in place of the file and its counts."""
GAP = 8
"""Qt leaves no more than this between the parts of the bar."""
EDGE = 8
APART = 12
"""Between two things that are said."""
LEAST_NAME = 12
"""Letters of a file's name, cut in the middle, that still tell which file it is."""


_TOPIC = "status"


class StatusBar(QStatusBar):
    """Follows a document."""

    failure_wanted = Signal()
    """The hint about failed snapshots was pressed."""
    findings_wanted = Signal()
    """The counts of findings were pressed."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self._bar = QStatusBar(self)
        """Of a fixed size, so that another text in it does not lay out the whole window."""
        self._bar.setSizeGripEnabled(False)
        self._document: Document | None = None
        self._counter: RebuiltCounter | None = None
        """Of the document; only the thread that gives way counts."""
        self._file = QLabel()
        self._packets = QLabel()
        self._snapshots = QLabel()
        self._failed = QLabel()
        self._failed.setToolTip(self.tr("Unknown: a part or the baseline lies before the capture or was not captured"))
        self._dropped = QLabel()
        self._progress = ProgressBar(theme)
        self._hint = QToolButton()
        self._hint.setAutoRaise(True)
        self._hint.setCursor(Qt.CursorShape.PointingHandCursor)
        self._hint.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._hint.setToolTip(self.tr("Go to the next failed snapshot (Shift+J)"))
        self._hint.clicked.connect(self.failure_wanted)
        self._displayed = -1
        self._failures = 0
        self.findings = SeverityCounts(theme)
        self.findings.clicked.connect(self.findings_wanted)
        self._live: LiveStanding | None = None
        self._stream = ""
        self._texts: dict[QLabel, str] = {}
        """What each part says where there is room."""
        self._written: dict[QLabel, str] = {}
        """What each part says."""
        self._widths: dict[QLabel, int] = {}
        """Of what it says: all are asked for several times whenever one of them says something else."""
        self._decoding = QLabel()
        self._preparing = QLabel()
        self._dialects = QLabel()
        self._pinned = QLabel()
        self._memory = QLabel()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(REFRESH_MS)
        self._soon.timeout.connect(self._say)
        self._bar.setContentsMargins(EDGE, 0, EDGE, 0)
        for label in (self._file, self._packets, self._snapshots, self._failed, self._dropped):
            self._bar.addWidget(label)
        self._bar.insertWidget(4, _held(self.findings))
        progress = (self._hint, self._preparing, self._decoding, self._progress)
        for widget in (*progress, self._pinned, self._dialects, self._memory):
            self._bar.addPermanentWidget(widget)
        self._least_first = (
            self._memory,
            self._dialects,
            self._packets,
            self._preparing,
            self._pinned,
            self._snapshots,
        )
        """What is left out where the bar is short; the file, what failed, drops and progress stay."""
        # What does not fit is left out: it never widens the window.
        self.setMinimumWidth(1)
        self.set_theme(theme)
        self.set_zoom(1.0)
        self.show_document(None)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._progress.set_theme(theme)
        self.findings.set_theme(theme)
        palette = self._hint.palette()
        palette.setColor(QPalette.ColorRole.ButtonText, theme.color("accent"))
        self._hint.setPalette(palette)

    def set_zoom(self, zoom: float) -> None:
        """Other sizes of type."""
        font = fonts.font(fonts.Use.HEAD, zoom=zoom)
        for label in (*self.findChildren(QLabel), self._hint, self.findings):
            label.setFont(font)
        self._widths.clear()
        self._progress.set_zoom(zoom)
        self.setMinimumHeight(round(STATUS_HEIGHT * zoom))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bar.setFixedSize(self.size())
        self._fit()

    @Slot(str)
    def say(self, text: str) -> None:
        """In place of what stands at the left, for a while or until there is nothing to say."""
        self._bar.showMessage(text, SAID_MS)

    def show_document(self, document: Document | None) -> None:
        """Follow another document, or none."""
        self._soon.stop()
        if self._document is not None:
            self._document.rows_added.disconnect(self._on_rows)
            self._document.waiting.disconnect(self._on_rows)
            self._document.progressed.disconnect(self._on_progress)
            self._document.decoded.disconnect(self._on_decoded)
            self._document.renamed.disconnect(self._on_renamed)
            self._document.pinned.disconnect(self._say_pinned)
            self._document.rereading.disconnect(self._on_rereading)
            self._document.reread.disconnect(self._on_reread)
            self._document.marks.changed.disconnect(self._on_marks)
        self._document = document
        self._counter = None if document is None else RebuiltCounter(document.tables)
        for label in self.findChildren(QLabel):
            if label is not self._preparing:
                self._texts[label] = ""
        self._failures = 0
        self._progress.show_share(0.0)
        self._progress.setVisible(document is not None and not document.is_decoded and not document.is_live)
        if document is None:
            self._put(self._file, self.tr("Ready to open a capture"))
            self._fit()
            return
        self._put(self._file, document.path.name)
        document.rows_added.connect(self._on_rows)
        document.waiting.connect(self._on_rows)
        document.progressed.connect(self._on_progress)
        document.decoded.connect(self._on_decoded)
        document.renamed.connect(self._on_renamed)
        document.pinned.connect(self._say_pinned)
        document.rereading.connect(self._on_rereading)
        document.reread.connect(self._on_reread)
        document.marks.changed.connect(self._on_marks)
        self._say_pinned()
        self._say_live()
        self._fit()
        # A turn of its own: showing a capture is the longest one of the window.
        self._on_rows()

    @Slot(object)
    def show_live(self, standing: LiveStanding | None) -> None:
        """How the capture goes that is shown; None: none that was made here."""
        self._live = standing
        self._say_live()
        self._fit()

    @Slot(str)
    def show_stream(self, text: str) -> None:
        """Where what comes comes from, if not from a sniffer; empty: nothing comes so."""
        self._stream = text
        self._put(self._decoding, text)
        self._fit()

    @Slot()
    def _on_renamed(self) -> None:
        if self._document is not None:
            self._put(self._file, self._document.path.name)
            self._fit()

    def _say_live(self) -> None:
        """What is wrong while it runs; what was lost, and by whom, for good. The live bar says the rest."""
        document, live = self._document, self._live
        if document is not None and document.is_live and self._stream:
            self._put(self._decoding, self._stream)
        if document is None or live is None:
            return
        lost = live.counts
        text = self.tr("Dropped {0}").format(words.quantity(lost.lost))
        causes = (
            (self.tr("system {0}"), lost.dropped),
            (self.tr("interface {0}"), lost.interface_dropped),
            (self.tr("disk {0}"), lost.unwritten),
        )
        named = [cause.format(words.quantity(number)) for cause, number in causes if number]
        self._put(self._dropped, f"{text} ({', '.join(named)})" if named else text)
        if document.is_live:
            parts = []
            if not live.up:
                parts.append(self.tr("the interface is down"))
            if live.set_back_s >= 1:
                parts.append(self.tr("the clock was set back by {0} s").format(words.quantity(round(live.set_back_s))))
            self._put(self._decoding, words.DOT.join(parts))

    def show_findings(self, counts: Mapping[Severity, int]) -> None:
        """How many findings there are, by severity."""
        self.findings.show_counts(counts)
        self._fit()

    def show_preparing(self, text: str) -> None:
        """What is done beside the window at a first start; empty: nothing."""
        self._put(self._preparing, text)
        self._fit()

    def _put(self, label: QLabel, text: str) -> None:
        self._texts[label] = text

    @Slot()
    def _on_rows(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    @Slot()
    def _say(self) -> None:
        document = self._document
        if document is None:
            return
        self._say_packets(document)
        counter = self._counter
        if counter is not None:
            # At first, counting takes long in a large capture.
            document.ask(_TOPIC, lambda _: counter.counts(), self._say_counts, gives_way=True)
        self._say_sources(document)
        self._fit()

    def _say_packets(self, document: Document) -> None:
        """How many there are, how many of them are shown, and what a person attached."""
        count = len(document.tables.packets)
        parts = [self.tr("Packets {0}").format(words.quantity(count))]
        if 0 <= self._displayed < count:
            share = words.decimal(100 * self._displayed / count, 1)
            parts.append(self.tr("Displayed {0} ({1} %)").format(words.quantity(self._displayed), share))
        named = ((Mark.MARKED, self.tr("Marked {0}")), (Mark.IGNORED, self.tr("Ignored {0}")))
        counts = [(len(document.marks.of(kind)), text) for kind, text in named]
        parts += [text.format(words.quantity(number)) for number, text in counts if number]
        self._put(self._packets, words.DOT.join(parts))

    @Slot(int)
    def show_displayed(self, count: int) -> None:
        """So many packets the list shows; -1: all."""
        self._displayed = count
        if self._document is not None:
            self._on_rows()

    @Slot()
    def _on_marks(self) -> None:
        if self._document is not None:
            self._say_packets(self._document)
            self._fit()

    def _say_counts(self, stats: RebuiltCounts) -> None:
        rebuilt = (words.quantity(number) for number in (stats.rebuilt, stats.proved, stats.unproven))
        self._put(self._snapshots, self.tr("Rebuilt {0}, proved {1}, unproven {2}").format(*rebuilt))
        self._failures = stats.failed
        failed, unknown = words.quantity(stats.failed), words.quantity(stats.unknown)
        self._put(self._failed, self.tr("Failed {0}, unknown {1}").format(failed, unknown))
        self._fit()

    def _say_sources(self, document: Document) -> None:
        """Who talks in the capture, what the tables take, what the capturing program dropped."""
        tables = document.tables
        protocols = document.worker.capture.protocols
        titles = {dialect: name for protocol in protocols for dialect, name in protocol.dialect_names.items()}
        counting = tables.readings.array("alive").astype(np.bool_)
        dialects = sorted({titles.get(name, name) for name in tables.readings.array("dialect")[counting].tolist()})
        readings = tables.sessions.integers("reading")[live_sessions(tables)]
        flows = set(tables.readings.integers("flow")[readings].tolist())
        clients = words.count(len(flows), self.tr("client"), self.tr("clients"))
        self._put(self._dialects, words.DOT.join([", ".join(dialects), clients]) if dialects else "")
        self._say_memory(tables)
        if self._live is not None:
            return
        dropped = document.worker.capture.source.dropped
        self._put(self._dropped, "" if dropped is None else self.tr("Dropped {0}").format(words.quantity(dropped)))

    def _say_memory(self, tables: Tables) -> None:
        """What the program takes, where the system tells; what had no room in memory."""
        resident, memory = resident_bytes(), tables.chunks
        used = sum(size for _, size in tables.memory().values())
        if resident is None:
            text = self.tr("Tables {0}").format(words.size(used))
        else:
            text = self.tr("RAM {0}").format(words.about(resident))
        if memory.moved:
            text += self.tr(", disk {0}").format(words.about(memory.moved))
        self._put(self._memory, text)
        tip = self.tr("Tables and charts: {0} in memory").format(words.size(memory.held))
        if memory.limit is not None:
            tip = self.tr("{0} of {1}; past it, rows move to a temporary file").format(tip, words.size(memory.limit))
        self._memory.setToolTip(tip)

    @Slot(float)
    def _on_progress(self, share: float) -> None:
        self._progress.show_share(share)
        text = self.tr("Decoding {0} %").format(int(100 * share))
        if text != self._texts[self._decoding]:
            self._put(self._decoding, text)
            self._fit()

    @Slot()
    def _say_pinned(self) -> None:
        """Which flows are read as a person wants."""
        pins = [] if self._document is None else [str(pin) for pin in self._document.pins]
        text = self.tr("Decode as {0}").format(pins[0] if len(pins) == 1 else words.quantity(len(pins)))
        self._put(self._pinned, text if pins else "")
        self._pinned.setToolTip("\n".join([self.tr("Flows that are read as you chose (Ctrl+Shift+U):"), *pins]))
        self._fit()

    @Slot(float)
    def _on_rereading(self, share: float) -> None:
        self._progress.setVisible(self._document is not None and self._document.is_decoded)
        self._progress.show_share(share)
        self._put(self._decoding, self.tr("Decoding anew {0} %").format(int(100 * share)))
        self._fit()

    @Slot()
    def _on_reread(self) -> None:
        document = self._document
        if document is not None and document.is_decoded:
            self._progress.hide()
            self._put(self._decoding, "")
        elif self._stream or (document is not None and document.is_live):
            self._put(self._decoding, self._stream)
        self._say()

    @Slot()
    def _on_decoded(self) -> None:
        self._soon.stop()
        self._progress.hide()
        document = self._document
        stopped = document is not None and document.worker.cancelled
        self._put(self._decoding, self.tr("Stopped") if stopped else "")
        self._say()

    def _fit(self) -> None:
        """Each part is said whole or not at all, the least important left out first; the file's name is cut."""
        for label, text in self._texts.items():
            self._write(label, text)
        self.findings.set_short(False)
        left_out = []
        # Who shows some of the packets alone has to see that, and how many.
        order = sorted(self._least_first, key=lambda label: label is self._packets and self._displayed >= 0)
        for label in order:
            if self._taken() <= self.width():
                break
            if label.text():
                left_out.append(label.text())
                self._write(label, "")
        over = self._taken() - self.width()
        name, metrics = self._texts.get(self._file, ""), self._file.fontMetrics()
        if over > 0 and name:
            room = max(metrics.horizontalAdvance(name) - over, metrics.averageCharWidth() * LEAST_NAME)
            self._write(self._file, metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room))
            left_out.insert(0, name)
        self.setToolTip("\n".join(left_out))
        self._fit_hint()

    def _write(self, label: QLabel, text: str) -> None:
        """What says nothing takes no room."""
        if self._written.get(label) == text:
            return
        self._written[label] = text
        self._widths.pop(label, None)
        apart = APART if text else 0
        at_left = label in (self._file, self._packets, self._snapshots, self._failed, self._dropped)
        label.setContentsMargins(0 if at_left else apart, 0, apart if at_left else 0, 0)
        label.setText(text)

    def _taken(self) -> int:
        """Pixels of what stands in the bar, but for the hint."""
        for label in self._texts.keys() - self._widths.keys():
            self._widths[label] = label.sizeHint().width()
        widths = [self._widths[label] for label in self._texts]
        widths += [part.sizeHint().width() for part in (self._progress, self.findings) if not part.isHidden()]
        return sum(widths) + GAP * len(widths) + 2 * EDGE

    def _fit_hint(self) -> None:
        """When all is decoded: what failed and the key to it, as far as there is room; the count is at the left too."""
        document = self._document
        if document is None or not document.is_decoded or not self._failures:
            self._hint.hide()
            return
        failed = words.count(self._failures, self.tr("snapshot failed"), self.tr("snapshots failed"))
        for text, short in (
            (self.tr("{0} · Shift+J goes to the next").format(failed), False),
            (self.tr("Shift+J: next failed"), False),
            (self.tr("Shift+J: next failed"), True),
        ):
            self._hint.setText(text)
            self.findings.set_short(short)
            if self._taken() + GAP + self._hint.sizeHint().width() <= self.width():
                self._hint.show()
                return
        if self._memory.text():
            self.setToolTip("\n".join(filter(None, (self.toolTip(), self._memory.text()))))
            self._write(self._memory, "")
            self._fit_hint()
            return
        self._hint.hide()
        self.findings.set_short(False)


def _held(part: QWidget) -> QWidget:
    """What comes and goes by itself, in a widget that the bar may hide while it says something else."""
    holder = QWidget()
    layout = QHBoxLayout(holder)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(part)
    return holder
