"""Where grid lines and time labels stand: round numbers, three or four of them, zero among them."""

from __future__ import annotations

import math

from ui.words import decimal

_FINE_STEPS = (1.0, 2.0, 3.0, 5.0)
_STEPS = (1.0, 2.0, 2.5, 5.0)
_TIME_STEPS = (1.0, 2.0, 5.0)
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


def seconds(start: float, stop: float, most: int) -> list[tuple[float, str]]:
    """Times of labels between two times, at most `most` (2 or more), with their texts."""
    rough = max(stop - start, 1e-6) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step * power for step in (*_TIME_STEPS, 10.0) if step * power >= rough * (1 - 1e-9))
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(start / step - 1e-9), math.floor(stop / step + 1e-9)
    return [(number * step, f"{decimal(number * step, places)} s") for number in range(first, last + 1)]
