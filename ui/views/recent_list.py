"""The list of recent captures: two lines each, with a badge; Enter or a click opens, Delete takes off the list."""

from __future__ import annotations

import qtawesome
from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QIcon, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from ui import fonts
from ui.models.recent import ROW_ROLE, RecentModel, RecentRow
from ui.theme import RADIUS, Theme

CAPTURE_ROW_HEIGHT = 50
_ICON = 16.0


class _RecentDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.zoom = 1.0

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, round(CAPTURE_ROW_HEIGHT * self.zoom))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, RecentRow):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(option.rect).adjusted(0.5, 1.5, -0.5, -1.5)
        self._paint_ground(painter, option, area)
        inner = area.adjusted(12, 5, -8, -5)
        self._paint_icon(painter, QRectF(inner.left(), inner.center().y() - _ICON / 2, _ICON, _ICON), row)
        inner.setLeft(inner.left() + _ICON + 12)
        self._paint_texts(painter, inner, row)
        painter.restore()

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

    def _paint_icon(self, painter: QPainter, area: QRectF, row: RecentRow) -> None:
        name, tone = ("ph.file-x", "text3") if row.missing else ("ph.file", "text2")
        icon: QIcon = qtawesome.icon(name, color=self.theme.color(tone))
        icon.paint(painter, area.toRect())

    def _paint_texts(self, painter: QPainter, area: QRectF, row: RecentRow) -> None:
        small = fonts.font(fonts.Use.HEAD, zoom=self.zoom)
        opened = QFontMetricsF(small).horizontalAdvance(row.opened)
        self._text(painter, area, row.opened, fonts.Use.HEAD, "text2", Qt.AlignmentFlag.AlignRight)
        left = area.adjusted(0, 0, -opened - 16, 0)
        upper = QRectF(left.left(), left.top(), left.width(), left.height() / 2)
        lower = upper.translated(0, upper.height())
        badge = 0.0
        if row.badge:
            badge = QFontMetricsF(small).horizontalAdvance(row.badge) + 12
        name = upper.adjusted(0, 0, -badge - 8 if badge else 0, 0)
        width = self._text(painter, name, row.name, fonts.Use.PANE_TITLE, "text3" if row.missing else "text")
        self._text(painter, lower, row.text, fonts.Use.HEAD, "text3" if row.missing else "text2")
        if badge:
            self._paint_badge(painter, QRectF(name.left() + width + 8, upper.center().y() - 8, badge, 16), row)

    def _paint_badge(self, painter: QPainter, area: QRectF, row: RecentRow) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.color(f"{row.severity}_bg"))
        painter.drawRoundedRect(area, 8, 8)
        self._text(painter, area, row.badge, fonts.Use.HEAD, row.severity, Qt.AlignmentFlag.AlignHCenter)

    def _text(
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


class RecentList(QListView):
    """Emits paths. What is missing cannot be opened."""

    opened = Signal(str)
    forgotten = Signal(str)

    def __init__(self, theme: Theme, model: RecentModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._captures = model
        self._delegate = _RecentDelegate(theme, self)
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._context_menu)
        self.setAccessibleName(self.tr("Recent captures"))
        self.clicked.connect(lambda index: self.open_row(index.row()))

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._delegate.theme = theme
        self.viewport().update()

    def set_zoom(self, zoom: float) -> None:
        """Scale type and rows."""
        self._delegate.zoom = zoom
        self.scheduleDelayedItemsLayout()

    def open_row(self, row: int) -> None:
        """Ask for a capture to be opened, if it is still there."""
        capture = self._captures.row_at(row)
        if not capture.missing:
            self.opened.emit(capture.path)

    def capture_menu(self, row: int) -> QMenu:
        """What can be done with a capture; the menu deletes itself when it closes."""
        capture = self._captures.row_at(row)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        open_it = menu.addAction(self.tr("Open"), lambda: self.open_row(row))
        open_it.setEnabled(not capture.missing)
        menu.addAction(self.tr("Remove from the list\tDel"), lambda: self.forgotten.emit(capture.path))
        return menu

    def focusInEvent(self, event: QFocusEvent) -> None:
        """By keys nobody sees where they are until a row is selected; Qt makes the first one current, no more."""
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.selectionModel().select(self.currentIndex(), QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if index.isValid() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.open_row(index.row())
        elif index.isValid() and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.forgotten.emit(self._captures.row_at(index.row()).path)
        else:
            super().keyPressEvent(event)

    def _context_menu(self, at: QPoint) -> None:
        index = self.indexAt(at)
        if not index.isValid():
            # Asked for by a key, the place is the middle of the list.
            index = self.currentIndex()
            at = self.visualRect(index).center()
        if index.isValid():
            self.capture_menu(index.row()).popup(self.viewport().mapToGlobal(at))
