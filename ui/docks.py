"""The docks beside the middle of the window: their titles, and how wide they are whatever Qt does meanwhile.

Qt drops the size that a dock is given while it is hidden or not laid out yet, and `restoreState` does not always bring
it back. So a size that was asked for is kept here, and given again, until the docks have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QTabWidget, QWidget

ROUNDING = 2
"""Pixels by which Qt may miss the width that a dock was given."""

Area = Qt.DockWidgetArea


class Docks(QObject):
    """Docks of a window, all tabs of one at the right at first."""

    def __init__(self, window: QMainWindow, panes: Mapping[str, tuple[str, QWidget]]) -> None:
        """`panes`: name of a dock -> its title and what it holds."""
        super().__init__(window)
        self._window = window
        self._wanted: int | None = None
        """What the docks are to have and may not have yet."""
        self._held = False
        self._badges: dict[str, Callable[[], QWidget]] = {}
        """By title of a dock."""
        self._made: dict[str, QWidget] = {}
        self.all = [self._dock(name, title, pane) for name, (title, pane) in panes.items()]
        for first, second in zip(self.all, self.all[1:], strict=False):
            window.tabifyDockWidget(first, second)
        self.all[0].raise_()
        window.setTabPosition(Area.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._settle)
        window.installEventFilter(self)

    @property
    def extent(self) -> int | None:
        """Width of the docks, or height where a person put them below; None: none is shown. What they are to have
        counts, not what they have for a moment."""
        if self._wanted is not None:
            return self._wanted
        front = self._front()
        return None if front is None else self._size_of(front)

    def give(self, extent: int | None) -> None:
        """Make the docks so wide, at once if they are shown, else as soon as they are. None: as they are by default."""
        self._wanted = default_width(self._window.width()) if extent is None else extent
        self._ask()

    def set_badge(self, title: str, make: Callable[[], QWidget]) -> None:
        """What stands in the tab of a dock behind its title. It is made anew when Qt threw it away with the tab."""
        self._badges[title] = make
        self.place_badges()

    def place_badges(self, *, refit: bool = False) -> None:
        """Where Qt made another row of tabs, or another tab; `refit`: badges take another room than before."""
        side = QTabBar.ButtonPosition.RightSide
        for bar in self._window.findChildren(QTabBar):
            for number in range(bar.count()):
                title = bar.tabText(number)
                make = self._badges.get(title)
                if make is None:
                    continue
                badge = self._made.get(title)
                if badge is not None and shiboken6.isValid(badge) and bar.tabButton(number, side) is badge:
                    if not refit:
                        continue
                    bar.setTabButton(number, side, None)
                else:
                    badge = self._made[title] = make()
                bar.setTabButton(number, side, badge)

    def hold(self, held: bool) -> None:
        """While held, docks are hidden or fill the window: what they are to have waits."""
        self._held = held
        if not held and self._wanted is not None:
            self._ask()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Docks as wide as they are by default follow the window; those that a person drew wider or narrower do not."""
        if watched is self._window:
            if isinstance(event, QResizeEvent):
                before, now = default_width(event.oldSize().width()), default_width(event.size().width())
                extent = self.extent
                if before != now and extent is not None and abs(extent - before) <= ROUNDING and self._stands_beside():
                    self._wanted = now
            if event.type() in (QEvent.Type.Resize, QEvent.Type.Show) and self._wanted is not None:
                self._timer.start()
        return super().eventFilter(watched, event)

    def _ask(self) -> None:
        """At once, for what is painted next, and once more when all that Qt has queued is done."""
        self._give_wanted()
        self._timer.start()

    def _settle(self) -> None:
        if self._give_wanted() and self._have_wanted():
            self._wanted = None

    def _have_wanted(self) -> bool:
        """False: there was no room. A person drew nothing then, and the size is given when the window grows."""
        front = self._front()
        if front is None or self._wanted is None:
            return True
        return self._size_of(front) >= self._wanted - ROUNDING

    def _size_of(self, dock: QDockWidget) -> int:
        return dock.width() if self._across(dock) is Qt.Orientation.Horizontal else dock.height()

    def _give_wanted(self) -> bool:
        """False: the docks take no size now."""
        window, layout = self._window, self._window.layout()
        if self._held or self._wanted is None or layout is None or not window.isVisible():
            return False
        layout.activate()
        front = self._front()
        if front is not None:
            window.resizeDocks([front], [self._wanted], self._across(front))
            layout.activate()
        return True

    def _front(self) -> QDockWidget | None:
        """One that is seen and not floating; those behind a tab lie outside of the window, as wide as once."""
        seen = (dock for dock in self.all if dock.isVisible() and not dock.isFloating())
        return next((dock for dock in seen if dock.geometry().right() > 0), None)

    def _stands_beside(self) -> bool:
        front = self._front()
        return front is None or self._across(front) is Qt.Orientation.Horizontal

    def _across(self, dock: QDockWidget) -> Qt.Orientation:
        """The direction in which its size can be chosen."""
        beside = self._window.dockWidgetArea(dock) in (Area.LeftDockWidgetArea, Area.RightDockWidgetArea)
        return Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical

    def _dock(self, name: str, title: str, pane: QWidget) -> QDockWidget:
        dock = QDockWidget(title)
        dock.setObjectName(name)
        dock.setWidget(pane)
        # Queued: while it is told, Qt has not moved the dock yet.
        for told in (dock.visibilityChanged, dock.topLevelChanged, dock.dockLocationChanged):
            told.connect(self._title_docks, Qt.ConnectionType.QueuedConnection)
        self._window.addDockWidget(Area.RightDockWidgetArea, dock)
        return dock

    def _title_docks(self) -> None:
        """A dock behind a tab has its title there; only one that stands alone needs a title bar."""
        for dock in self.all:
            others = self._window.tabifiedDockWidgets(dock)
            behind_tab = not dock.isFloating() and any(not other.isHidden() for other in others)
            if behind_tab and dock.titleBarWidget() is None:
                dock.setTitleBarWidget(QWidget())
            elif not behind_tab and dock.titleBarWidget() is not None:
                bar = dock.titleBarWidget()
                dock.setTitleBarWidget(None)  # type: ignore[arg-type]  # Qt: None brings its own title bar back
                bar.deleteLater()
        self.place_badges()


def default_width(window: int) -> int:
    """Pixels of the docks in a window so wide."""
    return 340 if window < 1400 else 440 if window < 1900 else 600
