"""Which stretch of time the charts show: all of it, growing with the capture, until somebody zooms."""

from __future__ import annotations

NARROWEST_S = 0.02


class TimeView:
    """Seconds from the first frame."""

    def __init__(self) -> None:
        self._first, self._last = 0.0, 0.0
        self._range: tuple[float, float] | None = None

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

    def show(self, start: float, stop: float) -> None:
        """Show a range, or as much of it as the capture has."""
        if stop - start < NARROWEST_S:
            middle = (start + stop) / 2
            start, stop = middle - NARROWEST_S / 2, middle + NARROWEST_S / 2
        end = max(self._last, self._first + NARROWEST_S)
        if stop - start >= end - self._first:
            self._range = None
            return
        by = max(0.0, self._first - start) + min(0.0, end - stop)
        self._range = (start + by, stop + by)

    def show_all(self) -> None:
        """Show the whole capture, also what is still to come."""
        self._range = None

    def zoom(self, at: float, factor: float) -> None:
        """Make the range `factor` times as wide; the time `at` keeps its place."""
        start, stop = self.start, self.stop
        factor = max(factor, NARROWEST_S / (stop - start))
        self.show(at - (at - start) * factor, at + (stop - at) * factor)

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
