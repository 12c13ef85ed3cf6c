"""Live capture in the window: options, start, stop, restart, and that nothing unsaved goes without a question."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from analyzer.capture.live.control import Settings as SnifferSettings
from analyzer.capture.live.control import SnifferError, check_filter, list_interfaces
from analyzer.capture.live.messages import Failed, Fault
from analyzer.capture.live.rights import Through, may_capture, ways
from analyzer.capture.spools import SUFFIX, Spools
from ui import words
from ui.appearance import Appearance
from ui.dialogs.capture import FILE_FILTER, CaptureDialog
from ui.dialogs.unsaved import UnsavedQuestion
from ui.document import Document
from ui.inquiry import Inquiry
from ui.live import LiveCapture
from ui.opening import Opening
from ui.piping import PipeCapture
from ui.settings import CaptureOptions, Settings
from ui.spools import copy, free_name, named
from ui.traffic import Traffic
from ui.views.banner import Banner

MEGABYTE = 1_000_000
Then = Callable[[], object]


class Capturing(QObject):
    """At most one capture runs. What it writes is shown by `Opening`, as it grows."""

    state_changed = Signal()
    """Whether something is being captured, or saved."""
    told = Signal(object)
    """A `LiveStanding`, several times a second; None: another capture is shown."""

    def __init__(
        self,
        opening: Opening,
        settings: Settings,
        appearance: Appearance,
        banner: Banner,
        traffic: Traffic,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._window = parent
        self._opening = opening
        self._settings = settings
        self._appearance = appearance
        self._banner = banner
        self._traffic = traffic
        self._options = settings.capture_options
        self._live: LiveCapture | PipeCapture | None = None
        self._ending: list[LiveCapture | PipeCapture] = []
        self.spools = Spools()
        """The temporary files of this window."""
        self._inquiry = Inquiry(self)
        self._dialog: CaptureDialog | None = None
        self._question: QMessageBox | None = None
        self._then: Then | None = None
        """To be done when the capture has stopped."""
        opening.changed.connect(self._on_changed)

    @property
    def active(self) -> bool:
        """A sniffer runs, or is about to."""
        return self._live is not None

    @property
    def dialog(self) -> CaptureDialog | None:
        """The options, while they are being asked for."""
        return self._dialog

    @property
    def question(self) -> QMessageBox | None:
        """What is to become of an unsaved capture, while that is being asked."""
        return self._question

    @property
    def live(self) -> LiveCapture | PipeCapture | None:
        """The capture that runs."""
        return self._live

    @property
    def sniffs(self) -> bool:
        """It is a sniffer of ours that runs, or is about to."""
        return isinstance(self._live, LiveCapture)

    @property
    def unsaved(self) -> int:
        """Packets that go with the capture, as it has no file with a name; 0: there is nothing to ask about."""
        document = self._opening.document
        if document is None or not document.temporary:
            return 0
        return max(len(document.tables.frames), self.spools.known_packets(document.worker.capture.path))

    def commands(self) -> dict[str, Then]:
        """Command -> what carries it out."""
        return {
            "capture_options": self.ask_options,
            "capture_start": self.start_again,
            "capture_restart": self.restart,
            "stop": self.stop,
            "save": self.save,
        }

    def ask_options(self, options: CaptureOptions | None = None) -> None:
        """Show the options, those of the last capture if no others are given."""
        if self._dialog is not None:
            self._dialog.activateWindow()
            return
        shown = options or replace(self._options, file="")
        zoom = self._appearance.preferences.zoom
        dialog = self._dialog = CaptureDialog(
            self._appearance.theme,
            zoom,
            shown,
            ways(),
            self._inquiry,
            self._traffic,
            list_interfaces,
            check_filter,
            self._window,
        )
        dialog.wanted.connect(lambda wanted: self.leave(lambda: self.when_stopped(lambda: self.start(wanted))))
        dialog.finished.connect(self._on_dialog_finished)
        dialog.open()
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            dialog.warn(self.tr("This window runs as root, which it never needs: only the sniffer needs a right."))

    def start(self, options: CaptureOptions) -> None:
        """Capture, in place of what is shown, which stays until the capture has begun."""
        self._options = options
        through = Through(options.through) if options.through in set(Through) else None
        try:
            settings = self._sniffer_settings(options)
            live = LiveCapture(settings, through, self)
        except SnifferError as error:
            self._refuse(Failed(error.fault, str(error)))
            return
        except OSError as error:
            self._refuse(Failed(Fault.FILE, self.tr("There is no room for the capture: {0}.").format(error.strerror)))
            return
        live.began.connect(self._on_captures)
        live.told.connect(self.told)
        live.set_back.connect(self._on_set_back)
        self.take(live)

    def take(self, live: LiveCapture | PipeCapture) -> None:
        """Show what it writes, in place of what is shown, as soon as it has begun."""
        self._live = live
        live.began.connect(self._on_began)
        live.ended.connect(self._on_ended)
        self.state_changed.emit()

    @Slot(str, str)
    def start_on(self, interface: str, limits: str) -> None:
        """Capture on an interface through a filter, else as the last time; by who has the right."""
        through = self._options.through
        if not through and not may_capture():
            through = next((way for way in ways().ready if way is not Through.SUDO), "")
        options = replace(self._options, interface=interface, filter=limits, through=through, file="")
        self.leave(lambda: self.start(options))

    @Slot()
    def start_again(self) -> None:
        """Capture as the last time; without one, ask for the options."""
        if self.active:
            return
        if self._options.interface:
            self.leave(self._start_last)
        else:
            self.ask_options()

    @Slot()
    def restart(self) -> None:
        """Stop, and capture anew; asks first about what is not saved."""
        if self.active:
            self.leave(lambda: self.when_stopped(self._start_last))

    @Slot()
    def stop(self) -> None:
        """Stop the capture, or else the decoding."""
        if self._live is None:
            self._opening.stop()
        elif self._live.begun:
            self._live.stop()
        else:
            # It may wait for a password.
            self._let_go()
            self._drop_spools()
            if self._dialog is not None:
                self._dialog.refuse(self.tr("The capture was not started."))
            self.state_changed.emit()

    def leave(self, then: Then) -> None:
        """Do what takes the capture away from the window, unless it is not saved and the person wants to keep it."""
        if not self.unsaved:
            then()
            return
        if self._question is not None:
            self._question.activateWindow()
            return
        box = self._question = UnsavedQuestion(self.unsaved, self._dialog or self._window, runs=self.active)
        box.finished.connect(lambda chosen: self._on_answer(QMessageBox.StandardButton(chosen), then))
        box.open()

    @Slot()
    def save(self, then: Then | None = None) -> None:
        """Copy the capture to a file that the person names; `then` follows when all is written."""
        document = self._opening.document
        if document is None or document.is_live:
            return
        name, _ = QFileDialog.getSaveFileName(
            self._window,
            self.tr("Save the capture"),
            str(self._opening.folder / document.path.name),
            FILE_FILTER if document.path.suffix == SUFFIX else "",
        )
        if not name:
            if self._dialog is not None:
                self._dialog.refuse("")
            return
        source, target = document.worker.capture.path, named(name, "".join(document.path.suffixes[-2:]) or SUFFIX)
        self._inquiry.ask(
            "save",
            lambda: copy(source, target),
            lambda _: self._on_saved(document, target, then),
            self._on_not_saved,
        )

    def close(self) -> None:
        """The window goes: stop what runs, without waiting."""
        self._let_go()
        self.spools.drop_others()

    def wait(self, seconds: float) -> bool:
        """After `close`: wait until every sniffer has ended and every question was answered. False: not all did."""
        ended = [live.wait(seconds) for live in self._ending]
        answered = self._inquiry.wait(seconds)
        self.spools.drop_others()
        return all(ended) and answered

    def _start_last(self) -> None:
        options = self._options
        if options.file:
            options = replace(options, file=str(free_name(Path(options.file))))
        self.start(options)

    def _sniffer_settings(self, options: CaptureOptions) -> SnifferSettings:
        file = Path(options.file) if options.file else self.spools.make(options.interface, datetime.now())
        return SnifferSettings(
            options.interface,
            file,
            options.filter,
            options.snap_length or None,
            options.promiscuous,
            options.packets or None,
            options.megabytes * MEGABYTE or None,
            options.seconds or None,
        )

    @Slot()
    def _on_captures(self) -> None:
        self._settings.capture_options = self._options
        if self._dialog is not None:
            self._dialog.accept()

    @Slot()
    def _on_began(self) -> None:
        live = self._live
        if live is None:
            return
        file = live.settings.file
        if not self._opening.follow(file, temporary=self.spools.owns(file)):
            self._let_go()
            self._drop_spools()
        self.state_changed.emit()

    @Slot()
    def _on_ended(self) -> None:
        live, self._live = self._live, None
        if live is None:
            return
        live.close()
        self._ending.append(live)
        failed = live.failed
        if not live.begun:
            self._refuse(failed or Failed(Fault.ENDED, self.tr("The sniffer ended before it began.")))
        else:
            self._opening.finish()
            if failed is not None:
                self._banner.say(f"{failed.text} {live.way_on}", sign="error")
        then, self._then = self._then, None
        self.state_changed.emit()
        if then is not None:
            then()

    @Slot(float)
    def _on_set_back(self, seconds: float) -> None:
        text = self.tr(
            "The system's clock was set back by {0} s. Packets that came later have earlier times; none is lost."
        )
        self._banner.say(text.format(words.quantity(round(seconds))))

    def when_stopped(self, then: Then) -> None:
        """Stop the capture if one runs, and go on when all of it is written."""
        if self._live is None:
            then()
            return
        self._then = then
        self.stop()
        if self._live is None:
            self._then = None
            then()

    def _refuse(self, failed: Failed) -> None:
        """It could not begin: say why where the person can change it."""
        self._live = None
        self._drop_spools()
        if self._dialog is None:
            self.ask_options(self._options)
        if self._dialog is not None:
            self._dialog.refuse(failed.text, advise=failed.fault is Fault.RIGHT)
        self.state_changed.emit()

    @Slot()
    def _on_dialog_finished(self) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is not None:
            dialog.deleteLater()
        if self._live is not None and not self._live.begun:
            self.stop()

    def _on_answer(self, chosen: QMessageBox.StandardButton, then: Then) -> None:
        box, self._question = self._question, None
        if box is not None:
            box.deleteLater()
        if chosen == QMessageBox.StandardButton.Save:
            self.when_stopped(lambda: self.save(then))
        elif chosen == QMessageBox.StandardButton.Discard:
            then()
        elif self._dialog is not None:
            self._dialog.refuse("")

    def _on_saved(self, document: Document, target: Path, then: Then | None) -> None:
        self.spools.is_saved(document.worker.capture.path)
        if self._opening.document is document:
            self._opening.keep_as(target)
        self.state_changed.emit()
        if then is not None:
            then()

    def _on_not_saved(self, error: Exception) -> None:
        text = self.tr("{0} The capture stays open and is not saved.").format(error)
        self._banner.say(text, sign="error")
        if self._dialog is not None:
            self._dialog.refuse(text)

    @Slot(object)
    def _on_changed(self, document: Document | None) -> None:
        """Another capture is shown: what ran for the one before ends, and its temporary file goes."""
        shown = None if document is None else document.worker.capture.path
        live = self._live
        waits = isinstance(live, LiveCapture) and not live.begun
        if live is not None and not waits and live.settings.file != shown:
            self._let_go()
            self.state_changed.emit()
        if live is None or live.settings.file != shown:
            self.told.emit(None)
        self._drop_spools()

    def _let_go(self) -> None:
        live, self._live = self._live, None
        if live is not None:
            live.close()
            self._ending.append(live)

    def _drop_spools(self) -> None:
        document = self._opening.document
        shown = [] if document is None else [document.worker.capture.path]
        running = [] if self._live is None else [self._live.settings.file]
        self.spools.drop_others(*shown, *running)
