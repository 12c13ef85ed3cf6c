"""The window: the packet list over its tabs, the docks beside them, and what joins the parts that do the work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, Qt, Slot
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QFileDialog,
    QMainWindow,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from analyzer.resources import resource
from ui.actions import LIST_STEPS
from ui.appearance import Appearance
from ui.capturing import Capturing
from ui.charts.stack import ChartStack
from ui.columns import PacketColumns
from ui.document import Document
from ui.editing import Editing
from ui.fast_decoder import FastDecoder
from ui.filtering import Filtering
from ui.finding_marks import FindingMarks
from ui.live_view import LiveView
from ui.machine import Machine
from ui.marking import Marking
from ui.models.packet_cells import TimeFormat
from ui.opening import Opening
from ui.overview.strip import OverviewStrip
from ui.pinning import Pinning
from ui.recent_menu import RecentMenu
from ui.recovery import Recovery
from ui.saving import Saving
from ui.schema_files import SchemaFiles, is_schema
from ui.settings import Settings
from ui.streams import Streams
from ui.views.banner import Banner
from ui.views.clients import ClientsPane
from ui.views.filter_bar import FilterBar
from ui.views.find_bar import FindBar
from ui.views.findings import FindingsPane
from ui.views.live_bar import LiveBar
from ui.views.packet_list import PacketList
from ui.views.packet_tab import PacketTab
from ui.views.recovery_bar import RecoveryBar
from ui.views.snapshot_tab import SnapshotTab
from ui.views.status import StatusBar
from ui.views.welcome import WelcomePage, local_files
from ui.window_commands import WindowCommands
from ui.window_dialogs import WindowDialogs
from ui.window_layout import WindowLayout

SAMPLE = "samples/ddnet_learntoplay.pcap.gz"
FILE_FILTER = "Captures (*.pcap *.pcapng *.cap *.pcap.gz *.pcapng.gz *.cap.gz);;All files (*)"
LEAST_SIZE = (800, 480)
"""A screen of 1280 x 800 at scale 1.5 has 853 x 533, less what panels take."""
ZOOM_STEP = 0.1


class MainWindow(QMainWindow):
    """Shows one capture at a time."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self.appearance = Appearance(settings, self)
        self.setWindowTitle("Snapscope")
        self.setMinimumSize(*LEAST_SIZE)
        self.setAcceptDrops(True)
        self._make_panes()
        self._lay_out()
        self.opening = Opening(settings, self.banner, self)
        self.schema_files = SchemaFiles(self.opening, self.appearance, self.banner, self)
        traffic = self.welcome.interfaces.traffic
        self.capturing = Capturing(self.opening, settings, self.appearance, self.banner, traffic, self)
        self.recovery = Recovery(self.opening, self.capturing, self.recovery_bar, self.banner, self)
        self.streams = Streams(self.opening, self.capturing, self.banner, self)
        packets = self.packets
        self.saving = Saving(
            self.opening,
            self.appearance,
            lambda: self.charts.region_s,
            packets.selected_packets,
            packets.shown_mask,
            self,
        )
        self.pinning = Pinning(self.opening, self)
        self.packet_columns = PacketColumns(self.opening, settings, self.packets, self.appearance, self)
        self.marking = Marking(self.opening, settings, self.packets, self)
        self.filtering = Filtering(settings, self.packets, self.filter_bar, self)
        self._closes = False
        self.editing = Editing(
            self.packets, self.packet_tab, self.snapshot_tab, self.charts, self.clients, self.findings, self.find_bar
        )
        self.dialogs = WindowDialogs(
            self.opening,
            self.appearance,
            self.schema_files.refused,
            lambda packet: self.packets.model.row_of(packet) >= 0,
            self,
        )
        self.commands = WindowCommands(self, self._what_commands_do())
        self.commands.bar.addWidget(self.filter_bar)
        self._add_overview()
        self._add_to_menus()
        self.finding_marks = FindingMarks(
            self.findings.source, self.packets, self.charts, self.clients, self.status, self.snapshot_tab, self
        )
        self.finding_marks.keep_badge(self.layout_keeper, self.tr("Findings"), self.appearance.theme)
        self._connect()
        self.layout_keeper.restore()
        if self._settings.layout("tab") == b"packet":
            self.tabs.setCurrentWidget(self.packet_tab)
        bars = (self.banner, self.recovery_bar, self.live_bar, self.filter_bar, self.finding_marks)
        self.appearance.look_after(
            (*self._followers, *bars, self.welcome, self.status),
            (*self._followers, *bars, self.welcome, self.status, self.find_bar),
        )
        self._show_document(None)

    @property
    def document(self) -> Document | None:
        """The capture that is open."""
        return self.opening.document

    @property
    def docks(self) -> list[QDockWidget]:
        """Charts, clients and findings."""
        return self.layout_keeper.docks

    @property
    def actions_by_name(self) -> dict[str, QAction]:
        """The action of each command."""
        return self.commands.by_name

    def prepare(self, decoder: FastDecoder) -> None:
        """Have the kernels compiled where they are not, say so meanwhile, and use them as soon as they are ready."""
        decoder.ready.connect(self.opening.decode_again)
        decoder.ended.connect(self._on_prepared)
        if decoder.start():
            self.status.show_preparing(self.tr("Preparing the fast decoder"))

    # Making it

    def _make_panes(self) -> None:
        theme = self.appearance.theme
        self.welcome = WelcomePage(theme, Machine())
        self.packets = PacketList(theme)
        self.packet_tab = PacketTab(theme)
        self.snapshot_tab = SnapshotTab(theme)
        self.charts = ChartStack(theme)
        self.overview = OverviewStrip(theme)
        self.clients = ClientsPane(theme)
        self.findings = FindingsPane(theme)
        self.banner = Banner(theme)
        self.recovery_bar = RecoveryBar(theme)
        self.live_bar = LiveBar(theme)
        self.live_view = LiveView(self.packets, self.charts, self.live_bar, self)
        self.find_bar = FindBar()
        self.filter_bar = FilterBar(theme)
        self.status = StatusBar(theme)
        self._followers = (
            self.packets, self.packet_tab, self.snapshot_tab, self.charts, self.clients, self.findings, self.overview
        )  # fmt: skip

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
        for widget in (self.recovery_bar, self.live_bar, self.banner, self._pages, self.find_bar):
            column.addWidget(widget)
        column.setStretchFactor(self._pages, 1)
        self.setCentralWidget(central)
        self.setStatusBar(self.status)
        panes: dict[str, tuple[str, QWidget]] = {
            "charts": (self.tr("Charts"), self.charts),
            "clients": (self.tr("Clients"), self.clients),
            "findings": (self.tr("Findings"), self.findings),
        }
        self.layout_keeper = WindowLayout(
            self, self._settings, self.splitter, self._pages, panes, self.overview
        )  # fmt: skip

    def _add_overview(self) -> None:
        """Over the whole width, also over the docks: only bars are."""
        self.addToolBarBreak()
        bar = self.addToolBar(self.tr("Overview"))
        bar.setObjectName("overview")
        bar.setMovable(False)
        bar.addWidget(self.overview)
        inside = bar.layout()
        assert inside is not None
        inside.setContentsMargins(0, 0, 0, 0)
        bar.setFixedHeight(0)
        self.overview.grown.connect(lambda height: bar.setFixedHeight(height))

    def _add_to_menus(self) -> None:
        for dock in self.docks:
            self.commands.menus["View"].addAction(dock.toggleViewAction())
        recent = RecentMenu(self._settings, self)
        recent.open_requested.connect(self._open)
        self.commands.menus["File"].insertMenu(self.commands.by_name["close_capture"], recent)
        self.commands.add_letters((self.tabs, self.charts, self.clients, self.findings, self.overview))

    def _connect(self) -> None:
        self.opening.changed.connect(self._show_document)
        self.opening.state_changed.connect(self._update_commands)
        self.opening.recent_changed.connect(self._show_recent)
        self.opening.mistake.connect(self.dialogs.show_report)
        self.appearance.applied.connect(self._on_appearance)
        self.capturing.state_changed.connect(self._update_commands)
        self.capturing.told.connect(self.status.show_live)
        self.streams.told.connect(self.status.show_stream)
        self.capturing.told.connect(self.live_view.show_standing)
        self.live_view.changed.connect(self._update_commands)
        self.saving.told.connect(self.status.say)
        self.schema_files.told.connect(self.status.say)
        self.saving.kept.connect(self.capturing.spools.is_saved)
        self.saving.open_wanted.connect(self._open)
        self.saving.mistake.connect(self.dialogs.show_report)
        self.welcome.open_requested.connect(self._open)
        self.welcome.dropped.connect(self._open_dropped)
        self.welcome.browse_requested.connect(self._browse)
        self.welcome.capture_requested.connect(self.capturing.start_on)
        self.welcome.forget_requested.connect(self.opening.forget_recent)
        self.packet_tab.wants_first.connect(self.packets.go_first)
        self.snapshot_tab.select_first.connect(self.packets.go_next_snapshot)
        self.packets.step_failed.connect(self.status.say)
        self.packets.command_wanted.connect(self.commands.run)
        self.marking.told.connect(self.status.say)
        self.marking.referenced.connect(self._on_referenced)
        for changed in (self.packets.model.rowsInserted, self.packets.model.modelReset):
            changed.connect(self._say_displayed)
        as_filter = self.filtering.as_filter
        panes = (
            self.packets,
            self.packet_tab.tree,
            self.snapshot_tab,
            self.clients,
            self.findings,
            self.charts.commands,
        )
        for pane in panes:
            pane.as_filter = as_filter
        as_filter.told.connect(self.status.say)
        as_filter.column_wanted.connect(self.packet_columns.add_field)
        self.filtering.told.connect(self.status.say)
        self.overview.told.connect(self.status.say)
        self.filtering.mistake.connect(self.dialogs.show_report)
        self.filtering.changed.connect(self._say_displayed)
        self.packets.model.rowsRemoved.connect(self._say_displayed)
        self.packets.decode_as_wanted.connect(self.pinning.ask_packet)
        self.clients.decode_as_wanted.connect(self.pinning.ask_session)
        self.banner.details_wanted.connect(self.dialogs.tell_problems)
        self.status.failure_wanted.connect(self._go_next_failed)
        self.status.findings_wanted.connect(lambda: self.layout_keeper.show_pane(self.findings))
        self.findings.told.connect(self.status.say)
        self.finding_marks.judged.connect(self.opening.note_findings)
        self.snapshot_tab.finding_wanted.connect(self._show_finding)
        self.snapshot_tab.has_finding = self.findings.has_finding

    def _what_commands_do(self) -> dict[str, Callable[[], object]]:
        layout, appearance = self.layout_keeper, self.appearance
        steps: dict[str, Callable[[], object]] = {
            name: getattr(self.packets, f"go_{step}") for name, step in LIST_STEPS.items()
        }
        return (
            steps
            | self.capturing.commands()
            | self.dialogs.commands()
            | self.marking.commands()
            | self.packet_columns.commands()
            | self.filtering.commands()
            | {
                "open": self._browse,
                "save_as": self.saving.ask,
                "open_sample": lambda: self._open(resource(SAMPLE)),
                "close_capture": lambda: self.capturing.leave(self.opening.close),
                "reload": self.opening.reload,
                "follow": self.streams.follow,
                "quit": self.close,
                "copy": self.editing.copy,
                "copy_value": self.editing.copy_value,
                "copy_filter": lambda: self.filtering.as_filter.copy(self.editing.filter_text()),
                "find": self.editing.find,
                "find_next": self.editing.find_next,
                "find_previous": self.editing.find_previous,
                "zoom_in": lambda: appearance.zoom_by(ZOOM_STEP),
                "zoom_out": lambda: appearance.zoom_by(-ZOOM_STEP),
                "zoom_reset": lambda: appearance.zoom_by(1.0 - appearance.preferences.zoom),
                **{f"time_{form.value}": partial(self._prefer_time, form) for form in TimeFormat},
                "pause": self.live_view.toggle_pause,
                "all_sessions": self._show_all_sessions,
                "decode_as": self.pinning.ask_packet,
                "fill": layout.fill,
                "next_pane": lambda: layout.step_pane(1),
                "previous_pane": lambda: layout.step_pane(-1),
                "show_list": lambda: layout.show_pane(self.packets),
                "show_packet": lambda: layout.show_pane(self.packet_tab),
                "show_snapshot": lambda: layout.show_pane(self.snapshot_tab),
                "show_charts": lambda: layout.show_pane(self.charts),
                "show_clients": lambda: layout.show_pane(self.clients),
                "show_findings": lambda: layout.show_pane(self.findings),
                "next_finding": self.findings.go_next,
                "previous_finding": self.findings.go_previous,
                "reset_layout": self._reset_layout,
                "back": lambda: self._walk(-1),
                "forward": lambda: self._walk(1),
                "next_failed": self.packets.go_next_failed,
                "previous_failed": self.packets.go_previous_failed,
                "palette": lambda: self.dialogs.ask_command(self.commands),
            }
        )

    # The capture

    @Slot(object)
    def _show_document(self, document: Document | None) -> None:
        for pane in (*self._followers, self.status, self.marking, self.filtering):
            pane.show_document(document)
        live = self.capturing.live
        source = ("", "") if live is None else (live.settings.interface, live.settings.filter)
        self.live_view.show_document(document, source)
        self.find_bar.hide()
        self._pages.setCurrentWidget(self.welcome if document is None else self.splitter)
        self.layout_keeper.show_docks(document is not None)
        if document is not None:
            document.selection.history_changed.connect(self._update_commands)
            document.selection.session_changed.connect(self._update_commands)
            document.pinned.connect(self._update_commands)
            document.reread.connect(self._update_commands)
            document.undo.changed.connect(self._update_commands)
            document.marks.changed.connect(self._update_commands)
            self.packets.setFocus()
        self._show_recent()
        self._update_commands()

    @Slot()
    def _update_commands(self) -> None:
        document = self.document
        self.commands.update_for(document, capturing=self.capturing.active, sniffing=self.capturing.sniffs)
        self.setWindowTitle("Snapscope" if document is None else f"{self._title(document)} – Snapscope")
        for dock in self.docks:
            dock.toggleViewAction().setEnabled(self.document is not None)

    @Slot()
    def _say_displayed(self) -> None:
        model = self.packets.model
        self.status.show_displayed(model.rowCount() if model.is_limited else -1)

    def _title(self, document: Document) -> str:
        if document.is_live:
            return self.tr("{0} (live)").format(document.path.name)
        return self.tr("{0} (not saved)").format(document.path.name) if document.temporary else document.path.name

    @Slot(str)
    def _open(self, path: str | Path) -> None:
        self.capturing.leave(lambda: self.streams.open_path(path))

    @Slot(list)
    def _open_dropped(self, paths: list[str]) -> None:
        schemas = [path for path in paths if is_schema(path)]
        captures = [path for path in paths if path not in schemas]
        if captures:
            self.capturing.leave(lambda: self.opening.open_dropped(captures))
        if schemas:
            self.schema_files.add(schemas)

    @Slot()
    def _show_recent(self) -> None:
        self.welcome.show_recent(self._settings.recent)
        self.welcome.interfaces.show_last(self._settings.capture_options)

    def _reset_layout(self) -> None:
        self.layout_keeper.reset()
        self.packet_columns.reset()
        self.tabs.setCurrentWidget(self.snapshot_tab)

    def _show_all_sessions(self) -> None:
        if self.document is not None:
            self.document.selection.limit_to(-1)

    @Slot(str)
    def _on_prepared(self, trouble: str) -> None:
        self.status.show_preparing("")
        if trouble:
            self.banner.say(self.tr("{0} Captures are decoded all the same, only slower.").format(trouble), sign="warn")

    @Slot()
    def _go_next_failed(self) -> None:
        self.packets.go_next_failed()
        self.packets.setFocus()

    @Slot(int)
    def _show_finding(self, snapshot: int) -> None:
        self.layout_keeper.show_pane(self.findings)
        self.findings.show_snapshot(snapshot)

    def _walk(self, step: int) -> None:
        """Back (-1) or forward through what was selected."""
        if self.document is not None:
            selection = self.document.selection
            (selection.back if step < 0 else selection.forward)()

    def _browse(self) -> None:
        newest = [Path(entry.path) for entry in self._settings.recent[:1]]
        shown = newest if self.document is None else [self.document.path]
        folder = str(shown[0].parent) if shown else ""
        path, _ = QFileDialog.getOpenFileName(self, self.tr("Open a capture"), folder, self.tr(FILE_FILTER))
        if path:
            self._open(path)

    @Slot()
    def _on_appearance(self) -> None:
        preferences = self.appearance.preferences
        self.packets.set_time_format(TimeFormat(preferences.time_format))
        for form in TimeFormat:
            self.commands.by_name[f"time_{form.value}"].setChecked(form.value == preferences.time_format)
        self.charts.set_preferences(preferences)
        self.overview.set_preferences(preferences)
        self.clients.set_preferences(preferences)
        self.findings.set_preferences(preferences)
        self.commands.set_look(self.appearance.theme, preferences.zoom)

    def _prefer_time(self, form: TimeFormat) -> None:
        self.appearance.prefer(replace(self.appearance.preferences, time_format=form.value))

    @Slot()
    def _on_referenced(self) -> None:
        """Times count from the first reference at once, where they counted from the first packet."""
        preferred = TimeFormat(self.appearance.preferences.time_format)
        if preferred is TimeFormat.FIRST:
            self._prefer_time(TimeFormat.REFERENCE)
        elif preferred is not TimeFormat.REFERENCE:
            self.status.say(self.tr("Ctrl+Alt+6 shows times since the reference"))

    # Qt

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = local_files(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self._open_dropped(paths)

    def _close_for_good(self) -> None:
        self._closes = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._closes and self.capturing.unsaved:
            event.ignore()
            self.capturing.leave(self._close_for_good)
            return
        self.opening.close()
        self.capturing.close()
        self.recovery.close()
        self.marking.close()
        self.filtering.close()
        self.saving.close()
        self.schema_files.close()
        self.layout_keeper.save()
        is_packet = self.tabs.currentWidget() is self.packet_tab
        self._settings.set_layout("tab", QByteArray(b"packet" if is_packet else b"snapshot"))
        super().closeEvent(event)
