"""Where things stand in the overview strip: gutter with names, time axis, byte band, lanes. Knows no widget."""

from __future__ import annotations

from dataclasses import dataclass

GUTTER = 140
AXIS = 16
BAND = 42
SMALL_BAND = 34
GAP = 2
"""Between the band and the lanes."""
RIGHT_MARGIN = 12
CHOSEN = 20
"""Height of the selected lane."""
PITCHES = 150
"""All other lanes share this, each within the limits."""
LEAST_PITCH, MOST_PITCH = 6, 14
MOST_HEIGHT = 230
FEW = 5
"""Lanes that a small window shows before they scroll."""
SHARE = 0.28
"""Of the window's height, for the strip."""
WIDE = 1400
"""A window below is small."""
STAGGERED = 11
"""Names of narrower lanes stand in two columns."""


@dataclass(frozen=True, slots=True)
class StripLayout:
    """Measures in pixels that are independent of the device; the first lane is at the top."""

    width: int
    lanes: int
    chosen: int = -1
    """Number of the selected lane from the top; -1: none is."""
    scroll: int = 0
    """By how much the lanes are scrolled up."""
    small: bool = False
    scale: float = 1.0
    """Zoom of type and rows."""
    most: int = 1 << 20
    """Height that there is at all."""

    @property
    def gutter(self) -> int:
        """Width of the names."""
        return round(GUTTER * self.scale)

    @property
    def left(self) -> int:
        """Where times begin."""
        return self.gutter

    @property
    def right(self) -> int:
        """Where times end."""
        return max(self.left + 1, self.width - RIGHT_MARGIN)

    @property
    def axis(self) -> int:
        """Height of the axis."""
        return round(AXIS * self.scale)

    @property
    def band(self) -> int:
        """Height of the byte band."""
        return round((SMALL_BAND if self.small else BAND) * self.scale)

    @property
    def top(self) -> int:
        """Where lanes begin."""
        return self.axis + self.band + GAP

    @property
    def pitch(self) -> int:
        """Height of a lane that is not selected."""
        share = PITCHES // max(1, min(self.lanes, FEW) if self.small else self.lanes)
        return round(max(LEAST_PITCH, min(MOST_PITCH, share)) * self.scale)

    @property
    def chosen_height(self) -> int:
        """Height of the one that is."""
        return round(CHOSEN * self.scale)

    @property
    def content(self) -> int:
        """Height of all lanes together."""
        return self.lanes * self.pitch + (self.chosen_height - self.pitch if self.chosen >= 0 else 0)

    @property
    def room(self) -> int:
        """Height of the lanes that are shown."""
        most = max(min(round(MOST_HEIGHT * self.scale), self.most) - self.top - GAP, self.chosen_height)
        if self.small:
            most = min(most, (FEW - 1) * self.pitch + self.chosen_height)
        return min(self.content, most)

    @property
    def height(self) -> int:
        """Of the whole strip."""
        return self.top + self.room + GAP

    @property
    def most_scroll(self) -> int:
        """Lanes scroll no farther."""
        return max(0, self.content - self.room)

    def lane_top(self, lane: int) -> int:
        """Where a lane begins."""
        below = self.chosen_height - self.pitch if 0 <= self.chosen < lane else 0
        return self.top + lane * self.pitch + below - self.scroll

    def lane_height(self, lane: int) -> int:
        """Of one lane."""
        return self.chosen_height if lane == self.chosen else self.pitch

    def lane_at(self, y: float) -> int:
        """The lane at a height, -1 where there is none."""
        if not self.top <= y < self.top + self.room:
            return -1
        down = int(y) - self.top + self.scroll
        if self.chosen >= 0 and down >= self.chosen * self.pitch:
            if down < self.chosen * self.pitch + self.chosen_height:
                return self.chosen
            down -= self.chosen_height - self.pitch
        lane = down // self.pitch
        return lane if lane < self.lanes else -1

    def scroll_to(self, lane: int) -> int:
        """The scroll, as near as can be, that shows a lane whole."""
        begin = self.lane_top(lane) - self.top + self.scroll
        end = begin + self.lane_height(lane)
        return max(0, min(max(self.scroll, end - self.room), begin, self.most_scroll))
