"""The tree of a packet's fields: remembers by name what was opened, obeys Wireshark's keys, copies rows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QMenu, QWidget

from analyzer.engine.packet_detail import PacketDetail
from analyzer.wire.reader import Field
from analyzer.wire.secrets import Secrets
from ui.models import field_text
from ui.models.fields import NAME, PLACE, VALUE, FieldModel
from ui.theme import Theme
from ui.views.current_row import show_row
from ui.views.filter_menu import AsFilter
from ui.views.heads import TableHead
from ui.views.row_painter import RowPainter
from ui.views.row_tree import RowTree

INDENT = 12
NAME_SHARE = 0.46
"""Of the width that bytes leave to name and value."""
NAME_WIDTH = 150
"""What names get at least, up to half of that width."""
PLACE_WIDTHS = (84, 130)
COPY_VALUE = QKeySequence("Ctrl+Shift+V")
Form = Callable[[Field, PacketDetail, Secrets], str]


class FieldTreeView(RowTree):
    """Shows a `FieldModel`."""

    field_chosen = Signal(QModelIndex)
    """Another row became current, by pointer or key or `choose`."""
    secrets_changed = Signal()
    """A password was shown or hidden again."""

    def __init__(self, model: FieldModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, model, RowPainter(theme), INDENT, parent)
        self._fields = model
        self.as_filter: AsFilter | None = None
        """Set by the window: what fields are offered as filters by."""
        self._open: set[tuple[str, ...]] = set()
        self._closed: set[tuple[str, ...]] = set()
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setAccessibleName(self.tr("Fields of the packet"))
        self.setExpandsOnDoubleClick(False)
        self._head = TableHead(theme, self)
        self.setHeader(self._head)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(48)
        self.customContextMenuRequested.connect(self._show_menu)
        self.expanded.connect(self._on_expanded)
        self.collapsed.connect(self._on_collapsed)
        self.clicked.connect(self._on_clicked)
        self.doubleClicked.connect(self._on_double_clicked)
        self.selectionModel().currentChanged.connect(self._on_current)
        self.set_zoom(1.0)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        super().set_theme(theme)
        self._head.set_theme(theme)

    def set_zoom(self, zoom: float) -> None:
        """Another size of type and rows."""
        super().set_zoom(zoom)
        self._head.set_zoom(zoom)

    def show_detail(self, detail: PacketDetail | None) -> None:
        """Show another packet with the same fields opened, and the field of the same name chosen, if there is one."""
        kept = self._fields.names(self.currentIndex())
        with QSignalBlocker(self):
            self._fields.show(detail)
            self._reopen(QModelIndex(), ())
            self.choose(self._named(kept))

    def choose(self, index: QModelIndex) -> None:
        """Make a field current: open what it is in, and bring it into view."""
        if index.isValid():
            show_row(self, index.siblingAtColumn(NAME))

    def find_text(self, text: str, forward: bool = True) -> bool:
        """Go to the next field, from the current one, whose name or value holds a text; around the end. Found?"""
        detail, wanted = self._fields.detail, text.casefold()
        if detail is None or not wanted:
            return False
        nodes = list(self._fields.walk())
        here = self._fields.rows(self.currentIndex())
        start = next((number for number, (rows, _) in enumerate(nodes) if rows == here), -1 if forward else 0)
        step = 1 if forward else -1
        for distance in range(1, len(nodes) + 1):
            rows, node = nodes[(start + step * distance) % len(nodes)]
            said = f"{node.name}\n{field_text.value_text(node, detail, self._fields.secrets)}".casefold()
            if wanted in said:
                self.choose(self._fields.index_of(rows))
                return True
        return False

    def open_all(self) -> None:
        """Open every field."""
        self._set_all(self._groups(QModelIndex(), ()), True)

    def close_all(self) -> None:
        """Close every field."""
        self._set_all(self._groups(QModelIndex(), ()), False)

    def open_below(self, index: QModelIndex) -> None:
        """Open a field and all below it."""
        node = self._fields.field(index)
        if node is not None and node.children:
            names = self._fields.names(index)
            self._set_all([(names, index), *self._groups(index.siblingAtColumn(NAME), names)], True)

    def copy(self, form: Form) -> None:
        """Copy the current field in a form of `field_text`; passwords stay masked, shown or not."""
        node, detail = self._fields.field(self.currentIndex()), self._fields.detail
        if node is not None and detail is not None:
            # what was revealed is shown, not given away
            QGuiApplication.clipboard().setText(form(node, detail, Secrets(detail.tree)))

    def field_filter(self) -> str:
        """The current field as a filter; empty: there is none of it."""
        index, detail = self.currentIndex().siblingAtColumn(NAME), self._fields.detail
        node = self._fields.field(index)
        if self.as_filter is None or node is None or detail is None:
            return ""
        meaning = detail.meaning(node)
        if meaning is not None:
            return self.as_filter.texts.change(meaning.change, meaning.field)
        return self.as_filter.texts.field(self._fields.path(index))

    def reveal(self, index: QModelIndex, show: bool = True) -> None:
        """Show or hide a password."""
        if self._fields.reveal(index, show):
            self.viewport().update()
            self.secrets_changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        key, index = event.key(), self.currentIndex()
        action: Callable[[], None] | None = None
        if event.matches(QKeySequence.StandardKey.Copy):
            action = lambda: self.copy(field_text.row_text)  # noqa: E731
        elif QKeySequence(event.keyCombination()) == COPY_VALUE:
            action = lambda: self.copy(field_text.value_text)  # noqa: E731
        elif modifiers == Qt.KeyboardModifier.ControlModifier and key in (Qt.Key.Key_Right, Qt.Key.Key_Left):
            action = self.open_all if key == Qt.Key.Key_Right else self.close_all
        elif modifiers == Qt.KeyboardModifier.ShiftModifier and key == Qt.Key.Key_Right:
            action = lambda: self.open_below(index)  # noqa: E731
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not modifiers:
            action = lambda: self._activate(index)  # noqa: E731
        if action is None:
            super().keyPressEvent(event)
        else:
            action()
            event.accept()

    def keyboardSearch(self, search: str) -> None:
        """Single letters are commands of the window, not type-ahead."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = self.viewport().width()
        place = max(PLACE_WIDTHS[0], min(width * 24 // 100, PLACE_WIDTHS[1]))
        left = width - place
        name = max(round(left * NAME_SHARE), min(NAME_WIDTH, left * 52 // 100))
        for column, size in ((NAME, name), (VALUE, width - place - name), (PLACE, place)):
            self.header().resizeSection(column, size)

    def _activate(self, index: QModelIndex) -> None:
        node = self._fields.field(index)
        if node is not None and node.secret:
            self.reveal(index)
        else:
            self.setExpanded(index, not self.isExpanded(index))

    def _on_clicked(self, index: QModelIndex) -> None:
        if index.column() == VALUE:
            self.reveal(index.siblingAtColumn(NAME))

    def _on_double_clicked(self, index: QModelIndex) -> None:
        self.setExpanded(index.siblingAtColumn(NAME), not self.isExpanded(index.siblingAtColumn(NAME)))

    def _on_current(self, current: QModelIndex, previous: QModelIndex) -> None:
        self.field_chosen.emit(current.siblingAtColumn(NAME) if current.isValid() else current)

    def _on_expanded(self, index: QModelIndex) -> None:
        names = self._fields.names(index)
        self._open.add(names)
        self._closed.discard(names)
        self._reopen(index, names)

    def _on_collapsed(self, index: QModelIndex) -> None:
        names = self._fields.names(index)
        self._open.discard(names)
        self._closed.add(names)

    def _reopen(self, parent: QModelIndex, above: tuple[str, ...]) -> None:
        """Open what was open before; at the top everything that nobody closed."""
        for index, names in self._groups_in(parent, above):
            if names in self._open or (not above and names not in self._closed):
                self.setExpanded(index, True)
                self._reopen(index, names)

    def _named(self, names: tuple[str, ...]) -> QModelIndex:
        """The first field of these names; none if one of them is missing."""
        index = QModelIndex()
        for name in names:
            node = self._fields.field(index)
            children = self._fields.top if node is None else node.children
            row = next((row for row, child in enumerate(children) if child.name == name), -1)
            if row < 0:
                return QModelIndex()
            index = self._fields.index(row, NAME, index)
        return index

    def _groups_in(self, parent: QModelIndex, above: tuple[str, ...]) -> list[tuple[QModelIndex, tuple[str, ...]]]:
        node = self._fields.field(parent)
        children = tuple(node.children if node is not None else self._fields.top)
        return [
            (self._fields.index(row, NAME, parent), (*above, child.name))
            for row, child in enumerate(children)
            if child.children
        ]

    def _groups(self, parent: QModelIndex, above: tuple[str, ...]) -> list[tuple[tuple[str, ...], QModelIndex]]:
        found = []
        for index, names in self._groups_in(parent, above):
            found.append((names, index))
            found.extend(self._groups(index, names))
        return found

    def _set_all(self, groups: list[tuple[tuple[str, ...], QModelIndex]], is_open: bool) -> None:
        with QSignalBlocker(self):
            for names, index in groups:
                (self._open if is_open else self._closed).add(names)
                (self._closed if is_open else self._open).discard(names)
                self.setExpanded(index, is_open)
        self.scrollTo(self.currentIndex())

    def _show_menu(self, place: QPoint) -> None:
        index = self.currentIndex().siblingAtColumn(NAME)
        node = self._fields.field(index)
        if node is None:
            return
        if self.indexAt(place).siblingAtColumn(NAME) != index:
            # Asked for by a key: the place is the middle of the view, not the row.
            place = self.visualRect(index).center()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self.as_filter is not None:
            self.as_filter.add_to(menu, self.field_filter())
        forms: tuple[tuple[str, str, Form], ...] = (
            (self.tr("Copy row"), "Ctrl+C", field_text.row_text),
            (self.tr("Copy value"), "Ctrl+Shift+V", field_text.value_text),
            (self.tr("Copy with all below as text"), "", field_text.as_text),
            (self.tr("Copy with all below as CSV"), "", field_text.as_csv),
            (self.tr("Copy with all below as JSON"), "", field_text.as_json),
        )
        for title, key, form in forms:
            menu.addAction(f"{title}\t{key}" if key else title).triggered.connect(
                lambda _=False, form=form: self.copy(form)
            )
        if node.secret:
            menu.addSeparator()
            hidden = self._fields.secrets.is_secret(node)
            title = self.tr("Show password") if hidden else self.tr("Hide password")
            menu.addAction(title).triggered.connect(lambda: self.reveal(index, hidden))
        if node.children:
            menu.addSeparator()
            menu.addAction(self.tr("Open all below") + "\tShift+Right").triggered.connect(
                lambda: self.open_below(index)
            )
        menu.addAction(self.tr("Open all") + "\tCtrl+Right").triggered.connect(self.open_all)
        menu.addAction(self.tr("Close all") + "\tCtrl+Left").triggered.connect(self.close_all)
        menu.popup(self.viewport().mapToGlobal(place))
