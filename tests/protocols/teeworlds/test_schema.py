"""Items of Teeworlds 0.6 and DDNet: types, names, texts."""

from __future__ import annotations

import struct
import uuid
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.schema import Items, declared_uuid, default_schema, seven_schema
from analyzer.snapshots.model import ItemField

SCHEMA = default_schema()
INT32 = st.integers(-0x80000000, 0x7FFFFFFF)


def value_text(type: int, at: int, value: int, items: Items) -> str:
    """The text of an int at `at`, behind zeros."""
    return SCHEMA.value_texts(type, [0] * at + [value], items)[at]


NUMBERED = [
    (0, "TypeDeclaration", 4, "uuid[0]", "uuid[3]"),
    (1, "PlayerInput", 10, "direction", "prev_weapon"),
    (2, "Projectile", 6, "x", "start_tick"),
    (3, "Laser", 5, "x", "start_tick"),
    (4, "Pickup", 4, "x", "subtype"),
    (5, "Flag", 3, "x", "team"),
    (6, "GameInfo", 8, "game_flags", "round_current"),
    (7, "GameData", 4, "teamscore_red", "flag_carrier_blue"),
    (8, "CharacterCore", 15, "tick", "hook_dy"),
    (9, "Character", 22, "tick", "attack_tick"),
    (10, "PlayerInfo", 5, "local", "latency"),
    (11, "ClientInfo", 17, "name[0]", "color_feet"),
    (12, "SpectatorInfo", 3, "spectator_id", "y"),
    (13, "Common", 2, "x", "y"),
    (14, "Explosion", 2, "x", "y"),
    (15, "Spawn", 2, "x", "y"),
    (16, "HammerHit", 2, "x", "y"),
    (17, "Death", 3, "x", "client_id"),
    (18, "SoundGlobal", 3, "x", "sound_id"),
    (19, "SoundWorld", 3, "x", "sound_id"),
    (20, "DamageInd", 3, "x", "angle"),
]
BY_UUID = [
    ("0dc77a02-bfee-3a53-ac8e-0bb0241bd722", "MyOwnObject", 1, "test", "test", False),
    ("76ce455b-f9eb-3a48-add7-e04b941d045c", "DDNetCharacter", 11, "flags", "tune_zone_override", False),
    ("22ca938d-1380-3e2b-9e7b-d2558ea6be11", "DDNetPlayer", 4, "flags", "finish_time_millis", False),
    ("933dea6a-da79-30ea-a98f-8af03689a945", "GameInfoEx", 5, "flags", "max_team_size", False),
    ("0e6db85c-2b61-386f-bbf2-d0d0471b9272", "DDRaceProjectile", 6, "x", "start_tick", False),
    ("29de68a2-6928-31b8-8360-a2307e0d844f", "DDNetLaser", 10, "to_x", "flags", False),
    ("6550fbce-f317-3b31-8ffe-d2b37f3ab40e", "DDNetProjectile", 10, "x", "flags", False),
    ("ea5e4a51-58fb-3684-96e4-e0d267f4ca65", "DDNetPickup", 6, "x", "flags", False),
    ("d13307b2-9a19-37cb-8f8c-07c718521883", "DDNetSpectatorInfo", 5, "has_camera_info", "spectator_count", False),
    ("5e5ca96f-c728-30fd-bfb3-155b07692556", "SpectatorCount", 1, "num_spectators", "num_spectators", False),
    ("1fd35746-6263-358c-b4d6-6ef60e0efaaa", "Birthday", 2, "x", "y", True),
    ("68bf8939-ef55-3878-9082-13527eb0a597", "Finish", 2, "x", "y", True),
    ("0c4fd27d-47e3-3871-a226-9f417486a311", "MyOwnEvent", 1, "test", "test", True),
    ("4b801c74-e24c-3ce0-b92c-b754d02cfc8a", "SpecChar", 2, "x", "y", False),
    ("ec15e669-ce11-3367-ae8e-b90e5b27b9d5", "SwitchState", 17, "highest_switch_number", "end_ticks[3]", False),
    ("2de9aec3-32e4-3986-8f7e-e7459da7f535", "EntityEx", 3, "switch_number", "entity_class", False),
    ("9ebfc6ed-bf50-30ca-988a-0ce8921ad85f", "MapBestTime", 2, "map_best_time_seconds", "map_best_time_millis", False),
    ("54ecad2e-bfad-3be5-8903-621ba052458e", "MapSoundWorld", 3, "x", "sound_id", True),
]


