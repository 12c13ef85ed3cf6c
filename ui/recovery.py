"""Offers the captures of windows that were killed: looks for them beside the window, opens, saves or deletes them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from analyzer.capture.spools import Abandoned, Found, delete
from ui.capturing import Capturing
from ui.dialogs.capture import FILE_FILTER
from ui.inquiry import Inquiry
from ui.opening import Opening
from ui.spools import copy, named
from ui.views.banner import Banner
from ui.views.recovery_bar import RecoveryBar

AGAIN_MS = 1_000
MOST_LOOKS = 30
"""A sniffer ends within seconds of its window; one that does not is left to the next start."""


class Recovery(QObject):
    """What is offered nobody else is offered, until it is dealt with or the window closes."""

    def __init__(
        self, opening: Opening, capturing: Capturing, bar: RecoveryBar, banner: Banner, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._window = parent
        self._opening = opening
        self._capturing = capturing
        self._bar = bar
        self._banner = banner
        self._inquiry = Inquiry(self)
        self._looks = 0
        self._offered: list[Abandoned] = []
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(AGAIN_MS)
        self._again.timeout.connect(self.look)
        bar.open_wanted.connect(lambda spool: capturing.leave(lambda: self._open(spool)))
        bar.save_wanted.connect(self._save)
        bar.delete_wanted.connect(self._delete)

    @Slot()
    def look(self) -> None:
        """Look for what was left behind; what is found is offered."""
        self._looks += 1
        # A folder that cannot be read holds nothing that could be offered.
        self._inquiry.ask("look", self._capturing.spools.look, self._on_found, lambda error: None)

    def close(self) -> None:
        """The window goes: what is still offered is left to the next start."""
        self._inquiry.forget("look")
        self._again.stop()
        for spool in self._offered:
            spool.lock.release()
        self._offered = []

    def wait(self, seconds: float) -> bool:
        """After `close`: wait until nothing is being looked for or saved. False: it still is."""
        return self._inquiry.wait(seconds)

    def _on_found(self, found: Found) -> None:
        if found.spools:
            self._offer([*self._offered, *found.spools])
        if found.written and self._looks < MOST_LOOKS:
            self._again.start()

    def _offer(self, spools: list[Abandoned]) -> None:
        self._offered = spools
        self._bar.show_spools(spools)

    def _settle(self, spool: Abandoned) -> None:
        self._offer([other for other in self._offered if other is not spool])

    def _open(self, spool: Abandoned) -> None:
        """It is an unsaved capture of this window from now on."""
        if spool not in self._offered:
            return
        spools = self._capturing.spools
        spools.take_over(spool)
        if self._opening.follow(spool.file, temporary=True):
            self._opening.finish()
            self._settle(spool)
        else:
            spools.give_back(spool)

    @Slot(object)
    def _save(self, spool: Abandoned) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self._window,
            self.tr("Save the capture"),
            str(Path.home() / spool.file.name),
            FILE_FILTER if spool.file.suffix == ".pcapng" else "",
        )
        if not name:
            return
        target = named(name, "".join(spool.file.suffixes[-2:]))
        self._bar.setEnabled(False)
        self._inquiry.ask(
            "save",
            lambda: copy(spool.file, target),
            lambda _: self._on_saved(spool, target),
            self._on_not_saved,
        )

    def _on_saved(self, spool: Abandoned, target: Path) -> None:
        self._bar.setEnabled(True)
        self._delete(spool)
        self._opening.remember(target)

    def _on_not_saved(self, error: Exception) -> None:
        self._bar.setEnabled(True)
        text = self.tr("{0} The capture is still there to be saved.").format(error)
        self._banner.say(text, sign="error")

    @Slot(object)
    def _delete(self, spool: Abandoned) -> None:
        delete(spool)
        self._settle(spool)
