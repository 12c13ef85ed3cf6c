"""What the list of recent captures says about a capture that was decoded."""

from __future__ import annotations

from datetime import UTC, datetime

from analyzer.snapshots.status import LostBy, Status
from analyzer.stats.live import ints
from analyzer.store.tables import Tables
from ui import words
from ui.document import Document
from ui.settings import RecentCapture

NS = 1_000_000_000
_FAILED = (Status.CRC, Status.INCOMPLETE, Status.NO_BASE, Status.MALFORMED, Status.BUG)


def describe(document: Document) -> RecentCapture:
    """The entry of a capture that is open, opened now."""
    tables = document.tables
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return RecentCapture(str(document.path), now, summary(tables), severity(tables))


def summary(tables: Tables) -> str:
    """8 810 packets · 24 clients · 23 s · ddnet."""
    parts = [words.count(len(tables.packets), "packet")]
    if len(tables.readings):
        parts.append(words.count(len(set(tables.readings.array("flow").tolist())), "client"))
    if len(tables.frames):
        times = ints(tables.frames, "time_ns")
        parts.append(f"{words.quantity(round((int(times.max()) - int(times.min())) / NS))} s")
    parts += sorted(set(tables.readings.array("dialect").tolist()))
    return words.DOT.join(parts)


def severity(tables: Tables) -> str:
    """`error` where the game sent something wrong, `warn` where something is missing, else empty."""
    failed = [status in _FAILED for status in ints(tables.snapshots, "status").tolist()]
    if not any(failed):
        return ""
    lost_by = ints(tables.snapshots, "lost_by")
    return "error" if LostBy.GAME in lost_by[failed] else "warn"