def ints(identity: str) -> tuple[int, ...]:
    return struct.unpack(">4i", uuid.UUID(identity).bytes)


def declared(identity: str, type: int = 0x7FFF) -> Items:
    return {type: ints(identity)}


def texts(type: int, values: list[int], items: Items | None = None, tick: int = 1000) -> dict[str, str]:
    item = SCHEMA.describe_item(type, 0, values, items or {}, tick)
    return {field.name: field.text for field in item.fields}


@pytest.mark.parametrize(("type", "name", "size", "first", "last"), NUMBERED, ids=[row[1] for row in NUMBERED])
def test_numbered_item(type: int, name: str, size: int, first: str, last: str) -> None:
    names = SCHEMA.field_names(type, size, {})
    assert SCHEMA.item_name(type, {}) == name
    assert (len(names), names[0], names[-1]) == (size, first, last)
    assert SCHEMA.sizes[type] == (size if type else -1)
    assert SCHEMA.is_event(type, {}) == (type >= 13)
    item = SCHEMA.describe_item(type, 5, range(size), {}, 100)
    assert [value for field in item.fields for value in field.values] == list(range(size))
    assert (item.type, item.id, item.name, item.event) == (type, 5, name, type >= 13)


@pytest.mark.parametrize(
    ("identity", "name", "size", "first", "last", "event"), BY_UUID, ids=[row[1] for row in BY_UUID]
)
def test_item_by_uuid(identity: str, name: str, size: int, first: str, last: str, event: bool) -> None:
    items = declared(identity, 0x4000)
    names = SCHEMA.field_names(0x4000, size, items)
    assert SCHEMA.item_name(0x4000, items) == name
    assert (len(names), names[0], names[-1]) == (size, first, last)
    assert SCHEMA.is_event(0x4000, items) == event
    item = SCHEMA.describe_item(0x4000, 5, range(size), items, 100)
    assert [value for field in item.fields for value in field.values] == list(range(size))
    assert (item.name, item.event) == (name, event)


def test_all_items_are_in_the_tables() -> None:
    assert {item.type for item in SCHEMA.items if item.type is not None} == {row[0] for row in NUMBERED}
    assert {str(identity) for identity in SCHEMA.by_uuid} == {row[0] for row in BY_UUID}


def test_sizes_end_at_type_20() -> None:
    assert len(SCHEMA.sizes) == 64
    assert SCHEMA.sizes[:21] == (-1, 10, 6, 5, 4, 3, 8, 4, 15, 22, 5, 17, 3, 2, 2, 2, 2, 3, 3, 3, 3)
    assert set(SCHEMA.sizes[21:]) == {-1}


def test_type_is_resolved_in_its_own_snapshot() -> None:
    laser = declared("29de68a2-6928-31b8-8360-a2307e0d844f", 32764)
    assert SCHEMA.item_name(32764, laser) == "DDNetLaser"
    assert SCHEMA.item_name(32764, {}) == "type 32764 (not declared)"
    assert SCHEMA.item_name(32764, {32764: (1, 2, 3)}) == "type 32764 (not declared)"
    assert SCHEMA.item_name(32764, {32764: (*ints("29de68a2-6928-31b8-8360-a2307e0d844f"), 7)}) == "DDNetLaser"


def test_unknown_types_keep_their_ints() -> None:
    unknown = "00000001-0000-0000-0000-00000000000f"
    items = declared(unknown)
    assert SCHEMA.item_name(0x7FFF, items) == f"unknown item {unknown}"
    assert SCHEMA.item_type(0x7FFF, items) is None
    assert SCHEMA.item_name(21, {}) == "unknown type 21"
    assert SCHEMA.item_name(0x8000, {0x8000: (1, 2, 3, 4)}) == "unknown type 32768"
    assert SCHEMA.field_names(21, 2, {}) == ("value[0]", "value[1]")
    assert value_text(21, 0, -7, {}) == ""
    assert not SCHEMA.is_event(21, {})
    item = SCHEMA.describe_item(0x7FFF, 3, [5, -6], items, 0)
    assert item.fields == (ItemField("value[0]", (5,), "5"), ItemField("value[1]", (-6,), "-6"))


