"""Lanes and byte band as pixels, made whole by numpy: rectangles drawn one by one would take longer than a frame.

What a bar means is said by `analyzer.stats.bars.Kind`; colours are those of the theme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from analyzer.stats.bars import Kind
from ui.theme import Theme

Pixels = NDArray[np.uint32]
"""Shape (height, width), 0xffRRGGBB."""
Shares = NDArray[np.float32]
Kinds = NDArray[np.uint8]

PALE = 0.3
"""How much of its colour the body of a full snapshot's bar has."""
CAP = 2
"""Height of what is solid of it."""
WIDEST = 3
"""Pixels of a bar where there is room; one is left free beside it."""
_SOLID = {Kind.FINE: "lane_ok", Kind.OLD: "lane_late", Kind.FULL: "lane_full", Kind.FAILED: "lane_fail"}
_WHOLE = (Kind.FULL, Kind.FIRST, Kind.FAILED, Kind.UNKNOWN)
"""Bars that are as high as the lane."""


@dataclass(frozen=True, slots=True)
class LanePlace:
    """Where a lane stands among the pixels: first row and height, which may reach beyond them; is it selected?"""

    top: int
    height: int
    chosen: bool = False


def lanes(kinds: Kinds, ages: Shares, places: Sequence[LanePlace], height: int, theme: Theme) -> Pixels:
    """Pixels of all lanes. `kinds` and `ages`, shape (lanes, width): of each pixel column the worst and the highest.

    Ages are shares of a lane's height, 0 to 1.
    """
    width = kinds.shape[1]
    table = _table(theme.dark)
    pixels = np.full((max(1, height), max(1, width)), table.back, np.uint32)
    if not width:
        return pixels
    for group in _groups(places):
        rows = np.array([number for number, _ in group])
        tall = group[0][1].height
        body = _bars(kinds[rows], ages[rows], tall, table, chosen=group[0][1].chosen)
        for block, (_, place) in zip(body, group, strict=True):
            first, last = max(0, place.top), min(height, place.top + tall)
            if first < last:
                pixels[first:last] = block[first - place.top : last - place.top]
    return pixels


def _groups(places: Sequence[LanePlace]) -> list[list[tuple[int, LanePlace]]]:
    """Lanes of the same height, with their numbers: they are made together."""
    found: dict[tuple[int, bool], list[tuple[int, LanePlace]]] = {}
    for number, place in enumerate(places):
        found.setdefault((place.height, place.chosen), []).append((number, place))
    return list(found.values())


def _bars(kinds: Kinds, ages: Shares, tall: int, table: _Table, *, chosen: bool) -> NDArray[np.uint32]:
    """Shape (lanes, tall, width)."""
    room = max(1, tall - 1)
    # The uppermost row stays free, so that lanes can be told apart.
    up = (tall - np.arange(tall))[:, None]
    whole = table.whole[kinds]
    heights = np.where(whole, room, np.clip(np.ceil(ages * room), 1, room)).astype(np.int64)
    heights[kinds == Kind.NONE] = 0
    back = table.chosen if chosen else table.back
    filled = up[None] <= heights[:, None]
    pixels = np.where(filled, table.body[kinds][:, None], back)
    if (kinds == Kind.FULL).any():
        capped = (kinds == Kind.FULL)[:, None] & (up > room - CAP) & (up <= room)
        pixels[capped] = table.cap
    if (kinds == Kind.UNKNOWN).any():
        dots = ((up + np.arange(kinds.shape[1])[None]) % 2 == 0) & (up % 2 == 0)
        holes = (kinds == Kind.UNKNOWN)[:, None] & ~dots & filled
        pixels[holes] = back
    return pixels


def widened(kinds: Kinds, ages: Shares) -> tuple[Kinds, Shares]:
    """Bars as wide as there is room for: they go on to the right over columns that have none."""
    taken = float((kinds != Kind.NONE).mean(axis=1).max(initial=0.0))
    wide = min(WIDEST, int(1 / taken) - 1) if taken else 1
    if wide < 2:
        return kinds, ages
    wider, higher = kinds.copy(), ages.copy()
    for step in range(1, wide):
        free = (wider[:, step:] == Kind.NONE) & (kinds[:, :-step] != Kind.NONE)
        wider[:, step:][free] = kinds[:, :-step][free]
        higher[:, step:][free] = ages[:, :-step][free]
    return wider, higher


def band(rates: Shares, height: int, column: int, theme: Theme) -> Pixels:
    """Pixels of the byte band: a bar for each column of `rates`, shape (numbers of parts, columns), one on the other.

    Rates are shares of the full scale; what goes beyond is cut, with a cap. `column`: pixels a column, one of them
    free where it has several.
    """
    count = rates.shape[1]
    pixels = np.full((height, max(1, count)), _argb(theme.color("lane_bg")), np.uint32)
    tops = np.cumsum(np.vstack((np.zeros((1, count), np.float32), rates)), axis=0)
    steps = np.minimum(np.ceil(tops * height), height).astype(np.int64)
    up = (height - np.arange(height))[:, None]
    for level, name in enumerate(("p1", "p2", "p3")[: len(rates)]):
        pixels[(up > steps[level]) & (up <= steps[level + 1])] = _argb(theme.color(name))
    over = np.flatnonzero(tops[-1] > 1.0)
    pixels[:CAP, over] = _argb(theme.color("text"))
    if column == 1:
        return pixels
    wide = np.repeat(pixels, column, axis=1)
    wide[:, column - 1 :: column] = _argb(theme.color("lane_bg"))
    return wide


def image(pixels: Pixels, ratio: float) -> QImage:
    """A picture of its own memory, for a screen with so many device pixels a pixel."""
    height, width = pixels.shape
    made = QImage(np.ascontiguousarray(pixels).tobytes(), width, height, width * 4, QImage.Format.Format_RGB32).copy()
    made.setDevicePixelRatio(ratio)
    return made


@dataclass(frozen=True, slots=True)
class _Table:
    """Colours by `Kind`."""

    body: NDArray[np.uint32]
    whole: NDArray[np.bool_]
    back: int
    chosen: int
    cap: int


@cache
def _table(dark: bool) -> _Table:
    theme = Theme(dark=dark)
    back = theme.color("lane_bg")
    body = np.full(len(Kind), _argb(back), np.uint32)
    whole = np.zeros(len(Kind), np.bool_)
    for kind, name in _SOLID.items():
        body[kind] = _argb(theme.color(name))
    body[Kind.FULL] = _argb(_mixed(theme.color("lane_full"), back, PALE))
    body[Kind.FIRST] = _argb(theme.color("text2"))
    body[Kind.UNKNOWN] = _argb(theme.color("text3"))
    whole[list(_WHOLE)] = True
    return _Table(body, whole, _argb(back), _argb(theme.color("select")), _argb(theme.color("lane_full")))


def _mixed(color: QColor, other: QColor, share: float) -> QColor:
    def between(a: int, b: int) -> int:
        return round(a * share + b * (1 - share))

    return QColor(
        between(color.red(), other.red()), between(color.green(), other.green()), between(color.blue(), other.blue())
    )


def _argb(color: QColor) -> int:
    return color.rgb() & 0xFFFFFFFF
