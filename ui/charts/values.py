"""The values that a chart says: nearest to a time, of one snapshot, and those of a range summed up."""

from __future__ import annotations

import numpy as np

from ui.charts.data import ALL_SESSIONS
from ui.charts.drawing import GAP_S, Drawn, Floats, Window
from ui.charts.scene import Scene
from ui.charts.specs import ChartSpec, Form, translated
from ui.words import UNKNOWN, count, decimal, quantity

NEAR_S = GAP_S / 2
"""How far from the pointer a value is still said."""
NEAR_PIXELS = 8.0


def at(scene: Scene, spec: ChartSpec, drawn: Drawn, time_s: float, window: Window) -> float:
    """The value nearest to a time, NaN where none is near."""
    if spec.metric is None:
        inside = np.flatnonzero((drawn.left <= time_s) & (time_s < drawn.right))
        return float(drawn.high[inside[0]]) if len(inside) else 0.0
    if scene.session == ALL_SESSIONS and spec.form is Form.LINE:
        times, values = drawn.x, drawn.y
    else:
        times, values = scene.track.time_s, None
    if not len(times):
        return np.nan
    here = nearest(times, time_s)
    if abs(float(times[here]) - time_s) > max(NEAR_S, NEAR_PIXELS * window.pixel_s):
        return np.nan
    return float(values[here] if values is not None else scene.track.values(spec.metric, here, here + 1)[0])


def of_snapshot(scene: Scene, spec: ChartSpec, row: int) -> float:
    """The value of one snapshot, NaN where it is not among those that are shown."""
    if spec.metric is None or scene.track.position(row) < 0:
        return np.nan
    return float(scene.data.series.values(spec.metric)[row])


def summed(scene: Scene, spec: ChartSpec, region: tuple[float, float]) -> str:
    """How many values a range has, their mean, the least and the greatest."""
    if spec.metric is None:
        packets, sizes = scene.data.rates.counts(scene.session, np.array(region))
        whole = float((sizes / 1000 if spec.key == "bytes" else packets)[0])
        mean = decimal(whole / max(region[1] - region[0], 1e-9), 1)
        return translated("{count} · mean {mean} {unit}").format(
            count=count(int(packets[0]), translated("packet"), translated("packets")), mean=mean, unit=spec.value_unit
        )
    values = scene.track.values(spec.metric, *scene.track.between(*region))
    values = values[np.isfinite(values)]
    if not len(values):
        return translated("no value in the range")
    places = 1 if values.max() < 10 else 0
    summary = translated("{count} · mean {mean} · {least}–{most} {unit}").format(
        count=quantity(len(values)),
        mean=decimal(float(values.mean()), places),
        least=decimal(float(values.min()), 0),
        most=decimal(float(values.max()), 0),
        unit=spec.value_unit,
    )
    return summary.rstrip()


def text(spec: ChartSpec, value: float) -> str:
    """A value with its unit."""
    if not np.isfinite(value):
        return UNKNOWN
    places = 1 if spec.value_unit in ("ms", "kB/s") and abs(value) < 10 else 0
    return f"{decimal(value, places)} {spec.value_unit}".rstrip()


def nearest(times: Floats, at_s: float) -> int:
    """Position of the time nearest to `at_s`; `times` is ascending and not empty."""
    after = int(np.searchsorted(times, at_s))
    if after == 0:
        return 0
    if after == len(times):
        return after - 1
    return after if times[after] - at_s < at_s - times[after - 1] else after - 1
