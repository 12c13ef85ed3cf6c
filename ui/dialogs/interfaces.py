"""The network interfaces of this machine, with their addresses: one is chosen to capture on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal, Slot
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
from ui.traffic import SECONDS, Traffic
from ui.views.heads import TableHead
from ui.views.sparkline import paint_sparkline
from ui.words import quantity

LEAST_ROWS = 4
LEAST_COLUMN = 96
"""At 100 % zoom."""
STYLE_PADDING = 3
"""What the style leaves before a text by itself."""
NAME_ROLE = Qt.ItemDataRole.UserRole
RATES_ROLE = Qt.ItemDataRole.UserRole + 1
LOOPBACK_ROLE = Qt.ItemDataRole.UserRole + 2
TRAFFIC = 3
"""The column with the curve."""
TRAFFIC_WIDTH = 180
CURVE_SHARE = 0.45


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


class _Curve(_Padded):
    """The traffic of a minute, and how much it is now."""

    def __init__(self, theme: Theme, row_height: int, parent: QWidget) -> None:
        super().__init__(row_height, parent)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        super().paint(painter, option, index)
        rates = index.data(RATES_ROLE)
        if rates:
            area = QRectF(option.rect).adjusted(CELL_PADDING, 2, -CELL_PADDING, -2)
            area.setLeft(area.right() - CURVE_SHARE * area.width())
            paint_sparkline(painter, area, rates, SECONDS, self._theme)


class InterfaceList(QTreeWidget):
    """Double click or Enter in a row chooses it."""

    chosen = Signal()

    def __init__(self, theme: Theme, zoom: float, traffic: Traffic, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._traffic = traffic
        self._row_height = round(ICON_ROW_HEIGHT * zoom)
        self.setAccessibleName(self.tr("Network interfaces"))
        head = TableHead(theme, self)
        head.set_zoom(zoom)
        self.setHeader(head)
        self.setHeaderLabels([self.tr("Interface"), self.tr("Addresses"), self.tr("State"), self.tr("Last 60 s")])
        head.setStretchLastSection(False)
        head.setMinimumSectionSize(round(LEAST_COLUMN * zoom))
        for column, mode in enumerate(("ResizeToContents", "Stretch", "ResizeToContents", "Fixed")):
            head.setSectionResizeMode(column, QHeaderView.ResizeMode[mode])
        head.resizeSection(TRAFFIC, round(TRAFFIC_WIDTH * zoom))
        self.setItemDelegate(_Padded(self._row_height, self))
        self.setItemDelegateForColumn(TRAFFIC, _Curve(theme, self._row_height, self))
        traffic.changed.connect(self._show_traffic)
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
            item.setData(0, LOOPBACK_ROLE, place.loopback)
            if not place.up:
                for column in range(TRAFFIC):
                    item.setForeground(column, self.palette().color(QPalette.ColorRole.PlaceholderText))
            self.addTopLevelItem(item)
            if self.currentItem() is None or place.name == chosen:
                self.setCurrentItem(item)
        self._show_traffic()

    @Slot()
    def _show_traffic(self) -> None:
        for row in range(self.topLevelItemCount()):
            item = self.topLevelItem(row)
            assert item is not None
            name = item.data(0, NAME_ROLE)
            rates = self._traffic.rates(name, loopback=bool(item.data(0, LOOPBACK_ROLE))) if name else []
            item.setData(TRAFFIC, RATES_ROLE, rates)
            item.setText(TRAFFIC, self.tr("{0} packets/s").format(quantity(round(rates[-1]))) if rates else "")

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
