"""Capture options: on which interface, what, until when, where to, and by which right. Stays open until it captures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from analyzer.capture.live.messages import NetworkPlace
from analyzer.capture.live.rights import Through, Ways
from ui.dialogs.capture_filter import CaptureFilter, Check
from ui.dialogs.interfaces import InterfaceList
from ui.dialogs.sentence import Sentence
from ui.inquiry import Inquiry
from ui.settings import CaptureOptions
from ui.theme import Theme
from ui.traffic import Traffic

FILE_FILTER = "pcapng (*.pcapng)"
MAX_SNAP = 262_144
MAX_PACKETS = 1_000_000_000
MAX_MEGABYTES = 1_000_000
MAX_SECONDS = 7 * 86_400
INTERFACES_TOPIC = "interfaces"
FIRST_SIZE = (660, 480)
FRAME = (16, 48)
"""What a window manager adds at most, and a little of what is behind."""
LEAST_SHOWN = 96
"""At 100 % zoom: so high is what scrolls on a screen that is too small for all of it."""
TERMINAL_ONLY = {Through.SUDO}
"""Asks for the password where no window shows it."""

ListInterfaces = Callable[[], list[NetworkPlace]]


class CaptureDialog(QDialog):
    """Edits `CaptureOptions`. Whoever captures with them says `accept`, or `refuse` with the reason."""

    wanted = Signal(object)
    """Start with these `CaptureOptions`."""

    def __init__(
        self,
        theme: Theme,
        zoom: float,
        options: CaptureOptions,
        found: Ways,
        inquiry: Inquiry,
        traffic: Traffic,
        list_interfaces: ListInterfaces,
        check_filter: Check,
        parent: QWidget | None = None,
    ) -> None:
        """`found`: what there is to get the right by. The two functions are asked off the window's thread."""
        super().__init__(parent)
        self.setWindowTitle(self.tr("Capture options"))
        self._options = options
        self._found = found
        self._inquiry = inquiry
        self._list_interfaces = list_interfaces
        self._says_taken = False
        self._traffic = traffic
        traffic.watch(self, True)
        self.interfaces = InterfaceList(theme, zoom, traffic)
        self.filter = CaptureFilter(theme, zoom, inquiry, check_filter)
        self.sentence = Sentence(theme, zoom)
        self._copy = QPushButton(self.tr("Copy the command") if found.command else self.tr("Copy the advice"))
        self._copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(found.command or found.hint))
        self._copy.hide()
        self._make_fields()
        self._make_buttons()
        self._lay_out(zoom)
        self.interfaces.chosen.connect(self._start)
        self.interfaces.currentItemChanged.connect(lambda: self._enable())
        self.filter.changed.connect(self._enable)
        self.filter.set_text(options.filter)
        # 40 % more words fit.
        wanted = QSize(round(FIRST_SIZE[0] * min(zoom, 1.5)), round(FIRST_SIZE[1] * min(zoom, 1.3)))
        self.resize(wanted.boundedTo(self.screen().availableSize() - QSize(*FRAME)))
        QShortcut(QKeySequence("F5"), self).activated.connect(self.refresh)
        self.refresh()

    @property
    def options(self) -> CaptureOptions:
        """As they are now."""
        return CaptureOptions(
            interface=self.interfaces.name,
            filter=self.filter.text,
            snap_length=self.snap.value(),
            promiscuous=self.promiscuous.isChecked(),
            through=str(self.through.currentData() or ""),
            packets=self.packets.value(),
            megabytes=self.megabytes.value(),
            seconds=self.seconds.value(),
            file=self.file.text().strip(),
        )

    @Slot()
    def refresh(self) -> None:
        """Ask anew which interfaces there are."""
        kept = self.interfaces.name or self._options.interface
        self.interfaces.wait()
        self._enable()
        self._inquiry.ask(
            INTERFACES_TOPIC,
            self._list_interfaces,
            lambda places: self._show_interfaces(places, kept),
            lambda error: self.interfaces.lack(str(error)),
        )

    def refuse(self, text: str, *, advise: bool = False) -> None:
        """It cannot capture; `advise`: for want of the right, which may be got as the advice says."""
        self._set_busy(False)
        hint = self._found.hint if advise else ""
        self._copy.setVisible(bool(hint))
        ready = [way for way in self._found.ready if way not in TERMINAL_ONLY]
        other = next((way for way in ready if way != self.through.currentData()), None)
        parts = [text]
        if advise and other is not None:
            self.through.setCurrentIndex(self.through.findData(other))
            parts.append(
                self.tr("Start again to capture through {0}, which gets the right and nothing else.").format(other)
            )
        self.sentence.say(" ".join([*parts, hint]).strip(), "error")

    def warn(self, text: str) -> None:
        """Say what stands in no way."""
        self.sentence.say(text, "warn")

    def done(self, result: int) -> None:
        self._inquiry.forget(INTERFACES_TOPIC)
        self._traffic.watch(self, False)
        self.filter.stop()
        super().done(result)

    def _make_fields(self) -> None:
        options, tr = self._options, self.tr
        self.snap = _spin(options.snap_length, MAX_SNAP, tr(" bytes"), tr("Whole packets"), 64)
        self.promiscuous = QCheckBox(tr("Also packets for other machines"))
        self.promiscuous.setChecked(options.promiscuous)
        self.packets = _spin(options.packets, MAX_PACKETS, tr(" packets"), tr("Any number"), 1000)
        self.megabytes = _spin(options.megabytes, MAX_MEGABYTES, tr(" MB"), tr("Any size"), 10)
        self.seconds = _spin(options.seconds, MAX_SECONDS, tr(" s"), tr("Any time"), 10)
        for box, name in (
            (self.packets, tr("Stop after so many packets")),
            (self.megabytes, tr("Stop after so many megabytes")),
            (self.seconds, tr("Stop after so many seconds")),
        ):
            box.setAccessibleName(name)
            box.setToolTip(name)
        self.file = QLineEdit(options.file)
        self.file.setPlaceholderText(tr("A temporary file, which can be saved later"))
        self.file.textChanged.connect(lambda: self._enable())
        self.through = QComboBox()
        self.through.addItem(tr("Of this user"), "")
        words = {
            Through.DUMPCAP: tr("Of Wireshark's dumpcap, which captures in its place"),
            Through.PKEXEC: tr("Of the administrator, who is asked (pkexec)"),
        }
        for way in self._found.ready:
            if way not in TERMINAL_ONLY:
                self.through.addItem(words[way], way)
        self.through.setCurrentIndex(max(0, self.through.findData(options.through)))

        self._fields: tuple[QWidget, ...] = (
            *(self.interfaces, self.filter, self.snap, self.promiscuous),
            *(self.packets, self.megabytes, self.seconds, self.file, self.through),
        )

    def _make_buttons(self) -> None:
        roles = QDialogButtonBox.ButtonRole
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.start = self.buttons.addButton(self.tr("Start the capture"), roles.AcceptRole)
        self.start.setDefault(True)
        self.again = QPushButton(self.tr("Refresh the list"))
        self.again.setAutoDefault(False)
        self.again.setToolTip(self.tr("Ask anew which interfaces there are (F5)"))
        self.again.clicked.connect(self.refresh)
        self.buttons.accepted.connect(self._start)
        self.buttons.rejected.connect(self.reject)

    def _lay_out(self, zoom: float) -> None:
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        choices = self._choices()
        scroll.setWidget(choices)
        bar = scroll.verticalScrollBar().sizeHint().width()
        scroll.setMinimumSize(choices.minimumSizeHint().width() + bar, round(LEAST_SHOWN * zoom))
        self.said = QWidget()
        line = QHBoxLayout(self.said)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.sentence, 1)
        line.addWidget(self._copy)
        below = QHBoxLayout()
        below.addWidget(self.again)
        below.addWidget(self.buttons, 1)
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addWidget(scroll, 1)
        column.addWidget(self.said)
        column.addLayout(below)
        self.interfaces.setFocus()

    def _choices(self) -> QWidget:
        """What is captured, how, and where to."""
        browse = QPushButton(self.tr("Choose..."))
        browse.setAutoDefault(False)
        browse.setAccessibleName(self.tr("Choose the file"))
        browse.clicked.connect(self._browse)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setVerticalSpacing(8)
        form.addRow(self.tr("Capture &filter"), self.filter)
        form.addRow(self.tr("&Keep of each"), _row((self.snap, self.promiscuous)))
        form.addRow(self.tr("Stop &after"), _row((self.packets, self.megabytes, self.seconds)))
        form.addRow(self.tr("Write &to"), _row((self.file, browse)))
        if self.through.count() > 1:
            form.addRow(self.tr("&Right to capture"), self.through)
        choices = QWidget()
        column = QVBoxLayout(choices)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self.interfaces, 1)
        column.addLayout(form)
        return choices

    def _show_interfaces(self, places: Sequence[NetworkPlace], kept: str) -> None:
        self.interfaces.show_places(places, kept)
        self._enable()

    def _browse(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, self.tr("Write the capture to"), self.file.text(), FILE_FILTER, options=_NEVER_OVERWRITES
        )
        if path:
            self.file.setText(path if Path(path).suffix else f"{path}.pcapng")

    @Slot()
    def _enable(self) -> None:
        """Start is possible, or the sentence says why not."""
        taken = bool(self.file.text().strip()) and Path(self.file.text().strip()).exists()
        if taken:
            self._says_taken = True
            name = Path(self.file.text().strip()).name
            self.sentence.say(self.tr("{0} exists already; choose another name.").format(name), "error")
        elif self._says_taken:
            self._says_taken = False
            self.sentence.say("")
        self.start.setEnabled(bool(self.interfaces.name) and not self.filter.is_wrong and not taken)

    @Slot()
    def _start(self) -> None:
        if self.start.isEnabled():
            self._set_busy(True)
            self.wanted.emit(self.options)

    def _set_busy(self, busy: bool) -> None:
        for widget in self._fields:
            widget.setEnabled(not busy)
        self.start.setEnabled(not busy)
        self._copy.hide()
        self.sentence.say(self.tr("Starting...") if busy else "", "note")


_NEVER_OVERWRITES = QFileDialog.Option.DontConfirmOverwrite
"""The sniffer makes a new file; the dialog says so of a name that is taken."""


def _spin(value: int, most: int, unit: str, none: str, step: int) -> QSpinBox:
    """A number of which 0 means that there is no limit."""
    box = QSpinBox()
    box.setRange(0, most)
    box.setSuffix(unit)
    box.setSpecialValueText(none)
    box.setSingleStep(step)
    box.setGroupSeparatorShown(False)
    box.setValue(value)
    return box


def _row(widgets: Sequence[QWidget]) -> QWidget:
    """Side by side; what the label before it leads to is the first."""
    row = QWidget()
    line = QHBoxLayout(row)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(8)
    for place, widget in enumerate(widgets):
        line.addWidget(widget, 1 if len(widgets) == 3 or isinstance(widget, QLineEdit) else 0)
        if place == 0:
            row.setFocusProxy(widget)
    if len(widgets) == 2 and not isinstance(widgets[0], QLineEdit):
        line.addStretch(1)
    row.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return row
