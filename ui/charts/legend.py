"""What stands in the legend of a chart."""

from __future__ import annotations

from analyzer.stats.series import Rank
from ui.charts.data import ALL_SESSIONS
from ui.charts.drawing import NO_FAULT, Drawn
from ui.charts.header import LegendEntry
from ui.charts.scale import HEADROOM
from ui.charts.scene import Scene
from ui.charts.specs import ChartSpec, Form, translated
from ui.words import quantity

FAULTS = (
    (Rank.FAILED, "triangle", "lane_fail", "failed"),
    (Rank.LOST, "hollow", "lane_late", "lost"),
    (Rank.UNKNOWN, "square", "text3", "unknown"),
)


def entries(
    scene: Scene, spec: ChartSpec, drawn: Drawn, band: Drawn, *, full: Drawn, limit: float | None, first: bool
) -> tuple[LegendEntry, ...]:
    """What went wrong comes early: where there is little room, the last entries are left out.

    `limit`: the threshold, where the unit has one. `first`: this chart carries the signs of faults.
    """
    found, others = [], []
    if spec.form is Form.LINE and spec.metric is not None:
        whole = scene.session == ALL_SESSIONS and scene.several
        if not drawn.empty:
            found.append(LegendEntry("line", spec.color, translated("median") if whole else scene.name))
        if len(band.high):
            text = translated("all, p10–p90" if whole else "others, p10–p90")
            others.append(LegendEntry("area", "line", text, repeated=not first))
    for rank, form, color, text in FAULTS:
        if first and rank in scene.faults and len(scene.faults[rank].signs):
            found.append(LegendEntry(form, color, translated(text)))
    if first and len(scene.found.get("warned", NO_FAULT).signs):
        found.append(LegendEntry("warning", "lane_late", translated("warning")))
    if len(full.x):
        found.append(LegendEntry("diamond", "lane_full", translated("full")))
    if limit is not None and limit <= max(drawn.top, band.top) * HEADROOM:
        text = translated("delayed over {0} ms").format(quantity(round(limit)))
        found.insert(0, LegendEntry("dash", "lane_late", text))
    return (*found, *others)
