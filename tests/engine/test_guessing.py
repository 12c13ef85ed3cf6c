"""Guesses of what a capture holds that nobody named, and how they come and go with schema files."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.engine.capture import Capture
from analyzer.engine.inferring import infer_schema
from analyzer.engine.schemas import check_schemas, use_schemas
from analyzer.protocols.base import Effect
from analyzer.snapshots.model import Item
from tests.modded import LONG_SCHEMA, SHIELD_UUID, SNAPSHOTS, unknown_name, write_capture, write_schema

pytestmark = pytest.mark.usefixtures("no_schemas_left")


@pytest.fixture(scope="module")
def modded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_capture(tmp_path_factory.mktemp("modded") / "mod.pcap")


@pytest.fixture(scope="module")
def longer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vanilla item has one int more than clients of the game take."""
    return write_capture(tmp_path_factory.mktemp("longer") / "long.pcap", flag=True)


def named(items: tuple[Item, ...], name: str) -> list[str]:
    """The fields of the first item of a type."""
    return [field.name for field in next(item for item in items if item.name == name).fields]


def test_items_changes_and_messages_have_guesses(modded: Path) -> None:
    with Capture.open(modded, compiled=False) as capture:
        capture.decode()
        query = capture.query()
        items = query.items(60)
        assert named(items, "unknown type 70") == [
            "value[0] (guess: position x)",
            "value[1] (guess: position y)",
            "value[2] (guess: client id)",
            "value[3] (guess: tick)",
            "value[4] (guess: yes or no)",
            "value[5-8] (guess: text)",
        ]
        assert named(items, unknown_name(SHIELD_UUID)) == ["value[0]"]
        changes = {change.name: change for change in query.changes(60)}
        assert changes["unknown type 70"].fields[3].name == "value[3] (guess: tick)"
        packet = capture.tables.snapshots.integer("packet", 60)
        text = repr(query.explain(packet).fields)
        assert "value[0] (guess: enumeration)" in text
        assert "hello number 60" in text
        assert [field.name for item in query.plain_items(60) for field in item.fields if "guess" in field.name] == []
        query.close()


def test_another_schema_changes_answers_and_no_row(modded: Path, tmp_path: Path) -> None:
    with Capture.open(modded, compiled=False) as capture:
        capture.decode()
        query = capture.query()
        query.items(60)
        assert use_schemas([write_schema(tmp_path / "mod.json")]) is Effect.ROWS
        query.forget_guesses()
        assert named(query.items(60), "Turret") == ["x", "y", "owner", "ready_tick", "mood", "label"]
        assert named(query.items(60), "Shield") == ["strength"]
        assert len(capture.tables.snapshots) == SNAPSHOTS
        query.close()


def test_a_changed_size_is_read_anew(longer: Path, tmp_path: Path) -> None:
    path = write_schema(tmp_path / "long.json", LONG_SCHEMA)
    with Capture.open(longer, compiled=False) as capture:
        capture.decode()
        tables = capture.tables
        packets = len(tables.packets)
        query = capture.query()
        assert sum(query.view(row).code.name == "OK" for row in range(len(tables.snapshots))) < 10
        assert use_schemas([path]) is Effect.ROWS
        capture.reinterpret()
        capture.decode()
        alive = [row for row in range(len(tables.snapshots)) if query.alive(row)]
        assert len(tables.packets) == packets
        assert len(alive) == SNAPSHOTS
        assert {query.view(row).code.name for row in alive} == {"OK"}
        assert named(query.items(alive[-1]), "Flag") == ["x", "y", "team", "carrier"]
        query.close()
    with Capture.open(longer, compiled=False) as fresh:
        fresh.decode()
        query = fresh.query()
        assert {query.view(row).code.name for row in range(SNAPSHOTS)} == {"OK"}
        query.close()


def test_a_changed_size_while_the_file_grows(longer: Path, tmp_path: Path) -> None:
    data = longer.read_bytes()
    path = tmp_path / "growing.pcap"
    path.write_bytes(data[: len(data) // 2])
    with Capture.open(path, growing=True, compiled=False) as capture:
        tables = capture.tables
        while len(tables.snapshots) < SNAPSHOTS // 3:
            assert capture.step()
        before = len(tables.packets)
        use_schemas([write_schema(tmp_path / "long.json", LONG_SCHEMA)])
        capture.reinterpret()
        capture.step()
        with path.open("ab") as file:
            file.write(data[len(data) // 2 :])
        capture.source.finish()
        capture.decode()
        query = capture.query()
        alive = [row for row in range(len(tables.snapshots)) if query.alive(row)]
        assert before < len(tables.packets)
        assert [query.view(row).code.name for row in alive] == ["OK"] * SNAPSHOTS
        query.close()


def test_a_written_schema_leaves_nothing_unknown(modded: Path, tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    with Capture.open(modded, compiled=False) as capture:
        capture.decode()
        query = capture.query()
        inferred = infer_schema(capture.tables, query, capture.protocols, "Made")
        query.close()
    assert inferred.count == 4
    path.write_text(inferred.text, encoding="utf-8")
    assert check_schemas([path]) == ["Made: 2 items, 2 messages, for ddnet"]
    use_schemas([path])
    with Capture.open(modded, compiled=False) as capture:
        capture.decode()
        query = capture.query()
        assert named(query.items(60), "type_70") == ["x_0", "y_1", "client_id_2", "tick_3", "flag_4", "str_5"]
        assert infer_schema(capture.tables, query, capture.protocols, "Made").count == 0
        query.close()
