"""The charts one below the other, with a scroll bar where they do not fit: which are shown, what all show alike."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from analyzer.stats.series import Metric
from ui.charts.chart import Chart
from ui.charts.specs import AGE, ALL, SIZE
from ui.theme import Theme


class ChartColumn(QScrollArea):
    """All charts there are, in the order of the stack; a person chooses which of them are shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.charts = [Chart(theme, spec) for spec in ALL]
        self._chosen = {spec.key for spec in ALL if spec.shown}
        self.pages = QWidget()
        layout = QVBoxLayout(self.pages)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        for chart in self.charts:
            layout.addWidget(chart, chart.spec.stretch)
            chart.setVisible(chart.spec.key in self._chosen)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(self.pages)

    @property
    def shown(self) -> list[Chart]:
        """The charts that a person has in the stack."""
        return [chart for chart in self.charts if chart.spec.key in self._chosen]

    def show_chart(self, key: str, shown: bool) -> None:
        """Add a chart, or take it out."""
        (self._chosen.add if shown else self._chosen.discard)(key)
        for chart in self.charts:
            if chart.spec.key == key:
                chart.setVisible(shown)

    def set_unit(self, metric: Metric) -> None:
        """Another number for the chart of sizes, or of ages; draw it anew."""
        spec = SIZE.get(metric) or AGE[metric]
        for chart in self.charts:
            if chart.spec.key == spec.key:
                chart.set_spec(spec)

    def set_threshold(self, age_ms: float) -> None:
        """From which age on a baseline counts as delayed."""
        for chart in self.charts:
            chart.threshold = age_ms

    def set_theme(self, theme: Theme, palette: QPalette) -> None:
        """Another theme, at once."""
        for widget in (self, self.pages):
            widget.setPalette(palette)
        for chart in self.charts:
            chart.set_theme(theme)

    def set_zoom(self, zoom: float) -> None:
        """Other font sizes."""
        for chart in self.charts:
            chart.set_zoom(zoom)

    def clear(self) -> None:
        """Nothing is drawn."""
        for chart in self.charts:
            chart.clear()

    def set_cursor(self, moment: tuple[float, int] | None) -> None:
        """The selected moment, in each chart."""
        for chart in self.shown:
            chart.set_cursor(moment)

    def set_hover(self, time_s: float | None) -> None:
        """The moment that the pointer is at, in each chart."""
        for chart in self.shown:
            chart.set_hover(time_s)

    def set_region(self, region: tuple[float, float] | None) -> None:
        """The chosen range, in each chart."""
        for chart in self.shown:
            chart.set_region(region)
