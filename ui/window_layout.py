"""Where the panes of the window are: docks, sizes, the pane that fills all, what is remembered, and walking by keys."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
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

from ui.settings import Settings

LAYOUT_VERSION = 1
FIRST_SIZE = (1440, 900)
FRAME = QSize(8, 40)
"""What a window manager draws around a window; it is not known before the window is shown."""

ROUNDING = 2
"""Pixels by which Qt may miss the width that a dock was given."""


class WindowLayout(QObject):
    """Keeps the layout of a window with a splitter of list and tabs in a stack of pages, and docks at the right."""

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        splitter: QSplitter,
        pages: QStackedWidget,
        panes: Mapping[str, tuple[str, QWidget]],
    ) -> None:
        """`panes`: name of a dock -> its title and what it holds."""
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._splitter = splitter
        self._pages = pages
        self._filled: QByteArray | None = None
        """The state to return to while one pane fills the window."""
        self._dock_before = 0
        """Width of the docks then, which the state alone does not bring back."""
        self._docked: QByteArray | None = None
        """Where the docks were when they were hidden for the welcome page."""
        self._wants_sizes = False
        self.docks = [self._dock(name, title, pane) for name, (title, pane) in panes.items()]
        for first, second in zip(self.docks, self.docks[1:], strict=False):
            window.tabifyDockWidget(first, second)
        self.docks[0].raise_()
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self._default_state = QByteArray()

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
        self._window.installEventFilter(self)

    def save(self) -> None:
        """Remember the layout for the next start."""
        for name, state in (
            ("geometry", self._window.saveGeometry()),
            ("state", self._docked or self._window.saveState(LAYOUT_VERSION)),
            ("splitter", self._splitter.saveState()),
        ):
            self._settings.set_layout(name, state)

    def reset(self) -> None:
        """The layout of the first start."""
        self._settings.forget_layout()
        self._filled = None
        welcome = self._docked is not None
        for widget in (self._pages, *self._halves()):
            widget.show()
        self._window.restoreState(self._default_state, LAYOUT_VERSION)
        self._default_sizes()
        if welcome:
            self._docked = None
            self.show_docks(False)

    def show_docks(self, shown: bool) -> None:
        """The welcome page has the window to itself; with a capture the docks are as they were left."""
        if shown and self._docked is not None:
            state, self._docked = self._docked, None
            self._window.restoreState(state, LAYOUT_VERSION)
            if self._wants_sizes:
                self._default_sizes()
        elif not shown and self._docked is None:
            self._docked = self._window.saveState(LAYOUT_VERSION)
            self._wants_sizes = self._wants_sizes or self._settings.layout("state").isEmpty()
            for dock in self.docks:
                dock.hide()

    def fill(self) -> None:
        """Let the pane with the focus fill the window, or put all back."""
        packets, tabs = self._halves()
        focused = QApplication.focusWidget() or packets
        if self._filled is not None:
            for widget in (packets, tabs, self._middle()):
                widget.show()
            self._window.restoreState(self._filled, LAYOUT_VERSION)
            self._window.resizeDocks([self.docks[0]], [self._dock_before], Qt.Orientation.Horizontal)
            self._filled = None
            for dock in self.docks:
                if dock.isAncestorOf(focused):
                    dock.raise_()
            focused.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self._filled = self._window.saveState(LAYOUT_VERSION)
        self._dock_before = next((dock.width() for dock in self.docks if dock.isVisible()), 0)
        inside = next((dock for dock in self.docks if dock.isAncestorOf(focused)), None)
        for dock in self.docks:
            dock.setVisible(dock is inside)
        # As long as anything is in the middle, docks get no more than their width.
        self._middle().setVisible(inside is None)
        packets.setVisible(not tabs.isAncestorOf(focused))
        tabs.setVisible(tabs.isAncestorOf(focused) or inside is not None)

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
        """Move the focus to another pane, in the order list, tab, docks."""
        packets, tabs = self._halves()
        current = tabs.currentWidget() if isinstance(tabs, QTabWidget) else tabs
        panes = [packets, current, *(dock.widget() for dock in self.docks if dock.isVisible())]
        focused = QApplication.focusWidget()
        inside = [pane is focused or (focused is not None and pane.isAncestorOf(focused)) for pane in panes]
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

    def _dock(self, name: str, title: str, pane: QWidget) -> QDockWidget:
        dock = QDockWidget(title)
        dock.setObjectName(name)
        dock.setWidget(pane)
        # Queued: while it is told, Qt has not moved the dock yet.
        for told in (dock.visibilityChanged, dock.topLevelChanged, dock.dockLocationChanged):
            told.connect(self._title_docks, Qt.ConnectionType.QueuedConnection)
        self._window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        return dock

    def _title_docks(self) -> None:
        """A dock behind a tab has its title there; only one that stands alone needs a title bar."""
        for dock in self.docks:
            others = self._window.tabifiedDockWidgets(dock)
            behind_tab = not dock.isFloating() and any(not other.isHidden() for other in others)
            if behind_tab and dock.titleBarWidget() is None:
                dock.setTitleBarWidget(QWidget())
            elif not behind_tab and dock.titleBarWidget() is not None:
                bar = dock.titleBarWidget()
                dock.setTitleBarWidget(None)  # type: ignore[arg-type]  # Qt: None brings its own title bar back
                bar.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Docks as wide as they are by default follow the window; those that a person drew wider or narrower do not."""
        if watched is self._window and isinstance(event, QResizeEvent):
            before, now = _dock_width(event.oldSize().width()), _dock_width(event.size().width())
            shown = [dock for dock in self.docks if dock.isVisible()]
            if before != now and any(abs(dock.width() - before) <= ROUNDING for dock in shown):
                self._window.resizeDocks([self.docks[0]], [now], Qt.Orientation.Horizontal)
        return super().eventFilter(watched, event)

    def _first_size(self) -> QSize:
        """No larger than what panels and the frame around the window leave of the screen."""
        room = self._window.screen().availableGeometry().size() - FRAME
        return QSize(*FIRST_SIZE).boundedTo(room).expandedTo(self._window.minimumSize())

    def _default_sizes(self) -> None:
        height, dock = self._window.height(), _dock_width(self._window.width())
        # Docks that are hidden for the welcome page take no size.
        self._wants_sizes = self._docked is not None
        QTimer.singleShot(0, self, lambda: self._window.resizeDocks([self.docks[0]], [dock], Qt.Orientation.Horizontal))
        self._splitter.setSizes([height * 2 // 5, height * 3 // 5])


def _dock_width(window: int) -> int:
    """Pixels of the docks in a window so wide."""
    return 340 if window < 1400 else 440 if window < 1900 else 600


def focus_pane(pane: QWidget) -> None:
    """Focus what keys act on: the pane itself, its first list or tree, else the first widget that takes keys."""
    views = sorted(pane.findChildren(QAbstractItemView), key=lambda view: view.mapTo(pane, QPoint()).y())
    takes = (
        widget
        for widget in (pane, *views, *pane.findChildren(QWidget))
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if widget.focusProxy() is None
    )
    next(takes, pane).setFocus(Qt.FocusReason.ShortcutFocusReason)
