"""The overview told slowly: from the records that `snapshots --all` prints, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.cli.snapshots import chosen_rows, neutral_records
from analyzer.engine.capture import Capture
from analyzer.snapshots.status import Status
from analyzer.stats.bars import NO_AGE, Kind
from analyzer.stats.parts import part_frames
from analyzer.stats.strip import Window
from analyzer.store.tables import Tables

Record = dict[str, object]
REBUILT = ("ok", "crc", "partial")


@dataclass(frozen=True, slots=True)
class SlowBar:
    """One bar."""

    lane: tuple[str, str]
    """Client and server."""
    row: int
    time_ns: int
    kind: Kind
    age_us: int
    size: int
    parts: int
    lost_by: str
    rebuilt: bool

    def shown(self, old_us: int) -> Kind:
        """Its kind where a baseline is old when it is older than `old_us`."""
        return Kind.OLD if self.age_us > old_us else self.kind


def slow_bars(capture: Capture) -> list[SlowBar]:
    """The bars of a decoded capture, in the order of their times."""
    tables = capture.tables
    query = capture.query()
    rows = chosen_rows(tables, tuple(Status), None)
    records = list(neutral_records(capture, query, rows))
    query.close()
    sessions: dict[tuple[object, ...], list[Record]] = {}
    for record in records:
        sessions.setdefault(_session(record), []).append(record)
    told = [
        _bar(tables, row, record, sessions[_session(record)])
        for row, record in zip(rows.tolist(), records, strict=True)
        if record["status"] not in ("late", "duplicate")
    ]
    return sorted(told, key=lambda bar: (bar.time_ns, bar.row))


def _session(record: Record) -> tuple[object, ...]:
    return record["client"], record["server"], record["session"]


def _bar(tables: Tables, row: int, record: Record, session: Sequence[Record]) -> SlowBar:
    frames = part_frames(tables, row)
    frame = max(frames) if record["status"] == "incomplete" and frames else record["frame"]
    kind = _kind(record, session)
    bases = [other for other in session if other["tick"] == record["base_tick"] and other["status"] in REBUILT]
    age = NO_AGE
    if kind is Kind.FINE and bases:
        age = max(0, -(-(_time(tables, frame) - _time(tables, bases[-1]["frame"])) // 1000))
    return SlowBar(
        lane=(str(record["client"]), str(record["server"])),
        row=row,
        time_ns=_time(tables, frame),
        kind=kind,
        age_us=age,
        size=_number(record["wire_bytes"]),
        parts=_number(record["parts"]),
        lost_by=str(record["lost_by"]),
        rebuilt=record["status"] in REBUILT,
    )


def _kind(record: Record, session: Sequence[Record]) -> Kind:
    root = record
    if record["cause_frame"] is not None:
        root = next(other for other in session if other["frame"] == record["cause_frame"] and other["status"] != "ok")
    unknown = root["status"] == "no-base" or (root["status"] == "incomplete" and root["lost_by"] == "capture")
    if record["status"] in ("no-base", "incomplete"):
        return Kind.UNKNOWN if unknown else Kind.FAILED
    if record["status"] not in ("ok", "partial"):
        return Kind.FAILED
    if _number(record["base_tick"]) >= 0:
        return Kind.FINE
    first = next(other for other in session if other["status"] not in ("late", "duplicate"))
    return Kind.FIRST if record is first else Kind.FULL


def _time(tables: Tables, frame: object) -> int:
    return tables.frames.integer("time_ns", _number(frame) - 1) - tables.frames.integer("time_ns", 0)


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value


def slow_columns(bars: Iterable[SlowBar], window: Window, old_us: int, width_ns: int = 0) -> list[tuple[int, int, int]]:
    """Of each column the worst kind, the greatest age, the least; `width_ns`: of stretches that bars stand for."""
    found = [(int(Kind.NONE), NO_AGE, NO_AGE)] * window.columns
    for bar in bars:
        time = bar.time_ns
        if width_ns:
            number = time // width_ns
            if not window.start_ns // width_ns <= number <= (window.stop_ns - 1) // width_ns:
                continue
            time = min(max(number * width_ns + width_ns // 2, window.start_ns), window.stop_ns - 1)
        if not window.start_ns <= time < window.stop_ns:
            continue
        column = (time - window.start_ns) * window.columns // (window.stop_ns - window.start_ns)
        kind, age, least = found[column]
        ages = [known for known in (least, bar.age_us) if known != NO_AGE]
        found[column] = max(kind, bar.shown(old_us)), max(age, bar.age_us), min(ages, default=NO_AGE)
    return found


def slow_p(values: Iterable[int], percent: int) -> int | None:
    """Nearest rank."""
    ordered = sorted(values)
    return ordered[-(-percent * len(ordered) // 100) - 1] if ordered else None


def slow_scale(totals: Sequence[int]) -> int:
    """The 99.5th percentile of those that are not 0."""
    ordered = sorted(total for total in totals if total)
    return ordered[int(np.ceil(len(ordered) * 0.995)) - 1] if ordered else 0
