"""The charts there are: title, unit, form, colour, and which number of a snapshot each shows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QCoreApplication

from analyzer.stats.series import Metric


class Form(Enum):
    """How a number is drawn."""

    LINE = "line"
    BARS = "bars"
    """One bar a snapshot: counts."""
    POINTS = "points"
    """Single events."""
    RATE = "rate"
    """A bar a stretch of time: packets, or bytes, a second."""


@dataclass(frozen=True, slots=True)
class ChartSpec:
    """One chart. Titles, units and sentences are translated where they are shown."""

    key: str
    title: str
    unit: str
    form: Form
    metric: Metric | None
    """None: a rate."""
    color: str
    value_unit: str
    """Behind the value at the cursor."""
    least_top: float
    """The axis reaches at least this high."""
    empty: str
    """Said where there is nothing to draw, though there are snapshots."""
    shown: bool = True
    """Before somebody chooses."""
    threshold: float | None = None
    stretch: int = 4
    """Share of the height."""


_NONE = "No snapshot in this range"
_NO_BASE = "No baseline in this range: every snapshot is full, or its baseline is not known"

SIZE = {
    Metric.WIRE_BYTES: ChartSpec(
        "size", "Snapshot size", "bytes on the wire",
        Form.LINE, Metric.WIRE_BYTES, "series1", "B", 100.0, _NONE, stretch=6,
    ),
    Metric.DELTA_BYTES: ChartSpec(
        "size", "Snapshot size", "bytes of packed delta",
        Form.LINE, Metric.DELTA_BYTES, "series1", "B", 100.0, _NONE, stretch=6,
    ),
}  # fmt: skip
PARTS = ChartSpec(
    "parts", "Parts", "per snapshot",
    Form.BARS, Metric.PARTS, "p2", "", 4.0, _NONE, stretch=3,
)  # fmt: skip
AGE = {
    Metric.BASE_AGE_MS: ChartSpec(
        "age", "Baseline age", "ms",
        Form.LINE, Metric.BASE_AGE_MS, "series2", "ms", 100.0, _NO_BASE, threshold=500.0,
    ),
    Metric.BASE_AGE_TICKS: ChartSpec(
        "age", "Baseline age", "ticks",
        Form.LINE, Metric.BASE_AGE_TICKS, "series2", "ticks", 5.0, _NO_BASE,
    ),
}  # fmt: skip
ITEMS = ChartSpec(
    "items", "Items", "per snapshot",
    Form.LINE, Metric.ITEMS, "series3", "", 10.0,
    "No snapshot in this range could be rebuilt",
)  # fmt: skip
ACK = ChartSpec(
    "ack", "Acknowledged after", "ms",
    Form.POINTS, Metric.ACK_MS, "series5", "ms", 20.0,
    "No snapshot in this range was acknowledged",
)  # fmt: skip
PACKETS = ChartSpec(
    "packets", "Packets", "per second",
    Form.RATE, None, "p1", "/s", 10.0, "No packet in this range", shown=False, stretch=3,
)  # fmt: skip
BYTES = ChartSpec(
    "bytes", "Byte rate", "kB/s of UDP payload",
    Form.RATE, None, "p2", "kB/s", 1.0, "No packet in this range", shown=False, stretch=3,
)  # fmt: skip
ALL = (
    SIZE[Metric.WIRE_BYTES], PARTS, AGE[Metric.BASE_AGE_MS], ITEMS, ACK, PACKETS, BYTES,
)  # fmt: skip
"""In the order of the stack, each with the unit it begins with."""


def translated(text: str) -> str:
    """A title, unit or sentence of the charts."""
    return QCoreApplication.translate("Charts", text)
