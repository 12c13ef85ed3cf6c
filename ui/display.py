"""Tells whether a window can be shown, before Qt finds out that it cannot and ends the process without a clear word."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import PySide6

_X11_PLUGIN = Path(PySide6.__file__).parent / "Qt" / "plugins" / "platforms" / "libqxcb.so"
_X11_PACKAGES = "libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxkbcommon-x11-0"
"""Of Debian; the other libraries of the plugin come along with these or with Qt's own."""


def display_fault(environment: Mapping[str, str] = os.environ) -> str:
    """A sentence that says why no window can be shown; empty if one can, or if a platform was chosen by hand."""
    if not sys.platform.startswith("linux") or environment.get("QT_QPA_PLATFORM") or environment.get("WAYLAND_DISPLAY"):
        return ""
    screen = environment.get("DISPLAY")
    if not screen:
        return "there is no screen here to open a window on; snapscope-cli works without one"
    try:
        # Loading it takes its libraries in, those of X11 among them.
        ctypes.CDLL(str(_X11_PLUGIN))
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError as error:
        return f"a system library is missing: {error} (Debian and Ubuntu: sudo apt-get install {_X11_PACKAGES})"
    return "" if _connects(xcb, screen) else f"the screen {screen} cannot be reached; snapscope-cli works without one"


def _connects(xcb: ctypes.CDLL, screen: str) -> bool:
    xcb.xcb_connect.argtypes = (ctypes.c_char_p, ctypes.c_void_p)
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connection_has_error.argtypes = (ctypes.c_void_p,)
    # Never disconnected: a server may start anew when its last client leaves, and would then turn Qt away.
    connection = xcb.xcb_connect(os.fsencode(screen), None)
    return int(xcb.xcb_connection_has_error(connection)) == 0
