"""Gets the kernels ready beside the window: compiled at the first start on a machine, else loaded before a capture is.

The window works on plain Python while they are compiled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from analyzer import kernel_cache
from analyzer.engine.warm_up import load_kernels, warm_up

Prepare = Callable[[threading.Event], str]
"""Compiles until it is done or the event is set; what went wrong as a sentence, else nothing."""


class FastDecoder(QObject):
    """Has the kernels compiled where they are not. Signals come on the thread of whoever follows them."""

    ready = Signal()
    """The kernels can be used from now on."""
    ended = Signal(str)
    """Nothing is being compiled any more: all went well, or a sentence that says what did not."""

    def __init__(
        self, prepare: Prepare = warm_up, load: Callable[[], None] = load_kernels, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._prepare = prepare
        self._load = load
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> bool:
        """Begin to compile, or to load. False: nothing has to be compiled."""
        if self._thread is not None:
            return False
        compiles = not kernel_cache.ready()
        self._thread = threading.Thread(target=self._run if compiles else self._load, name="prepare", daemon=True)
        self._thread.start()
        return compiles

    def stop(self, seconds: float) -> None:
        """Give up, and wait at most that long for it."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self) -> None:
        trouble = self._prepare(self._stop)
        if self._stop.is_set():
            # Whoever follows may be gone.
            return
        if kernel_cache.ready():
            self.ready.emit()
        self.ended.emit(trouble)
