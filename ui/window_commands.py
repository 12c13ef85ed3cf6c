"""The commands of the window as actions: menus, command bar, keys, icons, and which of them are possible now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import qtawesome
from PySide6.QtCore import QObject, QSize, Qt, Slot
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from ui.actions import COMMANDS, LETTERS, MENUS, Command, shortcuts
from ui.document import Document
from ui.marks import Mark
from ui.models import steps
from ui.theme import Theme

BAR_HEIGHT = 40
BAR_ICON = 18


class WindowCommands(QObject):
    """Makes an action of each of `actions.COMMANDS` from what carries it out."""

    def __init__(self, window: QMainWindow, carry_out: Mapping[str, Callable[[], object]]) -> None:
        super().__init__(window)
        self._carry_out = carry_out
        self._has_capture = False
        self._possible: dict[str, bool] = {}
        """As the actions say."""
        self.by_name: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {name: window.menuBar().addMenu(self.tr(f"&{name}")) for name in MENUS}
        self.bar = window.addToolBar(self.tr("Commands"))
        self.bar.setObjectName("commands")
        self.bar.setMovable(False)
        self.bar.setAutoFillBackground(True)
        menu = COMMANDS[0].menu
        for command in COMMANDS:
            action = self._action(command)
            if command.separator:
                self.menus[command.menu].addSeparator()
            self.menus[command.menu].addAction(action)
            if command.icon:
                if command.menu != menu:
                    self.bar.addSeparator()
                menu = command.menu
                self.bar.addAction(action)

    def add_letters(self, panes: Iterable[QWidget]) -> None:
        """Single keys act in these panes and what is in them."""
        for keys, name in LETTERS.items():
            for pane in panes:
                shortcut = QShortcut(QKeySequence(keys), pane)
                shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
                shortcut.activated.connect(self._carry_out[name])

    def set_look(self, theme: Theme, zoom: float) -> None:
        """Colours of the icons, and their size."""
        side = round(BAR_ICON * zoom)
        self.bar.setIconSize(QSize(side, side))
        self.bar.setFixedHeight(round(BAR_HEIGHT * zoom))
        colour, off = theme.hex("text2"), theme.hex("line2")
        for command in COMMANDS:
            if command.icon:
                icon = qtawesome.icon(f"ph.{command.icon}", color=colour, color_disabled=off)
                self.by_name[command.name].setIcon(icon)

    def update_for(self, document: Document | None, *, capturing: bool = False, sniffing: bool = False) -> None:
        """Enable what is possible with this capture and its selection.

        `capturing`: something comes, or is to come; `sniffing`: from a sniffer.
        """
        self._has_capture = document is not None
        busy = capturing or (document is not None and not document.is_decoded)
        possible = {command.name: document is not None for command in COMMANDS if command.needs_capture}
        possible |= {"capture_start": not busy, "stop": busy, "capture_restart": sniffing}
        self.by_name["pause"].setChecked(document is not None and document.is_paused)
        if document is not None:
            possible |= _possible(document)
        for name, wanted in possible.items():
            # Most say the same as before, many times a second while rows come.
            if self._possible.get(name) != wanted:
                self._possible[name] = wanted
                self.by_name[name].setEnabled(wanted)

    @Slot(str)
    def run(self, name: str) -> None:
        """Do what the action of a command does."""
        self.by_name[name].trigger()

    def why_off(self, command: Command) -> str:
        """Why a command cannot be carried out now; empty if it can."""
        if self.by_name[command.name].isEnabled():
            return ""
        known = command.lacks and (self._has_capture or not command.needs_capture)
        return self.tr(command.lacks) if known else self.tr("no capture is open")

    def _action(self, command: Command) -> QAction:
        action = QAction(self.tr(command.text), self)
        action.setCheckable(command.toggles)
        action.setShortcuts([QKeySequence(keys) for keys in shortcuts(command)])
        carry_out = self._carry_out[command.name]
        action.triggered.connect(lambda: carry_out())
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip(f"{action.text()} ({keys})" if keys else action.text())
        letters = [letter for letter, name in LETTERS.items() if name == command.name]
        if letters and not keys:
            # Shown only: as a shortcut of the window it would act where letters are typed.
            action.setText(f"{action.text()}\t{letters[0]}")
        self.by_name[command.name] = action
        return action


def _possible(document: Document) -> dict[str, bool]:
    """By command: does it lead anywhere?"""
    tables, selection = document.tables, document.selection
    place = selection.place
    walk = ("next_snapshot", "previous_snapshot", "next_failed", "previous_failed")
    return (
        {name: bool(len(tables.snapshots)) for name in walk}
        | {
            "back": selection.can_go_back,
            "forward": selection.can_go_forward,
            "reload": not document.is_live and not document.temporary,
            "follow": not document.is_live and not document.temporary,
            "pause": document.is_live,
            "save": document.temporary and not document.is_live,
            "save_as": document.is_decoded and not document.worker.is_rereading,
            "decode_as": place.packet >= 0,
            "undo": document.undo.can_undo,
            "redo": document.undo.can_redo,
            "all_sessions": selection.session >= 0,
            "file_problems": bool(document.worker.capture.problems),
            "baseline": steps.baseline(tables, place.snapshot) >= 0,
            "acknowledgement": steps.acknowledgement(tables, place.snapshot) >= 0,
            "next_part": steps.next_part(tables, place) >= 0,
            "cause": steps.cause(tables, place.snapshot) >= 0,
        }
        | _marks(document)
    )


def _marks(document: Document) -> dict[str, bool]:
    """Of the commands for what a person attaches to packets."""
    marks, selected = document.marks, document.selection.place.packet >= 0
    kinds = {Mark.MARKED: "mark", Mark.IGNORED: "ignore", Mark.REFERENCE: "reference"}
    possible = dict.fromkeys(kinds.values(), selected)
    for kind, name in kinds.items():
        possible[f"un{name}_all"] = bool(len(marks.of(kind)))
    for name, kind in (("mark", Mark.MARKED), ("reference", Mark.REFERENCE)):
        possible |= {f"{step}_{name}": bool(len(marks.of(kind))) for step in ("next", "previous")}
    return possible
