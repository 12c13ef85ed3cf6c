"""What may stand at the cursor of a field, below it: words with their kind and meaning. The field keeps the focus."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from analyzer.filters.complete import Candidate, Completion
from ui import fonts
from ui.theme import CELL_PADDING, ICON_ROW_HEIGHT, Theme

MOST_ROWS = 10
MOST_WIDTH = 720
GAP = 16
TONES = {"field": "accent", "value": "added", "function": "text2", "operator": "text", "word": "text2"}
Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
CANDIDATE_ROLE = Qt.ItemDataRole.UserRole


class _Candidates(QAbstractListModel):
    """Shows the candidates of one completion."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.shown: tuple[Candidate, ...] = ()

    def show(self, candidates: tuple[Candidate, ...]) -> None:
        """Show others."""
        self.beginResetModel()
        self.shown = candidates
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        one = self.shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return one.text
        if role == CANDIDATE_ROLE:
            return one
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return ", ".join(text for text in (one.text, one.kind, one.meaning) if text)
        return None


class CompletionPopup(QListView):
    """Hidden until `offer`. It lies over the window of its field, whose keys steer it."""

    chosen = Signal(int, int, str)
    """Which characters are replaced, and by what."""

    def __init__(self, theme: Theme, field: QWidget) -> None:
        super().__init__(field)
        self._field = field
        self._theme = theme
        self._start = self._end = 0
        self.is_picked = False
        """A person went to a candidate."""
        self.candidates = _Candidates(self)
        self._delegate = _Delegate(theme, self)
        self.setModel(self.candidates)
        self.setItemDelegate(self._delegate)
        self.setUniformItemSizes(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.Box)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("What may stand here"))
        self.clicked.connect(lambda index: self._choose(index))
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self._delegate.theme = theme
        self.viewport().update()

    def set_zoom(self, zoom: float, *, system: bool = False) -> None:
        """Another size of type and rows."""
        self._delegate.set_zoom(zoom, system=system)

    def offer(self, completion: Completion) -> None:
        """Show candidates below the place they belong to; hide where there is none."""
        self.is_picked = False
        self._start, self._end = completion.start, completion.end
        self.candidates.show(completion.candidates)
        if not completion.candidates:
            self.hide()
            return
        self.setCurrentIndex(self.candidates.index(0))
        self._place()
        self.show()
        self.raise_()
        self.scrollToTop()

    def step(self, by: int) -> None:
        """Go to another candidate."""
        # The first one is marked from the beginning: it is what Tab takes.
        row = self.currentIndex().row() + (by if self.is_picked or by < 0 else 0)
        count = len(self.candidates.shown)
        self.is_picked = True
        self.setCurrentIndex(self.candidates.index(row % count if abs(by) == 1 else max(0, min(row, count - 1))))

    def choose(self) -> None:
        """Take the candidate that is current."""
        self._choose(self.currentIndex())

    def _choose(self, index: Index) -> None:
        self.hide()
        if index.isValid():
            self.chosen.emit(self._start, self._end, self.candidates.shown[index.row()].text)

    def _place(self) -> None:
        """Below the field, as wide as it needs, within the window."""
        window = self._field.window()
        if self.parentWidget() is not window:
            self.setParent(window)
        wanted = self._delegate.width(self.candidates.shown) + 2 * self.frameWidth()
        rows = min(MOST_ROWS, len(self.candidates.shown))
        if rows < len(self.candidates.shown):
            wanted += self.verticalScrollBar().sizeHint().width()
        corner = self._field.mapTo(window, QPoint(0, self._field.height() + 4))
        width = min(wanted, self._delegate.zoomed(MOST_WIDTH), window.width() - 16)
        left = max(8, min(corner.x(), window.width() - width - 8))
        height = rows * self._delegate.height() + 2 * self.frameWidth()
        self.setGeometry(QRect(left, corner.y(), width, min(height, window.height() - corner.y() - 8)))


class _Delegate(QStyledItemDelegate):
    """Paints text, kind and meaning."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.set_zoom(1.0)

    def set_zoom(self, zoom: float, *, system: bool = False) -> None:
        """Another size."""
        self._zoom = zoom
        self._value = fonts.font(fonts.Use.VALUE, zoom=zoom, system=system)
        self._plain = fonts.font(fonts.Use.HEAD, zoom=zoom, system=system)
        self._text_width = self._kind_width = 0

    def zoomed(self, pixels: int) -> int:
        """Pixels at this zoom."""
        return round(pixels * self._zoom)

    def height(self) -> int:
        """Of a row."""
        return self.zoomed(ICON_ROW_HEIGHT)

    def width(self, candidates: tuple[Candidate, ...]) -> int:
        """What rows need, the first ones measured."""
        some = candidates[:100]
        value, plain = QFontMetrics(self._value), QFontMetrics(self._plain)
        self._text_width = min(self.zoomed(300), max(value.horizontalAdvance(one.text) for one in some) + 2)
        self._kind_width = max(plain.horizontalAdvance(one.kind) + 2 if one.kind else 0 for one in some)
        meaning = max(plain.horizontalAdvance(one.meaning) for one in some)
        parts = [width for width in (self._text_width, self._kind_width, meaning) if width]
        return sum(parts) + GAP * (len(parts) - 1) + 2 * CELL_PADDING + 2

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(1, self.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        one = index.data(CANDIDATE_ROLE)
        if not isinstance(one, Candidate):
            return
        rect: QRect = option.rect
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self.theme.color("select"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, self.theme.color("hover"))
        left = rect.left() + CELL_PADDING
        right = rect.right() - CELL_PADDING
        for text, font, tone, width in (
            (one.text, self._value, TONES.get(one.sort, "text"), self._text_width),
            (one.kind, self._plain, "text2", self._kind_width),
            (one.meaning, self._plain, "text3", right - left),
        ):
            if not width:
                continue
            room = max(0, min(width, right - left))
            painter.setFont(font)
            painter.setPen(self.theme.color(tone))
            shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRect(left, rect.top(), room, rect.height()), Qt.AlignmentFlag.AlignVCenter, shown)
            left += width + GAP