def test_declaration_names_its_uuid() -> None:
    identity = "76ce455b-f9eb-3a48-add7-e04b941d045c"
    assert declared_uuid(0x7FFF, declared(identity)) == uuid.UUID(identity)
    assert declared_uuid(5, {5: (1, 2, 3, 4)}) is None
    item = SCHEMA.describe_item(0, 0x7FFF, ints(identity), {}, 0)
    assert item.fields == (ItemField("uuid", ints(identity), f"DDNetCharacter ({identity})"),)
    assert texts(0, [0, 0, 0, 1]) == {"uuid": "unknown (00000000-0000-0000-0000-000000000001)"}


def test_character_texts() -> None:
    values = [0, 3200, 64, 256, -128, 402, -1, 2, -1, 5, 3, 1, 2, 256, 0, 0x11, 10, 3, -1, 3, 5, 990]
    assert texts(9, values) == {
        "tick": "0  current",
        "x": "3200  100.00 tiles",
        "y": "64  2.00 tiles",
        "vel_x": "256  1.00 units/tick, 1.56 tiles/s",
        "vel_y": "-128  -0.50 units/tick, -0.78 tiles/s",
        "angle": "402  90.0°",
        "direction": "-1  left",
        "jumped": "0x02  air_jump_spent",
        "hooked_player": "-1  nobody",
        "hook_state": "5  grabbed",
        "hook_tick": "3  0.06 s",
        "hook_x": "1  0.03 tiles",
        "hook_y": "2  0.06 tiles",
        "hook_dx": "256  1.00",
        "hook_dy": "0  0.00",
        "player_flags": "0x11  playing, aim",
        "health": "10",
        "armor": "3",
        "ammo_count": "-1  infinite",
        "weapon": "3  grenade",
        "emote": "5  blink",
        "attack_tick": "990  -0.20 s",
    }


def test_client_info_texts() -> None:
    empty = [-2139062144, -2139062144]
    name = [-287183387, -320474125, -1594563099, -2139062272]
    values = [*name, *empty, -2139062272, -1, 0x7FFFFFFF, *empty, *empty, -2139062272, 1, 0x0080FF33, 0]
    assert texts(11, values) == {
        "name": '"nameless tee"',
        "clan": '""',
        "country": "-1  none",
        "skin": '"\\xff\\x7f\\x7f\\x7f", not UTF-8: clients show nothing',
        "use_custom_color": "1  yes",
        "color_body": "8453939  #33FDFF, sent as hsl(181, 100%, 20%)",
        "color_feet": "0  #808080, sent as hsl(0, 0%, 0%)",
    }
    assert [SCHEMA.value_texts(11, values, {})[at] for at in (0, 2, 3, 4)] == ['"name"', '" tee"', '""', '""']


def test_value_beyond_what_clients_accept() -> None:
    assert value_text(9, 16, 11, {}) == "11, clients make it 10"
    assert value_text(9, 19, -2, {}) == "-2  unknown, clients make it -1"
    assert value_text(9, 22, 5, {}) == ""


def test_number_that_says_it_all_has_no_text() -> None:
    assert value_text(9, 16, 10, {}) == ""


def test_tick_relates_to_the_snapshot_that_is_told() -> None:
    assert value_text(3, 4, 990, {}) == ""
    assert SCHEMA.value_texts(3, [0, 0, 0, 0, 990], {}, 1000)[4] == "990  -0.20 s"


def test_projectile_in_disguise() -> None:
    item = SCHEMA.describe_item(2, 7, [160000, 100, 0, 0x205, 3, 990], {}, 1000)
    assert item.name == "Projectile (DDRaceProjectile)"
    assert [field.text for field in item.fields] == [
        "160000  50.00 tiles, 1600.00 units",
        "100  0.03 tiles, 1.00 units",
        "0  0.0°",
        "0x0205  client 5, is_ddnet",
        "3  grenade",
        "990  -0.20 s",
    ]


@pytest.mark.parametrize("vel_y", [0, 0x1FF, -1, -0x80000000, 0x400])
def test_projectile_as_it_looks(vel_y: int) -> None:
    item = SCHEMA.describe_item(2, 7, [160000, 100, 0, vel_y, 3, 990], {}, 1000)
    assert item.name == "Projectile"
    assert item.fields[2].name == "vel_x"


@pytest.mark.parametrize(
    ("type", "subtype", "text"),
    [(4, 5, "5  strong_nw"), (5, 1, "1  explosive"), (5, -1, "-1  none"), (0, 3, "3"), (5, 9, "9  unknown")],
)
def test_laser_subtype_depends_on_its_type(type: int, subtype: int, text: str) -> None:
    items = declared("29de68a2-6928-31b8-8360-a2307e0d844f")
    assert texts(0x7FFF, [0, 0, 0, 0, 990, 1, type, 0, subtype, 1], items)["subtype"] == text


