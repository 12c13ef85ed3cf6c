"""Schema files of mods in the window: dropped, in Preferences, from the command line, and read again as they change."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from pytestqt.qtbot import QtBot

from analyzer.snapshots.status import Status
from tests.modded import LONG_SCHEMA, SCHEMA, SNAPSHOTS, write_capture, write_schema
from tests.ui.conftest import Opener
from ui import app
from ui.dialogs.preferences import PreferencesDialog
from ui.dialogs.schema_list import SchemaList
from ui.document import Document
from ui.main_window import MainWindow
from ui.settings import Settings

pytestmark = pytest.mark.usefixtures("no_schemas_left")

AT = 60
"""A snapshot in the middle."""


@pytest.fixture
def modded(tmp_path: Path) -> Path:
    return write_capture(tmp_path / "mod.pcap")


def drop(window: MainWindow, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    action, button, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(5, 5), action, data, button, none))


def select(document: Document, snapshot: int = AT) -> None:
    document.selection.select(document.tables.snapshots.integer("packet", snapshot), snapshot)


def shown(window: MainWindow) -> dict[str, list[str]]:
    """Type -> names of the fields of its first item, in the snapshot tab."""
    tree = window.snapshot_tab.tree
    if tree is None:
        return {}
    return {node.name: [field.name for field in node.items[0].fields] for node in tree.types}


@pytest.fixture
def followed(window: MainWindow, opened: Opener, modded: Path, tmp_path: Path, qtbot: QtBot) -> tuple[Path, Document]:
    """A schema file in use, and a capture whose items it names."""
    path = write_schema(tmp_path / "mod.json")
    drop(window, path)
    document = opened(modded)
    select(document)
    qtbot.waitUntil(lambda: "Turret" in shown(window))
    return path, document


def changed(content: dict[str, object], old: str, new: str) -> object:
    text = json.dumps(content)
    assert old in text
    return json.loads(text.replace(old, new))


def test_a_dropped_schema_names_what_is_shown(
    window: MainWindow, opened: Opener, modded: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    document = opened(modded)
    select(document)
    qtbot.waitUntil(lambda: "unknown type 70" in shown(window))
    assert "value[3] (guess: tick)" in shown(window)["unknown type 70"]
    packets, place = len(document.tables.packets), document.selection.place.packet
    drop(window, write_schema(tmp_path / "mod.json"))
    qtbot.waitUntil(lambda: "Turret" in shown(window))
    assert shown(window)["Turret"] == ["x", "y", "owner", "ready_tick", "mood", "label"]
    assert window.document is document
    assert (len(document.tables.packets), document.selection.place.packet) == (packets, place)
    assert window.banner.text == ""
    assert window.appearance.preferences.schemas == (str(tmp_path / "mod.json"),)
    assert window.schema_files.trouble == ""


def test_a_capture_and_a_schema_dropped_together(
    window: MainWindow, modded: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    drop(window, write_schema(tmp_path / "mod.json"), modded)
    document = window.document
    assert document is not None
    qtbot.waitUntil(lambda: document.is_decoded)
    select(document)
    qtbot.waitUntil(lambda: "Turret" in shown(window))


def test_a_wrong_file_is_not_taken(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "mod.json"
    path.write_text('{"format": 1,\n "title": 7}', encoding="utf-8")
    drop(window, path)
    assert window.banner.text == "mod.json, line 2: title: expected a text, found 7. Nothing was added."
    assert window.appearance.preferences.schemas == ()
    one = write_schema(tmp_path / "one.json")
    two = write_schema(tmp_path / "two.json")
    drop(window, one)
    drop(window, two)
    assert "two.json, line " in window.banner.text
    assert "one.json, line " in window.banner.text
    assert window.appearance.preferences.schemas == (str(one),)


def test_a_changed_file_is_read_again(
    window: MainWindow, followed: tuple[Path, Document], tmp_path: Path, qtbot: QtBot
) -> None:
    path, document = followed
    write_schema(path, changed(SCHEMA, '"ready_tick"', '"loaded_at"'))
    qtbot.waitUntil(lambda: "loaded_at" in shown(window)["Turret"])
    # As an editor does that writes another file and gives it the name.
    write_schema(tmp_path / "other", changed(SCHEMA, '"ready_tick"', '"armed_at"')).replace(path)
    qtbot.waitUntil(lambda: "armed_at" in shown(window)["Turret"])
    write_schema(path, changed(SCHEMA, '"Turret"', '"Cannon"'))
    qtbot.waitUntil(lambda: "Cannon" in shown(window))
    assert window.document is document
    assert document.selection.place.packet == document.tables.snapshots.integer("packet", AT)


def test_a_file_that_a_file_includes_is_followed(
    window: MainWindow, opened: Opener, modded: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    """Also one that is not there yet, in a folder that is not there yet, and one that it includes itself."""
    folder = tmp_path / "parts"
    outer: dict[str, object] = {"format": 1, "title": "outer", "include": ["parts/items.json"]}
    path = write_schema(tmp_path / "mod.json", outer)
    window.schema_files.give([str(path)])
    document = opened(modded)
    select(document)
    assert "parts/items.json" in window.banner.text
    folder.mkdir()
    write_schema(folder / "items.json")
    qtbot.waitUntil(lambda: "Turret" in shown(window))
    assert window.banner.text == ""
    write_schema(folder / "items.json", changed(SCHEMA, '"ready_tick"', '"loaded_at"'))
    qtbot.waitUntil(lambda: "loaded_at" in shown(window)["Turret"])
    for field in ("armed_at", "primed_at"):
        other = write_schema(folder / "other", changed(SCHEMA, '"ready_tick"', f'"{field}"'))
        other.replace(folder / "items.json")
        qtbot.waitUntil(lambda field=field: field in shown(window)["Turret"])
    write_schema(folder / "items.json", {"format": 1, "title": "inner", "include": ["deep.json"]})
    qtbot.waitUntil(lambda: "deep.json" in window.banner.text)
    write_schema(folder / "deep.json")
    qtbot.waitUntil(lambda: "ready_tick" in shown(window)["Turret"])
    write_schema(folder / "deep.json", changed(SCHEMA, '"Turret"', '"Cannon"'))
    qtbot.waitUntil(lambda: "Cannon" in shown(window))
    assert window.document is document
    # What is not included any more counts no more.
    write_schema(path, {"format": 1, "title": "outer"})
    qtbot.waitUntil(lambda: "unknown type 70" in shown(window))


def test_a_wrong_edit_keeps_the_last_good_one(
    window: MainWindow, followed: tuple[Path, Document], qtbot: QtBot
) -> None:
    path, _ = followed
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"kind": "pos"', '"kind": "place"', 1), encoding="utf-8")
    qtbot.waitUntil(lambda: window.banner.text != "")
    assert window.banner.text.startswith("mod.json, line ")
    assert ": items[0].fields[0].kind: expected " in window.banner.text
    assert window.banner.text.endswith(" What it said before still counts.")
    assert "Turret" in shown(window)
    path.unlink()
    qtbot.waitUntil(lambda: "cannot be read" in window.banner.text)
    path.write_text(text.replace('"ready_tick"', '"armed_at"'), encoding="utf-8")
    qtbot.waitUntil(lambda: "armed_at" in shown(window)["Turret"])
    assert window.banner.text == ""
    assert window.schema_files.trouble == ""


def test_a_changed_size_is_read_anew(window: MainWindow, opened: Opener, tmp_path: Path, qtbot: QtBot) -> None:
    document = opened(write_capture(tmp_path / "long.pcap", flag=True))
    tables = document.tables
    packet = tables.snapshots.integer("packet", AT)
    document.selection.select(packet, AT)
    frames = len(tables.packets)
    drop(window, write_schema(tmp_path / "long.json", LONG_SCHEMA))

    def is_right() -> bool:
        alive = [row for row in range(len(tables.snapshots)) if tables.readings.get("alive", reading_of(row))]
        return len(alive) == SNAPSHOTS and {tables.snapshots.integer("status", row) for row in alive} == {Status.OK}

    def reading_of(row: int) -> int:
        return tables.sessions.integer("reading", tables.snapshots.integer("session", row))

    qtbot.waitUntil(is_right)
    assert len(tables.packets) == frames
    assert document.selection.place.packet == packet


def test_preferences_list(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = write_schema(tmp_path / "mod.json")
    window.dialogs.ask_preferences()
    dialog = window.findChild(PreferencesDialog)
    assert dialog is not None
    schemas = dialog.findChild(SchemaList)
    assert schemas is not None
    assert not schemas.remove_button.isEnabled()
    schemas.add(str(path))
    assert window.appearance.preferences.schemas == (str(path),)
    schemas.add(str(write_schema(tmp_path / "two.json")))
    assert "two.json, line " in schemas.trouble.text()
    assert schemas.trouble.isVisible()
    assert schemas.paths == (str(path),)
    schemas.list.setCurrentRow(0)
    schemas.remove_button.click()
    assert window.appearance.preferences.schemas == ()
    assert not schemas.trouble.isVisible()
    dialog.accept()


def test_remembered_files_count_at_the_next_start(
    qtbot: QtBot, settings: Settings, window: MainWindow, opened: Opener, modded: Path, tmp_path: Path
) -> None:
    settings.preferences = replace(settings.preferences, schemas=(str(tmp_path / "none.json"),))
    assert settings.preferences.schemas == (str(tmp_path / "none.json"),)
    drop(window, write_schema(tmp_path / "mod.json"))
    again = MainWindow(settings)
    qtbot.addWidget(again)
    assert again.schema_files.trouble == ""
    assert str(tmp_path / "mod.json") in again.appearance.preferences.schemas
    again.close()
    document = opened(modded)
    select(document)
    qtbot.waitUntil(lambda: "Turret" in shown(window))


def test_a_file_that_is_gone_is_told(qtbot: QtBot, settings: Settings, tmp_path: Path) -> None:
    good = write_schema(tmp_path / "mod.json")
    settings.preferences = replace(settings.preferences, schemas=(str(tmp_path / "none.json"), str(good)))
    window = MainWindow(settings)
    qtbot.addWidget(window)
    assert window.banner.text == "none.json: cannot be read: No such file or directory. It does not count."
    drop(window, write_schema(tmp_path / "third.json", {"format": 1, "title": "third"}))
    assert "none.json" in window.banner.text
    window.close()


def test_a_pipe_is_not_waited_for(window: MainWindow, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    window.schema_files.give([str(pipe)])
    assert window.banner.text == "pipe.json: cannot be read: it is not a file. It does not count."


def test_files_of_the_command_line(
    qapp: object, qtbot: QtBot, window: MainWindow, opened: Opener, modded: Path, tmp_path: Path
) -> None:
    options = app._read_arguments(["--schema", "a.json", "--schema", "b.json", "x.pcap"])
    assert (options.schema, options.capture) == (["a.json", "b.json"], "x.pcap")
    window.schema_files.give([str(write_schema(tmp_path / "mod.json"))])
    select(opened(modded))
    qtbot.waitUntil(lambda: "Turret" in shown(window))
    assert window.appearance.preferences.schemas == ()


def test_a_file_by_two_names_counts_once(
    window: MainWindow, opened: Opener, modded: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    path = write_schema(tmp_path / "mod.json")
    link = tmp_path / "link.json"
    link.symlink_to(path)
    window.schema_files.give([str(path), str(link)])
    drop(window, link, link, path)
    assert window.banner.text == ""
    assert window.appearance.preferences.schemas == ()
    select(opened(modded))
    qtbot.waitUntil(lambda: "Turret" in shown(window))
