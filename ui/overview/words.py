"""What the overview strip says in words."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from PySide6.QtCore import QCoreApplication

from analyzer.snapshots.status import LostBy, Status
from analyzer.stats.lane_order import Sign
from analyzer.stats.range_stats import RangeStats
from analyzer.store.tables import Tables
from ui.models.steps import cause, packet_of
from ui.overview.desk import LaneRow
from ui.words import DOT, count, decimal, number, quantity, size
from ui.words import stretch as between

_STATES: Mapping[Sign, str] = {
    Sign.FAILED: "snapshots failed",
    Sign.WARN: "old baselines, or many full snapshots",
    Sign.UNKNOWN: "some cannot be known",
    Sign.FINE: "fine",
    Sign.NONE: "no snapshots",
}
_STATUSES: Mapping[Status, str] = {
    Status.CRC: "checksum differs",
    Status.INCOMPLETE: "a part is missing",
    Status.MALFORMED: "malformed",
    Status.BUG: "Snapscope failed here",
    Status.ERROR: "not read",
    Status.NO_BASE: "baseline unreadable",
    Status.PARTIAL: "partly known",
}
_LOSERS: Mapping[LostBy, str] = {
    LostBy.CAPTURE: "capture",
    LostBy.NETWORK: "network",
    LostBy.GAME: "game",
    LostBy.UNKNOWN: "unknown",
    LostBy.LIMIT: "limit of memory",
}


def _tr(text: str) -> str:
    return QCoreApplication.translate("Overview", text)


def lanes(many: int) -> str:
    """How many there are."""
    return count(many, _tr("client"), _tr("clients"))


def lane(row: LaneRow) -> str:
    """A lane at its name."""
    return f"{row.name}: {_tr(_STATES[row.sign])}"


def peak(bytes_a_second: float) -> str:
    """Of the byte band."""
    return _tr("peak {0}/s").format(size(round(bytes_a_second)))


def stretch(range_s: tuple[float, float]) -> str:
    """The range with its length."""
    start, stop = range_s
    length = decimal(stop - start, 3 if stop - start < 0.2 else 2)
    return f"{between(start, stop)}  \u0394 {length} s"


def stats(numbers: RangeStats) -> str:
    """The numbers of a range in one line."""
    parts = [
        stretch((numbers.start_ns / 1e9, numbers.stop_ns / 1e9)),
        count(numbers.packets, _tr("packet"), _tr("packets")),
        count(numbers.snapshots, _tr("snapshot"), _tr("snapshots")),
        size(numbers.bytes),
    ]
    if numbers.rate is not None:
        parts.append(f"{size(round(numbers.rate))}/s")
    sizes = numbers.sizes
    if sizes.mean is not None and sizes.p95 is not None and sizes.max is not None:
        parts.append(
            _tr("mean {0}, p95 {1}, max {2}").format(size(round(sizes.mean)), size(sizes.p95), size(sizes.max))
        )
        parts.append(_tr("parts {0}").format(", ".join(f"{at}: {quantity(own)}" for at, own in numbers.parts.items())))
    losers = [
        f"{_tr(_LOSERS[loser])} {quantity(own)}" for loser, own in numbers.lost_by.items() if own and loser in _LOSERS
    ]
    lost = _tr("lost {0}").format(quantity(numbers.lost))
    parts.append(f"{lost} ({', '.join(losers)})" if losers else lost)
    return DOT.join(parts)


def box(tables: Tables, snapshot: int, name: str) -> str:
    """A bar under the pointer, as rich text."""
    rows = tables.snapshots
    packet = packet_of(tables, snapshot)
    frame = tables.packets.integer("frame", packet)
    at = (tables.frames.integer("time_ns", frame) - tables.frames.integer("time_ns", 0)) / 1e9
    status = Status(rows.integer("status", snapshot))
    base = rows.integer("base_tick", snapshot)
    lines = [_tr("baseline {0}").format(number(base)) if base >= 0 else _tr("no baseline: full")]
    if status in _STATUSES:
        lines.append(_tr(_STATUSES[status]))
    first = cause(tables, snapshot)
    if first >= 0 and first != snapshot:
        lines.append(_tr("first cause: tick {0}").format(number(rows.integer("tick", first))))
    parts = count(rows.integer("parts", snapshot), _tr("part"), _tr("parts"))
    lines.append(f"{size(rows.integer('wire_bytes', snapshot))}, {parts}, {_tr('packet')} {frame + 1}")
    head = f"{name}{DOT}{_tr('tick')} {number(rows.integer('tick', snapshot))}{DOT}{decimal(at, 2)} s"
    return f"<b>{escape(head)}</b><br>" + "<br>".join(escape(line) for line in lines)