@pytest.mark.parametrize(
    ("state_flags", "timer", "text"),
    [
        (0, 500, "500  10.00 s"),
        (8, -900, "-900  tick 900, -2.00 s"),
        (9, 0, "0"),
        (-1, -900, "-900  tick 900, -2.00 s"),
    ],
)
def test_timer_depends_on_a_flag(state_flags: int, timer: int, text: str) -> None:
    assert texts(6, [0, state_flags, 0, timer, 0, 0, 1, 1])["warmup_timer"] == text


@pytest.mark.parametrize(("owner", "text"), [(-1, "-707107  -0.707"), (0, "-707107"), (5, "-707107")])
def test_velocity_depends_on_the_sign_of_a_later_field(owner: int, text: str) -> None:
    items = declared("6550fbce-f317-3b31-8ffe-d2b37f3ab40e")
    values = [0, 0, -707107, 0, 3, 990, owner, 0, 0, 0]
    assert texts(0x7FFF, values, items)["vel_x"] == text
    assert SCHEMA.value_texts(0x7FFF, values, items)[2] == ("" if text == "-707107" else text)


@pytest.mark.parametrize(
    ("type", "text"), [(0, "2"), (2, "2  shotgun"), (3, "2  shotgun"), (7, "2"), (9, "2  shotgun")]
)
def test_only_some_pickups_are_of_a_weapon(type: int, text: str) -> None:
    assert texts(4, [0, 0, type, 2])["subtype"] == text
    assert texts(0x7FFF, [0, 0, type, 2, 0, 0], declared("ea5e4a51-58fb-3684-96e4-e0d267f4ca65"))["subtype"] == text


@pytest.mark.parametrize(("country", "text"), [(276, "276  DE"), (-1, "-1  none"), (1, "1  unknown")])
def test_country_reads_by_its_letters(country: int, text: str) -> None:
    assert texts(11, [0] * 7 + [country])["country"] == text


def test_rank_in_the_order_of_hooks_is_no_player() -> None:
    items = {**declared("76ce455b-f9eb-3a48-add7-e04b941d045c"), 11 << 16 | 5: NAME}
    assert texts(0x7FFF, [0, 0, 2, -1, 5], items)["strong_weak_id"] == "5"


def test_projectile_names_its_owner() -> None:
    items = {**declared("0e6db85c-2b61-386f-bbf2-d0d0471b9272"), 11 << 16 | 5: NAME}
    assert texts(0x7FFF, [0, 0, 0, 0x205, 3, 990], items)["data"] == "0x0205  client 5 nameless tee, is_ddnet"


CHARACTER = (0, 3200, 64, 256, -128, 1200, -1, 2, -1, 5, 3, 1, 2, 256, 0, 0x11, 10, 3, 0, 3, 5, 990)


@pytest.mark.parametrize(
    ("at", "new", "text"),
    [
        (0, 990, ""),  # from "current" to a tick: no number of ticks
        (1, 3208, "+0.25 tiles"),
        (3, 128, "-0.50 units/tick, -0.78 tiles/s"),
        (5, -400, "+1.9°"),  # across the wrap: a full turn is 1608
        (8, 3, ""),
        (15, 0x06, "+in_menu, +chatting, -playing, -aim"),
        (16, 9, ""),
        (18, -1, ""),
        (19, 1, ""),
        (21, 992, "+2 ticks, +0.04 s"),
    ],
)
def test_difference_is_in_the_units_of_the_field(at: int, new: int, text: str) -> None:
    news = [*CHARACTER[:at], new, *CHARACTER[at + 1 :]]
    assert SCHEMA.difference_texts(9, CHARACTER, news, {}) == [""] * at + [text] + [""] * (21 - at)


def test_differences_of_events_and_unknown_types_mean_nothing() -> None:
    assert SCHEMA.difference_texts(14, [0, 0], [32, 32], {}) == ["", ""]
    assert SCHEMA.difference_texts(40, [0, 0], [32, 32], {}) == ["", ""]
    assert SCHEMA.difference_texts(5, [0, 0, 0, 9], [32, 0, 0, 8], {}) == ["+1.00 tiles", "", "", ""]


