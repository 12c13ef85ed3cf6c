"""One chart: a header over a plot, drawn for a stretch of time, with the selected and the hovered moment."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from analyzer.stats.series import Metric
from ui import fonts
from ui.charts import drawing, legend, newest, values
from ui.charts.canvas import Canvas
from ui.charts.data import ALL_SESSIONS
from ui.charts.drawing import Drawn, Window
from ui.charts.header import Header
from ui.charts.pointer import Pointer
from ui.charts.scale import HEADROOM, grid, seconds, steady
from ui.charts.scene import Scene
from ui.charts.specs import ChartSpec, Form, translated
from ui.theme import Theme
from ui.words import quantity

LEAST_PLOT = 54
"""Pixels, so that labels of the axis do not touch."""
LABELLED = 0.96
"""A label nearer to the top edge would be cut."""
LABEL_PIXELS = 64
"""Room for a time label."""
SORTED_A_CALL = 16_384
"""Snapshots sorted for percentiles before others have their turn."""


class Chart(QWidget):
    """Keeps what it drew, so that values can be told without looking it up again."""

    def __init__(self, theme: Theme, spec: ChartSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = spec
        self._theme = theme
        self._scene: Scene | None = None
        self._hover: float | None = None
        self._region: tuple[float, float] | None = None
        self._summary = ""
        self.selected: tuple[float, int] | None = None
        self.drawn = Drawn()
        self.band = Drawn()
        self.full = Drawn()
        self._newest: tuple[float, float] | None = None
        """Time and value of what came last, while that is followed."""
        self._percentiles: tuple[object, ...] = ()
        """What `drawn` and `band` are of, where they are percentiles."""
        self.header = Header(theme)
        self.canvas = Canvas(theme, spec.color, by_parts=spec.metric is Metric.PARTS)
        self.pointer = Pointer(self.canvas)
        self.threshold = spec.threshold
        """From this value on it is too much, in the unit that has a threshold."""
        self._sentence = QLabel(self.canvas)
        self._sentence.setWordWrap(True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._sentence.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(self.canvas, 1)
        self.header.resized.connect(self._keep_height)
        self.set_zoom(1.0)
        self.set_theme(theme)
        self.set_spec(spec)

    @property
    def sentence(self) -> str:
        """What is said instead of a curve; empty where there is one."""
        return "" if self._sentence.isHidden() else self._sentence.text()

    @property
    def plot_pixels(self) -> int:
        """Width of the plot."""
        return max(16, round(self.canvas.plot_rect.width()))

    def set_spec(self, spec: ChartSpec) -> None:
        """The same chart in another unit; draw it anew."""
        self.spec = spec
        self.header.set_title(translated(spec.title), translated(spec.unit))

    def set_theme(self, theme: Theme) -> None:
        """Another theme, at once."""
        self._theme = theme
        self.header.set_theme(theme)
        self.canvas.set_theme(theme)
        palette = self._sentence.palette()
        palette.setColor(self._sentence.foregroundRole(), theme.color("text3"))
        self._sentence.setPalette(palette)

    def set_zoom(self, zoom: float) -> None:
        """Other font sizes."""
        self.header.set_zoom(zoom)
        self.canvas.set_font(fonts.font(fonts.Use.AXIS, zoom=zoom))
        self._sentence.setFont(fonts.font(fonts.Use.HEAD, zoom=zoom))
        self._zoom = zoom
        self._keep_height(self.header.height())

    def _keep_height(self, header: int) -> None:
        self.setMinimumHeight(header + round(LEAST_PLOT * self._zoom))

    def draw(self, scene: Scene, *, first: bool, last: bool) -> bool:
        """Draw a stretch of time. The first chart carries the signs of faults, the last the times.

        False: percentiles are those of before, where there were some; sorting the new ones takes further calls.
        """
        self._scene = scene
        canvas, spec = self.canvas, self.spec
        canvas.set_bottom_axis(last)
        window = self._window(scene)
        whole = self._compute(scene, window, first=first)
        top = max(spec.least_top, self.drawn.top, self.band.top) * HEADROOM
        top = steady(top) if scene.live else top
        canvas.set_range((scene.start, scene.stop), (min(self.drawn.bottom, self.band.bottom), top))
        canvas.set_ticks(
            [(value, quantity(round(value))) for value in grid(LABELLED * top)],
            self._times(scene, window),
        )
        self._paint(spec.form)
        faults = {rank.name.lower(): fault for rank, fault in scene.faults.items()}
        canvas.set_faults(faults | scene.found, signs=first)
        canvas.set_threshold(self._limit if self._limit is not None and self._limit <= top else None)
        canvas.set_undecoded(scene.decoded)
        self._say(scene)
        self.header.keep_lines(scene.live)
        self.header.set_legend(
            legend.entries(scene, spec, self.drawn, self.band, full=self.full, limit=self._limit, first=first)
        )
        self._newest = newest.of(scene, spec) if scene.follows else None
        curved = spec.form is Form.LINE and self._newest is not None
        canvas.set_newest(self._newest if curved else None)
        self._show_cursor()
        self.set_region(self._region)
        self.setAccessibleName(self._text_twin(scene))
        return whole

    @staticmethod
    def _times(scene: Scene, window: Window) -> list[tuple[float, str]]:
        """Labels of the time axis; before the capture there is no time."""
        found = seconds(scene.start, scene.stop, max(2, window.pixels // LABEL_PIXELS))
        return [label for label in found if label[0] >= scene.data.first_s]

    def prepare(self, scene: Scene) -> bool:
        """Sort some of what the percentiles need, which were not ready. False: there is more."""
        metric = self.spec.metric
        every = scene.data.track(ALL_SESSIONS)
        return metric is None or drawing.prepare(every, metric, self._window(scene), SORTED_A_CALL)

    def _text_twin(self, scene: Scene) -> str:
        """What the chart shows, in words."""
        return f"{translated(self.spec.title)}, {translated(self.spec.unit)}: {scene.twin}"

    def _compute(self, scene: Scene, window: Window, *, first: bool) -> bool:
        """False: the percentiles are not ready."""
        metric = self.spec.metric
        self.full = Drawn()
        if metric is not None and first and scene.session != ALL_SESSIONS:
            self.full = drawing.full(scene.track, metric, window)
        if metric is None or self.spec.form is not Form.LINE or not scene.several:
            self._percentiles, self.drawn, self.band = (), self._main(scene, window), Drawn()
            return True
        every, alone = scene.data.track(ALL_SESSIONS), scene.session != ALL_SESSIONS
        ready = drawing.prepare(every, metric, window, SORTED_A_CALL)
        before, self._percentiles = self._percentiles, (scene.data, metric, scene.session)
        if ready:
            self.band = drawing.band(every, metric, window, scene.session)
        elif before != self._percentiles:
            self.band = Drawn()
        if alone:
            self.drawn = drawing.line(scene.track, metric, window)
        elif ready:
            self.drawn = drawing.median(every, metric, window)
        elif before != self._percentiles:
            self.drawn = Drawn()
        return ready

    def _paint(self, form: Form | None) -> None:
        """Give the canvas what was computed, in the one form it has."""
        nothing = Drawn()
        self.canvas.set_data(
            line=self.drawn if form is Form.LINE else nothing,
            points=self.drawn if form is Form.POINTS else nothing,
            bars=self.drawn if form in (Form.BARS, Form.RATE) else nothing,
            band=self.band,
            full=self.full,
        )

    def clear(self) -> None:
        """Let go of what was drawn, and of where it came from."""
        self._scene, self.selected, self._hover, self._summary = None, None, None, ""
        self._newest = None
        self._percentiles = ()
        self.drawn = self.band = self.full = Drawn()
        canvas = self.canvas
        self._paint(None)
        canvas.set_faults({}, signs=False)
        canvas.set_cursor(None, np.nan)
        canvas.set_hover(None)
        canvas.set_region(None)
        canvas.set_undecoded(None)
        canvas.set_newest(None)
        self.header.set_legend(())
        self.header.set_value("")
        self._sentence.hide()

    def set_cursor(self, cursor: tuple[float, int] | None) -> None:
        """The selected moment: its time, and the snapshot row or -1."""
        self.selected = cursor
        self._show_cursor()
        self._show_value()

    def set_hover(self, time_s: float | None) -> None:
        """The moment the pointer is at, in whatever pane."""
        self._hover = time_s
        self.canvas.set_hover(time_s)
        self._show_value()

    def set_region(self, region: tuple[float, float] | None) -> None:
        """The chosen range: shaded, and summed up above the chart."""
        self._region = region
        self.canvas.set_region(region)
        self._summary = ""
        if region is not None and self._scene is not None:
            self._summary = values.summed(self._scene, self.spec, region)
        self._show_value()

    @property
    def title(self) -> str:
        """What is shown."""
        return translated(self.spec.title)

    @property
    def value_text(self) -> str:
        """The selected snapshot's value with its unit, or the range summed up, wherever the pointer is.

        Of a live capture that is followed: the newest value.
        """
        if self._scene is not None and self._scene.follows and not self._summary:
            return values.text(self.spec, np.nan if self._newest is None else self._newest[1])
        if self._summary or self.selected is None:
            return self._summary
        if self.spec.metric is None:
            return self.text_at(self.selected[0])
        return values.text(self.spec, self.value_of(self.selected[1])) if self.selected[1] >= 0 else ""

    def text_at(self, time_s: float) -> str:
        """The value nearest to a time with its unit."""
        scene = self._scene
        value = np.nan if scene is None else values.at(scene, self.spec, self.drawn, time_s, self._window(scene))
        return values.text(self.spec, value)

    @property
    def _limit(self) -> float | None:
        """The threshold, where the unit has one."""
        return None if self.spec.threshold is None else self.threshold

    def nearest(self, place: QPointF) -> int:
        """Snapshot row that a click at a pixel of the plot means, -1 if there is none.

        Of one client the nearest in time; of all clients the nearest to the eye.
        """
        scene = self._scene
        if scene is None or not len(scene.track):
            return -1
        track, at = scene.track, self.canvas.time_at(place.x())
        if scene.session == ALL_SESSIONS and self.spec.metric is not None:
            reach = values.NEAR_PIXELS * self._window(scene).pixel_s
            start, stop = track.between(at - reach, at + reach)
            found = track.values(self.spec.metric, start, stop)
            if np.isfinite(found).any():
                spots = (self.canvas.place_of(*pair) for pair in zip(track.time_s[start:stop], found, strict=True))
                apart = [np.hypot(spot.x() - place.x(), spot.y() - place.y()) for spot in spots]
                return int(track.rows[start + int(np.nanargmin(apart))])
        return int(track.rows[values.nearest(track.time_s, at)])

    def value_of(self, row: int) -> float:
        """The value of a snapshot row; NaN: it has none."""
        return np.nan if self._scene is None else values.of_snapshot(self._scene, self.spec, row)

    def _window(self, scene: Scene) -> Window:
        return Window(scene.start, scene.stop, self.plot_pixels)

    def _main(self, scene: Scene, window: Window) -> Drawn:
        metric = self.spec.metric
        if metric is None:
            return drawing.rate(scene.data.rates, scene.session, window, in_bytes=self.spec.key == "bytes")
        if self.spec.form is Form.LINE:
            return drawing.line(scene.track, metric, window)
        return (drawing.bars if self.spec.form is Form.BARS else drawing.points)(scene.track, metric, window)

    def _say(self, scene: Scene) -> None:
        text = ""
        if not self.drawn.seen_in(scene.start, scene.stop):
            start, stop = scene.track.between(scene.start, scene.stop)
            seen = self.spec.metric is None or stop > start
            text = translated(self.spec.empty if seen else "No snapshot in this range")
            if scene.decoded is not None and scene.decoded <= scene.start:
                text = self.tr("Not decoded yet")
            elif scene.decoded is not None and not seen:
                text = ""
        self._sentence.setText(text)
        self._sentence.setVisible(bool(text))
        self._place_sentence()

    def _place_sentence(self) -> None:
        self._sentence.setGeometry(self.canvas.plot_rect.toRect().adjusted(4, 0, -4, 0))

    def _show_cursor(self) -> None:
        if self.selected is None:
            self.canvas.set_cursor(None, np.nan)
        else:
            self.canvas.set_cursor(self.selected[0], self.value_of(self.selected[1]))

    def _show_value(self) -> None:
        if self._hover is not None:
            self.header.set_value(self.text_at(self._hover))
        else:
            self.header.set_value(self.value_text)
