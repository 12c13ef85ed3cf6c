"""Bars as pixels: heights are ages, forms tell kinds apart, and nothing is painted where there is no snapshot."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor

from analyzer.stats.bars import Kind
from ui.overview.raster import CAP, LanePlace, band, image, lanes, widened
from ui.theme import DARK, LIGHT, Theme

TALL = 12


def column(kind: Kind, age: float = 0.0, theme: Theme = LIGHT, *, chosen: bool = False) -> list[int]:
    """Pixels of a bar, from the bottom up."""
    kinds, ages = np.array([[kind]], np.uint8), np.array([[age]], np.float32)
    return lanes(kinds, ages, [LanePlace(0, TALL, chosen)], TALL, theme)[::-1, 0].tolist()


def rgb(theme: Theme, name: str) -> int:
    return QColor(theme.color(name)).rgb() & 0xFFFFFFFF


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_ages_are_heights(theme: Theme) -> None:
    ok, back = rgb(theme, "lane_ok"), rgb(theme, "lane_bg")
    for age, high in ((0.0, 1), (0.5, 6), (1.0, 11)):
        assert column(Kind.FINE, age, theme) == [ok] * high + [back] * (TALL - high)
    assert column(Kind.OLD, 1.0, theme)[0] == rgb(theme, "lane_late")
    assert column(Kind.NONE, 1.0, theme) == [back] * TALL
    assert column(Kind.NONE, chosen=True, theme=theme) == [rgb(theme, "select")] * TALL


def test_forms_tell_kinds_apart() -> None:
    back = rgb(LIGHT, "lane_bg")
    assert column(Kind.FAILED) == [rgb(LIGHT, "lane_fail")] * (TALL - 1) + [back]
    full = column(Kind.FULL)
    assert full[TALL - 1 - CAP : TALL - 1] == [rgb(LIGHT, "lane_full")] * CAP
    assert len(set(full[: TALL - 1 - CAP])) == 1
    assert full[0] not in (back, full[TALL - 2])
    dots = column(Kind.UNKNOWN)
    assert {dots[at] for at in range(TALL - 1)} == {back, rgb(LIGHT, "text3")}


def test_lanes_are_cut_at_the_edges() -> None:
    kinds = np.full((3, 5), Kind.FAILED, np.uint8)
    places = [LanePlace(-8, TALL), LanePlace(4, TALL), LanePlace(16, TALL)]
    pixels = lanes(kinds, np.zeros((3, 5), np.float32), places, 20, LIGHT)
    assert pixels.shape == (20, 5)
    gaps = np.flatnonzero((pixels == rgb(LIGHT, "lane_bg")).all(axis=1)).tolist()
    assert gaps == [4, 16]
    assert lanes(kinds[:0], np.zeros((0, 5), np.float32), [], 20, LIGHT).shape == (20, 5)


def test_bars_are_as_wide_as_there_is_room() -> None:
    kinds = np.zeros((1, 40), np.uint8)
    kinds[0, ::10] = Kind.FINE
    ages = np.where(kinds, np.float32(0.5), np.float32(0))
    wide, high = widened(kinds, ages)
    assert np.flatnonzero(wide[0, :10]).tolist() == [0, 1, 2]
    assert np.array_equal(high > 0, wide > 0)
    crowded = np.full((1, 40), Kind.FINE, np.uint8)
    assert np.array_equal(widened(crowded, ages)[0], crowded)
    nothing = np.zeros((2, 40), np.uint8)
    assert np.array_equal(widened(nothing, np.zeros((2, 40), np.float32))[0], nothing)


def test_the_band_is_stacked_and_cut() -> None:
    rates = np.array([[0.5, 0.0, 0.5], [0.25, 0.0, 0.5], [0.0, 0.0, 0.5]], np.float32)
    pixels = band(rates, 8, 3, LIGHT)
    assert pixels.shape == (8, 9)
    names = {rgb(LIGHT, name): name for name in ("p1", "p2", "p3", "text", "lane_bg")}
    assert [names[value] for value in pixels[::-1, 0].tolist()] == ["p1"] * 4 + ["p2"] * 2 + ["lane_bg"] * 2
    assert {names[value] for value in pixels[:, 3].tolist()} == {"lane_bg"}
    assert [names[value] for value in pixels[:CAP, 6].tolist()] == ["text"] * CAP
    assert {names[value] for value in pixels[:, 2].tolist()} == {"lane_bg"}, "one pixel apart"
    made = image(pixels, 1.5)
    assert (made.width(), made.height(), made.devicePixelRatio()) == (9, 8, 1.5)
