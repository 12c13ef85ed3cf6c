"""The product's own icon."""

from __future__ import annotations

from PySide6.QtGui import QIcon

from analyzer.resources import resource


def product_icon() -> QIcon:
    """Bars with a dot, at any size."""
    return QIcon(str(resource("icons/snapscope.svg")))
