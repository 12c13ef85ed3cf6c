"""A table with flat heads, fixed rows and one delegate, whose first or last column takes the width that is left."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QMenu, QTableView, QWidget

from ui.theme import Theme
from ui.views.cells import CellDelegate
from ui.views.heads import TableHead
from ui.views.hovered_row import HoveredRow


def make_plain(table: QTableView) -> None:
    """Rows of one height that are selected one at a time; nothing is edited, no grid, no frame."""
    table.setFrameShape(QFrame.Shape.NoFrame)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setMouseTracking(True)
    table.setTabKeyNavigation(False)
    table.setCornerButtonEnabled(False)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.verticalHeader().hide()
    table.verticalHeader().setMinimumSectionSize(8)
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)


class PlainTable(QTableView):
    """Widths are given at 100 % zoom. Rows of the columns in `fit` share the width of the view."""

    chosen = Signal(int)
    """A row was double-clicked, or Enter was pressed in it."""

    def __init__(
        self,
        theme: Theme,
        model: QAbstractItemModel,
        delegate: CellDelegate,
        head: TableHead,
        *,
        row_height: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._cells, self._head = delegate, head
        self._row_height = row_height
        self._zoom = 1.0
        self._widths: Sequence[int] = ()
        self._stretched, self._least, self._fit = 0, 0, 0
        delegate.setParent(self)
        self.setHorizontalHeader(head)
        self.setModel(model)
        self.setItemDelegate(delegate)
        make_plain(self)
        delegate.hovered = HoveredRow(self)
        self.doubleClicked.connect(lambda index: self.chosen.emit(index.row()))
        self.set_theme(theme)
        self.set_zoom(1.0)

    def set_widths(self, widths: Sequence[int], *, stretched: int, least: int, fit: int) -> None:
        """Column `stretched` takes what the first `fit` columns leave of the view, but never less than `least`."""
        self._widths = widths
        self._stretched, self._least, self._fit = stretched, least, fit
        for column, width in enumerate(widths):
            if column != stretched:
                self.setColumnWidth(column, round(width * self._zoom))
        self.fit_columns()

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._cells.set_theme(theme)
        self._head.set_theme(theme)
        self.viewport().update()

    def set_zoom(self, zoom: float) -> None:
        """Scale type, rows and columns."""
        self._zoom = zoom
        self._cells.set_zoom(zoom)
        self._head.set_zoom(zoom)
        self.verticalHeader().setDefaultSectionSize(round(self._row_height * zoom))
        self.set_widths(self._widths, stretched=self._stretched, least=self._least, fit=self._fit)

    def fit_columns(self) -> None:
        """Give the stretched column what is left."""
        if self._widths:
            others = (
                self.columnWidth(column)
                for column in range(self._fit)
                if column != self._stretched and not self.isColumnHidden(column)
            )
            self.setColumnWidth(
                self._stretched, max(round(self._least * self._zoom), self.viewport().width() - sum(others))
            )

    def copy_row(self) -> None:
        """The current row's shown columns into the clipboard, separated by tabs."""
        current = self.currentIndex()
        if current.isValid():
            head = self.horizontalHeader()
            columns = [head.logicalIndex(place) for place in range(head.count())]
            texts = [str(current.siblingAtColumn(c).data() or "") for c in columns if not self.isColumnHidden(c)]
            QGuiApplication.clipboard().setText("\t".join(texts))

    def copy_value(self) -> None:
        """The current cell into the clipboard."""
        if self.currentIndex().isValid():
            QGuiApplication.clipboard().setText(str(self.currentIndex().data() or ""))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not self.currentIndex().isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Copy value"), self.copy_value)
        menu.addAction(self.tr("Copy row"), self.copy_row)
        menu.popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.chosen.emit(self.currentIndex().row())
            return
        super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """No type-ahead: single letters are commands of the window."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()
