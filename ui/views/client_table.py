"""The table of clients: bars below rates, and a menu of its columns."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRectF, Qt
from PySide6.QtGui import QAction, QPainter
from PySide6.QtWidgets import QMenu, QStyleOptionViewItem

from ui.models.clients import BAR_ROLE, ClientModel
from ui.theme import CELL_PADDING, ICON_ROW_HEIGHT, Theme
from ui.views.cells import CellDelegate
from ui.views.column_table import ColumnTable
from ui.views.heads import TableHead

LEAST_NAME = 76
ALWAYS_FIT = 6
"""The name and the columns that a dock of the usual width shows, even if long names are cut for them."""


class _RateDelegate(CellDelegate):
    """Also draws a bar below a number that has one."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, row_height=ICON_ROW_HEIGHT)
        self._colours = theme

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._colours = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        share = index.data(BAR_ROLE)
        if isinstance(share, float) and share > 0.0:
            area = QRectF(option.rect).adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
            width = max(1.0, area.width() * min(1.0, share))
            painter.fillRect(QRectF(area.right() - width, area.bottom() - 2, width, 2), self._colours.color("p2"))


class ClientTable(ColumnTable):
    """Sorted by a click in a head, the worst first again by the third; the menu of the heads hides columns."""

    def __init__(self, theme: Theme, model: ClientModel) -> None:
        head = TableHead(theme, sortable=True, first_stays=True)
        super().__init__(theme, model, _RateDelegate(theme), head, row_height=ICON_ROW_HEIGHT)
        self._clients = model
        self.setAccessibleName(self.tr("Clients"))
        self.set_widths([column.width for column in model.columns], stretched=0, least=LEAST_NAME, fit=ALWAYS_FIT)
        head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head.customContextMenuRequested.connect(lambda at: self.choose_columns(head.mapToGlobal(at)))
        head.sortIndicatorChanged.connect(model.sort)

    def choose_columns(self, at: QPoint) -> None:
        """Open the menu of the columns, at a place of the screen."""
        self.columns_menu().popup(at)

    def columns_menu(self) -> QMenu:
        """Which columns are shown; the menu deletes itself when it closes."""
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for number, column in enumerate(self._clients.columns):
            if number:
                action = QAction(column.head, menu, checkable=True, checked=not self.isColumnHidden(number))
                action.setToolTip(column.tip)
                action.toggled.connect(lambda shown, number=number: self._show_column(number, shown))
                menu.addAction(action)
        return menu

    @property
    def hidden_columns(self) -> tuple[str, ...]:
        """Names of the columns that are not shown."""
        return tuple(column.name for number, column in enumerate(self._clients.columns) if self.isColumnHidden(number))

    @hidden_columns.setter
    def hidden_columns(self, names: tuple[str, ...]) -> None:
        """Show all columns but these; the client is always shown."""
        for number, column in enumerate(self._clients.columns):
            self.setColumnHidden(number, number > 0 and column.name in names)
        self.fit_columns()

    def _show_column(self, column: int, shown: bool) -> None:
        self.setColumnHidden(column, not shown)
        self.fit_columns()
