"""The dialog of saving: what is chosen, by key too, and what it shows while the saving runs."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from analyzer.export.formats import Format
from ui.dialogs.save import Choice, SaveDialog
from ui.theme import LIGHT

CHOICES = [
    Choice("The &whole capture", lambda: np.ones(3, dtype=np.bool_)),
    Choice("&Session 0", lambda: np.zeros(3, dtype=np.bool_)),
]


def shown(qtbot: QtBot) -> SaveDialog:
    dialog = SaveDialog(LIGHT, 1.0, CHOICES, 1)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def test_what_is_chosen(qtbot: QtBot) -> None:
    dialog = shown(qtbot)
    assert dialog.choice is CHOICES[1]
    assert dialog.form is Format.PCAPNG
    with qtbot.waitSignal(dialog.changed):
        QTest.keyClick(dialog, Qt.Key.Key_W, Qt.KeyboardModifier.AltModifier)
    assert dialog.choice is CHOICES[0]
    with qtbot.waitSignal(dialog.changed):
        dialog.format.setCurrentIndex(1)
    assert dialog.form is Format.PCAP


def test_it_can_be_saved_when_it_is_counted(qtbot: QtBot) -> None:
    dialog = shown(qtbot)
    dialog.count()
    assert not dialog.save.isEnabled()
    dialog.tell("3 packets.", "note", possible=True)
    assert dialog.sentence.text() == "3 packets."
    with qtbot.waitSignal(dialog.wanted):
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    dialog.tell("0 packets.", "note", possible=False)
    assert not dialog.save.isEnabled()


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_a_long_sentence_takes_no_room_from_the_fields(qtbot: QtBot, zoom: float) -> None:
    dialog = SaveDialog(LIGHT, zoom, CHOICES, 0)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.tell("3 packets.", "note", possible=True)
    dialog.tell("75 snapshots will not decode. " * 8, "warn", possible=True)
    qtbot.waitUntil(lambda: dialog.sentence.height() >= dialog.sentence.heightForWidth(dialog.sentence.width()))
    for widget in (*dialog.buttons, dialog.format, dialog.packed, dialog.save):
        assert widget.height() >= widget.sizeHint().height()


def test_while_it_runs_only_stopping_is_possible(qtbot: QtBot) -> None:
    dialog = shown(qtbot)
    dialog.tell("3 packets.", "note", possible=True)
    dialog.begin()
    dialog.show_progress(0.25)
    assert (dialog.is_busy, dialog.progress.value()) == (True, 250)
    assert not any(widget.isEnabled() for widget in (*dialog.buttons, dialog.format, dialog.packed, dialog.save))
    with qtbot.waitSignal(dialog.stopped):
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    dialog.refuse("There is no room left.", possible=True)
    assert not dialog.is_busy
    assert dialog.save.isEnabled()
    assert dialog.sentence.text() == "There is no room left."
    with qtbot.waitSignal(dialog.rejected):
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.result() == QDialog.DialogCode.Rejected
