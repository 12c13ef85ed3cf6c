"""Connectionless messages: every field by name, and any bytes at all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.explain import explain
from analyzer.protocols.teeworlds.messages import explain_connless
from analyzer.protocols.teeworlds.schema import Schema, default_schema, seven_schema
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Field, Reader, Trace, Value

SIX, SEVEN = default_schema(), seven_schema()
INFO = b"0.6.4, 16.4\0H10a [2/64]\0dm1\0DDraceNetwork\x001\x002\x0016\x003\x0064\0"
INFO_FIELDS = [
    ("version", "0.6.4, 16.4"),
    ("name", "H10a [2/64]"),
    ("map", "dm1"),
    ("game_type", "DDraceNetwork"),
    ("flags", 1),
    ("num_players", 2),
    ("max_players", 16),
    ("num_clients", 3),
    ("max_clients", 64),
]
BOT = b"bot0\0bots\0-1\0-9999\x001\0"
BOT_FIELDS = [("name", "bot0"), ("clan", "bots"), ("country", -1), ("score", -9999), ("is_player", 1)]
EYE = b"\xc3\xa9\0\x00276\x0012\x000\0"
EYE_FIELDS = [("name", "é"), ("clan", ""), ("country", 276), ("score", 12), ("is_player", 0)]
RESERVED = [("reserved", "")]
EXTENDED = INFO.replace(b"dm1\0", b"dm1\0-233464210\x005805\0")
EXTENDED_FIELDS = [*INFO_FIELDS[:3], ("map_crc", -233464210), ("map_size", 5805), *INFO_FIELDS[3:]]
ADDRESSES = bytes(10) + b"\xff\xff\x01\x02\x03\x04\x20\x6f" + bytes(15) + b"\x01\x20\x70"

SAMPLES = [
    (SIX, "gie3", b"\x22", [("token", 0x22)]),
    (SIX, "inf3", b"34\0" + INFO, [("token", 34), *INFO_FIELDS]),
    (SIX, "inf3", b"34\0" + INFO + BOT + EYE, [("token", 34), *INFO_FIELDS, *BOT_FIELDS, *EYE_FIELDS]),
    (SIX, "fstd", b"\xff", [("token", 255)]),
    (
        SIX,
        "dtsf",
        b"255\0" + INFO + b"\x98\x01" + BOT + EYE,
        [("token", 255), *INFO_FIELDS, ("first_client", 88), *BOT_FIELDS, *EYE_FIELDS],
    ),
    (
        SIX,
        "iext",
        b"9549602\0" + EXTENDED + b"\0" + BOT + b"\0" + EYE + b"\0",
        [("token", 9549602), *EXTENDED_FIELDS, *RESERVED, *BOT_FIELDS, *RESERVED, *EYE_FIELDS, *RESERVED],
    ),
    (
        SIX,
        "iex+",
        b"9549602\x002\0\0" + EYE + b"\0",
        [("token", 9549602), ("packet_number", 2), *RESERVED, *EYE_FIELDS, *RESERVED],
    ),
    (SEVEN, "gie3", b"\x93\xd8\x66", [("token", 841235)]),
    (
        SEVEN,
        "inf3",
        b"\x050.7.5\0H10b\0host\0dm1\0DM\0\x03\x02\x01\x10\x02\x80\x01bot0\0bots\0\x40\x05\x02",
        [
            *(("token", 5), ("version", "0.7.5"), ("name", "H10b"), ("hostname", "host"), ("map", "dm1")),
            *(("game_type", "DM"), ("flags", 3), ("skill_level", 2)),
            *(("num_players", 1), ("max_players", 16), ("num_clients", 2), ("max_clients", 64)),
            *(("name", "bot0"), ("clan", "bots"), ("country", -1), ("score", 5), ("type", 2)),
        ],
    ),
    *(
        (schema, *sample)
        for schema in (SIX, SEVEN)
        for sample in (
            ("chal", b"one\0two", [("challenge[0]", "one"), ("challenge[1]", "two")]),
            ("bea2", b"\x20\x6f", [("alternative_port", 8303)]),
            *((name, b"", []) for name in ("fwok", "fwer", "fw??", "fw!!", "req2", "cou2")),
            ("lis2", ADDRESSES, [("server[0]", "1.2.3.4:8303"), ("server[1]", "[::1]:8304")]),
            ("siz2", b"\x01\x02", [("count", 258)]),
        )
    ),
]
IDS = [f"{'0.6' if schema is SIX else '0.7'}-{name}-{len(body)}" for schema, name, body, _ in SAMPLES]


def leaves(fields: tuple[Field, ...]) -> Iterator[Field]:
    for field in fields:
        if field.children or field.value is None:
            yield from leaves(field.children)
        else:
            yield field


def explained(schema: Schema, name: str, body: bytes) -> tuple[tuple[Field, ...], list[str], DecodeError | None]:
    """Fields, notes, and why reading stopped. What was read lies without gaps from the start."""
    trace = Trace()
    reader = Reader(body, trace=trace)
    error = None
    try:
        explain_connless(reader, schema.connless.get(name), schema)
    except DecodeError as fault:
        error = fault
    at = 0
    for field in leaves(trace.fields):
        assert field.span is not None
        assert field.span.offset == at
        at += field.span.length
    assert at == reader.offset
    assert error is not None or at == len(body)
    return trace.fields, trace.notes, error


def values(fields: tuple[Field, ...]) -> list[tuple[str, Value]]:
    return [(field.name, field.value) for field in leaves(fields)]


@pytest.mark.parametrize(("schema", "name", "body", "fields"), SAMPLES, ids=IDS)
def test_every_field_has_its_name_and_value(
    schema: Schema, name: str, body: bytes, fields: list[tuple[str, Value]]
) -> None:
    found, notes, error = explained(schema, name, body)
    assert values(found) == fields
    assert (notes, error) == ([], None)
    assert schema.connless[name].title


@pytest.mark.parametrize(("schema", "name", "body", "fields"), SAMPLES, ids=IDS)
def test_a_message_may_end_anywhere(schema: Schema, name: str, body: bytes, fields: list[tuple[str, Value]]) -> None:
    for end in range(len(body)):
        found, _, _ = explained(schema, name, body[:end])
        whole = values(found)
        assert whole == fields[: len(whole)] or name == "chal"


def test_texts() -> None:
    fields, _, _ = explained(SIX, "iext", b"9549602\0" + EXTENDED + b"\0" + BOT + b"\0" + EYE + b"\0")
    texts = {field.name: field.text for field in leaves(fields[:13])}
    assert texts["token"] == "0x91b722"  # what a person compares with the extra token 91b7 and the token byte 22
    assert (texts["flags"], texts["map_crc"]) == ("0x01  password", "f2159e6e")
    assert [(field.name, field.text) for field in fields[-2:]] == [("client[0]", '"bot0"'), ("client[1]", '"é"')]
    country, _, is_player = fields[-2].children[2:5]
    assert (country.text, is_player.text) == ("-1  none", "1  player")
    fields, _, _ = explained(SEVEN, "inf3", SAMPLES[8][2])
    assert [field.text for field in leaves(fields)][6:8] == ["0x03  password, timescore", "2  hard"]
    assert fields[-1].children[-1].text == "2  bot"


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (b"x\x005\0\0", "token: not a number"),
        (b"\x005\0\0", "token: not a number"),
        (b"1\x0099999999999999999\0\0", "packet_number: not a number"),
        (b"1\x0064\0\0", "packet_number: 64 is not from 1 to 63, receivers drop the message"),
    ],
)
def test_odd_numbers_are_noted(body: bytes, note: str) -> None:
    fields, notes, error = explained(SIX, "iex+", body)
    assert ([*notes], error) == ([note], None)
    assert [field.note for field in fields if field.note] == [note]


def test_unknown_and_surplus_bytes_are_shown() -> None:
    assert values(explained(SIX, "zzzz", b"abc")[0]) == [("data", b"abc")]
    fields, notes, _ = explained(SIX, "cou2", b"abc")
    assert values(fields) == [("surplus", b"abc")]
    assert notes == ["3 bytes after the last field"]


def test_a_client_that_is_cut_off_keeps_what_was_read() -> None:
    fields, _, error = explained(SIX, "inf3", b"34\0" + INFO + BOT + b"bot1\0bo")
    assert error is not None
    assert error.text == "clan: no terminating zero byte"
    last = fields[-1]
    assert (last.name, last.note, values((last,))) == ("client[1]", error.text, [("name", "bot1")])


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@pytest.mark.parametrize(("schema", "name", "body", "fields"), SAMPLES, ids=IDS)
def test_packet_is_read_by_its_own_header(
    dialect: str, schema: Schema, name: str, body: bytes, fields: list[tuple[str, Value]]
) -> None:
    header = b"\xff" * 6 if schema is SIX else bytes.fromhex("21e402e4b56c78b56f")
    payload = header + b"\xff" * 4 + name.encode() + body
    tree = explain(payload, SessionFacts(dialect), None)
    assert tree.error == ""
    group = tree.fields[1]
    assert (group.name, group.text) == (schema.connless[name].title, name)
    assert values(group.children) == [("marker", b"\xff" * 4), ("message", name), *fields]
    assert [field.name for field in tree.fields] == ["header", group.name]
    spans = [field.span for field in leaves(tree.fields) if field.span is not None]
    assert {at for span in spans for at in range(span.offset, span.offset + span.length)} == set(range(len(payload)))


@given(st.sampled_from(sorted(DIALECTS)), st.sampled_from(["ff" * 6, "786500010000", "21" * 9]), st.binary(max_size=60))
def test_any_connectionless_packet_is_explained(dialect: str, header: str, rest: bytes) -> None:
    for payload in (bytes.fromhex(header) + rest, bytes.fromhex(header) + b"\xff\xff\xff\xffinf3" + rest):
        tree = explain(payload, SessionFacts(dialect), None)
        assert tree.fields or tree.error


def test_recognition_needs_the_names_of_one_dialect_alone() -> None:
    for name, message in SEVEN.connless.items():
        assert SIX.connless[name].direction == message.direction


@given(st.sampled_from([SIX, SEVEN]), st.sampled_from(sorted(SIX.connless)), st.binary(max_size=80))
def test_any_body_is_explained_or_refused(schema: Schema, name: str, body: bytes) -> None:
    explained(schema, name, body)


@given(st.sampled_from(SAMPLES), st.data())
def test_any_byte_may_be_wrong(sample: tuple[Schema, str, bytes, object], data: st.DataObject) -> None:
    schema, name, body, _ = sample
    if body:
        at = data.draw(st.integers(0, len(body) - 1))
        explained(schema, name, body[:at] + bytes((data.draw(st.integers(0, 255)),)) + body[at + 1 :])
