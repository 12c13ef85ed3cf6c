"""What colours and signs of the packet list mean: each as it stands there, with its words."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHeaderView, QLabel, QVBoxLayout, QWidget

from ui.models.packet_cells import IGNORED, RULES
from ui.theme import ROW_HEIGHT, Theme
from ui.views.cells import CELL_ROLE, ROW_ROLE, Cell, Row
from ui.views.gutter import EDGE_WIDTH
from ui.views.row_table import RowTable

SAMPLE_WIDTH = 240
WIDTH = 640
Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


class ColoursModel(QAbstractTableModel):
    """Samples and their meaning; the first rule that fits a packet gives it its colour."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        tr = self.tr
        self.rows = (
            self._rule(
                "fail", "error", "Snap 234 base \u22124", tr("1. Failed: a snapshot or the packet itself is wrong")
            ),
            self._rule("full", "", "Snap 234 full", tr("2. Full: a snapshot without a baseline")),
            self._rule("multi", "", "Snap 234 part 1/2", tr("3. A snapshot in several parts")),
            self._rule("control", "", "Connect", tr("4. Control: it opens, keeps or closes a connection")),
            self._plain(Cell("Input", "text2"), tr("Grey text: sent by the client")),
            self._plain(Cell(IGNORED, "text3"), tr("You ignore the packet (Ctrl+D)")),
            self._plain(Cell("12", sign="mark"), tr("You marked the packet (Ctrl+M)")),
            self._plain(Cell("12", sign="reference"), tr("Times count from here (Ctrl+T)")),
            self._plain(Cell(tr("Warning"), sign="warn"), tr("Something is missing that the capture lost")),
            self._plain(Cell(tr("Note"), sign="note"), tr("Not rebuilt, without a fault in the capture")),
            self._plain(Cell(tr("Part"), sign="part"), tr("A part of the selected snapshot")),
            self._plain(Cell(tr("Baseline"), sign="base"), tr("A packet of its baseline")),
            self._plain(Cell(tr("Acknowledgement"), sign="ack"), tr("The input that made it the baseline")),
        )

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else 2

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role == CELL_ROLE:
            return row.cells[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.cells[index.column()].text
        return None

    def _rule(self, rule: str, sign: str, sample: str, meaning: str) -> Row:
        tint, edge = RULES[rule]
        return Row((Cell(sample, tint=tint, sign=sign), Cell(meaning)), edge)

    def _plain(self, sample: Cell, meaning: str) -> Row:
        return Row((sample, Cell(meaning)))


class ColoursTable(RowTable):
    """With the edge that a rule has in the gutter."""

    def __init__(self, theme: Theme, model: ColoursModel) -> None:
        super().__init__(theme, model)
        self._theme = theme

    def paint_over(self, painter: QPainter, number: int, row: Row, top: int) -> None:
        if row.edge:
            height = self.verticalHeader().defaultSectionSize()
            painter.fillRect(QRectF(0, top, EDGE_WIDTH, height), self._theme.color(row.edge))


class ColoursDialog(QDialog):
    """Opens beside the list, which stays usable."""

    def __init__(self, theme: Theme, zoom: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Colours and signs"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.model = ColoursModel(self)
        self.table = ColoursTable(theme, self.model)
        self.table.set_type(zoom)
        self.table.horizontalHeader().hide()
        self.table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.table.setColumnWidth(0, round(SAMPLE_WIDTH * zoom))
        self.table.verticalHeader().setDefaultSectionSize(round(ROW_HEIGHT * zoom))
        self.table.setAccessibleName(self.windowTitle())
        hint = QLabel(self.tr("The first rule that fits a packet colours its row; the edge at its left shows it, too."))
        hint.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for widget in (hint, self.table, buttons):
            column.addWidget(widget)
        rows = self.model.rowCount() + 1
        self.resize(round(WIDTH * zoom), round(rows * ROW_HEIGHT * zoom) + 110)
        self.table.setFocus()
