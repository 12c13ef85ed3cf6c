"""The numbers behind the charts of one document, followed as it is decoded. Knows no widget."""

from __future__ import annotations

import numpy as np

from analyzer.stats.flows import session_flow
from analyzer.stats.rates import PacketRates
from analyzer.stats.series import SnapshotSeries
from analyzer.stats.track import Track
from analyzer.store.tables import Tables
from ui.selection import Place

ALL_SESSIONS = -1
BLOCK = 4096
PACKETS_A_SNAPSHOT = 4
"""Of the game's traffic about two; a packet is taken in sooner than a snapshot."""
KEPT_TRACKS = 4
"""Of single sessions: what is drawn, what is selected next, and those before."""


class ChartData:
    """Series and tracks of a capture, and how far it reaches."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.series = SnapshotSeries(tables)
        self.rates = PacketRates(tables)
        self.first_s = 0.0
        """Time of the earliest frame: 0, unless the file is not in order."""
        self.last_s = 0.0
        self._frames = 0
        self._tracks: dict[int, Track] = {}

    def update(self, most: int | None = None) -> bool:
        """Take in what was published and amended, about so many snapshots at most. False: there is more."""
        found = self.series.update(most)
        for track in self._tracks.values():
            track.follow(found)
        self.rates.update(None if most is None else PACKETS_A_SNAPSHOT * most)
        frames = self.tables.frames
        published = len(frames)
        if published > self._frames:
            times = frames.integers("time_ns", self._frames, published) - frames.integer("time_ns", 0)
            self.first_s = min(self.first_s, float(times.min()) / 1e9)
            self.last_s = max(self.last_s, float(times.max()) / 1e9)
            self._frames = published
        return self.series.is_current and self.rates.is_current

    @property
    def missing(self) -> int:
        """Snapshots that were published and not taken in yet."""
        return len(self.tables.snapshots) - len(self.series)

    def track(self, session: int) -> Track:
        """The snapshots of a session, or of all. Those of a few sessions are kept at hand."""
        found = self._tracks.pop(session, None)
        if found is None:
            found = Track(self.series, session)
        self._tracks[session] = found
        single = [known for known in self._tracks if known != ALL_SESSIONS]
        if len(single) > KEPT_TRACKS:
            del self._tracks[single[0]]
        return found

    def moment(self, place: Place) -> tuple[float, int] | None:
        """Time, and snapshot row or -1, of what is selected; None of nothing."""
        if 0 <= place.snapshot < len(self.series):
            return float(self.series.time_s[place.snapshot]), place.snapshot
        return (self._packet_time(place.packet), -1) if place.packet >= 0 else None

    def session_of(self, place: Place) -> int:
        """Session of the selected snapshot, or of the packet; -1 where there is none."""
        if 0 <= place.snapshot < len(self.series):
            return int(self.series.session[place.snapshot])
        return self.tables.packets.integer("session", place.packet) if place.packet >= 0 else ALL_SESSIONS

    def _packet_time(self, packet: int) -> float:
        frames = self.tables.frames
        time_ns = frames.integer("time_ns", self.tables.packets.integer("frame", packet))
        return (time_ns - frames.integer("time_ns", 0)) / 1e9

    def time_ns(self, time_s: float) -> int:
        """Nanoseconds since 1970 of seconds from the first frame."""
        return self.tables.frames.integer("time_ns", 0) + round(time_s * 1e9)

    def time_s(self, time_ns: int) -> float:
        """The other way round."""
        return (time_ns - self.tables.frames.integer("time_ns", 0)) / 1e9

    def first_session(self) -> int:
        """The session of the first snapshot that counts, -1 while there is none."""
        track = self.track(ALL_SESSIONS)
        return int(self.series.session[track.rows[0]]) if len(track) else -1

    def newest_sessions(self, since_s: float) -> list[int]:
        """Sessions that had snapshots since a time, who had the newest first."""
        every = self.track(ALL_SESSIONS)
        sessions = self.series.session[every.rows[every.between(since_s, np.inf)[0] :]][::-1]
        found, first = np.unique(sessions, return_index=True)
        return [int(session) for session in found[np.argsort(first)]]

    def several(self) -> bool:
        """More than one session has snapshots."""
        rows = self.track(ALL_SESSIONS).rows
        # The second one is mostly found at once.
        return any(
            (self.series.session[rows[start : start + BLOCK]] != self.series.session[rows[0]]).any()
            for start in range(0, len(rows), BLOCK)
        )

    def client(self, session: int) -> str:
        """What a person calls the client: the player's name, `:port` until it is known."""
        name = self.tables.sessions.text("player", session)
        if name:
            return name
        flow = session_flow(self.tables, session)
        end = "address_b" if self.tables.flows.integer("server", flow) == 0 else "address_a"
        return ":" + self.tables.flows.text(end, flow).rpartition(":")[2]
