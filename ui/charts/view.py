"""Which stretch of time the charts show: all of it, growing with the capture, until somebody zooms; and the range.

Of a live capture it is the newest stretch, which moves along as long as its end is in view, also where the capture is
still shorter.
"""

from __future__ import annotations

NARROWEST_S = 0.02
ROUNDING_S = 1e-6


class TimeView:
    """Seconds from the first frame."""

    def __init__(self) -> None:
        self._first, self._last = 0.0, 0.0
        self._range: tuple[float, float] | None = None
        self.region: tuple[float, float] | None = None
        """The range that a person chose."""
        self._live = False
        self._usual_s = 0.0
        """How much is shown of a live capture before somebody zooms."""
        self._newest_s: float | None = None
        """How much of the end is kept in view; None: the range stays where it is."""

    @property
    def start(self) -> float:
        """Left edge."""
        return self._first if self._range is None else self._range[0]

    @property
    def stop(self) -> float:
        """Right edge, beyond `start`."""
        return max(self._last, self._first + NARROWEST_S) if self._range is None else self._range[1]

    @property
    def width(self) -> float:
        """Seconds in view."""
        return self.stop - self.start

    @property
    def capture(self) -> tuple[float, float]:
        """How far the capture reaches."""
        return self._first, max(self._last, self._first + NARROWEST_S)

    @property
    def shows_all(self) -> bool:
        """Nobody zoomed."""
        return self._range is None

    def set_capture(self, first: float, last: float) -> None:
        """The capture reaches from `first` to `last`."""
        self._first, self._last = first, last
        if self._newest_s is not None:
            self._range = (last - self._newest_s, last)

    @property
    def follows(self) -> bool:
        """The end is kept in view, and no more than a stretch of it."""
        return self._newest_s is not None

    def follow(self, newest_s: float) -> None:
        """The capture is live: show the newest seconds of it, as they come, until somebody looks elsewhere."""
        self._live, self._newest_s, self._usual_s = True, newest_s, newest_s
        self.set_capture(self._first, self._last)

    def hold(self) -> None:
        """Stay with what is in view, or with as much of it as the capture has."""
        if self._newest_s is not None and self._range is not None:
            self._newest_s = None
            self.show(*self._range)
            self._newest_s = None

    def end_live(self) -> None:
        """The capture has ended: stay with what is in view."""
        self.hold()
        self._live = False

    def show(self, start: float, stop: float) -> None:
        """Show a range, or as much of it as the capture has."""
        if stop - start < NARROWEST_S:
            middle = (start + stop) / 2
            start, stop = middle - NARROWEST_S / 2, middle + NARROWEST_S / 2
        end = max(self._last, self._first + NARROWEST_S)
        if stop - start >= end - self._first:
            self.show_all()
            return
        by = max(0.0, self._first - start) + min(0.0, end - stop)
        self._range = (start + by, stop + by)
        self._newest_s = stop - start if self._live and stop + by >= end - ROUNDING_S else None

    def show_all(self) -> None:
        """Show the whole capture, also what is still to come."""
        self._range = self._newest_s = None

    def zoom(self, at: float, factor: float) -> None:
        """Make the range `factor` times as wide; the time `at` keeps its place, or the end if that is followed."""
        start, stop = self.start, self.stop
        if self._newest_s is not None:
            self._follow_wider(self._newest_s * factor)
            return
        factor = max(factor, NARROWEST_S / (stop - start))
        self.show(at - (at - start) * factor, at + (stop - at) * factor)

    def _follow_wider(self, newest_s: float) -> None:
        """Another stretch at the end; all, where the capture has no more."""
        if newest_s > max(self._last - self._first, self._usual_s):
            self.show_all()
        else:
            self._newest_s = max(newest_s, NARROWEST_S)
            self.set_capture(self._first, self._last)

    def pan(self, by: float) -> None:
        """Move the range by seconds."""
        if self._range is not None:
            self.show(self.start + by, self.stop + by)

    def reveal(self, at: float) -> bool:
        """Move the range so that it holds a time. False: it did. One that shows all that is known stays as it is."""
        if self.start <= at <= self.stop:
            return False
        if self.shows_all:
            # What came since then is drawn next.
            return True
        half = (self.stop - self.start) / 2
        self.show(at - half, at + half)
        return True
