"""The list of schema files in Preferences."""

from __future__ import annotations

from collections.abc import Sequence

from pytestqt.qtbot import QtBot

from ui.dialogs.schema_list import SchemaList

LONG = "two.json, line 7: " + "expected something else here " * 12


def refuse_two(paths: Sequence[str]) -> str:
    return LONG if "/a/two.json" in paths else ""


def test_names_and_whole_paths(qtbot: QtBot) -> None:
    schemas = SchemaList(("/a/one.json", "/b/three.json"), refuse_two)
    qtbot.addWidget(schemas)
    assert [schemas.list.item(row).text() for row in range(2)] == ["one.json", "three.json"]
    assert [schemas.list.item(row).toolTip() for row in range(2)] == ["/a/one.json", "/b/three.json"]
    assert not schemas.remove_button.isEnabled()
    schemas.list.setCurrentRow(1)
    with qtbot.waitSignal(schemas.changed) as told:
        schemas.remove_button.click()
    assert told.args == [("/a/one.json",)]
    assert schemas.paths == ("/a/one.json",)


def test_a_refused_file_is_not_added_and_all_of_why_is_seen(qtbot: QtBot) -> None:
    schemas = SchemaList(("/a/one.json",), refuse_two)
    qtbot.addWidget(schemas)
    schemas.resize(300, 200)
    schemas.show()
    qtbot.waitExposed(schemas)
    with qtbot.assertNotEmitted(schemas.changed):
        schemas.add("/a/two.json")
        schemas.add("/a/one.json")
    assert schemas.trouble.isVisible()
    assert schemas.trouble.text() == LONG
    assert schemas.trouble.height() >= schemas.trouble.heightForWidth(schemas.trouble.width())
    with qtbot.waitSignal(schemas.changed) as told:
        schemas.add("/a/three.json")
    assert told.args == [("/a/one.json", "/a/three.json")]
    assert not schemas.trouble.isVisible()
