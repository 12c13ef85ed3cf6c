"""Findings outside of their dock: the badge of its tab, the status bar, signs in list and charts, the clients."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from analyzer.expert.rule import Severity
from ui.charts.drawing import Marked
from ui.charts.stack import ChartStack
from ui.models.finding_cells import SIGNS
from ui.models.finding_source import FindingSource
from ui.models.finding_text import counted
from ui.theme import Theme
from ui.views.clients import ClientsPane
from ui.views.packet_list import PacketList
from ui.views.severity_chips import SeverityPill
from ui.views.snapshot_tab import SnapshotTab
from ui.views.status import StatusBar
from ui.window_layout import WindowLayout


class FindingMarks(QObject):
    """Hands on what a source found."""

    changed_room = Signal()
    judged = Signal(str, str)
    """All of a capture was judged: the worst, `error`, `warn` or empty, and how many there are of it in words."""

    def __init__(
        self,
        source: FindingSource,
        packets: PacketList,
        charts: ChartStack,
        clients: ClientsPane,
        status: StatusBar,
        snapshot_tab: SnapshotTab,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._source = source
        self._packets = packets
        self._charts = charts
        self._clients = clients
        self._status = status
        self._snapshot_tab = snapshot_tab
        self._theme: Theme | None = None
        self._zoom = 1.0
        self._pill: SeverityPill | None = None
        source.changed.connect(self._show)
        source.marked.connect(self._mark)
        source.settled.connect(self._judge)

    def keep_badge(self, layout: WindowLayout, title: str, theme: Theme) -> None:
        """Have the count of the worst in the tab of a dock."""
        self._theme = theme
        self.changed_room.connect(layout.refit_badges)
        layout.set_badge(title, self._make_pill)

    @property
    def badge(self) -> str:
        """What the tab says: 7, 999+; empty: nothing."""
        pill = self._shown_pill
        return "" if pill is None else pill.text

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        pill = self._shown_pill
        if pill is not None:
            pill.set_theme(theme)

    def set_zoom(self, zoom: float) -> None:
        """Another size of type."""
        self._zoom = zoom
        pill = self._shown_pill
        if pill is not None:
            pill.set_zoom(zoom)
            self.changed_room.emit()

    def _make_pill(self) -> QWidget:
        assert self._theme is not None
        self._pill = SeverityPill(self._theme)
        self._pill.set_zoom(self._zoom)
        self._say_badge(self._pill)
        return self._pill

    @property
    def _shown_pill(self) -> SeverityPill | None:
        """Qt deletes it with its tab."""
        return self._pill if self._pill is not None and shiboken6.isValid(self._pill) else None

    def _say_badge(self, pill: SeverityPill) -> bool:
        worst = self._source.found.worst
        return pill.show_count(worst, 0 if worst is None else self._source.found.counts[worst])

    @Slot()
    def _show(self) -> None:
        found = self._source.found
        pill = self._shown_pill
        if pill is not None and self._say_badge(pill):
            self.changed_room.emit()
        self._status.show_findings(found.counts)
        self._clients.show_findings(found.sessions)
        moments = {"warned": found.warnings, "wrong": found.errors}
        self._charts.mark({name: Marked(some.times_s, some.sessions) for name, some in moments.items()})
        self._snapshot_tab.look_for_finding()
        if not len(found.severities):
            self._mark(0, 0)

    @Slot()
    def _judge(self) -> None:
        found, worst = self._source.found, self._source.found.worst
        if worst is None or worst is Severity.NOTE:
            self.judged.emit("", "")
        else:
            self.judged.emit(SIGNS[worst], counted(worst, found.counts[worst]))

    @Slot(int, int)
    def _mark(self, first: int, end: int) -> None:
        self._packets.model.show_severities(self._source.found.severities, first, end)
