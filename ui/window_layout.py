"""Where the panes of the window are: sizes, the pane that fills all, what is remembered, and walking by keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QByteArray, QObject, QPoint, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QDockWidget,
    QMainWindow,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QWidget,
)

from ui.docks import Docks
from ui.settings import Settings

LAYOUT_VERSION = 1
FIRST_SIZE = (1440, 900)
FRAME = QSize(8, 40)
"""What a window manager draws around a window; it is not known before the window is shown."""


@runtime_checkable
class HasStops(Protocol):
    """A pane of several parts that keys act on."""

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """Where F6 stops, in its order; everything of the pane is in one of them, or near the first."""
        ...


@runtime_checkable
class HasColumns(Protocol):
    """A pane with a table whose columns a person chooses."""

    hidden_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Before:
    """What to return to when the pane that fills the window gives it back."""

    state: QByteArray
    splitter: QByteArray


class WindowLayout(QObject):
    """Keeps the layout of a window with a splitter of list and tabs in a stack of pages, and docks at the right."""

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        splitter: QSplitter,
        pages: QStackedWidget,
        panes: Mapping[str, tuple[str, QWidget]],
        strip: QWidget,
    ) -> None:
        """`panes`: name of a dock -> its title and what it holds. `strip`: what lies above everything."""
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._splitter = splitter
        self._pages = pages
        self._strip = strip
        self._filled: _Before | None = None
        """While one pane fills the window."""
        self._docked: QByteArray | None = None
        """Where the docks were when they were hidden for the welcome page."""
        self._docks = Docks(window, panes)
        self._default_state = QByteArray()

    @property
    def docks(self) -> list[QDockWidget]:
        """All of them, also those that are hidden."""
        return self._docks.all

    def set_badge(self, title: str, make: Callable[[], QWidget]) -> None:
        """What stands behind the title of a dock in its tab."""
        self._docks.set_badge(title, make)

    def refit_badges(self) -> None:
        """They take another room than before."""
        self._docks.place_badges(refit=True)

    def restore(self) -> None:
        """The layout that was saved, or the default one. Call it when all docks and bars are there."""
        self._default_state = self._window.saveState(LAYOUT_VERSION)
        geometry, state, splitter = (self._settings.layout(name) for name in ("geometry", "state", "splitter"))
        if geometry.isEmpty() or not self._window.restoreGeometry(geometry):
            self._window.resize(self._first_size())
        if state.isEmpty() or not self._window.restoreState(state, LAYOUT_VERSION):
            self._default_sizes()
        if not splitter.isEmpty():
            self._splitter.restoreState(splitter)
        for name, table in self._tables():
            table.hidden_columns = self._settings.hidden_columns(name)

    def save(self) -> None:
        """Remember the layout for the next start; not that a pane fills the window."""
        now = self._filled or _Before(
            self._docked or self._window.saveState(LAYOUT_VERSION), self._splitter.saveState()
        )
        for name, state in (
            ("geometry", self._window.saveGeometry()),
            ("state", now.state),
            ("splitter", now.splitter),
        ):
            self._settings.set_layout(name, state)
        for name, table in self._tables():
            self._settings.set_hidden_columns(name, table.hidden_columns)

    def reset(self) -> None:
        """The layout of the first start."""
        self._settings.forget_layout()
        self._filled = None
        welcome = self._docked is not None
        for widget in (self._middle(), self._pages, *self._halves()):
            widget.show()
        self._window.restoreState(self._default_state, LAYOUT_VERSION)
        self._docks.hold(False)
        self._default_sizes()
        for _, table in self._tables():
            table.hidden_columns = ()
        if welcome:
            self._docked = None
            self.show_docks(False)

    def show_docks(self, shown: bool) -> None:
        """The welcome page has the window to itself; with a capture the docks are as they were left."""
        if shown and self._docked is not None:
            state, self._docked = self._docked, None
            self._window.restoreState(state, LAYOUT_VERSION)
            self._docks.hold(False)
        elif not shown and self._docked is None:
            self._unfill()
            extent = self._docks.extent
            self._docked = self._window.saveState(LAYOUT_VERSION)
            self._docks.hold(True)
            for dock in self.docks:
                dock.hide()
            if extent is not None:
                self._docks.give(extent)

    def fill(self) -> None:
        """Let the pane with the focus fill the window, or put all back."""
        packets, tabs = self._halves()
        focused = QApplication.focusWidget() or packets
        if self._unfill():
            for dock in self.docks:
                if dock.isAncestorOf(focused):
                    dock.raise_()
            focused.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self._filled = _Before(self._window.saveState(LAYOUT_VERSION), self._splitter.saveState())
        extent = self._docks.extent
        self._docks.hold(True)
        if extent is not None:
            self._docks.give(extent)
        inside = next((dock for dock in self.docks if dock.isAncestorOf(focused)), None)
        for dock in self.docks:
            dock.setVisible(dock is inside)
        # As long as anything is in the middle, docks get no more than their width.
        self._middle().setVisible(inside is None)
        packets.setVisible(not tabs.isAncestorOf(focused))
        tabs.setVisible(tabs.isAncestorOf(focused) or inside is not None)

    def _unfill(self) -> bool:
        """Put all back. False: nothing fills the window."""
        before, self._filled = self._filled, None
        if before is None:
            return False
        for widget in (*self._halves(), self._middle()):
            widget.show()
        self._window.restoreState(before.state, LAYOUT_VERSION)
        self._splitter.restoreState(before.splitter)
        self._docks.hold(False)
        return True

    def _tables(self) -> Iterator[tuple[str, HasColumns]]:
        """The panes in docks that have chosen columns, by the names of their docks."""
        for dock in self.docks:
            pane = dock.widget()
            if isinstance(pane, HasColumns):
                yield dock.objectName(), pane

    def _middle(self) -> QWidget:
        """All that is not in docks."""
        middle = self._window.centralWidget()
        assert middle is not None
        return middle

    def show_pane(self, pane: QWidget) -> None:
        """Bring a pane to the front and give it the focus."""
        if self._filled is not None:
            self.fill()
        tabs = self._halves()[1]
        if isinstance(tabs, QTabWidget) and tabs.indexOf(pane) >= 0:
            tabs.setCurrentWidget(pane)
        for dock in self.docks:
            if dock.widget() is pane:
                dock.show()
                dock.raise_()
        focus_pane(pane)

    def step_pane(self, step: int) -> None:
        """Move the focus to another pane, or to the next part of one: in the order list, tab, docks, strip."""
        packets, tabs = self._halves()
        current = tabs.currentWidget() if isinstance(tabs, QTabWidget) else tabs
        parts = current.stops if isinstance(current, HasStops) else (current,)
        panes = [packets, *parts, *(dock.widget() for dock in self.docks if dock.isVisible())]
        panes += [self._strip] if self._strip.height() else []
        focused = QApplication.focusWidget()
        inside = [pane is focused or (focused is not None and pane.isAncestorOf(focused)) for pane in panes]
        if True not in inside and focused is not None and current.isAncestorOf(focused):
            inside[1] = True
        here = inside.index(True) if True in inside else -1
        pane = panes[(here + step) % len(panes)]
        for dock in self.docks:
            if dock.widget() is pane:
                dock.raise_()
        focus_pane(pane)

    def _halves(self) -> tuple[QWidget, QWidget]:
        packets, tabs = self._splitter.widget(0), self._splitter.widget(1)
        assert packets is not None
        assert tabs is not None
        return packets, tabs

    def _first_size(self) -> QSize:
        """No larger than what panels and the frame around the window leave of the screen."""
        room = self._window.screen().availableGeometry().size() - FRAME
        return QSize(*FIRST_SIZE).boundedTo(room).expandedTo(self._window.minimumSize())

    def _default_sizes(self) -> None:
        height = self._window.height()
        self._docks.give(None)
        self._splitter.setSizes([height * 2 // 5, height * 3 // 5])


def focus_pane(pane: QWidget) -> None:
    """Focus what keys act on: what the pane names, itself, its first list or tree, else the first that takes keys."""
    if pane.focusProxy() is not None:
        pane.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return
    views = sorted(pane.findChildren(QAbstractItemView), key=lambda view: view.mapTo(pane, QPoint()).y())
    takes = (
        widget
        for widget in (pane, *views, *pane.findChildren(QWidget))
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if widget.focusProxy() is None
    )
    next(takes, pane).setFocus(Qt.FocusReason.ShortcutFocusReason)