def test_short_item_takes_defaults() -> None:
    shown = texts(0x7FFF, [1, -1], declared("76ce455b-f9eb-3a48-add7-e04b941d045c"))
    assert shown["flags"] == "0x01  solo"
    assert shown["freeze_end"] == "-1  deep frozen"
    assert shown["jumps"] == "not sent, read as 2"
    assert shown["ninja_activation_tick"] == "not sent, read as -1 (unused)"
    assert len(shown) == 11


def test_short_item_without_defaults() -> None:
    assert texts(5, [1]) == {"x": "1  0.03 tiles", "y": "not sent", "team": "not sent"}
    assert texts(11, [0, 0, 0, 0, 0])["clan"] == "cut off"


def test_long_item_has_extra_ints() -> None:
    assert SCHEMA.field_names(14, 4, {}) == ("x", "y", "extra[0]", "extra[1]")
    assert SCHEMA.field_names(14, 1, {}) == ("x",)
    assert texts(14, [0, 0, 5, -6])["extra[1]"] == "-6"


def test_array_reads_value_by_value() -> None:
    items = declared("ec15e669-ce11-3367-ae8e-b90e5b27b9d5")
    shown = texts(0x7FFF, [255, *([0] * 7), -1, 5, 0, 0, 0, 1100, 0, 0, 0], items)
    assert shown["status[7]"] == "0xffffffff"
    assert shown["switch_numbers[0]"] == "5"
    assert shown["end_ticks[0]"] == "1100  +2.00 s"
    assert list(SCHEMA.field_names(0x7FFF, 17, items))[8:10] == ["status[7]", "switch_numbers[0]"]


@given(
    st.one_of(st.integers(0, 30), st.integers(0x3FFF, 0x8000)),
    st.integers(0, 0xFFFF),
    st.lists(INT32, max_size=30),
    st.sampled_from([None, *(row[0] for row in BY_UUID), "00000000-0000-0000-0000-000000000001"]),
    INT32,
)
def test_any_item_is_described(type: int, id: int, values: list[int], identity: str | None, tick: int) -> None:
    items = {} if identity is None else declared(identity, type)
    item = SCHEMA.describe_item(type, id, values, items, tick)
    assert item.values == tuple(values)
    assert tuple(value for field in item.fields for value in field.values) == tuple(values)
    assert all(field.text for field in item.fields)
    assert len(SCHEMA.field_names(type, len(values), items)) == len(values)
    assert all(text.isprintable() for text in SCHEMA.value_texts(type, values, items, tick))
    turned = SCHEMA.difference_texts(type, values, values[::-1], items)
    assert len(turned) == len(values)
    assert all(text.isprintable() for text in turned)


@given(st.integers(0x4000, 0x7FFF), st.lists(INT32, max_size=5))
def test_any_declaration_is_read(type: int, values: list[int]) -> None:
    assert SCHEMA.item_name(type, {type: tuple(values)})


NAME = (-287183387, -320474125, -1594563099, -2139062272)
"""nameless tee"""


def test_item_is_its_players() -> None:
    items: Items = {11 << 16 | 5: NAME}
    assert SCHEMA.describe_item(9, 5, [0] * 22, items, 1).owner == "nameless tee"
    assert SCHEMA.owner(9, 6, items) == ""
    assert SCHEMA.owner(14, 5, items) == ""  # ids of events are no client ids
    assert SCHEMA.owner(9, 5, {11 << 16 | 5: NAME[:2]}) == ""


def test_client_id_reads_with_its_name() -> None:
    items: Items = {11 << 16 | 5: NAME}
    assert value_text(9, 8, 5, items) == "5  nameless tee"
    assert value_text(9, 8, -1, items) == "-1  nobody"
    assert value_text(9, 8, 6, items) == ""
    assert texts(9, [0] * 8 + [5] + [0] * 13, items)["hooked_player"] == "5  nameless tee"


def test_names_that_messages_told_count_alone_where_snapshots_hold_none() -> None:
    schema = replace(seven_schema(), players={5: "ann"})
    items: Items = {11 << 16 | 6: NAME}  # PlayerInfo of 0.7, whatever it holds
    character = (*[0] * 8, 5, *[0] * 13)
    assert [schema.describe_item(10, id, character, items, 1).owner for id in (5, 6)] == ["ann", ""]
    assert schema.value_texts(10, character, items)[8] == "5  ann"
    assert schema.owner(20, 5, items) == ""
