"""Whose snapshots the charts show: one client's or all, as selection and limit say; and up to when they reach."""

from __future__ import annotations

from analyzer.stats.flows import session_flow
from analyzer.stats.live import session_counts
from ui.charts.data import ALL_SESSIONS, ChartData
from ui.document import Document
from ui.words import count, quantity

AXIS_SLACK = 0.15
"""By how much the expected end may miss before the axis is laid out anew: it should not creep with every frame."""


class Scope:
    """One document's numbers with the choice of session."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.data = ChartData(document.tables)
        self.own = ALL_SESSIONS
        """The one client; what `wants_all` leaves out of account."""
        self.wants_all = False
        self._share = 0.0
        self._expected_s = 0.0

    @property
    def is_paused(self) -> bool:
        """What comes is not drawn for now."""
        return self.document.is_paused

    @property
    def limited(self) -> bool:
        """Every pane shows one session only."""
        return self.document.selection.session >= 0

    @property
    def session(self) -> int:
        """The session that is drawn, `ALL_SESSIONS` for every one."""
        return ALL_SESSIONS if self.wants_all and not self.limited else self.own

    @property
    def name(self) -> str:
        """What a person calls the one client; empty while there is none."""
        return self.data.client(self.own) if self.own >= 0 else ""

    @property
    def moment(self) -> tuple[float, int] | None:
        """Time and snapshot of what is selected."""
        return self.data.moment(self.document.selection.place)

    @property
    def region(self) -> tuple[float, float] | None:
        """The range that panes are limited to, in seconds from the first frame."""
        stretch = self.document.selection.range
        return None if stretch is None else (self.data.time_s(stretch[0]), self.data.time_s(stretch[1]))

    def limit_time(self, region: tuple[float, float] | None) -> None:
        """Limit all panes to a range, or to none."""
        stretch = None if region is None else (self.data.time_ns(region[0]), self.data.time_ns(region[1]))
        self.document.selection.limit_time(stretch)

    def hover(self, time_s: float) -> None:
        """The pointer is at a time: tell all panes."""
        if len(self.data.tables.frames):
            self.document.selection.hover(self.data.time_ns(time_s))

    def choose(self) -> bool:
        """The client panes are limited to, else that of the selected snapshot or packet, else the first there is.

        True: it is another one than before.
        """
        before, selection = self.own, self.document.selection
        session = selection.session if selection.session >= 0 else self.data.session_of(selection.place)
        if session >= 0:
            self.own = session
        elif self.own < 0 or not session_counts(self.document.tables, self.own):
            self.own = self.data.first_session()
        return self.own != before

    def keep_up(self, since_s: float, gone_s: float) -> None:
        """Nothing came in the session since then: go on with the client's next one, after a change of map, say.

        With nothing selected, and where nothing came of the client since `gone_s`, with whoever sent last.
        """
        track = self.data.track(self.own)
        if self.own < 0 or self.limited or (len(track) and track.time_s[-1] >= since_s):
            return
        newest = self.data.newest_sessions(since_s)
        flow = session_flow(self.document.tables, self.own)
        own = (session for session in newest if session_flow(self.document.tables, session) == flow)
        gone = not len(track) or track.time_s[-1] < gone_s
        others = newest if gone and self.document.selection.place.packet < 0 else []
        self.own = next(own, next(iter(others), self.own))

    def progressed(self, share: float) -> None:
        """What of the file is decoded, 0 to 1."""
        self._share = share

    @property
    def decoded_s(self) -> float | None:
        """From this time on nothing is decoded yet; None: decoding ended, or is as far as the capture."""
        return None if self.document.is_decoded or self.document.is_live else self.data.last_s

    @property
    def end_s(self) -> float:
        """Where the time axis ends. While the file is decoded: where it will, if its bytes are spread evenly."""
        last = self.data.last_s
        if self.document.is_decoded or not 0.0 < self._share < 1.0:
            return max(last, self._expected_s) if not self.document.is_decoded else last
        expected = last / self._share
        if expected > self._expected_s or last > self._expected_s or expected < self._expected_s * (1 - AXIS_SLACK):
            self._expected_s = max(last, expected * (1 + AXIS_SLACK / 3))
        return self._expected_s

    def interval(self) -> tuple[float, float] | None:
        """From the selected snapshot's baseline to itself; half a second to each side where there is none."""
        moment = self.moment
        if moment is None:
            return None
        time_s, row = moment
        base = self.document.tables.snapshots.integer("base", row) if row >= 0 else -1
        if 0 <= base < len(self.data.series) and float(self.data.series.time_s[base]) < time_s:
            return float(self.data.series.time_s[base]), time_s
        return max(self.data.first_s, time_s - 0.5), time_s + 0.5

    def twin(self, start_s: float, stop_s: float) -> str:
        """Whose snapshots lie in a stretch of time and how many, in words."""
        track = self.data.track(self.session)
        start, stop = track.between(start_s, stop_s)
        failed = track.failed(start, stop)
        full = int(track.full(start, stop).sum())
        name = self.data.client(self.session) if self.session >= 0 else "all clients"
        return (
            f"{name}, {count(stop - start, 'snapshot')}, {quantity(full)} full, "
            f"{quantity(failed) if failed else 'none'} failed"
        )
