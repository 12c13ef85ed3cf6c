"""Commands are found by their words and taken by Enter; what is off is shown with its reason and not taken."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from ui.actions import COMMANDS, LETTERS
from ui.dialogs.command_search import CommandSearch
from ui.models.commands import CommandModel, command_row, key_rows


def open_search(qtbot: QtBot, model: CommandModel) -> tuple[CommandSearch, list[str]]:
    dialog = CommandSearch("All commands", "Name of a command", model, zoom=1.0, takes=True)
    taken: list[str] = []
    dialog.taken.connect(taken.append)
    dialog.show()
    return dialog, taken


def test_enter_takes_the_first_that_fits(qtbot: QtBot) -> None:
    dialog, taken = open_search(qtbot, CommandModel([command_row(c) for c in COMMANDS], grouped=False))
    QTest.keyClicks(dialog.field, "go next snap")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert taken == ["next_snapshot"]


def test_the_arrows_walk_while_typing(qtbot: QtBot) -> None:
    dialog, taken = open_search(qtbot, CommandModel([command_row(c) for c in COMMANDS], grouped=False))
    QTest.keyClicks(dialog.field, "failed")
    QTest.keyClick(dialog.field, Qt.Key.Key_Down)
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert taken == ["previous_failed"]


def test_what_is_off_says_why_and_is_not_taken(qtbot: QtBot) -> None:
    row = command_row(next(c for c in COMMANDS if c.name == "baseline"), "no capture is open")
    model = CommandModel([row], grouped=False)
    dialog, taken = open_search(qtbot, model)
    assert model.index(0, 0).data() == "Go: Baseline – no capture is open"
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert taken == []
    dialog.reject()


def test_help_lists_every_key_below_its_group(qtmodeltester: ModelTester) -> None:
    model = CommandModel(key_rows(), grouped=True)
    qtmodeltester.check(model)
    keys = " ".join(str(model.index(row, 1).data()) for row in range(model.rowCount())).split()
    assert set(LETTERS) <= set(keys)
    assert {key.replace("Comma", ",") for c in COMMANDS for key in c.keys.split()} <= set(keys)
    model.search("shift+j")
    assert [model.index(row, 0).data() for row in range(model.rowCount())] == ["Go", "Next failed snapshot"]
    assert model.is_title(0)
    model.search("no such words")
    assert model.rowCount() == 0
