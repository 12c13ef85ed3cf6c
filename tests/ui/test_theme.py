"""Every text can be read and every sign seen, in both themes (WCAG 2 contrast), and palettes take their colours."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QPalette

from ui.theme import DARK, LIGHT, NAMES, Theme

TEXTS = ("text", "text2", "text3", "accent", "added", "changed", "removed", "error", "warn")
TINTED = ("added", "changed", "removed", "error", "warn")
PLAIN_GROUNDS = ("window", "panel", "raised", "sunken", "lane_bg", "hover", "select", "select_off")
ROW_GROUNDS = ("row_multi", "row_full", "row_fail", "row_ctl")
SERIES = [name for name in NAMES if name.startswith("series")]
GROUNDS = (*PLAIN_GROUNDS, *ROW_GROUNDS, *(f"{name}_bg" for name in TINTED))
AA_TEXT = 4.5
AA_SHAPE = 3.0
SHAPES = [
    *(("lane_bg", name) for name in ("lane_ok", "lane_late", "lane_fail", "lane_full", "p1", "p2", "p3")),
    *(("panel", name) for name in (*SERIES, "p1", "p2", "p3", "mark")),
    *((ground, "line2") for ground in ("window", "panel", "raised", "sunken")),
    *((ground, "focus") for ground in GROUNDS),
]
both = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def luminance(color: QColor) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (color.redF(), color.greenF(), color.blueF())
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(theme: Theme, first: str, second: str) -> float:
    low, high = sorted(luminance(theme.color(name)) for name in (first, second))
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_black_on_white() -> None:
    assert luminance(QColor("#ffffff")) == pytest.approx(1.0)
    assert luminance(QColor("#000000")) == 0.0
    assert luminance(QColor("#777777")) == pytest.approx(0.1845, abs=5e-4)


@both
@pytest.mark.parametrize("text", TEXTS)
def test_text_can_be_read_on_every_ground(theme: Theme, text: str) -> None:
    assert {ground: ratio for ground in GROUNDS if (ratio := contrast(theme, text, ground)) < AA_TEXT} == {}


@both
def test_text_on_its_own_tint_and_on_the_accent(theme: Theme) -> None:
    assert min(contrast(theme, name, f"{name}_bg") for name in TINTED) >= 5.1
    assert contrast(theme, "on_accent", "accent") >= AA_TEXT


@both
@pytest.mark.parametrize("place", SHAPES, ids="-".join)
def test_bars_outlines_and_focus_can_be_seen(theme: Theme, place: tuple[str, str]) -> None:
    assert contrast(theme, *place) >= AA_SHAPE


@both
def test_every_colour_is_whole(theme: Theme) -> None:
    for name in NAMES:
        assert theme.color(name).name() == theme.hex(name).lower()
        assert theme.color(name).alpha() == 255
    with pytest.raises(KeyError):
        theme.color("mauve")


def test_series_differ() -> None:
    for theme in (LIGHT, DARK):
        assert len({theme.hex(name) for name in SERIES}) == len(SERIES)


@both
def test_palette_has_the_colours_of_its_theme(theme: Theme) -> None:
    palette = theme.palette()
    roles, groups = QPalette.ColorRole, QPalette.ColorGroup
    for role, name in (
        (roles.Base, "panel"),
        (roles.Text, "text"),
        (roles.Highlight, "select"),
        (roles.Link, "accent"),
    ):
        assert palette.color(groups.Active, role) == theme.color(name)
    assert palette.color(groups.Disabled, roles.Text) == theme.color("text3")
    assert palette.color(groups.Inactive, roles.Highlight) == theme.color("select_off")
