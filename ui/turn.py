"""The turn of the event loop that goes on: who works in it has the right of way, and what can wait is put off.

Whatever comes due at once would be done in one turn, though each part of it is short: a key would wait for all of it.
"""

from __future__ import annotations

from time import perf_counter

from PySide6.QtCore import QAbstractEventDispatcher

from analyzer.engine.right_of_way import RIGHT_OF_WAY, RightOfWay

LONG_S = 0.004
"""After so much work the rest may as well come in the next turn."""
MOST_PUT_OFF = 4
"""So often something is put off because others work in the same turn; then it goes on, should they do so for ever."""


class Turn:
    """Of the window's event loop. Handlers that take a while say that they `begin`; the loop says when all are done.

    GLib's loop, which Qt has on Linux, does not say when it begins to work, only that it is going to wait.
    """

    def __init__(self, way: RightOfWay = RIGHT_OF_WAY) -> None:
        self._way = way
        self._since: float | None = None
        self._followed = False

    def follow(self, loop: QAbstractEventDispatcher) -> None:
        """Whose turns these are. Before, there are none."""
        if not self._followed:
            self._followed = True
            if "Glib" not in loop.metaObject().className():
                # There it is told when the work is done.
                loop.awake.connect(self.begin)
            loop.aboutToBlock.connect(self.end)

    def begin(self) -> None:
        """A handler begins to work."""
        if self._followed and self._since is None:
            self._since = perf_counter()
            self._way.take(self)

    def end(self) -> None:
        """The loop is going to wait."""
        self._since = None
        self._way.give_back(self)

    @property
    def is_long(self) -> bool:
        """Handlers have worked for a while."""
        return self._since is not None and perf_counter() - self._since > LONG_S


TURN = Turn()
"""Of this process."""
