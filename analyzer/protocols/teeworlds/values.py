"""How ints of items and messages read to a person: units, enumerations, flags, packed text (spec section 6.3)."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

TICKS_PER_SECOND = 50
UNITS_PER_TILE = 32
INT_MIN = -0x80000000
INT_MAX = 0x7FFFFFFF


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """What an int, or a few of them, means. Equal to itself alone, so that texts can be remembered by it."""

    name: str
    """As the schema spells it, such as `pos`, `enum:WEAPON`, `str4`."""
    base: str
    """The part before the colon or the digits: `pos`, `enum`, `str`."""
    names: Mapping[int, str] = field(default_factory=dict)
    """Values of an enumeration."""
    bits: tuple[str, ...] = ()
    """Names of flags, lowest bit first."""
    ints: int = 1
    """Ints that one value of this kind takes in an item."""


def readable(raw: bytes) -> str:
    """Text on one line: bytes that are not UTF-8 and characters that cannot be seen become backslash escapes."""
    text = raw.decode("utf-8", "backslashreplace")
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def unpack_string(values: Sequence[int]) -> bytes:
    """The bytes that ints of an item hold: each byte plus 128, up to the first zero, never the very last byte."""
    packed = struct.pack(f">{len(values)}I", *(value & 0xFFFFFFFF for value in values))
    plain = bytes(byte ^ 0x80 for byte in packed)[:-1]
    return plain.partition(b"\0")[0]


def seconds(ticks: int) -> str:
    """A number of ticks in seconds, signed: of the same tick \u00b10.00 s."""
    return f"{ticks / TICKS_PER_SECOND:+.2f} s" if ticks else "\u00b10.00 s"


def flag_names(value: int, bits: Sequence[str]) -> str:
    """The names of the bits that are set, by number where a bit has no name."""
    pattern = value & 0xFFFFFFFF
    named = [
        bits[bit] if bit < len(bits) else f"bit {bit}" for bit in range(pattern.bit_length()) if pattern >> bit & 1
    ]
    return ", ".join(named) if named else "none"


def explained(raw: str, meaning: str) -> str:
    """A number and, two spaces apart, what it means: the number comes first in every text."""
    return f"{raw}  {meaning}"


def kind_text(kind: Kind, value: int, tick: int | None = None) -> str:
    """One int as a person reads it; with the tick of its snapshot, ticks also say how long ago they were."""
    return _TEXTS[kind.base](kind, value, tick)


def unless_plain(text: str, value: int) -> str:
    """The text, or nothing if it only repeats the number."""
    return "" if text == str(value) else text


def _plain(kind: Kind, value: int, tick: int | None) -> str:
    return str(value)


def _bool(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), {0: "no", 1: "yes"}.get(value, "neither 0 nor 1"))


def _bits(kind: Kind, value: int, tick: int | None) -> str:
    return f"{value & 0xFFFFFFFF:#x}"


def _tick(kind: Kind, value: int, tick: int | None) -> str:
    if tick is None or value <= 0:
        return str(value)
    return explained(str(value), seconds(value - tick))


def _ticks(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), f"{value / TICKS_PER_SECOND:.2f} s")


def _pos(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), f"{value / UNITS_PER_TILE:.1f} tiles")


def _pos100(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), f"{value / 100 / UNITS_PER_TILE:.1f} tiles")


def _hundredths(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), f"{value / 100:.2f}")


def _vel256(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), f"{value / 256:.2f} units/tick")


def _angle256(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), f"{math.degrees(value / 256):.1f}°")


def _angle1e6(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), f"{math.degrees(value / 1_000_000):.1f}°")


def _ms(kind: Kind, value: int, tick: int | None) -> str:
    return f"{value} ms"


def _color(kind: Kind, value: int, tick: int | None) -> str:
    alpha, hue, saturation, lightness = (value & 0xFFFFFFFF).to_bytes(4, "big")
    text = f"hsl({hue * 360 / 255:.0f}, {saturation * 100 / 255:.0f}%, {lightness * 100 / 255:.0f}%)"
    return explained(str(value), f"{text} alpha {alpha}" if alpha else text)


def _crc(kind: Kind, value: int, tick: int | None) -> str:
    return f"{value & 0xFFFFFFFF:08x}"


def _enum(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), kind.names.get(value, "unknown"))


def _flags(kind: Kind, value: int, tick: int | None) -> str:
    return explained(f"{value & 0xFFFFFFFF:#04x}", flag_names(value, kind.bits))


def _string(kind: Kind, value: int, tick: int | None) -> str:
    # one int of several: all four bytes count, and a zero is the end
    plain = bytes(byte ^ 0x80 for byte in (value & 0xFFFFFFFF).to_bytes(4, "big"))
    return f'"{readable(plain.partition(bytes(1))[0])}"'


_TEXTS: dict[str, Callable[[Kind, int, int | None], str]] = {
    "int": _plain,
    "cid": _plain,
    "vel": _plain,
    "bool": _bool,
    "bits": _bits,
    "tick": _tick,
    "ticks": _ticks,
    "pos": _pos,
    "pos100": _pos100,
    "vel100": _hundredths,
    "hundredths": _hundredths,
    "vel256": _vel256,
    "angle256": _angle256,
    "angle1e6": _angle1e6,
    "ms": _ms,
    "color": _color,
    "crc": _crc,
    "enum": _enum,
    "flags": _flags,
    "str": _string,
    "uuid": _bits,
}

INT_KINDS = frozenset(_TEXTS) - {"enum", "flags", "str", "uuid"}
"""Kinds of one int that need no table."""
