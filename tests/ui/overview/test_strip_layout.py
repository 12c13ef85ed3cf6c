"""Where lanes of the overview stand: each pixel belongs to one lane, and what is scrolled to is in view."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ui.overview.layout import CHOSEN, FEW, LEAST_PITCH, MOST_HEIGHT, MOST_PITCH, SHARE, StripLayout


@st.composite
def layouts(draw: st.DrawFn) -> StripLayout:
    lanes = draw(st.integers(1, 200))
    found = StripLayout(
        draw(st.integers(300, 4000)),
        lanes,
        draw(st.integers(-1, lanes - 1)),
        small=draw(st.booleans()),
        scale=draw(st.sampled_from((0.8, 1.0, 1.5, 2.0))),
        most=draw(st.integers(100, 1000)),
    )
    return replace(found, scroll=draw(st.integers(0, found.most_scroll)))


@given(layouts())
def test_every_pixel_is_of_the_lane_that_stands_there(layout: StripLayout) -> None:
    for y in range(layout.top, layout.top + layout.room):
        lane = layout.lane_at(y)
        assert layout.lane_top(lane) <= y < layout.lane_top(lane) + layout.lane_height(lane)
    assert layout.lane_at(layout.top - 1) == -1
    assert layout.lane_at(layout.top + layout.room) == -1


@given(layouts(), st.data())
def test_a_lane_that_is_scrolled_to_is_in_view(layout: StripLayout, data: st.DataObject) -> None:
    lane = data.draw(st.integers(0, layout.lanes - 1))
    there = replace(layout, scroll=layout.scroll_to(lane))
    assert 0 <= there.scroll <= there.most_scroll
    assert there.lane_top(lane) >= there.top
    assert there.lane_top(lane) + there.lane_height(lane) <= there.top + there.room


def test_measures() -> None:
    many = StripLayout(1440, 64, 3)
    assert many.pitch == LEAST_PITCH
    assert many.lane_height(3) == CHOSEN
    assert many.height <= MOST_HEIGHT + 2
    assert StripLayout(1440, 1).pitch == MOST_PITCH
    small = StripLayout(1280, 64, small=True)
    assert small.pitch == MOST_PITCH
    assert small.room == (FEW - 1) * MOST_PITCH + CHOSEN
    low = StripLayout(1280, 64, 3, small=True, scale=2.0, most=round(700 * SHARE))
    assert low.height <= round(700 * SHARE) + 2
