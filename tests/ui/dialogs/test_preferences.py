"""The dialog of preferences: what is chosen in it is told at once."""

from __future__ import annotations

from PySide6.QtWidgets import QSpinBox
from pytestqt.qtbot import QtBot

from ui.dialogs.preferences import PreferencesDialog
from ui.settings import Preferences


def test_memory_for_tables(qtbot: QtBot) -> None:
    dialog = PreferencesDialog(Preferences(zoom=1.5), lambda paths: "")
    qtbot.addWidget(dialog)
    (memory,) = (box for box in dialog.findChildren(QSpinBox) if box.suffix() == " MiB")
    assert memory.text() == "A quarter of the machine's"
    with qtbot.waitSignal(dialog.changed):
        memory.setValue(512)
    assert dialog.preferences == Preferences(zoom=1.5, memory_mib=512)
