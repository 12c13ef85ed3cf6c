"""Inter for everything, JetBrains Mono for bytes and values: shipped, so that the window looks alike everywhere."""

from __future__ import annotations

import logging
from enum import Enum

from PySide6.QtGui import QFont, QFontDatabase

from analyzer.resources import resource

_LOG = logging.getLogger(__name__)
_FILES = (
    "Inter-Regular.otf",
    "Inter-Medium.otf",
    "Inter-SemiBold.otf",
    "Inter-Bold.otf",
    "JetBrainsMono-Regular.ttf",
    "JetBrainsMono-SemiBold.ttf",
    "JetBrainsMono-Bold.ttf",
)
_SANS = "Inter"
_MONO = "JetBrains Mono"


class Use(Enum):
    """What a text is: pixels at 100 % zoom, weight, fixed width."""

    TABLE = (12, 400, False)
    GROUP_ROW = (12, 600, False)
    VALUE = (12, 400, True)
    VALUE_STRONG = (12, 600, True)
    HEAD = (11, 500, False)
    AXIS = (10, 400, False)
    PANE_TITLE = (13, 600, False)
    CARD_TITLE = (14, 600, False)
    PRODUCT = (22, 700, False)


def load() -> None:
    """Make the shipped fonts known to Qt. Without a file the system's fonts serve."""
    for name in _FILES:
        if QFontDatabase.addApplicationFont(str(resource(f"fonts/{name}"))) < 0:
            _LOG.warning("the font %s could not be loaded", name)


def font(use: Use, *, zoom: float = 1.0, system: bool = False) -> QFont:
    """A font for one use. `zoom` scales the size, `system` takes the system's families.

    Ligatures are off: Inter makes 0x17 into a multiplication and JetBrains Mono != into one sign. Numbers of Inter have
    equal widths.
    """
    pixels, weight, mono = use.value
    if system:
        kind = QFontDatabase.SystemFont.FixedFont if mono else QFontDatabase.SystemFont.GeneralFont
        result = QFontDatabase.systemFont(kind)
    else:
        result = QFont([_MONO, "monospace"] if mono else [_SANS, "sans-serif"])
        for feature in ("calt", "liga"):
            result.setFeature(QFont.Tag(feature), 0)
        if not mono:
            result.setFeature(QFont.Tag("tnum"), 1)
    result.setPixelSize(max(6, round(pixels * zoom)))
    result.setWeight(QFont.Weight(weight))
    return result
