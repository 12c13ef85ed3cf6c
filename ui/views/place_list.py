"""The list of network interfaces on the welcome page: two lines each, and the traffic of the last minute."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from ui import fonts
from ui.models.places import ROW_ROLE, PlaceModel, PlaceRow
from ui.theme import Theme
from ui.traffic import SECONDS
from ui.views.card_rows import CardList, CardRows
from ui.views.sparkline import paint_sparkline

CURVE_WIDTH = 120.0
LEAST_TEXT = 150.0
"""Where the row has less room for its texts, the curve is left out."""
_USUAL_RATE = "00\u202f000 packets/s"


class _PlaceDelegate(CardRows):
    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, PlaceRow):
            return
        painter.save()
        icon = "ph.stack" if row.loopback else "ph.share-network"
        inner = self.begin(painter, option, icon, "text2" if row.up else "text3")
        right = inner.right()
        if row.rate:
            self.text(painter, inner, row.rate, fonts.Use.HEAD, "text2", Qt.AlignmentFlag.AlignRight)
            right -= self.width(_USUAL_RATE) + 12
        if row.rates and right - CURVE_WIDTH * self.zoom - inner.left() > LEAST_TEXT * self.zoom:
            right -= CURVE_WIDTH * self.zoom
            curve = QRectF(right, inner.top() + 2, CURVE_WIDTH * self.zoom, inner.height() - 4)
            paint_sparkline(painter, curve, row.rates, SECONDS, self.theme)
            right -= 12
        left = QRectF(inner.left(), inner.top(), right - inner.left(), inner.height())
        self.lines(painter, left, row.name, row.text, badge=row.badge, severity="added", off=not row.up)
        painter.restore()


class PlaceList(CardList):
    """A double click or Enter asks to capture there."""

    wanted = Signal()

    def __init__(self, theme: Theme, model: PlaceModel, parent: QWidget | None = None) -> None:
        super().__init__(_PlaceDelegate(theme), model, parent)
        self._places = model
        self.setAccessibleName(self.tr("Network interfaces"))
        self.doubleClicked.connect(lambda index: self.wanted.emit())

    @property
    def chosen(self) -> str:
        """Name of the interface; empty: none is chosen."""
        index = self.currentIndex()
        return self._places.row_at(index.row()).name if index.isValid() else ""

    def choose(self, name: str) -> None:
        """By name; the first where there is none of that name."""
        if self._places.rowCount():
            self.setCurrentIndex(self._places.index(max(0, self._places.row_of(name))))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.currentIndex().isValid() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.wanted.emit()
        else:
            super().keyPressEvent(event)
