"""The dialogs of the window as a whole: going to a place, all commands, keys, preferences, and what is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMessageBox, QWidget
from shiboken6 import isValid

import analyzer
from ui.actions import COMMANDS
from ui.appearance import Appearance
from ui.dialogs.colours import ColoursDialog
from ui.dialogs.command_search import CommandSearch
from ui.dialogs.go_to import GoToDialog, Target
from ui.dialogs.preferences import PreferencesDialog
from ui.dialogs.report import ReportDialog
from ui.icons import product_icon
from ui.models.commands import CommandModel, command_row, key_rows
from ui.navigation import Found, find_target
from ui.opening import Opening
from ui.views.welcome import PRODUCT_ICON
from ui.window_commands import WindowCommands

GO_TO_TOPIC = "go to"


class WindowDialogs(QObject):
    """None of them blocks: the window goes on behind them."""

    def __init__(
        self,
        opening: Opening,
        appearance: Appearance,
        refused: Callable[[Sequence[str]], str],
        is_shown: Callable[[int], bool],
        window: QWidget,
    ) -> None:
        """`refused`: what is wrong with some schema files, empty if nothing is. `is_shown`: is a packet in the list?"""
        super().__init__(window)
        self._opening = opening
        self._appearance = appearance
        self._refused = refused
        self._is_shown = is_shown
        self._window = window

    def commands(self) -> dict[str, Callable[[], object]]:
        """Command -> what carries it out."""
        return {
            "file_problems": self.tell_problems,
            "preferences": self.ask_preferences,
            "go_to": self.ask_target,
            "keys": self.show_keys,
            "colours": self.show_colours,
            "about": self.tell_about,
        }

    def show_report(self, what: str, details: str) -> None:
        """Show a mistake of ours; the window goes on. One at a time: a mistake in painting comes with every repaint."""
        if any(dialog.isVisible() for dialog in self._window.findChildren(ReportDialog)):
            return
        dialog = ReportDialog(what, details, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def ask_preferences(self) -> None:
        """What a person chooses takes effect at once."""
        dialog = PreferencesDialog(self._appearance.preferences, self._refused, self._window)
        dialog.changed.connect(self._appearance.prefer)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def ask_target(self) -> None:
        """Ask for a packet, a tick or a time, and select it."""
        dialog = GoToDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.asked.connect(lambda target: self._go_to(dialog, target))
        dialog.open()

    def _go_to(self, dialog: GoToDialog, target: Target) -> None:
        document = self._opening.document
        if document is None:
            return
        tables, place = document.tables, document.selection.place
        # Of an earlier answer the dialog may be gone.
        document.ask(GO_TO_TOPIC, lambda _: find_target(tables, place, target), partial(self._take_target, dialog))

    def _take_target(self, dialog: GoToDialog, found: Found | str) -> None:
        document = self._opening.document
        if document is None or not isValid(dialog) or not dialog.isVisible():
            return
        if isinstance(found, str):
            dialog.refuse(found)
        elif not self._is_shown(found.packet):
            dialog.refuse(self.tr("{0} is not displayed: the list is limited to others").format(found.said))
        else:
            document.selection.select(found.packet, found.snapshot)
            dialog.accept()

    def ask_command(self, commands: WindowCommands) -> None:
        """Search all commands by name, and run the one that is taken."""
        rows = [command_row(command, commands.why_off(command)) for command in COMMANDS if command.name != "palette"]
        dialog = CommandSearch(
            self.tr("All commands"),
            self.tr("Name of a command"),
            CommandModel(rows, grouped=False),
            zoom=self._appearance.preferences.zoom,
            takes=True,
            parent=self._window,
        )
        # Queued: the dialog has gone, and what had the focus has it again, when the command acts on it.
        dialog.taken.connect(commands.run, Qt.ConnectionType.QueuedConnection)
        dialog.open()

    def show_keys(self) -> None:
        """What every key does."""
        CommandSearch(
            self.tr("Keys"),
            self.tr("Command or key"),
            CommandModel(key_rows(), grouped=True),
            zoom=self._appearance.preferences.zoom,
            takes=False,
            parent=self._window,
        ).open()

    def show_colours(self) -> None:
        """What colours and signs of the packet list mean."""
        ColoursDialog(self._appearance.theme, self._appearance.preferences.zoom, self._window).show()

    def tell_problems(self) -> None:
        """What is wrong with the file."""
        self._tell(self.tr("What is wrong with the file"), "\n".join(self._opening.problem_texts()))

    def tell_about(self) -> None:
        """Name, version and licence."""
        text = self.tr("Snapscope {0}\nShows what a game server told each client, tick by tick.\nGPL-2.0-or-later")
        self._tell(self.tr("About Snapscope"), text.format(analyzer.__version__), product_icon())

    def _tell(self, head: str, text: str, icon: QIcon | None = None) -> None:
        box = QMessageBox(QMessageBox.Icon.NoIcon, head, text, QMessageBox.StandardButton.Close, self._window)
        if icon is not None:
            box.setIconPixmap(icon.pixmap(QSize(PRODUCT_ICON, PRODUCT_ICON), self._window.devicePixelRatioF()))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()
