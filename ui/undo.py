"""What a person did and may take back: the steps of one capture, the newest on top."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

MOST_STEPS = 100


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was done. Both ways may be gone more than once."""

    text: str
    """What was done, as a person reads it: "Mark 3 packets"."""
    undo: Callable[[], object]
    redo: Callable[[], object]


class UndoStack(QObject):
    """Holds what was done already: `push` does nothing but remember."""

    changed = Signal()
    """There is something else to take back, or to do again."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps: list[Step] = []
        self._done = 0
        """Steps that are done; those behind were taken back."""
        self._walking = False

    @property
    def can_undo(self) -> bool:
        """There is something to take back."""
        return self._done > 0

    @property
    def can_redo(self) -> bool:
        """There is something to do again."""
        return self._done < len(self._steps)

    def push(self, step: Step) -> None:
        """Remember what was just done; what was taken back before is forgotten. While a step is walked: nothing."""
        if self._walking:
            return
        del self._steps[self._done :]
        self._steps.append(step)
        del self._steps[:-MOST_STEPS]
        self._done = len(self._steps)
        self.changed.emit()

    def undo(self) -> str:
        """Take the newest step back: what it was, empty if there is none."""
        if not self.can_undo:
            return ""
        self._done -= 1
        return self._walk(self._steps[self._done], back=True)

    def redo(self) -> str:
        """Do again what was taken back last: what it was, empty if there is none."""
        if not self.can_redo:
            return ""
        self._done += 1
        return self._walk(self._steps[self._done - 1], back=False)

    def _walk(self, step: Step, *, back: bool) -> str:
        self._walking = True
        try:
            (step.undo if back else step.redo)()
        finally:
            self._walking = False
        self.changed.emit()
        return step.text
