"""The range in view never leaves the capture."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.charts.view import NARROWEST_S, TimeView


def _view() -> TimeView:
    view = TimeView()
    view.set_capture(0.0, 100.0)
    return view


def test_all_grows_with_the_capture_until_somebody_zooms() -> None:
    view = _view()
    view.set_capture(0.0, 200.0)
    assert (view.start, view.stop) == (0.0, 200.0)
    view.show(10.0, 20.0)
    view.set_capture(0.0, 300.0)
    assert (view.start, view.stop, view.shows_all) == (10.0, 20.0, False)
    view.show_all()
    assert (view.start, view.stop) == (0.0, 300.0)


def test_zoom_keeps_the_time_under_the_pointer() -> None:
    view = _view()
    view.zoom(25.0, 0.5)
    assert (view.start, view.stop) == (12.5, 62.5)
    view.zoom(25.0, 2.0)
    assert view.shows_all


def test_pan_stops_at_the_ends() -> None:
    view = _view()
    view.show(10.0, 20.0)
    view.pan(-50.0)
    assert (view.start, view.stop) == (0.0, 10.0)
    view.pan(500.0)
    assert (view.start, view.stop) == (90.0, 100.0)


@given(last=st.floats(0.1, 1e4), at=st.floats(0.1, 2e4))
def test_what_shows_all_keeps_growing_when_a_time_is_revealed_that_it_does_not_know_yet(last: float, at: float) -> None:
    view = TimeView()
    view.set_capture(0.0, last)
    assert view.reveal(at) == (at > last)
    assert view.shows_all


def test_reveal() -> None:
    view = _view()
    view.show(10.0, 20.0)
    assert not view.reveal(15.0)
    assert view.reveal(50.0)
    assert (view.start, view.stop) == (45.0, 55.0)


@given(
    st.lists(st.tuples(st.sampled_from(["zoom", "pan", "show", "reveal"]), st.floats(-50, 150), st.floats(1e-9, 20)))
)
def test_whatever_is_done(actions: list[tuple[str, float, float]]) -> None:
    view = _view()
    for action, at, amount in actions:
        match action:
            case "zoom":
                view.zoom(at, amount)
            case "pan":
                view.pan(at)
            case "show":
                view.show(at, at + amount)
            case "reveal":
                view.reveal(at)
        assert view.stop - view.start >= NARROWEST_S * 0.999
        assert view.start >= -1e-9
        assert view.stop <= 100.0 + 1e-9


def test_nothing_decoded_yet() -> None:
    assert TimeView().stop == pytest.approx(NARROWEST_S)


def test_what_lies_behind_all_that_is_known_needs_no_other_range() -> None:
    view = TimeView()
    assert view.reveal(6.1)
    assert view.shows_all
    view.set_capture(0.0, 12.0)
    assert (view.start, view.stop) == (0.0, 12.0)
    assert not view.reveal(6.1)


def test_a_live_capture_is_followed_by_its_newest_stretch() -> None:
    view = TimeView()
    view.follow(30.0)
    view.set_capture(0.0, 10.0)
    assert (view.start, view.stop) == (-20.0, 10.0), "the newest is at the right edge from the beginning"
    view.set_capture(0.0, 100.0)
    assert (view.start, view.stop) == (70.0, 100.0)
    view.show(20.0, 30.0)
    view.set_capture(0.0, 101.0)
    assert (view.start, view.stop) == (20.0, 30.0), "somebody looks elsewhere"
    assert not view.follows
    view.show(96.0, 106.0)
    view.set_capture(0.0, 110.0)
    assert (view.start, view.stop) == (100.0, 110.0), "its end is in view again"
    view.show_all()
    view.set_capture(0.0, 120.0)
    assert (view.start, view.stop) == (0.0, 120.0)
    view.show(110.0, 120.0)
    view.end_live()
    view.set_capture(0.0, 121.0)
    assert (view.start, view.stop) == (110.0, 120.0)


def test_zooming_keeps_following() -> None:
    view = TimeView()
    view.follow(12.0)
    view.set_capture(0.0, 4.0)
    view.zoom(1.0, 0.5)
    assert (view.start, view.stop, view.follows) == (-2.0, 4.0, True)
    view.set_capture(0.0, 40.0)
    view.zoom(35.0, 2.0)
    assert (view.start, view.stop, view.follows) == (28.0, 40.0, True)
    view.zoom(35.0, 4.0)
    assert (view.shows_all, view.follows) == (True, False), "the capture has no more than that"
    view.follow(12.0)
    assert (view.start, view.stop, view.follows) == (28.0, 40.0, True)


def test_what_is_followed_is_held() -> None:
    view = TimeView()
    view.follow(12.0)
    view.set_capture(0.0, 40.0)
    view.hold()
    view.set_capture(0.0, 41.0)
    assert (view.start, view.stop, view.follows) == (28.0, 40.0, False)
    view.follow(12.0)
    view.set_capture(0.0, 41.0)
    assert (view.start, view.stop, view.follows) == (29.0, 41.0, True)
    short = TimeView()
    short.follow(12.0)
    short.set_capture(0.0, 4.0)
    short.end_live()
    assert (short.start, short.stop) == (0.0, 4.0), "there is nothing before the capture"
