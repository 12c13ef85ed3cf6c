"""Texts of values, and text packed into ints."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.values import (
    INT_KINDS,
    Kind,
    flag_names,
    kind_text,
    readable,
    turned,
    unless_plain,
    unpack_string,
)

INT32 = st.integers(-0x80000000, 0x7FFFFFFF)
WEAPON = Kind("enum:WEAPON", "enum", names={0: "hammer", -1: "world"})
OWNED = Kind("owned:GAMEFLAG", "owned", bits=("teams", "flags"))
FLAGS = Kind("flags:GAMEFLAG", "flags", bits=("teams", "flags"))


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("int", -5, "-5"),
        ("cid", 63, "63"),
        ("vel", 1_000_000, "1000000"),
        ("bool", 0, "0  no"),
        ("bool", 1, "1  yes"),
        ("bool", 2, "2  neither 0 nor 1"),
        ("bits", 3, "0x3"),
        ("bits", -1, "0xffffffff"),
        ("tick", 1000, "1000"),
        ("ticks", 75, "75  1.50 s"),
        ("pos", 1000, "1000  31.25 tiles"),
        ("pos100", 160000, "160000  50.00 tiles, 1600.00 units"),
        ("vel100", -70, "-70  -0.70"),
        ("hundredths", 1050, "1050  10.50"),
        ("vel256", -384, "-384  -1.50 units/tick, -2.34 tiles/s"),
        ("parts256", -384, "-384  -1.50"),
        ("thousandths", 1500, "1500  1.500"),
        ("millionths", -707107, "-707107  -0.707"),
        ("angle256", 402, "402  90.0°"),
        ("angle1e6", 3141593, "3141593  180.0°"),
        ("angle256", -402, "-402  -90.0°"),
        ("ms", 42, "42 ms"),
        ("s", 59, "59 s"),
        ("s", 65, "65  1:05 minutes"),
        ("s", 3661, "3661  1:01:01 hours"),
        ("s", -1, "-1 s"),
        ("min", 10, "10 min"),
        ("presses", 7, "7  held"),
        ("presses", 8, "8  not held"),
        ("minus_tick", -1000, "-1000  tick 1000"),
        ("minus_tick", 5, "5"),
        ("color", 0x0080FF33, "8453939  #33FDFF, sent as hsl(181, 100%, 20%)"),
        ("color", 0x000000FF, "255  #FFFFFF, sent as hsl(0, 0%, 100%)"),
        ("color", 0x0000FF00, "65280  #FF0000, sent as hsl(0, 100%, 0%)"),
        ("color", -0x1000000, "-16777216  #808080, sent as hsl(0, 0%, 0%) alpha 255"),
        ("color7", 0, "0  #3D3D3D, sent as hsl(0, 0%, 0%)"),
        ("color7", 0x0000FFFF, "65535  #FFFFFF, sent as hsl(0, 100%, 100%)"),
        ("crc", -1, "ffffffff"),
    ],
)
def test_number_reads_with_its_unit(kind: str, value: int, text: str) -> None:
    assert kind_text(Kind(kind, kind), value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1000, "1000  -0.50 s"),
        (1050, "1050  +0.50 s"),
        (1025, "1025  \u00b10.00 s"),
        (0, "0"),
        (-1, "-1"),
    ],
)
def test_tick_relates_to_the_snapshot(value: int, text: str) -> None:
    assert kind_text(Kind("tick", "tick"), value, 1025) == text


def test_minus_a_tick_relates_to_the_snapshot() -> None:
    assert kind_text(Kind("minus_tick", "minus_tick"), -1000, 1025) == "-1000  tick 1000, -0.50 s"


@pytest.mark.parametrize(
    ("value", "text"),
    [(5, "0x0005  client 5"), (0x205, "0x0205  client 5, flags"), (-1, "0xffffffff  client 255, teams, flags, bit 2")],
)
def test_owned_flags_name_the_client(value: int, text: str) -> None:
    assert kind_text(OWNED, value).startswith(text)


@pytest.mark.parametrize(("degrees", "shorter"), [(0, 0), (190, -170), (-190, 170), (180, 180), (-180, 180), (725, 5)])
def test_shorter_way_round(degrees: float, shorter: float) -> None:
    assert turned(degrees) == shorter


@pytest.mark.parametrize(("value", "text"), [(0, "0  hammer"), (-1, "-1  world"), (9, "9  unknown")])
def test_enumeration_reads_by_name(value: int, text: str) -> None:
    assert kind_text(WEAPON, value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0x00  none"),
        (3, "0x03  teams, flags"),
        (0x21, "0x21  teams, bit 5"),
        (-0x80000000, "0x80000000  bit 31"),
    ],
)
def test_flags_read_by_name(value: int, text: str) -> None:
    assert kind_text(FLAGS, value) == text


@pytest.mark.parametrize(
    ("values", "raw"),
    [
        ((-287183387, -320474125, -1594563099, -2139062272), b"nameless tee"),
        ((-2139062144, -2139062144, -2139062144, -2139062272), b""),
        ((1125941376, -2139062144, -2139062272), "Ü".encode()),
        ((0x7F7F7F7F,), b"\xff\xff\xff"),  # the lowest byte of the last int is no text
        ((), b""),
    ],
)
def test_string_unpacks(values: tuple[int, ...], raw: bytes) -> None:
    assert unpack_string(values) == raw


@given(st.binary(max_size=23).filter(lambda raw: 0 not in raw))
def test_string_comes_back(raw: bytes) -> None:
    packed = bytes(byte ^ 0x80 for byte in raw.ljust(24, b"\0"))
    values = [int.from_bytes(packed[at : at + 4], "big", signed=True) for at in range(0, 24, 4)]
    assert unpack_string(values) == raw


@pytest.mark.parametrize(
    ("raw", "text"),
    [(b"tee", "tee"), (b"a\xffb", "a\\xffb"), (b"a\nb\x7f", "a\\nb\\x7f"), ("Ü漢".encode(), "Ü漢"), (b"", "")],
)
def test_text_is_readable(raw: bytes, text: str) -> None:
    assert readable(raw) == text


def test_text_that_only_repeats_the_number() -> None:
    assert unless_plain("-5", -5) == ""
    assert unless_plain("5 ms", 5) == "5 ms"


def test_flag_names_of_no_bits() -> None:
    assert flag_names(0, ("a",)) == "none"


@given(st.sampled_from(sorted(INT_KINDS)), INT32, st.none() | INT32)
def test_any_int_has_a_text(kind: str, value: int, tick: int | None) -> None:
    assert kind_text(Kind(kind, kind), value, tick)


@given(st.sampled_from([WEAPON, FLAGS, OWNED, Kind("str4", "str", ints=4), Kind("uuid", "uuid", ints=4)]), INT32)
def test_any_int_of_a_table_has_a_text(kind: Kind, value: int) -> None:
    assert kind_text(kind, value).isprintable()


@given(st.binary(max_size=40))
def test_any_bytes_are_readable(raw: bytes) -> None:
    assert readable(raw).isprintable()
