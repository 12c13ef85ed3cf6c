"""Messages: explained by the schema, and read at speed."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.layout import MessageField, MessageType
from analyzer.protocols.teeworlds.messages import (
    NO_NAMES,
    SNAP,
    SNAPEMPTY,
    SNAPSINGLE,
    MessageHead,
    SnapFields,
    explain_body,
    message_id,
    message_name,
    read_input,
    read_message,
    read_snap,
)
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Field, Reader, Trace, Value
from analyzer.wire.varint import pack

SCHEMA = default_schema()
ALL = {
    f"{'system' if message.system else 'game'}-{message.name}": message
    for message in SCHEMA.messages
    if message.number != 0
}
# numbers that are always in the range of the fields of the name, where 1 is not
SAMPLES = {"parts": 3, "length": 2, "size_bytes": 40}


def explain(payload: bytes, names: Mapping[str, str] = NO_NAMES) -> tuple[MessageHead, list[Field], list[str]]:
    trace = Trace()
    reader = Reader(payload, trace=trace)
    head = read_message(reader, SCHEMA, names)
    explain_body(reader, head, SCHEMA, names)
    assert reader.left == 0
    return head, list(trace.fields), trace.notes


def body(payload: bytes) -> list[tuple[str, Value, str]]:
    head, fields, _ = explain(payload)
    return [(field.name, field.value, field.text) for field in fields[1 if head.uuid is None else 2 :]]


def fault_of(read: Callable[[], object]) -> DecodeError | None:
    try:
        read()
    except DecodeError as error:
        return error
    return None


def explain_with(reader: Reader) -> None:
    explain_body(reader, read_message(reader, SCHEMA), SCHEMA)


def leaves(fields: list[Field]) -> Iterator[Field]:
    for field in fields:
        if field.children:
            yield from leaves(list(field.children))
        else:
            yield field


def head_bytes(message: MessageType) -> bytes:
    if message.uuid is not None:
        return pack(int(message.system)) + message.uuid.bytes
    assert message.number is not None
    return pack(message.number << 1 | message.system)


def sample(field: MessageField) -> tuple[bytes, int]:
    """Bytes for a field, and the values they make."""
    count = 3 if field.rest else field.count
    match field.kind.base:
        case "str":
            return b"ab\0" * count, count
        case "raw":
            size = int(field.kind.name[3:] or SAMPLES["length"])
            return bytes(range(size)), 1
        case "uuid":
            return bytes(range(16)), 1
        case "item":
            assert field.item is not None
            return pack(1) * field.item.size, field.item.size
        case _:
            return pack(SAMPLES.get(field.name, 1)) * count, count


@pytest.mark.parametrize("message", ALL.values(), ids=ALL)
def test_every_message_is_read_to_its_end(message: MessageType) -> None:
    samples = [sample(field) for field in message.fields]
    payload = head_bytes(message) + b"".join(data for data, _ in samples)
    head, fields, notes = explain(payload)
    assert (head.name, head.system, head.number, head.uuid) == (
        message.name,
        message.system,
        message.number or 0,
        message.uuid,
    )
    assert notes == []
    read = list(leaves(fields))[1 if head.uuid is None else 2 :]
    assert len(read) == sum(count for _, count in samples)
    spans = [field.span for field in leaves(fields) if field.span is not None]
    assert sum(span.length for span in spans) == len(payload)
    assert [span.offset for span in spans] == [sum(s.length for s in spans[:at]) for at in range(len(spans))]


@pytest.mark.parametrize("message", ALL.values(), ids=ALL)
def test_every_message_may_be_cut_anywhere(message: MessageType) -> None:
    payload = head_bytes(message) + b"".join(sample(field)[0] for field in message.fields)
    for end in range(len(payload)):
        trace = Trace()
        reader = Reader(payload, 0, end, trace=trace)
        error = fault_of(lambda reader=reader: explain_with(reader))
        assert error is None or 0 <= error.offset <= end
        spans = [field.span for field in leaves(list(trace.fields)) if field.span is not None]
        assert sum(span.length for span in spans) == reader.offset
        assert all(span.offset + span.length <= end for span in spans)


@pytest.mark.parametrize(
    ("payload", "name", "fields"),
    [
        ("03 302e3600 00", "NETMSG_INFO", [("version", "0.6", ""), ("password", "", "")]),
        ("03 302e3600", "NETMSG_INFO", [("version", "0.6", "")]),
        (
            "05 646d3100 ffffffff0f 8008",
            "NETMSG_MAP_CHANGE",
            [("name", "dm1", ""), ("crc", -0x80000000, "80000000"), ("size", 512, "")],
        ),
        (
            "07 01 02 03 02 abcd",
            "NETMSG_MAP_DATA",
            [("last", 1, ""), ("crc", 2, "00000002"), ("chunk", 3, ""), ("length", 2, ""), ("data", b"\xab\xcd", "")],
        ),
        ("09", "NETMSG_CON_READY", []),
        (
            "0b a40f 01 02 01 40 02 0001",
            "NETMSG_SNAP",
            [
                ("tick", 996, ""),
                ("delta_tick", 1, ""),
                ("parts", 2, ""),
                ("part", 1, ""),
                ("crc", -1, "ffffffff"),
                ("length", 2, ""),
                ("data", b"\0\1", ""),
            ],
        ),
        ("0d a80102", "NETMSG_SNAPEMPTY", [("tick", 104, ""), ("delta_tick", 2, "")]),
        ("13 8715 0f", "NETMSG_INPUTTIMING", [("intended_tick", 1351, ""), ("time_left_ms", 15, "15 ms")]),
        ("15 03 01", "NETMSG_RCON_AUTH_STATUS", [("authed", 3, "3  admin"), ("receive_commands", 1, "")]),
        ("15", "NETMSG_RCON_AUTH_STATUS", []),
        ("19 01", "unused (auth challenge)", [("data", b"\1", "")]),
        (
            "21 40 ab01 28 01 a401 71 00 03 00 01 00 02 00",
            "NETMSG_INPUT",
            [
                ("ack_game_tick", -1, "-1  asks for a full snapshot"),
                ("intended_tick", 107, ""),
                ("size_bytes", 40, ""),
                ("input", None, "PlayerInput"),
            ],
        ),
        (
            "25 00 707700 01",
            "NETMSG_RCON_AUTH",
            [("name", "", ""), ("password", "pw", ""), ("send_commands", 1, "")],
        ),
        ("33 6100 6200 6300", "NETMSG_RCON_CMD_ADD", [("name", "a", ""), ("help", "b", ""), ("params", "c", "")]),
        ("02 610a6200", "Sv_Motd", [("message", "a\nb", "")]),
        (
            "06 41 05 610a6200",
            "Sv_Chat",
            [("team", -2, "-2  all"), ("client_id", 5, ""), ("message", "a\nb", "a b")],
        ),
        (
            "08 01 02 42 00",
            "Sv_KillMsg",
            [("killer", 1, ""), ("victim", 2, ""), ("weapon", -3, "-3  game"), ("mode_special", 0, "")],
        ),
        ("0a 28", "Sv_SoundGlobal", [("sound_id", 40, "40  menu")]),
        (
            "0c a80f 40",
            "Sv_TuneParams",
            [("ground_control_speed", 1000, "1000  10.00"), ("ground_control_accel", -1, "-1  -0.01")],
        ),
        ("14 02 0f", "Sv_Emoticon", [("client_id", 2, ""), ("emoticon", 15, "15  question")]),
        ("1a 2020096100", "Sv_VoteOptionAdd", [("description", "  \ta", "a")]),
        (
            "28 6e00 6300 40 7300 01 b3fe0f 00",
            "Cl_StartInfo",
            [
                ("name", "n", ""),
                ("clan", "c", ""),
                ("country", -1, "-1  none"),
                ("skin", "s", ""),
                ("use_custom_color", 1, "1  yes"),
                ("color_body", 0x1FFB3, "130995  #FFB5B3, sent as hsl(1, 100%, 70%)"),
                ("color_feet", 0, "0  #808080, sent as hsl(0, 0%, 0%)"),
            ],
        ),
        ("30 41", "Cl_Vote", [("vote", -2, "")]),
        ("34 a8fa01", "Cl_IsDDNetLegacy", [("ddnet_version", 16040, "")]),
        ("34", "Cl_IsDDNetLegacy", []),
        ("3c 00 05", "Sv_TeamsStateLegacy", [("team[0]", 0, ""), ("team[1]", 5, "")]),
        (
            "01 245e50979fe039d6bf7d9a29e1691e4c a091961a95e83744bb605eac9bd563c6",
            "NETMSG_WHATIS",
            [("uuid", "a091961a-95e8-3744-bb60-5eac9bd563c6", "Sv_TeamsState")],
        ),
        (
            "01 f621a5a1f58537758e7341beee79f2b2 05 29",
            "NETMSG_CAPABILITIES",
            [("version", 5, ""), ("flags", 41, "0x29  ddnet, pingex, syncweaponinput")],
        ),
        (
            "01 ca956101b034333992caaa104b20d770 6100 6200",
            "NETMSG_MAPLIST_ADD",
            [("name[0]", "a", ""), ("name[1]", "b", "")],
        ),
        (
            "00 dc9edffb266a3bd6b101a949fa44e16b 03 00 00 00 00 00 00",
            "Sv_SaveCode",
            [
                ("state", 3, "3  warning"),
                ("error", "", ""),
                ("save_requester", "", ""),
                ("server_name", "", ""),
                ("generated_code", "", ""),
                ("code", "", ""),
                ("team_members", "", ""),
            ],
        ),
        ("8803 0102", "unknown game message 100", [("data", b"\1\2", "")]),
    ],
)
def test_message_is_explained(payload: str, name: str, fields: list[tuple[str, Value, str]]) -> None:
    data = bytes.fromhex(payload)
    assert body(data) == fields
    assert explain(data)[0].name == name


def test_input_names_its_ints() -> None:
    # ack 102, intended 107, 44 bytes: 1, 100, -50, 0, 3, 0, 1, 0, 0, 0 and one more
    _, fields, notes = explain(bytes.fromhex("21 a601 ab01 2c 01 a401 71 00 03 00 01 00 00 00 05"))
    assert [(field.name, field.value, field.text) for field in fields[4].children] == [
        ("direction", 1, "1  right"),
        ("target_x", 100, "100  3.12 tiles"),
        ("target_y", -50, "-50  -1.56 tiles"),
        ("jump", 0, "0  no"),
        ("fire", 3, "3  held"),
        ("hook", 0, "0  no"),
        ("player_flags", 1, "0x01  playing"),
        ("wanted_weapon", 0, "0  none"),
        ("next_weapon", 0, "0  not held"),
        ("prev_weapon", 0, "0  not held"),
        ("extra[0]", 5, ""),
    ]
    assert notes == []


@pytest.mark.parametrize(("size", "read"), [(-4, 0), (0, 0), (36, 9), (41, 10), (516, 128), (0x7FFFFFFF, 128)])
def test_input_of_odd_size_is_bounded(size: int, read: int) -> None:
    trace = Trace()
    reader = Reader(b"\x21\x00\x00" + pack(size) + bytes(128), trace=trace)
    explain_body(reader, read_message(reader, SCHEMA), SCHEMA)
    assert len(trace.fields[4].children) == read
    assert trace.fields[3].note == f"size_bytes: {size} is not 4 times 10 to 128 ints, DDNet ignores it"


def test_client_id_reads_with_the_name_of_the_player() -> None:
    def said(player: str) -> str:
        trace = Trace()
        reader = Reader(bytes.fromhex("06 00" + player + "6800"), trace=trace)
        explain_body(reader, read_message(reader, SCHEMA), SCHEMA, NO_NAMES, {5: "nameless tee"})
        return next(field.text for field in trace.fields if field.name == "client_id")

    assert said("05") == "5  nameless tee"
    assert said("06") == ""
    assert said("40") == "-1  server"


def test_passwords_are_secret() -> None:
    for payload, at in ((b"\x030.6\0secret\0", 2), (b"\x25me\0secret\0\1", 2)):
        _, fields, notes = explain(payload)
        assert [field.name for field in fields if field.secret] == ["password"]
        assert (fields[at].value, fields[at].text, fields[at].note) == ("secret", "", "")
        assert notes == []
    _, fields, notes = explain(b"\x030.6\0 \x01\xff\0")
    assert (fields[2].secret, fields[2].text) == (True, "")
    assert notes == ["password: not UTF-8, DDNet drops the message"]


@pytest.mark.parametrize(
    ("payload", "note"),
    [
        ("14 02 10", "emoticon: 16 is not from 0 to 15, receivers drop the message"),
        ("3e 02", "show: 2 is not from 0 to 1, receivers drop the message"),
        ("30 41", "vote: -2 is not from -1 to 1, receivers drop the message"),
        ("06 00 8002 00", "client_id: 128 is not from -1 to 127, receivers drop the message"),
        ("02 ff00", "message: not UTF-8, DDNet drops the message"),
        ("09 010203", "3 bytes after the last field"),
        ("09 00", "1 byte after the last field"),
        ("0a 8000", "not in shortest form"),
    ],
)
def test_odd_message_is_noted(payload: str, note: str) -> None:
    _, fields, notes = explain(bytes.fromhex(payload))
    assert notes == [note]
    assert [field.note for field in fields if field.note] == [note]


def test_invalid_text_stays_visible() -> None:
    assert body(b"\x02a\xffb\0") == [("message", "a\\xffb", "")]


def test_head_has_name_and_span() -> None:
    head, fields, _ = explain(bytes.fromhex("0d a80102"))
    assert head == MessageHead(6, True, None, "NETMSG_SNAPEMPTY", SCHEMA.by_message_number[True, 6])
    assert (fields[0].name, fields[0].value, fields[0].text) == ("id", 13, "NETMSG_SNAPEMPTY")
    head, fields, _ = explain(b"\1" + uuid.UUID("5f4d5db7-3947-3711-b04e-07a1ff23c970").bytes)
    assert (head.number, head.name) == (0, "NETMSG_RECONNECT")
    assert [(field.name, field.text) for field in fields] == [("id", "a UUID follows"), ("uuid", "NETMSG_RECONNECT")]


def test_unknown_uuid_takes_a_learned_name() -> None:
    identity = uuid.UUID(int=5)
    payload = b"\0" + identity.bytes + b"\7"
    head, fields, _ = explain(payload)
    assert (head.type, head.name) == (None, f"unknown message {identity}")
    assert fields[2].value == b"\7"
    head, _, _ = explain(payload, {str(identity): "my-thing@example.org"})
    assert (head.type, head.name) == (None, "my-thing@example.org")
    what_is = b"\1" + uuid.UUID("245e5097-9fe0-39d6-bf7d-9a29e1691e4c").bytes + identity.bytes
    _, fields, _ = explain(what_is, {str(identity): "my-thing@example.org"})
    assert fields[2].text == "my-thing@example.org"
    assert explain(what_is)[1][2].text == ""


def test_system_bit_belongs_to_the_uuid() -> None:
    identity = uuid.UUID("245e5097-9fe0-39d6-bf7d-9a29e1691e4c")
    assert explain(b"\0" + identity.bytes)[0].type is None


def test_reading_without_a_trace() -> None:
    reader = Reader(bytes.fromhex("21 a601 ab01 28 01 a401 71 00 03 00 01 00 00 00"))
    explain_body(reader, read_message(reader, SCHEMA), SCHEMA)
    assert reader.left == 0


def test_field_that_is_cut_off_leaves_those_before() -> None:
    trace = Trace()
    reader = Reader(bytes.fromhex("05 646d3100 ffff"), trace=trace)
    head = read_message(reader, SCHEMA)
    with pytest.raises(DecodeError, match="crc: a number is cut off") as raised:
        explain_body(reader, head, SCHEMA)
    assert raised.value.offset == 5
    assert [field.name for field in trace.fields] == ["id", "name"]


@pytest.mark.parametrize(
    ("payload", "answer"),
    [
        ("0b", (5, True, None, 1)),
        ("0a", (5, False, None, 1)),
        ("bfff0f", (65535, True, None, 3)),
        ("01 245e50979fe039d6bf7d9a29e1691e4c", (0, True, uuid.UUID("245e5097-9fe0-39d6-bf7d-9a29e1691e4c"), 17)),
    ],
)
def test_message_id(payload: str, answer: tuple[int, bool, uuid.UUID | None, int]) -> None:
    data = bytes.fromhex(payload)
    assert message_id(data, 0, len(data)) == answer
    number, system, identity, after = message_id(b"\xee" + data + b"\xee", 1, len(data) + 1)
    assert (number, system, identity, after) == (*answer[:3], answer[3] + 1)


@pytest.mark.parametrize(
    ("payload", "code", "offset"),
    [
        ("", "varint-end", 0),
        ("80", "varint-end", 0),
        ("40", "id", 0),
        ("808010", "id", 0),
        ("01" + "00" * 15, "short", 1),
    ],
)
def test_message_id_that_cannot_be_read(payload: str, code: str, offset: int) -> None:
    data = bytes.fromhex(payload)
    for read in (lambda: message_id(data, 0, len(data)), lambda: read_message(Reader(data), SCHEMA)):
        with pytest.raises(DecodeError) as raised:
            read()
        assert (raised.value.code, raised.value.offset) == (code, offset)


def test_message_names() -> None:
    numbers = ((True, 5), (False, 5), (True, 22), (True, 99), (False, 99))
    known = default_schema().by_message_number
    assert [message_name(known.get(number), *number) for number in numbers] == [
        "NETMSG_SNAP",
        "Sv_SoundGlobal",
        "NETMSG_PING",
        "unknown system message 99",
        "unknown game message 99",
    ]


@pytest.mark.parametrize(
    ("kind", "payload", "fields"),
    [
        (SNAPEMPTY, "a80102", SnapFields(104, 102, 2, SNAPEMPTY, 1, 0, 0, 3, 0)),
        (SNAPSINGLE, "a801 02 40 02 aabb", SnapFields(104, 102, 2, SNAPSINGLE, 1, 0, -1, 5, 2)),
        (SNAP, "a80f a90f 03 01 84abbd52 02 aabbcc", SnapFields(1000, -1, 1001, SNAP, 3, 1, 86485700, 11, 2)),
        (SNAP, "00 00 01 00 00 00", SnapFields(0, 0, 0, SNAP, 1, 0, 0, 6, 0)),
        (SNAPEMPTY, "ffffffff0f 01", SnapFields(-0x80000000, 0x7FFFFFFF, 1, SNAPEMPTY, 1, 0, 0, 6, 0)),
        (SNAPEMPTY, "bfffffff0f 40", SnapFields(0x7FFFFFFF, -0x80000000, -1, SNAPEMPTY, 1, 0, 0, 6, 0)),
        (SNAPEMPTY, "05 06", SnapFields(5, -1, 6, SNAPEMPTY, 1, 0, 0, 2, 0)),
    ],
)
def test_snap_fields(kind: int, payload: str, fields: SnapFields) -> None:
    data = bytes.fromhex(payload)
    assert read_snap(data, kind, 0, len(data)) == fields


@pytest.mark.parametrize(
    ("kind", "payload", "offset", "text"),
    [
        (SNAPEMPTY, "", 0, "tick: a number is missing"),
        (SNAPEMPTY, "01", 1, "delta_tick: a number is missing"),
        (SNAP, "01 01", 2, "parts: a number is missing"),
        (SNAP, "01 01 02", 3, "part: a number is missing"),
        (SNAP, "01 01 02 00", 4, "crc: a number is missing"),
        (SNAP, "01 01 02 00 80", 4, "crc: a number is cut off"),
        (SNAPSINGLE, "01 01 00", 3, "length: a number is missing"),
        (SNAP, "01 01 00 00 00 00", 2, "parts: 0 is not from 1 to 64"),
        (SNAP, "01 01 8101 00 00 00", 2, "parts: 65 is not from 1 to 64"),
        (SNAP, "01 01 02 02 00 00", 3, "part: 2 is not from 0 to 1"),
        (SNAP, "01 01 02 40 00 00", 3, "part: -1 is not from 0 to 1"),
        (SNAPSINGLE, "01 01 00 850e", 3, "length: 901 is not from 0 to 900"),
        (SNAPSINGLE, "01 01 00 40", 3, "length: -1 is not from 0 to 900"),
        (SNAPSINGLE, "01 01 00 02 aa", 4, "data: 2 bytes wanted, 1 left"),
    ],
)
def test_snap_that_a_client_drops(kind: int, payload: str, offset: int, text: str) -> None:
    data = bytes.fromhex(payload)
    with pytest.raises(DecodeError) as raised:
        read_snap(data, kind, 0, len(data))
    assert (raised.value.code, raised.value.offset, raised.value.text) == ("F1", offset, text)


def test_snap_bounds_are_those_of_the_message() -> None:
    data = bytes.fromhex("ee a80102 ffff")
    assert read_snap(data, SNAPEMPTY, 1, 4).data_offset == 4
    with pytest.raises(DecodeError, match="delta_tick: a number is missing"):
        read_snap(data, SNAPEMPTY, 1, 3)


def test_input_fields() -> None:
    data = bytes.fromhex("21 40 ab01 28 01")
    assert read_input(data, 1, len(data)) == (-1, 107, 40)
    with pytest.raises(DecodeError):
        read_input(data, 1, 4)


@given(st.binary(max_size=60), st.booleans())
def test_any_payload_is_explained_or_refused(payload: bytes, traced: bool) -> None:
    reader = Reader(payload, trace=Trace() if traced else None)
    error = fault_of(lambda: explain_with(reader))
    assert reader.left == 0 if error is None else 0 <= error.offset <= len(payload)


@given(st.sampled_from(list(ALL.values())), st.binary(max_size=80))
def test_any_body_is_explained_or_refused(message: MessageType, data: bytes) -> None:
    trace = Trace()
    payload = head_bytes(message) + data
    reader = Reader(payload, trace=trace)
    error = fault_of(lambda: explain_with(reader))
    assert reader.left == 0 if error is None else 0 <= error.offset <= len(payload)
    assert len(list(leaves(list(trace.fields)))) <= len(payload) + 1


@given(st.sampled_from([SNAP, SNAPEMPTY, SNAPSINGLE]), st.binary(max_size=40))
def test_any_snap_is_read_or_refused(kind: int, data: bytes) -> None:
    error = fault_of(lambda: read_snap(data, kind, 0, len(data)))
    if error is not None:
        assert (error.code, 0 <= error.offset <= len(data)) == ("F1", True)
        return
    fields = read_snap(data, kind, 0, len(data))
    assert fields.data_offset + fields.length <= len(data)
    assert (fields.tick - fields.base_tick - fields.delta_tick) % (1 << 32) == 0


@given(st.binary(max_size=20))
def test_any_input_is_read_or_refused(data: bytes) -> None:
    error = fault_of(lambda: read_input(data, 0, len(data)))
    whole = sum(byte < 0x80 for byte in data) >= 3  # three bytes that end a number are enough
    assert error is None if whole else error is None or error.code == "varint-end"
