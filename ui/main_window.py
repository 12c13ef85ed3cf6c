"""The window: menus, the packet list over its tabs, the docks beside them, and one opened capture at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import qtawesome
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QFileDialog,
    QMainWindow,
    QMessageBox,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

import analyzer
from analyzer.capture.frames import CaptureError
from analyzer.resources import resource
from analyzer.stats.clients import Clients, client_stats
from ui import fonts, words
from ui.actions import COMMANDS, LETTERS, LIST_STEPS, MENUS, Command, shortcuts
from ui.charts.stack import ChartStack
from ui.dialogs.go_to import GoToDialog, Target
from ui.dialogs.preferences import PreferencesDialog
from ui.dialogs.report import ReportDialog
from ui.document import Document
from ui.models import steps
from ui.models.field_text import row_text, value_text
from ui.models.packet_cells import Column, TimeFormat
from ui.models.recent import capture_summary, worst_severity
from ui.navigation import find_target
from ui.settings import ZOOM_RANGE, Preferences, RecentCapture, Settings
from ui.theme import DARK, LIGHT, Theme
from ui.views.banner import Banner
from ui.views.clients import ClientsPane
from ui.views.find_bar import FindBar
from ui.views.packet_list import PacketList
from ui.views.packet_tab import PacketTab
from ui.views.plain_table import PlainTable
from ui.views.snapshot_tab import SnapshotTab
from ui.views.status import StatusBar
from ui.views.welcome import WelcomePage
from ui.window_layout import WindowLayout, focus_pane

_LOG = logging.getLogger(__name__)
SAMPLE = "samples/ddnet_learntoplay.pcap.gz"
FILE_FILTER = "Captures (*.pcap *.pcapng *.cap *.gz);;All files (*)"
ZOOM_STEP = 0.1


class MainWindow(QMainWindow):
    """Shows one capture at a time. Commands of `actions.COMMANDS` are steps in the list or methods `do_<name>` here."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._preferences = settings.preferences
        self._document: Document | None = None
        self._find_pane: QWidget | None = None
        self._problems_said = 0
        """Problems of the file when the banner last said so; hidden by a person, it waits for a further one."""
        self._theme = self._wanted_theme()
        self.setWindowTitle("Snapscope")
        self.setMinimumSize(1024, 700)
        self.setAcceptDrops(True)
        self._make_panes()
        self._lay_out()
        self._make_actions()
        self._connect()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_scheme)
        self.layout_keeper.restore()
        self._apply(self._preferences)
        self._show_document(None)

    def open_path(self, path: str | Path) -> bool:
        """Open a capture in place of the one that is open. False: it cannot be opened; the old one stays."""
        try:
            document = Document.open(path, self)
        except CaptureError as error:
            self.banner.say(str(error), sign="error")
            self._settings_recent_changed()
            return False
        self._show_document(document)
        self._settings.add_recent(RecentCapture(str(path), datetime.now(UTC).isoformat(timespec="seconds")))
        document.start()
        return True

    @property
    def document(self) -> Document | None:
        """The capture that is open."""
        return self._document

    def show_report(self, what: str, details: str) -> None:
        """Show a mistake of ours; the window goes on. One at a time: a mistake in painting comes with every repaint."""
        if any(dialog.isVisible() for dialog in self.findChildren(ReportDialog)):
            return
        dialog = ReportDialog(what, details, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    # Panes

    def _make_panes(self) -> None:
        self.welcome = WelcomePage(self._theme)
        self.packets = PacketList(self._theme)
        self.packet_tab = PacketTab(self._theme)
        self.snapshot_tab = SnapshotTab(self._theme)
        self.charts = ChartStack(self._theme)
        self.clients = ClientsPane(self._theme)
        self.banner = Banner(self._theme)
        self.find_bar = FindBar()
        self.status = StatusBar()
        self._followers: tuple[QWidget, ...] = (
            self.packets,
            self.packet_tab,
            self.snapshot_tab,
            self.charts,
            self.clients,
        )

    def _lay_out(self) -> None:
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.packet_tab, self.tr("Packet"))
        self.tabs.addTab(self.snapshot_tab, self.tr("Snapshot"))
        self.tabs.setCurrentWidget(self.snapshot_tab)
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setHandleWidth(5)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.packets)
        self.splitter.addWidget(self.tabs)
        self.splitter.setStretchFactor(0, 10)
        self.splitter.setStretchFactor(1, 18)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.welcome)
        self._pages.addWidget(self.splitter)
        central = QWidget()
        column = QVBoxLayout(central)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.banner, self._pages, self.find_bar):
            column.addWidget(widget)
        column.setStretch(1, 1)
        self.setCentralWidget(central)
        self.setStatusBar(self.status)
        panes = {"charts": (self.tr("Charts"), self.charts), "clients": (self.tr("Clients"), self.clients)}
        self.layout_keeper = WindowLayout(self, self._settings, self.splitter, self._pages, panes)

    def _connect(self) -> None:
        self.welcome.open_requested.connect(self.open_path)
        self.welcome.browse_requested.connect(self.do_open)
        self.welcome.forget_requested.connect(self._forget_recent)
        self.packet_tab.wants_first.connect(self.packets.go_first)
        self.snapshot_tab.select_first.connect(self.packets.go_next_snapshot)
        self.find_bar.wanted.connect(self._find)
        self.find_bar.left.connect(self._leave_find)
        self.packets.step_failed.connect(self.status.showMessage)
        self.packets.find_ended.connect(self.find_bar.show_result)
        self.banner.details_wanted.connect(self.do_file_problems)

    # Actions

    def _make_actions(self) -> None:
        self.actions_by_name: dict[str, QAction] = {}
        bar = self.addToolBar(self.tr("Commands"))
        bar.setObjectName("commands")
        bar.setMovable(False)
        bar.setIconSize(QSize(18, 18))
        bar.setAutoFillBackground(True)
        menus = {name: self.menuBar().addMenu(self.tr(name)) for name in MENUS}
        for command in COMMANDS:
            action = self._action(command)
            if command.separator:
                menus[command.menu].addSeparator()
            menus[command.menu].addAction(action)
            if command.icon:
                bar.addAction(action)
        for dock in self.docks:
            menus["View"].addAction(dock.toggleViewAction())
        self._recent_menu = menus["File"].addMenu(self.tr("Recent captures"))
        self._recent_menu.aboutToShow.connect(self._fill_recent_menu)
        for keys, name in LETTERS.items():
            for pane in (self.tabs, self.charts, self.clients):
                shortcut = QShortcut(QKeySequence(keys), pane)
                shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
                shortcut.activated.connect(self._method(name))
        for number, show in enumerate(self._pane_shows(), 1):
            shortcut = QShortcut(QKeySequence(f"Alt+{number}"), self)
            shortcut.activated.connect(show)

    def _action(self, command: Command) -> QAction:
        action = QAction(self.tr(command.text), self)
        action.setShortcuts([QKeySequence(keys) for keys in shortcuts(command)])
        method = self._method(command.name)
        action.triggered.connect(lambda: method())
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip(f"{action.text()} ({keys})" if keys else action.text())
        self.actions_by_name[command.name] = action
        return action

    @property
    def docks(self) -> list[QDockWidget]:
        """Charts and clients."""
        return self.layout_keeper.docks

    def _method(self, name: str) -> Callable[[], object]:
        if name in LIST_STEPS:
            step: Callable[[], object] = getattr(self.packets, f"go_{LIST_STEPS[name]}")
            return step
        method: Callable[[], object] = getattr(self, f"do_{name}")
        return method

    def _pane_shows(self) -> tuple[Callable[[], None], ...]:
        """Alt+1 and so on: list, Packet, Snapshot, Charts, Clients."""

        def tab(pane: QWidget) -> None:
            self.tabs.setCurrentWidget(pane)
            focus_pane(pane)

        def dock(which: QDockWidget) -> None:
            which.show()
            which.raise_()
            focus_pane(which.widget())

        return (
            lambda: focus_pane(self.packets),
            lambda: tab(self.packet_tab),
            lambda: tab(self.snapshot_tab),
            lambda: dock(self.docks[0]),
            lambda: dock(self.docks[1]),
        )

    def _set_icons(self) -> None:
        colour, off = self._theme.hex("text2"), self._theme.hex("line2")
        for command in COMMANDS:
            if command.icon:
                self.actions_by_name[command.name].setIcon(
                    qtawesome.icon(f"ph.{command.icon}", color=colour, color_disabled=off)
                )

    def _update_actions(self) -> None:
        document = self._document
        selection = None if document is None else document.selection
        for command in COMMANDS:
            if command.needs_capture:
                self.actions_by_name[command.name].setEnabled(document is not None)
        self.actions_by_name["back"].setEnabled(selection is not None and selection.can_go_back)
        self.actions_by_name["forward"].setEnabled(selection is not None and selection.can_go_forward)
        self.actions_by_name["stop"].setEnabled(document is not None and not document.is_decoded)
        self.actions_by_name["all_sessions"].setEnabled(selection is not None and selection.session >= 0)
        for name, possible in self._possible_steps().items():
            self.actions_by_name[name].setEnabled(possible)
        for dock in self.docks:
            dock.toggleViewAction().setEnabled(document is not None)
        problems = document is not None and bool(document.worker.capture.problems)
        self.actions_by_name["file_problems"].setEnabled(problems)

    def _possible_steps(self) -> dict[str, bool]:
        """By command: does the selection lead there?"""
        document = self._document
        if document is None:
            return {}
        tables, place = document.tables, document.selection.place
        walk = ("next_snapshot", "previous_snapshot", "next_failed", "previous_failed")
        return {name: bool(len(tables.snapshots)) for name in walk} | {
            "baseline": steps.baseline(tables, place.snapshot) >= 0,
            "acknowledgement": steps.acknowledgement(tables, place.snapshot) >= 0,
            "next_part": steps.next_part(tables, place) >= 0,
            "cause": steps.cause(tables, place.snapshot) >= 0,
        }

    # The document

    def _show_document(self, document: Document | None) -> None:
        old, self._document = self._document, document
        for pane in self._followers:
            pane.show_document(document)  # type: ignore[attr-defined]
        self.status.show_document(document)
        self.banner.say("")
        self._problems_said = 0
        self.find_bar.hide()
        if old is not None:
            old.close()
            old.deleteLater()
        self._pages.setCurrentWidget(self.welcome if document is None else self.splitter)
        self.layout_keeper.show_docks(document is not None)
        self.setWindowTitle("Snapscope" if document is None else f"{document.path.name} – Snapscope")
        if document is not None:
            document.selection.history_changed.connect(self._update_actions)
            document.selection.session_changed.connect(self._update_actions)
            document.decoded.connect(self._on_decoded)
            document.question_failed.connect(self._on_question_failed)
            document.unreadable.connect(self._on_unreadable)
            document.rows_added.connect(self._say_problems)
            document.rows_added.connect(self._update_actions)
            self.packets.setFocus()
        self._settings_recent_changed()
        self._update_actions()

    def _on_decoded(self) -> None:
        document = self._document
        if document is None:
            return
        self._say_problems()
        if document.failure_report:
            self.show_report(self.tr("decoding stopped"), document.failure_report)
        elif not document.worker.cancelled and document.worker.failure is None:
            document.ask("recent", lambda query: client_stats(document.tables), self._describe_recent)
            self._say_not_decoded(document)
        self._update_actions()

    def _say_not_decoded(self, document: Document) -> None:
        """A capture of nothing but games that are only recognised looks broken unless the reason is named."""
        tables = document.tables
        recognised = ", ".join(sorted(set(tables.flows.array("recognised").tolist()) - {""}))
        if recognised and not len(tables.readings) and not self.banner.text:
            text = self.tr(
                "Nothing is decoded: this is {0}, which is recognised but not read. Only packets are listed."
            )
            self.banner.say(text.format(recognised), sign="warn")

    def _describe_recent(self, clients: Clients) -> None:
        """The list of recent captures says what this one holds."""
        document = self._document
        if document is None:
            return
        protocols = document.worker.capture.protocols
        names = {dialect: name for protocol in protocols for dialect, name in protocol.dialect_names.items()}
        self._settings.add_recent(
            RecentCapture(
                str(document.path),
                datetime.now(UTC).isoformat(timespec="seconds"),
                capture_summary(document.tables, clients, names),
                worst_severity(clients),
            )
        )

    def _on_unreadable(self, text: str) -> None:
        self.banner.say(text, sign="error")

    def _on_question_failed(self, details: str) -> None:
        self.show_report(self.tr("a packet could not be shown"), details)

    def _say_problems(self) -> None:
        document = self._document
        problems = [] if document is None else document.worker.capture.problems
        if len(problems) > self._problems_said and not self.banner.text:
            self._problems_said = len(problems)
            more = "" if len(problems) == 1 else self.tr(" (and {0} more)").format(words.quantity(len(problems) - 1))
            text = problems[0].text
            self.banner.say(f"{text[:1].upper()}{text[1:]}{more}", details=len(problems) > 1)
            self._update_actions()

    def _settings_recent_changed(self) -> None:
        self.welcome.show_recent(self._settings.recent)

    def _forget_recent(self, path: str) -> None:
        self._settings.forget_recent(path)
        self._settings_recent_changed()

    def _fill_recent_menu(self) -> None:
        self._recent_menu.clear()
        for entry in self._settings.recent:
            action = self._recent_menu.addAction(Path(entry.path).name)
            action.setToolTip(entry.path)
            action.setEnabled(Path(entry.path).exists())
            action.triggered.connect(lambda checked=False, path=entry.path: self.open_path(path))
        if self._recent_menu.isEmpty():
            self._recent_menu.addAction(self.tr("None yet")).setEnabled(False)

    # Commands: file

    def do_open(self) -> None:
        """Ask for a capture."""
        folder = str(self._document.path.parent) if self._document is not None else ""
        path, _ = QFileDialog.getOpenFileName(self, self.tr("Open a capture"), folder, self.tr(FILE_FILTER))
        if path:
            self.open_path(path)

    def do_open_sample(self) -> None:
        """Open the capture that is shipped."""
        self.open_path(resource(SAMPLE))

    def do_close_capture(self) -> None:
        """Back to the welcome page."""
        self._show_document(None)

    def do_reload(self) -> None:
        """Read the file from its beginning again."""
        if self._document is not None:
            self.open_path(self._document.path)

    def do_stop(self) -> None:
        """Stop decoding; what is there stays."""
        if self._document is not None:
            self._document.cancel()

    def do_file_problems(self) -> None:
        """Say all that is wrong with the file."""
        if self._document is not None:
            texts = [f"{problem.text} (byte {problem.offset})" for problem in self._document.worker.capture.problems]
            shown = texts[:30] + ([f"... {words.quantity(len(texts) - 30)} more"] if len(texts) > 30 else [])
            self._tell(self.tr("What is wrong with the file"), "\n".join(shown))

    def do_quit(self) -> None:
        """Close the window."""
        self.close()

    # Commands: edit

    def do_copy(self) -> None:
        """Copy what is selected in the pane with the focus, or the packet's row."""
        focused = QApplication.focusWidget() or self
        if isinstance(focused, PlainTable):
            focused.copy_row()
        elif self.snapshot_tab.isAncestorOf(focused):
            self.snapshot_tab.copy_rows()
        elif self.packet_tab.bytes.isAncestorOf(focused):
            self.packet_tab.bytes.hex.copy_hex()
        elif self.packet_tab.isAncestorOf(focused):
            self.packet_tab.tree.copy(row_text)
        else:
            self.packets.copy_row()

    def do_copy_value(self) -> None:
        """Copy the value of what is selected in the pane with the focus; of a packet, what its Info says."""
        focused = QApplication.focusWidget() or self
        if isinstance(focused, PlainTable):
            focused.copy_value()
        elif self.snapshot_tab.isAncestorOf(focused):
            self.snapshot_tab.copy_value()
        elif self.packet_tab.isAncestorOf(focused):
            self.packet_tab.tree.copy(value_text)
        else:
            self.packets.copy_value(Column.INFO)

    def do_find(self) -> None:
        """Find in the pane that has the focus."""
        self._find_pane = self._focused_pane()
        self.find_bar.ask(self._pane_name(self._find_pane))

    def _leave_find(self) -> None:
        if self._find_pane is not None:
            focus_pane(self._find_pane)

    def do_find_next(self) -> None:
        """Find the next."""
        self.find_bar.search(forward=True)

    def do_find_previous(self) -> None:
        """Find the one before."""
        self.find_bar.search(forward=False)

    def do_preferences(self) -> None:
        """Change preferences; every change shows at once."""
        dialog = PreferencesDialog(self._preferences, self)
        dialog.changed.connect(self._set_preferences)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _focused_pane(self) -> QWidget:
        focused = QApplication.focusWidget()
        for pane in (self.packet_tab, self.snapshot_tab):
            if focused is not None and (pane is focused or pane.isAncestorOf(focused)):
                return pane
        return self.packets

    def _pane_name(self, pane: QWidget) -> str:
        if pane is self.packet_tab:
            return self.tr("the packet")
        return self.tr("the snapshot") if pane is self.snapshot_tab else self.tr("the packet list")

    def _find(self, text: str, forward: bool) -> None:
        if self._find_pane is self.packet_tab:
            self.find_bar.show_result(self.packet_tab.find(text, forward))
        elif self._find_pane is self.snapshot_tab:
            self.find_bar.show_result(self.snapshot_tab.find(text, forward))
        else:
            self.packets.find_text(text, forward)

    # Commands: view

    def do_zoom_in(self) -> None:
        """Larger type and rows."""
        self._zoom_by(ZOOM_STEP)

    def do_zoom_out(self) -> None:
        """Smaller type and rows."""
        self._zoom_by(-ZOOM_STEP)

    def do_zoom_reset(self) -> None:
        """Back to 100 %."""
        self._zoom_by(1.0 - self._preferences.zoom)

    def do_all_sessions(self) -> None:
        """Lift the limit to one session."""
        if self._document is not None:
            self._document.selection.limit_to(-1)

    def do_fill(self) -> None:
        """Let the pane with the focus fill the window, or put all back."""
        self.layout_keeper.fill()

    def do_next_pane(self) -> None:
        """Move the focus on to the next pane."""
        self.layout_keeper.step_pane(1)

    def do_previous_pane(self) -> None:
        """Move the focus back to the pane before."""
        self.layout_keeper.step_pane(-1)

    def do_reset_layout(self) -> None:
        """The layout of the first start."""
        self.layout_keeper.reset()

    # Commands: go

    def do_back(self) -> None:
        """The selection before."""
        if self._document is not None:
            self._document.selection.back()

    def do_forward(self) -> None:
        """Undo back."""
        if self._document is not None:
            self._document.selection.forward()

    def do_go_to(self) -> None:
        """Ask for a packet, a tick or a time."""
        dialog = GoToDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.asked.connect(lambda target: self._go_to(dialog, target))
        dialog.open()

    def _go_to(self, dialog: GoToDialog, target: Target) -> None:
        if self._document is None:
            return
        found = find_target(self._document.tables, self._document.selection.place, target)
        if isinstance(found, str):
            dialog.refuse(found)
            return
        self._document.selection.select(*found)
        dialog.accept()

    # Commands: help

    def do_keys(self) -> None:
        """List the keys."""
        lines = [f"{self.tr(c.text).rstrip('.')}: {c.keys.replace('Comma', ',')}" for c in COMMANDS if c.keys]
        letters = [f"{name.replace('_', ' ').capitalize()}: {keys}" for keys, name in LETTERS.items()]
        panes = self.tr("Packet list, Packet, Snapshot, Charts, Clients: Alt+1 to Alt+5")
        text = [*lines, "", self.tr("In lists, trees and charts"), *letters, "", panes]
        self._tell(self.tr("Keys"), "\n".join(text))

    def do_about(self) -> None:
        """Name, version and licence."""
        text = self.tr("Snapscope {0}\nShows what a game server told each client, tick by tick.\nGPL-2.0-or-later")
        self._tell(self.tr("About Snapscope"), text.format(analyzer.__version__))

    def _tell(self, title: str, text: str) -> None:
        box = QMessageBox(QMessageBox.Icon.NoIcon, title, text, QMessageBox.StandardButton.Close, self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    # Preferences and layout

    def _set_preferences(self, preferences: Preferences) -> None:
        self._settings.preferences = preferences
        self._apply(preferences)

    def _zoom_by(self, step: float) -> None:
        low, high = ZOOM_RANGE
        zoom = min(high, max(low, round(self._preferences.zoom + step, 2)))
        self._set_preferences(replace(self._preferences, zoom=zoom))

    def _apply(self, preferences: Preferences) -> None:
        self._preferences = preferences
        zoom = preferences.zoom
        QApplication.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom, system=preferences.system_fonts))
        for pane in (*self._followers, self.status):
            pane.set_zoom(zoom)  # type: ignore[attr-defined]
        self.packets.set_time_format(TimeFormat(preferences.time_format))
        self._set_theme(self._wanted_theme())

    def _wanted_theme(self) -> Theme:
        chosen = self._preferences.theme
        if chosen == "system":
            dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
            return DARK if dark else LIGHT
        return DARK if chosen == "dark" else LIGHT

    def _on_scheme(self) -> None:
        self._set_theme(self._wanted_theme())

    def _set_theme(self, theme: Theme) -> None:
        self._theme = theme
        QApplication.setPalette(theme.palette())
        for pane in (*self._followers, self.banner, self.welcome):
            pane.set_theme(theme)  # type: ignore[attr-defined]
        self._set_icons()

    # Qt

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = next((url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()), "")
        if path:
            event.acceptProposedAction()
            self.open_path(path)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._show_document(None)
        self.layout_keeper.save()
        super().closeEvent(event)
