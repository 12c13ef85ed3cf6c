"""The menu of a chart: copying, and the range of time in view."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu, QWidget

Entry = tuple[str, str, Callable[[], None], bool]
"""Words, key, what it does, and whether it can be done."""


def chart_menu(parent: QWidget, groups: tuple[tuple[Entry, ...], ...]) -> QMenu:
    """A menu that deletes itself when it is closed; the keys are said, and handled by the pane."""
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    for number, group in enumerate(groups):
        if number:
            menu.addSeparator()
        for words, key, run, possible in group:
            text = QCoreApplication.translate("Charts", words)
            action = menu.addAction(f"{text}\t{key}" if key else text)
            action.triggered.connect(lambda _checked=False, run=run: run())
            action.setEnabled(possible)
    return menu
