"""What a broken server may do to one snapshot, and the report code each deserves (spec sections 17.7 and 19)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from world.wire import MAX_PART, PRE_AGREED, Delta, Items, varints


@dataclass(frozen=True, slots=True)
class Wire:
    """A snapshot about to be cut into messages."""

    tick: int
    back: int
    checksum: int
    data: bytes
    first_part: int = 0
    """Number of the first part; the others follow it."""


Fault = Callable[[Wire, Items, Delta], Wire | None]
"""Spoils a snapshot, or None where this one does not lend itself to the fault."""


def _with_ints(wire: Wire, ints: list[int]) -> Wire:
    return replace(wire, data=varints(ints))


def wrong_checksum(wire: Wire, base: Items, delta: Delta) -> Wire | None:
    return None if delta.empty else replace(wire, checksum=wire.checksum ^ 0x55)


def base_in_future(wire: Wire, base: Items, delta: Delta) -> Wire | None:
    return replace(wire, back=-4)


def base_is_itself(wire: Wire, base: Items, delta: Delta) -> Wire | None:
    return replace(wire, back=0)


def half_a_number(wire: Wire, base: Items, delta: Delta) -> Wire | None:
    return replace(wire, data=wire.data + b"\x80")


def short_header(wire: Wire, base: Items, delta: Delta) -> Wire | None:
    return _with_ints(wire, [0, 0])


def too_many_removed(wire: Wire, base: Items, delta: Delta) -> Wire | None:
    ints = delta.ints()
    return _with_ints(wire, [len(ints), *ints[1:]])


def update_missing(wire: Wire, base: Items, delta: Delta) -> Wire | None:
    ints = delta.ints()
    return _with_ints(wire, [ints[0], ints[1] + 1, *ints[2:]])


def type_out_of_range(wire: Wire, base: Items, delta: Delta) -> Wire | None:
    return _with_ints(wire, [0, 1, 0, 0x8000, 1, 1, 1])


def id_out_of_range(wire: Wire, base: Items, delta: Delta) -> Wire | None:
    return _with_ints(wire, [0, 1, 0, 4, 0x10000, 1, 1, 1, 1])


def size_out_of_range(wire: Wire, base: Items, delta: Delta) -> Wire | None:
    return _with_ints(wire, [0, 1, 0, 300, 1, 9, 1])


def size_differs(wire: Wire, base: Items, delta: Delta) -> Wire | None:
    for (kind, number), values in base.items():
        if kind not in PRE_AGREED:
            return _with_ints(wire, [0, 1, 0, kind, number, len(values) + 1, *values, 0])
    return None


def too_many_items(wire: Wire, base: Items, delta: Delta) -> Wire | None:
    ints = [0, 1025, 0]
    for number in range(1025):
        ints += (400, number, 0)
    return _with_ints(wire, ints)


def part_beyond_the_last(wire: Wire, base: Items, delta: Delta) -> Wire | None:
    return replace(wire, data=bytes(2 * MAX_PART), first_part=2)


def removed_and_sent(wire: Wire, base: Items, delta: Delta) -> Wire | None:
    """The defect of the reference's hash table (spec section 9): a key is removed and sent in full."""
    for (kind, number), values in base.items():
        size = () if kind in PRE_AGREED else (len(values),)
        if sum(values) % 0x100000000:
            return _with_ints(wire, [1, 1, 0, kind << 16 | number, kind, number, *size, *values])
    return None


FAULTS: dict[str, tuple[Fault, str]] = {
    "wrong checksum": (wrong_checksum, "C1"),
    "removed and sent": (removed_and_sent, "C1"),
    "part beyond the last": (part_beyond_the_last, "F1"),
    "base in the future": (base_in_future, "B5"),
    "base is itself": (base_is_itself, "B5"),
    "half a number": (half_a_number, "D1"),
    "short header": (short_header, "D2"),
    "too many removed": (too_many_removed, "D3"),
    "update missing": (update_missing, "D4"),
    "type out of range": (type_out_of_range, "D5"),
    "id out of range": (id_out_of_range, "D6"),
    "size out of range": (size_out_of_range, "D7"),
    "size differs": (size_differs, "D8"),
    "too many items": (too_many_items, "D9"),
}
