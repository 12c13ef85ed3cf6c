"""Grid lines and time labels: round numbers, three or four of them, zero among them; and the words of a range."""

from __future__ import annotations

import math

from ui.words import DOT, UNKNOWN, decimal

_FINE_STEPS = (1.0, 2.0, 3.0, 5.0)
_STEPS = (1.0, 2.0, 2.5, 5.0)
_TIME_STEPS = (1.0, 2.0, 5.0)
_STEADY = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
HEADROOM = 1.08
"""How far the axis goes beyond the greatest value."""


def grid(top: float) -> list[float]:
    """Values of the grid lines from zero to at most `top`, which is above zero: three or four whole numbers.

    An axis that ends below 2 gets one line a whole number.
    """
    power = 10.0 ** math.floor(math.log10(top))
    candidates = [
        step * scale
        for scale in (power / 10, power)
        for step in (_FINE_STEPS if scale < 10 else _STEPS)
        if step * scale >= 1
    ]
    step = next((step for step in candidates if top / step < 4), max(candidates, default=1.0))
    return [step * number for number in range(math.floor(top / step) + 1)]


def steady(top: float) -> float:
    """The next of a few numbers above: an axis that ends there does not creep with every value that comes."""
    power = 10.0 ** math.floor(math.log10(top))
    return next(step * power for step in _STEADY if step * power >= top * (1 - 1e-9))


def seconds(start: float, stop: float, most: int) -> list[tuple[float, str]]:
    """Times of labels between two times, at most `most` (2 or more), with their texts."""
    rough = max(stop - start, 1e-6) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step * power for step in (*_TIME_STEPS, 10.0) if step * power >= rough * (1 - 1e-9))
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(start / step - 1e-9), math.floor(stop / step + 1e-9)
    return [(number * step, f"{decimal(number * step, places)} s") for number in range(first, last + 1)]


def range_words(view: tuple[float, float], region: tuple[float, float] | None, hover: float | None) -> tuple[str, str]:
    """What is in view, the chosen range with its length, or where the pointer is; and the same where room is short."""
    if hover is not None:
        return f"{decimal(hover, 3)} s", ""
    start, stop = view if region is None else region
    places = 3 if stop - start < 0.2 else 2 if stop - start < 2 or region is not None else 1
    text = f"{decimal(start, places)} {UNKNOWN} {decimal(stop, places)} s"
    if region is None:
        return text, ""
    duration = f"{decimal(stop - start, places)} s"
    return f"{text}{DOT}{duration}", f"\u0394 {duration}"
