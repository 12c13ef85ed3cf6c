"""Values that are colours, and what they are called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.values import Kind, drawn_color, kind_text
from ui.models.colours import colour_name, colour_of

INT32 = st.integers(-0x80000000, 0x7FFFFFFF)


@given(st.sampled_from([("color", 0.5), ("color7", 61 / 255)]), INT32)
def test_every_colour_is_found_in_its_text(kind: tuple[str, float], value: int) -> None:
    meaning = kind_text(Kind(kind[0], kind[0]), value).partition("  ")[2]
    colour = colour_of(meaning)
    assert colour == drawn_color(value, kind[1])
    assert colour_name(colour)


@pytest.mark.parametrize("meaning", ["", "none", "#FF0000", "#FF0000, sent as", "x #FF0000, sent as hsl(0, 0%, 0%)"])
def test_what_only_looks_like_a_colour_is_none(meaning: str) -> None:
    assert colour_of(meaning) is None


@pytest.mark.parametrize(
    ("colour", "name"),
    [
        ((0, 0, 0), "black"),
        ((255, 255, 255), "white"),
        ((128, 128, 128), "grey"),
        ((70, 70, 75), "dark grey"),
        ((255, 0, 0), "red"),
        ((255, 0, 20), "red"),
        ((255, 128, 0), "orange"),
        ((128, 128, 0), "dark yellow"),
        ((128, 255, 128), "light green"),
        ((51, 253, 255), "cyan"),
        ((0, 0, 255), "blue"),
        ((128, 0, 255), "violet"),
        ((255, 0, 255), "pink"),
    ],
)
def test_names(colour: tuple[int, int, int], name: str) -> None:
    assert colour_name(colour) == name
