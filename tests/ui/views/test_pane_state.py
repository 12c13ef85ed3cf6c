"""What stands in a pane that has nothing to show."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from ui.views.pane_state import MAX_TEXT_WIDTH, PaneState

SHORT = "Select a packet with a snapshot in the list."
LONG = f"{SHORT} {SHORT} {SHORT}"


def test_after_a_long_sentence_a_short_one_is_as_high_as_it_has_to_be(qtbot: QtBot) -> None:
    state = PaneState()
    qtbot.addWidget(state)
    state.resize(2 * MAX_TEXT_WIDTH, 400)
    heights = []
    for sentence in (SHORT, LONG, SHORT):
        state.show_state("No snapshot selected", sentence)
        heights += [label.minimumHeight() for label in state.findChildren(QLabel) if label.text() == sentence]
    assert heights[0] == heights[2] < heights[1]


def test_it_grows_with_the_zoom(qtbot: QtBot) -> None:
    state = PaneState()
    qtbot.addWidget(state)
    state.resize(3 * MAX_TEXT_WIDTH, 400)
    state.show_state("No snapshot selected", LONG, "Go to the first")
    parts = [part for part in state.findChildren(QWidget) if isinstance(part, QLabel | QPushButton)]
    before = [part.font().pixelSize() for part in parts]
    text = next(part for part in parts if isinstance(part, QLabel) and part.text() == LONG)
    lines = text.height() // text.fontMetrics().lineSpacing()
    state.set_zoom(1.5)
    assert [part.font().pixelSize() for part in parts] == [round(1.5 * size) for size in before]
    assert text.width() == round(1.5 * MAX_TEXT_WIDTH)
    assert text.height() >= lines * text.fontMetrics().lineSpacing()
    state.set_zoom(1.0)
    assert [part.font().pixelSize() for part in parts] == before
