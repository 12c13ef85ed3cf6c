"""What the schemas name, as lists of fields get it: the names that `explain` and items have."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.protocols.teeworlds import PROTOCOL
from analyzer.protocols.teeworlds.layouts import layouts
from analyzer.snapshots.layouts import Layout, LayoutField, ValueKind
from tests.modded import write_schema


def named(entries: tuple[Layout, ...], name: str) -> list[Layout]:
    return [entry for entry in entries if entry.name == name]


def fields(entry: Layout) -> dict[str, LayoutField]:
    return {field.name: field for field in entry.fields}


def test_an_item_has_its_fields_with_words_and_bits() -> None:
    character = fields(named(layouts().items, "Character")[0])
    assert character["x"].kind is ValueKind.NUMBER
    assert character["weapon"].words[3] == "grenade"
    assert "playing" in character["player_flags"].bits
    names = fields(named(layouts().items, "ClientInfo")[0])
    assert names["name"].kind is ValueKind.TEXT
    assert names["use_custom_color"].words == {0: "no", 1: "yes"}


def test_items_that_no_snapshot_has_are_left_out() -> None:
    assert not named(layouts().items, "PlayerInput")


def test_a_message_has_the_fields_of_the_items_and_groups_in_it() -> None:
    sent = named(layouts().messages, "NETMSG_INPUT")[0]
    assert sent.short == "Input"
    assert list(fields(sent))[:5] == ["ack_game_tick", "intended_tick", "size_bytes", "direction", "target_x"]


def test_passwords_are_left_out() -> None:
    for message in layouts().messages:
        assert "password" not in fields(message), message.name


def test_control_messages_and_those_outside_of_connections_are_there() -> None:
    assert fields(named(layouts().messages, "CLOSE")[0])["reason"].kind is ValueKind.TEXT
    assert named(layouts().messages, "inf3")


def test_what_a_mod_adds_is_there_while_its_file_counts(tmp_path: Path) -> None:
    assert PROTOCOL.schemas is not None
    PROTOCOL.schemas.use([write_schema(tmp_path / "mod.json")])
    try:
        turret = fields(named(layouts().items, "Turret")[0])
        assert turret["mood"].words == {0: "calm", 1: "angry"}
        assert turret["label"].kind is ValueKind.TEXT
        assert named(layouts().messages, "Sv_Hello")
    finally:
        PROTOCOL.schemas.use([])
    assert not named(layouts().items, "Turret")


@pytest.mark.parametrize("name", ["Sv_TuneParams", "Sv_TeamsState"])
def test_repetitions_are_one_field_or_have_names_of_their_own(name: str) -> None:
    assert all("[" not in field.name for field in named(layouts().messages, name)[0].fields)
