"""Values that are colours: found by their text, shown as a swatch, and named for those who hear it. Knows no Qt."""

from __future__ import annotations

import colorsys
import re

Rgb = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""
# all of it is asked for: a player may be called #FF0000
_COLOUR = re.compile(r"#([0-9A-F]{6}), sent as hsl\(\d+, \d+%, \d+%\)(?: alpha \d+)?\Z")
_HUES = ("red", "orange", "yellow", "green", "cyan", "blue", "violet", "pink")
_ENDS = (15, 45, 70, 160, 200, 255, 290, 345)
"""Where each hue ends, in degrees; the rest is red again."""
_GREY = 0.12
"""Difference of the channels, 0 to 1, below which a colour is a grey."""


def colour_of(meaning: str) -> Rgb | None:
    """The colour that a value's meaning tells; None if it is no colour."""
    found = _COLOUR.match(meaning)
    if found is None:
        return None
    red, green, blue = bytes.fromhex(found[1])
    return red, green, blue


def colour_name(colour: Rgb) -> str:
    """A plain name, such as `light green`."""
    red, green, blue = (channel / 255 for channel in colour)
    hue, lightness, _ = colorsys.rgb_to_hls(red, green, blue)
    if lightness < 0.08 or lightness > 0.95:
        return "black" if lightness < 0.5 else "white"
    shade = "dark " if lightness < 0.35 else "light " if lightness > 0.68 else ""
    if max(red, green, blue) - min(red, green, blue) < _GREY:
        return f"{shade}grey"
    degrees = hue * 360
    name = next((name for name, end in zip(_HUES, _ENDS, strict=True) if degrees < end), _HUES[0])
    return f"{shade}{name}"
