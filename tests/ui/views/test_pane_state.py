"""What stands in a pane that has nothing to show."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
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
