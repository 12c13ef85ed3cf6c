"""What all charts of the stack show: whose snapshots, in which stretch of time, and what went wrong in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from analyzer.stats.series import Rank
from analyzer.stats.track import Track
from ui.charts.data import ChartData
from ui.charts.drawing import Fault


@dataclass(frozen=True, slots=True)
class Scene:
    """The same for every chart of the stack."""

    data: ChartData
    session: int
    """The one client, or `ALL_SESSIONS`."""
    name: str
    several: bool
    """There are other clients, too."""
    start: float
    stop: float
    faults: dict[Rank, Fault]
    """The same in every chart of the stack."""
    twin: str
    """Whose snapshots these are, and how many, in words."""
    found: dict[str, Fault] = field(default_factory=dict)
    """Signs of what rules found, `warned` and `wrong`, where no snapshot failed."""
    decoded: float | None = None
    """From this time on nothing is decoded yet; None: everything is."""
    live: bool = False
    """More comes: what stands still in the picture should not move with it."""
    follows: bool = False
    """The newest is kept in view."""

    @property
    def track(self) -> Track:
        """The snapshots in question."""
        return self.data.track(self.session)
