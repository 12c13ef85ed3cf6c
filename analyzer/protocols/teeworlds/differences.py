"""What the difference between two values of a field means: in the same units as the values, flags by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from analyzer.protocols.teeworlds.values import (
    OWNER_BITS,
    TICKS_PER_SECOND,
    UNITS_PER_TILE,
    Kind,
    flag_names,
    seconds,
    turned,
)

Text = Callable[[Kind, int, int], str]


def difference_text(kind: Kind, old: int, new: int) -> str:
    """The difference in the units of the values, or what it means; the plain difference is said beside it.

    Empty where there is nothing more to say, and where a difference has no meaning, as between two names.
    """
    text = _TEXTS.get(kind.base)
    return "" if text is None or old == new else text(kind, old, new)


def _unit(divisor: float, digits: int, unit: str) -> Text:
    ending = f" {unit}" if unit else ""

    def text(kind: Kind, old: int, new: int) -> str:
        return f"{(new - old) / divisor:+.{digits}f}{ending}"

    return text


def _whole(unit: str) -> Text:
    def text(kind: Kind, old: int, new: int) -> str:
        return f"{new - old:+} {unit}"

    return text


def _both(one: Text, other: Text) -> Text:
    def text(kind: Kind, old: int, new: int) -> str:
        return f"{one(kind, old, new)}, {other(kind, old, new)}"

    return text


def _tick(kind: Kind, old: int, new: int) -> str:
    # zero and less stand for no tick at all
    return _ticks(kind, old, new) if old > 0 and new > 0 else ""


def _minus_tick(kind: Kind, old: int, new: int) -> str:
    return _ticks(kind, old, new) if old < 0 and new < 0 else ""


def _ticks(kind: Kind, old: int, new: int) -> str:
    return f"{new - old:+} {'tick' if abs(new - old) == 1 else 'ticks'}, {seconds(new - old)}"


def _angle(a_radian: int) -> Text:
    def text(kind: Kind, old: int, new: int) -> str:
        return f"{turned(math.degrees((new - old) / a_radian)):+.1f}\u00b0"

    return text


def _flags(kind: Kind, old: int, new: int) -> str:
    return _gained_and_lost(kind.bits, old & 0xFFFFFFFF, new & 0xFFFFFFFF)


def _gained_and_lost(bits: Sequence[str], old: int, new: int) -> str:
    changes = (("+", new & ~old), ("-", old & ~new))
    return ", ".join(f"{sign}{name}" for sign, some in changes if some for name in flag_names(some, bits).split(", "))


def _owned(kind: Kind, old: int, new: int) -> str:
    before, after = ((value & 0xFFFFFFFF) >> OWNER_BITS for value in (old, new))
    return _gained_and_lost(kind.bits, before, after)


def _color(kind: Kind, old: int, new: int) -> str:
    before, after = ((value & 0xFFFFFFFF).to_bytes(4, "big") for value in (old, new))
    alpha, hue, saturation, lightness = (now - then for then, now in zip(before, after, strict=True))
    parts = (
        f"hue {turned(hue * 360 / 255):+.0f}\u00b0" if hue else "",
        f"saturation {saturation * 100 / 255:+.0f}%" if saturation else "",
        f"lightness {lightness * 100 / 255:+.0f}%" if lightness else "",
        f"alpha {alpha:+}" if alpha else "",
    )
    return ", ".join(part for part in parts if part)


_TILES = _unit(UNITS_PER_TILE, 2, "tiles")
_HUNDREDTHS = _unit(100, 2, "")
_TEXTS: dict[str, Text] = {
    "bits": _flags,
    "tick": _tick,
    "minus_tick": _minus_tick,
    "ticks": _ticks,
    "pos": _TILES,
    "pos100": _both(_unit(100 * UNITS_PER_TILE, 2, "tiles"), _unit(100, 2, "units")),
    "vel100": _HUNDREDTHS,
    "hundredths": _HUNDREDTHS,
    "thousandths": _unit(1000, 3, ""),
    "millionths": _unit(1_000_000, 3, ""),
    "parts256": _unit(256, 2, ""),
    "vel256": _both(_unit(256, 2, "units/tick"), _unit(256 * UNITS_PER_TILE / TICKS_PER_SECOND, 2, "tiles/s")),
    "angle256": _angle(256),
    "angle1e6": _angle(1_000_000),
    "ms": _whole("ms"),
    "s": _whole("s"),
    "min": _whole("min"),
    "color": _color,
    "color7": _color,
    "flags": _flags,
    "owned": _owned,
}
