"""What differences of values mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.differences import difference_text
from analyzer.protocols.teeworlds.values import INT_KINDS, Kind

INT32 = st.integers(-0x80000000, 0x7FFFFFFF)
WEAPON = Kind("enum:WEAPON", "enum", names={0: "hammer", -1: "world"})
FLAGS = Kind("flags:GAMEFLAG", "flags", bits=("teams", "flags"))
OWNED = Kind("owned:GAMEFLAG", "owned", bits=("teams", "flags"))


@pytest.mark.parametrize(
    ("kind", "old", "new", "text"),
    [
        ("int", 1, 2, ""),
        ("cid", 1, 2, ""),
        ("bool", 0, 1, ""),
        ("crc", 0, 1, ""),
        ("presses", 2, 3, ""),
        ("bits", 1, 2, "+bit 1, -bit 0"),
        ("tick", 100, 101, "+1 tick, +0.02 s"),
        ("tick", 100, 98, "-2 ticks, -0.04 s"),
        ("tick", 0, 100, ""),
        ("tick", 100, -1, ""),
        ("minus_tick", -100, -98, "+2 ticks, +0.04 s"),
        ("minus_tick", 0, -98, ""),
        ("ticks", 0, 3, "+3 ticks, +0.06 s"),
        ("pos", 96, 104, "+0.25 tiles"),
        ("pos", -16, -48, "-1.00 tiles"),
        ("pos100", 0, 1600, "+0.50 tiles, +16.00 units"),
        ("vel100", 70, -70, "-1.40"),
        ("hundredths", 1000, 1050, "+0.50"),
        ("thousandths", 1000, 1500, "+0.500"),
        ("millionths", 0, -707107, "-0.707"),
        ("parts256", 0, 128, "+0.50"),
        ("vel256", 0, 256, "+1.00 units/tick, +1.56 tiles/s"),
        ("angle256", 0, -14, "-3.1°"),
        ("angle256", -400, 1200, "-1.9°"),
        ("angle1e6", -3100000, 3100000, "-4.8°"),
        ("ms", 20, 25, "+5 ms"),
        ("s", 20, 25, "+5 s"),
        ("min", 5, 10, "+5 min"),
        ("color", 0x000000, 0x0080FF33, "hue -179°, saturation +100%, lightness +20%"),
        ("color", 0xFE0000, 0x010000, "hue +3°"),
        ("color7", 0, 0x01000000, "alpha +1"),
    ],
)
def test_difference_is_in_the_units_of_the_value(kind: str, old: int, new: int, text: str) -> None:
    assert difference_text(Kind(kind, kind), old, new) == text


@pytest.mark.parametrize(
    ("kind", "old", "new", "text"),
    [
        (WEAPON, 0, -1, ""),
        (FLAGS, 1, 2, "+flags, -teams"),
        (FLAGS, 3, 0, "-teams, -flags"),
        (FLAGS, 0, -0x80000000, "+bit 31"),
        (OWNED, 0x105, 0x206, "+flags, -teams"),
        (OWNED, 5, 6, ""),
    ],
)
def test_flags_are_gained_and_lost_by_name(kind: Kind, old: int, new: int, text: str) -> None:
    assert difference_text(kind, old, new) == text


KINDS = [*(Kind(name, name) for name in sorted(INT_KINDS)), WEAPON, FLAGS, OWNED, Kind("str4", "str", ints=4)]


@given(st.sampled_from(KINDS), INT32, INT32)
def test_any_two_ints_have_a_text(kind: Kind, old: int, new: int) -> None:
    assert difference_text(kind, old, new).isprintable()
    assert difference_text(kind, old, old) == ""
