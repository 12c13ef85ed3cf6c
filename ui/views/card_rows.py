"""Rows of a list on a card: a rounded ground, an icon, two lines of text, a badge behind the name."""

from __future__ import annotations

import qtawesome
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QIcon, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from ui import fonts
from ui.theme import RADIUS, Theme

CARD_ROW_HEIGHT = 50
_ICON = 16.0


class CardRows(QStyledItemDelegate):
    """What such rows have in common; a subclass paints what is in them."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.zoom = 1.0

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, round(CARD_ROW_HEIGHT * self.zoom))

    def begin(self, painter: QPainter, option: QStyleOptionViewItem, icon_name: str, tone: str) -> QRectF:
        """Paint ground and icon; returns the room for the rest."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(option.rect).adjusted(0.5, 1.5, -0.5, -1.5)
        self._paint_ground(painter, option, area)
        inner = area.adjusted(12, 5, -8, -5)
        icon: QIcon = qtawesome.icon(icon_name, color=self.theme.color(tone))
        icon.paint(painter, QRectF(inner.left(), inner.center().y() - _ICON / 2, _ICON, _ICON).toRect())
        inner.setLeft(inner.left() + _ICON + 12)
        return inner

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, area: QRectF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        if option.state & QStyle.StateFlag.State_Selected:
            active = bool(option.state & QStyle.StateFlag.State_HasFocus)
            if active:
                painter.setPen(QPen(self.theme.color("focus"), 1.5))
            painter.setBrush(self.theme.color("select" if active else "select_off"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(self.theme.color("hover"))
        else:
            return
        painter.drawRoundedRect(area, RADIUS, RADIUS)

    def width(self, text: str) -> float:
        """Of small text."""
        return QFontMetricsF(fonts.font(fonts.Use.HEAD, zoom=self.zoom)).horizontalAdvance(text)

    def lines(
        self, painter: QPainter, area: QRectF, name: str, text: str, *, badge: str = "", severity: str, off: bool
    ) -> None:
        """The name with its badge, and what is to be said of it below; `off`: it cannot be chosen."""
        upper = QRectF(area.left(), area.top(), area.width(), area.height() / 2)
        lower = upper.translated(0, upper.height())
        badge_width = self.width(badge) + 12 if badge else 0.0
        named = upper.adjusted(0, 0, -badge_width - 8 if badge else 0, 0)
        width = self.text(painter, named, name, fonts.Use.PANE_TITLE, "text3" if off else "text")
        self.text(painter, lower, text, fonts.Use.HEAD, "text3" if off else "text2")
        if badge:
            place = QRectF(named.left() + width + 8, upper.center().y() - 8, badge_width, 16)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.theme.color(f"{severity}_bg"))
            painter.drawRoundedRect(place, 8, 8)
            self.text(painter, place, badge, fonts.Use.HEAD, severity, Qt.AlignmentFlag.AlignHCenter)

    def text(
        self,
        painter: QPainter,
        area: QRectF,
        text: str,
        use: fonts.Use,
        tone: str,
        side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> float:
        """Paint one line, elided in the middle; returns its width."""
        font = fonts.font(use, zoom=self.zoom)
        metrics = QFontMetricsF(font)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, area.width())
        painter.setFont(font)
        painter.setPen(self.theme.color(tone))
        painter.drawText(area, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
        return metrics.horizontalAdvance(shown)


class CardList(QListView):
    """A list of such rows, of which one is selected."""

    def __init__(self, rows: CardRows, model: QAbstractItemModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = rows
        self.setModel(model)
        self.setItemDelegate(rows)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._rows.theme = theme
        self.viewport().update()

    def set_zoom(self, zoom: float) -> None:
        """Scale type and rows."""
        self._rows.zoom = zoom
        self.scheduleDelayedItemsLayout()
