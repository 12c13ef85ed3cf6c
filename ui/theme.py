"""Colours by meaning, light and dark. No widget holds a colour of its own; a test checks every contrast."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from PySide6.QtGui import QColor, QPalette

_COLOURS: dict[str, tuple[str, str]] = {
    "window": ("EBEEF2", "12151A"),
    "panel": ("FFFFFF", "1A1E24"),
    "raised": ("F6F7F9", "20252D"),
    "sunken": ("F0F2F5", "15191E"),
    "line": ("DCE0E6", "2D343E"),
    "line2": ("7D8796", "6C7787"),
    "text": ("1A1F26", "E5E9EF"),
    "text2": ("48515E", "B0B9C5"),
    "text3": ("5F6977", "919BAA"),
    "accent": ("1B5FC1", "6EA8FE"),
    "on_accent": ("FFFFFF", "0C1420"),
    "focus": ("1B5FC1", "8ABBFF"),
    "select": ("DCE9FC", "1D334D"),
    "select_off": ("E6E9EE", "2B323C"),
    "hover": ("F0F4FA", "222933"),
    "added": ("0A6B57", "4CC9A5"),
    "added_bg": ("DDF2EA", "15352D"),
    "changed": ("1B5FC1", "8AB8FF"),
    "changed_bg": ("E3EDFB", "1D2F4A"),
    "removed": ("A8361A", "FF9479"),
    "removed_bg": ("FBE7E0", "43251D"),
    "error": ("B3261E", "FF7D74"),
    "error_bg": ("FCE6E3", "47211F"),
    "warn": ("865300", "F0B541"),
    "warn_bg": ("FFF1D2", "3D3014"),
    "lane_ok": ("5B84B8", "6F9AD0"),
    "lane_late": ("BF7900", "E3A82B"),
    "lane_fail": ("C62F22", "FF6B60"),
    "lane_full": ("7658B5", "B39CFF"),
    "lane_bg": ("F3F5F8", "15191E"),
    "p1": ("6F8EBB", "567599"),
    "p2": ("3F6CA9", "7FA9DE"),
    "p3": ("173660", "C7DDFA"),
    "row_multi": ("EEF4FC", "1C2735"),
    "row_full": ("F4F0FB", "27223A"),
    "row_fail": ("FCE9E6", "39211F"),
    "row_ctl": ("EDF0F3", "252A32"),
    "mark": ("0F2E5C", "DCE9FF"),
    "grid": ("E7EAEF", "272D36"),
    "filter_ok": ("E3F4EC", "14332A"),
    "filter_ok_line": ("2E8B6F", "3FA98A"),
    "series1": ("2468C4", "6EA8FE"),
    "series2": ("A35200", "F2BE8A"),
    "series3": ("0A4434", "1FE3C4"),
    "series4": ("DB6FA0", "CF6392"),
    "series5": ("8617E8", "8468FF"),
    "series6": ("7F9C10", "9CC034"),
}
"""Name -> light and dark, RRGGBB."""

NAMES = tuple(_COLOURS)

CELL_PADDING = 8
ROW_HEIGHT = 20
ICON_ROW_HEIGHT = 22
PANE_HEADER_HEIGHT = 30
TOOL_ROW_HEIGHT = 32
RADIUS = 4
CARD_RADIUS = 8


@dataclass(frozen=True, slots=True)
class Theme:
    """One of the two colour schemes."""

    dark: bool

    def color(self, name: str) -> QColor:
        """The colour of a meaning. Raises KeyError for a name that does not exist."""
        return _color(name, self.dark)

    def hex(self, name: str) -> str:
        """The same as #rrggbb."""
        return f"#{_COLOURS[name][self.dark]}"

    def palette(self) -> QPalette:
        """The palette of the application: every standard widget follows it."""
        palette = QPalette()
        roles = QPalette.ColorRole
        for role, name in (
            (roles.Window, "window"),
            (roles.WindowText, "text"),
            (roles.Base, "panel"),
            (roles.AlternateBase, "sunken"),
            (roles.Text, "text"),
            (roles.Button, "raised"),
            (roles.ButtonText, "text"),
            (roles.BrightText, "error"),
            (roles.Highlight, "select"),
            (roles.HighlightedText, "text"),
            (roles.Link, "accent"),
            (roles.LinkVisited, "accent"),
            (roles.ToolTipBase, "raised"),
            (roles.ToolTipText, "text"),
            (roles.PlaceholderText, "text3"),
            (roles.Light, "raised"),
            (roles.Midlight, "line"),
            (roles.Mid, "line2"),
            (roles.Dark, "line2"),
            (roles.Shadow, "line2"),
            (roles.Accent, "accent"),
        ):
            palette.setColor(role, self.color(name))
        for role in (roles.WindowText, roles.Text, roles.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.color("text3"))
        palette.setColor(QPalette.ColorGroup.Inactive, roles.Highlight, self.color("select_off"))
        return palette


LIGHT = Theme(dark=False)
DARK = Theme(dark=True)


@cache
def _color(name: str, dark: bool) -> QColor:
    return QColor(f"#{_COLOURS[name][dark]}")
