"""The schemas hold what the format description says, and every message and item of it is read by name."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.explain import explain
from analyzer.protocols.teeworlds.layout import ItemFieldType, MessageField
from analyzer.protocols.teeworlds.messages import explain_body, read_message
from analyzer.protocols.teeworlds.schema import Schema, default_schema, seven_schema
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Field, Reader, Trace, Value
from analyzer.wire.varint import pack
from tests.encoder import chunk
from tests.protocols.teeworlds.spec_tables import BOUNDS, SPEC_FOLDER, parse, read, spec_text

TABLES = read()
SCHEMAS = {"0.6": default_schema(), "ddnet": default_schema(), "0.7": seven_schema()}
SLOTS = {"0.6": 128, "ddnet": 128, "0.7": 64}
SAMPLES = {"size_bytes": 40, "length": 5, "num": 2}
"""Values that others depend on."""
BEYOND = {"Cl_IsDDNetLegacy": 1}
"""Fields that the tables leave out: DDNet clients add their version."""
ITEM_INTS = {"PlayerInput": 10, "Projectile": 6}
ITEMS = [(dialect, row) for dialect in SCHEMAS for row in TABLES[f"items {dialect}"]]
MESSAGES = [
    (dialect, system, row)
    for dialect in SCHEMAS
    for system in (True, False)
    for row in TABLES[f"{'system' if system else 'game'} {dialect}"]
]
ITEM_IDS = [f"{dialect}-{row[1]}" for dialect, row in ITEMS]
BODIES = [message for message in MESSAGES if message[2][0] != 0]
"""Behind number 0 a UUID follows."""


def message_ids(messages: list) -> list[str]:
    return [f"{dialect}-{row[2] if dialect == 'ddnet' else row[1]}-{row[0]}" for dialect, _, row in messages]


MESSAGE_IDS, BODY_IDS = message_ids(MESSAGES), message_ids(BODIES)


def test_copy_is_what_the_description_says() -> None:
    text = spec_text("teeworlds-items.md")
    if text is None:
        pytest.skip(f"no description at hand: {SPEC_FOLDER} names no folder")
    assert json.loads(json.dumps(parse(text))) == TABLES


def bound(value: object, dialect: str) -> object:
    return {"C": SLOTS[dialect], "C-1": SLOTS[dialect] - 1}.get(value, value)


def bounds(pair: object, dialect: str) -> object:
    return None if not pair or pair == "masked" else tuple(bound(end, dialect) for end in pair)


def check_item_fields(dialect: str, rows: list, fields: tuple[ItemFieldType, ...]) -> None:
    assert [row[2] for row in rows] == [field.name for field in fields]
    for (first, last, _, kind, times, clamp, default), field in zip(rows, fields, strict=True):
        assert (first, last, times) == (field.at, field.end - 1, field.count)
        assert field.kind.name == kind or (kind, field.kind.name, field.name) == ("int", "hundredths", "tune_params")
        assert field.clamp == bounds(clamp, dialect)
        assert field.masked == (clamp == "masked")
        assert field.default == default


@pytest.mark.parametrize(("dialect", "row"), ITEMS, ids=ITEM_IDS)
def test_item_is_that_of_the_table(dialect: str, row: list) -> None:
    schema = SCHEMAS[dialect]
    if dialect == "ddnet":
        identity, uuid_name, name, size, fields = row
        item = schema.by_uuid[uuid.UUID(identity)]
        assert (item.uuid_name, item.pre_agreed) == (uuid_name, False)
    else:
        type, name, size, pre_agreed, fields = row
        item = schema.by_type[type]
        assert item.pre_agreed == pre_agreed
        assert schema.sizes[type] == (size if pre_agreed else -1)
    assert (item.name, item.size) == (name, size)
    check_item_fields(dialect, fields, item.fields)


@pytest.mark.parametrize(("dialect", "row"), ITEMS, ids=ITEM_IDS)
def test_every_int_of_an_item_has_its_name(dialect: str, row: list) -> None:
    schema = SCHEMAS[dialect]
    type, declared = (0x7FFF, {0x7FFF: ints_of(row[0])}) if dialect == "ddnet" else (row[0], {})
    values = tuple(range(1, row[-2 if dialect == "ddnet" else 2] + 1))
    item = schema.describe_item(type, 5, values, declared, 100)
    expected = []
    for first, last, name, _, times, _, _ in row[-1]:
        width = (last - first + 1) // times
        names = [name] if times == 1 else [f"{name}[{number}]" for number in range(times)]
        starts = range(first, last + 1, width)
        expected += [(name, values[at : at + width]) for name, at in zip(names, starts, strict=True)]
    assert [(field.name, field.values) for field in item.fields] == expected
    assert all(field.text for field in item.fields)
    assert len(schema.field_names(type, len(values), declared)) == len(values)


def ints_of(identity: str) -> tuple[int, ...]:
    raw = uuid.UUID(identity).bytes
    return tuple(int.from_bytes(raw[at : at + 4], "big", signed=True) for at in range(0, 16, 4))


@pytest.mark.parametrize("dialect", ["0.6", "0.7"])
def test_schema_has_nothing_beyond_the_tables(dialect: str) -> None:
    schema = SCHEMAS[dialect]
    assert set(schema.by_type) == {0, *(row[0] for row in TABLES[f"items {dialect}"])}
    assert {str(identity) for identity in schema.by_uuid} == {row[0] for row in TABLES["items ddnet"]}
    for system, part in ((True, "system"), (False, "game")):
        numbers = {number for is_system, number in schema.by_message_number if is_system == system}
        assert numbers == {row[0] for row in TABLES[f"{part} {dialect}"]}
        identities = {str(identity) for is_system, identity in schema.by_message_uuid if is_system == system}
        assert identities == {row[0] for row in TABLES[f"{part} ddnet"]}


def check_message_field(dialect: str, row: list, field: MessageField) -> None:
    name, kind, given, times = row
    assert field.name == name
    if kind.startswith(("str", "raw", "item", "bool", "tick")):
        assert field.kind.name == kind or (kind, field.kind.name) == ("raw16", "uuid")
    else:
        assert field.kind.base not in ("str", "raw", "uuid", "item")
        assert kind == "int" or field.kind.base == kind
    if given is not None:
        assert field.range == bounds(given, dialect)
    assert field.rest == (times == "rest")
    assert field.count == (int(times) if times.isdigit() else 1)
    assert field.times == ("" if times in ("", "rest") or times.isdigit() else times)


@pytest.mark.parametrize(("dialect", "system", "row"), MESSAGES, ids=MESSAGE_IDS)
def test_message_is_that_of_the_table(dialect: str, system: bool, row: list) -> None:
    schema = SCHEMAS[dialect]
    if dialect == "ddnet":
        identity, uuid_name, name, direction, fields = row
        message = schema.by_message_uuid[system, uuid.UUID(identity)]
        assert message.uuid_name == uuid_name
    else:
        number, name, direction, vital, fields = row
        message = schema.by_message_number[system, number]
        assert vital is None or message.vital == vital
        assert message.unused == name.lower().startswith("unused")
    if message.name == "Sv_ExtraProjectile":
        name, direction = message.name, "server"  # the table calls it unused, and names it in a remark
    assert (message.name, message.direction) == (name, direction)
    known = [field for field in message.fields if field.when is None]
    for field_row, field in zip(fields, known[: len(known) - BEYOND.get(name, 0)], strict=True):
        check_message_field(dialect, field_row, field)


def encoded(row: list, number: int, dialect: str) -> tuple[bytes, list[Value]]:
    """Bytes for one field of a table, and the values that they make."""
    name, kind, given, times = row
    count = int(times) if times.isdigit() else {"": 1, "rest": 3}.get(times) or SAMPLES[times]
    if kind == "raw":
        raw = bytes(range(7 if times == "rest" else SAMPLES["length"]))
        return raw, [raw]
    if kind.startswith("raw"):
        raw = bytes(range(number, number + int(kind[3:])))
        return raw, [raw]
    if kind.startswith("item"):
        numbers = list(range(ITEM_INTS[kind.partition(":")[2]]))
        return b"".join(map(pack, numbers)), list(numbers)
    if kind.startswith("str"):
        texts = [f"{name} {at}" for at in range(count)]
        return b"".join(text.encode() + b"\0" for text in texts), list(texts)
    low = SAMPLES.get(name, 1 if kind == "bool" else number + 1)
    values = [bounds(given, dialect)[0] if given else low] * count
    return b"".join(map(pack, values)), list(values)


def expected_names(schema: Schema, row: list, count: int, dialect: str) -> list[str]:
    name, kind, _, times = row
    if kind.startswith("item"):
        return list(schema.by_name[kind.partition(":")[2]].int_names)
    if name == "tune":
        return TABLES["tuning"][1 if dialect == "0.7" else 2][:count]
    if times == "6":
        return [f"{name}[{part}]" for part in TABLES["enums"]["SKINPART7"].values()]
    return [name] if not times or kind == "raw" else [f"{name}[{number}]" for number in range(count)]


def sample(dialect: str, system: bool, row: list) -> tuple[bytes, list[tuple[str, Value]]]:
    """A message of a table, with the names and values that are to be read from it."""
    payload = head_of(dialect, system, row)
    expected: list[tuple[str, Value]] = []
    for number, field in enumerate(row[-1]):
        raw, values = encoded(field, number, dialect)
        payload += raw
        expected += zip(expected_names(SCHEMAS[dialect], field, len(values), dialect), values, strict=True)
    return payload, expected


def head_of(dialect: str, system: bool, row: list) -> bytes:
    return pack(int(system)) + uuid.UUID(row[0]).bytes if dialect == "ddnet" else pack(row[0] << 1 | system)


def leaves(fields: tuple[Field, ...]) -> Iterator[Field]:
    for field in fields:
        if field.children:
            yield from leaves(field.children)
        else:
            yield field


def decoded(schema: Schema, payload: bytes) -> tuple[list[tuple[str, Value]], list[str]]:
    trace = Trace()
    reader = Reader(payload, trace=trace)
    head = read_message(reader, schema)
    body = len(trace.fields)
    explain_body(reader, head, schema)
    assert reader.left == 0
    ends = [field.span.offset + field.span.length for field in leaves(trace.fields) if field.span is not None]
    assert ends == sorted(ends)
    return [(field.name, field.value) for field in leaves(trace.fields[body:])], trace.notes


@pytest.mark.parametrize(("dialect", "system", "row"), BODIES, ids=BODY_IDS)
def test_every_field_of_a_message_has_its_name_and_value(dialect: str, system: bool, row: list) -> None:
    payload, expected = sample(dialect, system, row)
    found, notes = decoded(SCHEMAS[dialect], payload)
    assert [(name, as_sent(value)) for name, value in found] == expected
    assert notes == []


@pytest.mark.parametrize(("dialect", "system", "row"), BODIES, ids=BODY_IDS)
def test_every_field_stands_in_the_tree_of_its_packet(dialect: str, system: bool, row: list) -> None:
    payload, expected = sample(dialect, system, row)
    for reading in ("0.6", "0.7") if dialect == "ddnet" else (dialect,):
        variant = DIALECTS[reading].variant
        header = bytes.fromhex("000001" + ("a1a2a3a4" if reading == "0.7" else ""))
        datagram = header + chunk(payload, size_shift=variant.size_shift)
        tree = explain(datagram, SessionFacts(reading), None)
        assert tree.error == ""
        assert len(tree.fields) == 2
        fields = list(leaves(tree.fields))
        assert [(field.name, as_sent(field.value)) for field in fields[len(fields) - len(expected) :]] == expected
        spans = [field.span for field in fields if field.span is not None]
        assert {at for span in spans for at in range(span.offset, span.offset + span.length)} == set(
            range(len(datagram))
        )


@given(st.sampled_from(BODIES), st.binary(max_size=80))
def test_any_body_is_explained_or_refused(message: tuple[str, bool, list], body: bytes) -> None:
    dialect, system, row = message
    trace = Trace()
    reader = Reader(head_of(dialect, system, row) + body, trace=trace)
    whole = False
    with suppress(DecodeError):
        explain_body(reader, read_message(reader, SCHEMAS[dialect]), SCHEMAS[dialect])
        whole = True
    assert reader.left == 0 or not whole
    spans = [field.span for field in leaves(trace.fields) if field.span is not None]
    assert sum(span.length for span in spans) == reader.offset


@pytest.mark.parametrize(("dialect", "system", "row"), BODIES, ids=BODY_IDS)
def test_a_message_may_end_anywhere(dialect: str, system: bool, row: list) -> None:
    payload, expected = sample(dialect, system, row)
    start = len(head_of(dialect, system, row))
    for end in range(start, len(payload)):
        trace = Trace()
        reader = Reader(payload, 0, end, trace=trace)
        head = read_message(reader, SCHEMAS[dialect])
        skip = len(trace.fields)
        with suppress(DecodeError):
            explain_body(reader, head, SCHEMAS[dialect])
        read = [(field.name, as_sent(field.value)) for field in leaves(trace.fields[skip:]) if field.value is not None]
        assert read == expected[: len(read)] or row[-1][-1][1] == "raw"


def as_sent(value: Value) -> Value:
    """A UUID is shown as text, and stands in the tables as sixteen bytes."""
    return uuid.UUID(value).bytes if isinstance(value, str) and value.count("-") == 4 else value


def test_numbers_that_follow_in_a_game_message() -> None:
    counts = TABLES["ints of Sv_GameMsg"]
    assert len(counts) == 11
    for number, count in enumerate(counts):
        found, notes = decoded(SCHEMAS["0.7"], pack(21 << 1) + pack(number) + pack(1) * count)
        assert [value for _, value in found] == [number, *[1] * count]
        assert notes == []
    found, notes = decoded(SCHEMAS["0.7"], pack(21 << 1) + pack(9) + pack(0) + pack(7) + pack(100))
    assert found == [("game_msg_id", 9), ("flag", 0), ("client_id", 7), ("time", 100)]


def test_tables_of_values() -> None:
    kinds = {
        field.kind.name: field.kind
        for schema in SCHEMAS.values()
        for entry in (*schema.items, *schema.messages)
        for field in entry.fields
    }
    selected = [
        kind
        for schema in SCHEMAS.values()
        for item in schema.items
        for field in item.fields
        if field.select is not None
        for kind in field.select.kinds.values()
    ]
    kinds |= {kind.name: kind for kind in selected}
    other_names = {"WEAPON as a death cause": "DEATHCAUSE", "Sv_Chat.team": "CHATTEAM"}
    for name, values in TABLES["enums"].items():
        if name == "SKINPART7":
            continue
        known = kinds[f"enum:{other_names.get(name, name)}"].names
        assert {int(number): word for number, word in values.items()}.items() <= known.items()
        assert name in other_names or len(known) == len(values)
    for name, bits in TABLES["flags"].items():
        assert list(kinds[f"flags:{name}"].bits) == bits


@pytest.mark.parametrize(("dialect", "place"), [("0.6", 2), ("0.7", 1)])
def test_tuning_lists(dialect: str, place: int) -> None:
    labels = next(m for m in SCHEMAS[dialect].messages if m.name == "Sv_TuneParams").fields[0].labels
    assert list(labels) == TABLES["tuning"][place]
    assert [len(names) for names in TABLES["tuning"]] == [33, 32, 47]


def test_bounds_are_those_of_an_int() -> None:
    assert BOUNDS == {"min": -(1 << 31), "max": (1 << 31) - 1}


def test_documentation_lists_all_that_is_decoded() -> None:
    text = (Path(__file__).parents[3] / "docs" / "teeworlds.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`(.+?)`", text))
    for schema in SCHEMAS.values():
        assert {item.name for item in schema.items} <= listed
        assert {message.name for message in schema.messages if message.fields or not message.unused} <= listed
        assert set(schema.connless) <= listed
