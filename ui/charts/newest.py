"""The newest value of a chart, which stands above it while a live capture is followed."""

from __future__ import annotations

import numpy as np

from ui.charts import drawing
from ui.charts.data import ALL_SESSIONS
from ui.charts.scene import Scene
from ui.charts.specs import ChartSpec, Form

RATE_S = 1.0
"""Over how long a rate is counted."""
LOOKED_THROUGH = 512
"""Snapshots among which the newest value is looked for: the last ones are not acknowledged yet, or failed."""


def of(scene: Scene, spec: ChartSpec) -> tuple[float, float] | None:
    """Time and value; None: there is none that is not out of date."""
    if spec.metric is None:
        edges = np.array([scene.stop - RATE_S, scene.stop])
        packets, sizes = scene.data.rates.counts(scene.session, edges)
        return scene.stop, float((sizes / 1000 if spec.key == "bytes" else packets)[0]) / RATE_S
    if spec.form is Form.LINE and scene.several and scene.session == ALL_SESSIONS:
        return _median(scene, spec)
    count = len(scene.track)
    first = max(0, count - LOOKED_THROUGH)
    values, times = scene.track.values(spec.metric, first, count), scene.track.time_s[first:count]
    return _last(times, values, scene.stop)


def _median(scene: Scene, spec: ChartSpec) -> tuple[float, float] | None:
    """Of the newest value of each client."""
    assert spec.metric is not None
    track = scene.track
    start, stop = track.between(scene.stop - drawing.GAP_S, scene.stop)
    values = track.values(spec.metric, start, stop)
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return None
    sessions = scene.data.series.session[track.rows[start:stop]][known]
    _, newest = np.unique(sessions[::-1], return_index=True)
    return float(track.time_s[start + known[-1]]), float(np.median(values[known][::-1][newest]))


def _last(times: drawing.Floats, values: drawing.Floats, now: float) -> tuple[float, float] | None:
    known = np.flatnonzero(np.isfinite(values))
    if not len(known) or now - times[known[-1]] > drawing.GAP_S:
        return None
    return float(times[known[-1]]), float(values[known[-1]])
