"""A window is refused where Qt would end the process, and only there."""

from __future__ import annotations

import sys

import pytest

from ui.display import display_fault

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a screen")


@pytest.mark.parametrize(
    "environment", [{"QT_QPA_PLATFORM": "offscreen"}, {"WAYLAND_DISPLAY": "wayland-0"}], ids=["chosen", "Wayland"]
)
def test_no_fault(environment: dict[str, str]) -> None:
    assert display_fault(environment) == ""


@pytest.mark.parametrize("environment", [{}, {"DISPLAY": ""}])
def test_no_screen(environment: dict[str, str]) -> None:
    assert display_fault(environment).startswith("there is no screen")


def test_screen_that_is_not_there() -> None:
    fault = display_fault({"DISPLAY": ":7654"})
    assert "the screen :7654 cannot be reached" in fault or "a system library is missing" in fault
