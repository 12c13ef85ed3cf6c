"""How ints of items and messages read to a person: units, enumerations, flags, packed text (spec section 6.3)."""

from __future__ import annotations

import colorsys
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

TICKS_PER_SECOND = 50
UNITS_PER_TILE = 32
INT_MIN = -0x80000000
INT_MAX = 0x7FFFFFFF
DARKEST = 0.5
"""Lightness that clients of 0.6 draw where the packed one is 0: they squeeze all of it into the upper half."""
DARKEST_7 = 61 / 255
"""The same for clients of 0.7."""
OWNER_BITS = 8
"""Low bits of an `owned` value that hold a client id; its flags are above."""


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


def drawn_color(value: int, darkest: float) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255, that clients draw for a packed colour; `darkest`: for a lightness of 0."""
    _, hue, saturation, lightness = (value & 0xFFFFFFFF).to_bytes(4, "big")
    light = darkest + lightness / 255 * (1 - darkest)
    red, green, blue = colorsys.hls_to_rgb(hue / 255, light, saturation / 255)
    return round(red * 255), round(green * 255), round(blue * 255)


def turned(degrees: float) -> float:
    """The shorter way round, from -180 (not included) to 180."""
    return 180 - (180 - degrees) % 360


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


def _minus_tick(kind: Kind, value: int, tick: int | None) -> str:
    if value >= 0:
        return str(value)
    age = "" if tick is None else f", {seconds(-value - tick)}"
    return explained(str(value), f"tick {-value}{age}")


def _ticks(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), f"{value / TICKS_PER_SECOND:.2f} s")


def _pos(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), f"{value / UNITS_PER_TILE:.2f} tiles")


def _pos100(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), f"{value / 100 / UNITS_PER_TILE:.2f} tiles, {value / 100:.2f} units")


def _scaled(divisor: int, digits: int) -> Callable[[Kind, int, int | None], str]:
    def text(kind: Kind, value: int, tick: int | None) -> str:
        return explained(str(value), f"{value / divisor:.{digits}f}")

    return text


def _vel256(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), f"{value / 256:.2f} units/tick, {_tiles_a_second(value):.2f} tiles/s")


def _tiles_a_second(vel256: int) -> float:
    return vel256 / 256 * TICKS_PER_SECOND / UNITS_PER_TILE


def _angle(a_radian: int) -> Callable[[Kind, int, int | None], str]:
    def text(kind: Kind, value: int, tick: int | None) -> str:
        return explained(str(value), f"{math.degrees(value / a_radian):.1f}\u00b0")

    return text


def _unit(unit: str) -> Callable[[Kind, int, int | None], str]:
    def text(kind: Kind, value: int, tick: int | None) -> str:
        return f"{value} {unit}"

    return text


def _s(kind: Kind, value: int, tick: int | None) -> str:
    if value < 60:
        return f"{value} s"
    hours, left = divmod(value, 3600)
    clock = f"{hours}:{left // 60:02}:{left % 60:02}" if hours else f"{left // 60}:{left % 60:02}"
    return explained(str(value), f"{clock} {'hours' if hours else 'minutes'}")


def _presses(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), "held" if value & 1 else "not held")


def _color(darkest: float) -> Callable[[Kind, int, int | None], str]:
    def text(kind: Kind, value: int, tick: int | None) -> str:
        alpha, hue, saturation, lightness = (value & 0xFFFFFFFF).to_bytes(4, "big")
        red, green, blue = drawn_color(value, darkest)
        sent = f"hsl({hue * 360 / 255:.0f}, {saturation * 100 / 255:.0f}%, {lightness * 100 / 255:.0f}%)"
        drawn = f"#{red:02X}{green:02X}{blue:02X}, sent as {sent}"
        return explained(str(value), f"{drawn} alpha {alpha}" if alpha else drawn)

    return text


def _crc(kind: Kind, value: int, tick: int | None) -> str:
    return f"{value & 0xFFFFFFFF:08x}"


def _enum(kind: Kind, value: int, tick: int | None) -> str:
    return explained(str(value), kind.names.get(value, "unknown"))


def _flags(kind: Kind, value: int, tick: int | None) -> str:
    return explained(f"{value & 0xFFFFFFFF:#04x}", flag_names(value, kind.bits))


def _owned(kind: Kind, value: int, tick: int | None) -> str:
    pattern = value & 0xFFFFFFFF
    above = flag_names(pattern >> OWNER_BITS, kind.bits) if pattern >> OWNER_BITS else ""
    owner = f"client {pattern & (1 << OWNER_BITS) - 1}"
    return explained(f"{pattern:#06x}", f"{owner}, {above}" if above else owner)


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
    "minus_tick": _minus_tick,
    "ticks": _ticks,
    "pos": _pos,
    "pos100": _pos100,
    "vel100": _scaled(100, 2),
    "hundredths": _scaled(100, 2),
    "thousandths": _scaled(1000, 3),
    "millionths": _scaled(1_000_000, 3),
    "parts256": _scaled(256, 2),
    "vel256": _vel256,
    "angle256": _angle(256),
    "angle1e6": _angle(1_000_000),
    "ms": _unit("ms"),
    "s": _s,
    "min": _unit("min"),
    "presses": _presses,
    "color": _color(DARKEST),
    "color7": _color(DARKEST_7),
    "crc": _crc,
    "enum": _enum,
    "flags": _flags,
    "owned": _owned,
    "str": _string,
    "uuid": _bits,
}

INT_KINDS = frozenset(_TEXTS) - {"enum", "flags", "owned", "str", "uuid"}
"""Kinds of one int that need no table."""
