"""The network interfaces of this machine, with their addresses: one is chosen to capture on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from analyzer.capture.live.messages import NetworkPlace
from ui.theme import CELL_PADDING, ICON_ROW_HEIGHT, Theme
from ui.views.heads import TableHead

LEAST_ROWS = 4
LEAST_COLUMN = 96
"""At 100 % zoom."""
STYLE_PADDING = 3
"""What the style leaves before a text by itself."""
NAME_ROLE = Qt.ItemDataRole.UserRole


_Index = QModelIndex | QPersistentModelIndex


class _Padded(QStyledItemDelegate):
    """Texts begin where those of the heads do."""

    def __init__(self, row_height: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._row_height = row_height

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        whole = QStyleOptionViewItem(option)
        self.initStyleOption(whole, index)
        # The ground of the whole cell, else that of a selected row had gaps.
        style = option.widget.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, whole, painter, option.widget)
        inner = QStyleOptionViewItem(option)
        inner.rect.adjust(CELL_PADDING - STYLE_PADDING, 0, 0, 0)
        super().paint(painter, inner, index)

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        width = super().sizeHint(option, index).width() + 2 * (CELL_PADDING - STYLE_PADDING)
        return QSize(width, self._row_height)


class InterfaceList(QTreeWidget):
    """Double click or Enter in a row chooses it."""

    chosen = Signal()

    def __init__(self, theme: Theme, zoom: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._row_height = round(ICON_ROW_HEIGHT * zoom)
        self.setAccessibleName(self.tr("Network interfaces"))
        head = TableHead(theme, self)
        head.set_zoom(zoom)
        self.setHeader(head)
        self.setColumnCount(3)
        self.setHeaderLabels([self.tr("Interface"), self.tr("Addresses"), self.tr("State")])
        head.setStretchLastSection(False)
        head.setMinimumSectionSize(round(LEAST_COLUMN * zoom))
        for column, mode in enumerate(("ResizeToContents", "Stretch", "ResizeToContents")):
            head.setSectionResizeMode(column, QHeaderView.ResizeMode[mode])
        self.setItemDelegate(_Padded(self._row_height, self))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setMinimumHeight(head.sizeHint().height() + LEAST_ROWS * self._row_height)
        self.itemActivated.connect(lambda: self.chosen.emit())

    @property
    def name(self) -> str:
        """The interface that is chosen, empty while there is none."""
        current = self.currentItem()
        return str(current.data(0, NAME_ROLE) or "") if current is not None else ""

    def wait(self) -> None:
        """They are being asked for."""
        self._say(self.tr("Asking which interfaces there are..."))

    def lack(self, text: str) -> None:
        """There is no list; the sentence says why."""
        self._say(text)

    def show_places(self, places: Sequence[NetworkPlace], chosen: str) -> None:
        """List them, with one chosen: by name, else the first."""
        self.clear()
        if not places:
            self._say(self.tr("This machine has no network interface that can be captured on"))
            return
        for place in places:
            item = QTreeWidgetItem([_title(place), ", ".join(place.addresses) or "–", self._state(place)])
            item.setData(0, NAME_ROLE, place.name)
            item.setToolTip(1, "\n".join(place.addresses))
            if not place.up:
                for column in range(3):
                    item.setForeground(column, self.palette().color(QPalette.ColorRole.PlaceholderText))
            self.addTopLevelItem(item)
            if self.currentItem() is None or place.name == chosen:
                self.setCurrentItem(item)

    def _state(self, place: NetworkPlace) -> str:
        if not place.up:
            return self.tr("down")
        return self.tr("this machine only") if place.loopback else self.tr("up")

    def _say(self, text: str) -> None:
        self.clear()
        item = QTreeWidgetItem([text])
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        self.addTopLevelItem(item)
        item.setFirstColumnSpanned(True)


def _title(place: NetworkPlace) -> str:
    return f"{place.name} ({place.description})" if place.description else place.name
