"""Guesses what the ints of an item or a message are, from values that were seen. Only ever shown as guesses.

What Teeworlds mods put into items is mostly what Teeworlds does (spec section 10): ticks, positions and velocities in
pairs, angles in 1/256 radians, client ids, flags, packed text (spec section 6.3). Pure functions over a few samples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.protocols.base import ItemSample
from analyzer.protocols.teeworlds.values import unpack_string
from analyzer.wire.errors import DecodeError
from analyzer.wire.varint import unpack

MOST_INTS = 256
"""Ints of an item, fields of a message that are looked at."""
FEW = 4
"""With fewer values nothing is said of a column but that it is one of numbers."""
MOST_BITS = 8
MOST_COMBINATIONS = 16
"""Of flags."""
SMALL = 16
"""Values of an enumeration."""
TICK_REACH = 3000
"""Ticks before and after the snapshot that fields mostly speak of: a minute."""
CERTAIN_TICK = 20_000
"""Snapshots from here up: few numbers but ticks are that large."""
MOST_SPEED = 120
"""Units that a thing moves in a tick, but for teleporting."""
LARGEST_MAP = 32 * 10_000
ANGLES = (-810, 2020)
"""From -pi to 5/2 pi in 1/256 radians; a tee's aim is from -pi/2 to 3/2 pi, that of hits goes further."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Guess:
    """What some ints in a row look like."""

    at: int
    """The first int; of messages, the field's number."""
    ints: int
    kind: str
    """A kind of schema files."""
    what: str
    """For people; empty: nothing is known but the number."""
    low: int = 0
    high: int = 0
    """Of the values seen."""
    distinct: int = 0
    """Values that differ."""
    optional: bool = False
    """Some messages end before it."""


def guess_item(samples: Sequence[ItemSample]) -> tuple[Guess, ...]:
    """One guess for each field of an item type. Samples of another size than most say nothing."""
    if not samples:
        return ()
    size = Counter(len(sample.values) for sample in samples).most_common(1)[0][0]
    alike = [sample for sample in samples if len(sample.values) == size]
    alike.sort(key=lambda sample: (sample.id, sample.tick))
    matrix = np.array([sample.values[:MOST_INTS] for sample in alike], dtype=np.int64)
    ticks = np.array([sample.tick for sample in alike], dtype=np.int64)
    ids = np.array([sample.id for sample in alike], dtype=np.int64)
    return _guess_columns(_Columns(matrix.reshape(len(alike), -1), ticks, ids))


@dataclass(frozen=True, slots=True)
class _Columns:
    """Values of samples, ordered by id and tick."""

    values: Ints
    """Shape (samples, ints)."""
    ticks: Ints
    ids: Ints

    def column(self, number: int) -> Ints:
        """All values of one int."""
        return self.values[:, number]

    def speeds(self, number: int) -> Ints:
        """How fast one int changes a tick, between samples of an item that follow on each other closely."""
        gaps = np.diff(self.ticks)
        near = (np.diff(self.ids) == 0) & (gaps > 0) & (gaps <= 10)
        return np.asarray(np.diff(self.column(number))[near] // gaps[near], dtype=np.int64)


def _guess_columns(columns: _Columns) -> tuple[Guess, ...]:
    guesses: list[Guess] = []
    width = columns.values.shape[1]
    at = 0
    while at < width:
        length = _text_length(columns.values, at)
        if length:
            guesses.append(Guess(at, length, f"str{length}", "text"))
            at += length
            continue
        looks = (
            _plain(columns, at),
            _place(columns, at),
            _velocity(columns, at, guesses),
            _small(columns, at),
            _direction(columns, at),
        )
        guesses.append(next((guess for guess in looks if guess is not None), _number(columns, at, "int", "")))
        at += 1
        if guesses[-1].what.endswith(" x"):
            kind, what = guesses[-1].kind, guesses[-1].what
            guesses.append(_number(columns, at, kind, f"{what[:-1]}y"))
            at += 1
    return tuple(guesses)


def _number(columns: _Columns, at: int, kind: str, what: str) -> Guess:
    column = columns.column(at)
    return Guess(at, 1, kind, what, int(column.min()), int(column.max()), len(np.unique(column)))


def _text_length(values: Ints, start: int) -> int:
    """Ints of a packed string that begins at `start`, 0 if none does: text, then zeros, and a last byte that is 0."""
    width = values.shape[1]
    ended = np.zeros(len(values), dtype=np.bool_)
    some = False
    for stop in range(start, min(width, start + 64)):
        column = values[:, stop] & 0xFFFFFFFF
        plain = np.stack([(column >> shift & 0xFF) ^ 0x80 for shift in (24, 16, 8, 0)], axis=1)
        last = bool(np.all(plain[:, 3] == 0x80))
        for place in range(3 if last else 4):
            byte = plain[:, place]
            if np.any((byte != 0) & (ended | (byte < 0x20) | (byte == 0x7F))):
                return 0
            some = some or bool(np.any(byte))
            ended |= byte == 0
        if last:
            return stop - start + 1 if some and _are_texts(values[:, start : stop + 1]) else 0
    return 0


def _are_texts(values: Ints) -> bool:
    """Most plain numbers are no UTF-8."""
    try:
        for row in np.unique(values, axis=0).tolist():
            unpack_string(row).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _plain(columns: _Columns, at: int) -> Guess | None:
    """What an int is by itself, whatever stands beside it; None: nothing speaks for anything."""
    column = columns.column(at)
    if len(column) < FEW:
        return None
    low, high = int(column.min()), int(column.max())
    if len(np.unique(columns.ids)) > 1 and np.array_equal(column, columns.ids):
        return _number(columns, at, "cid", "client id")
    if low == high:
        return _number(columns, at, "int", "constant")
    if low == 0 and high == 1:
        return _number(columns, at, "bool", "yes or no")
    return _number(columns, at, "tick", "tick") if _is_tick(column, columns.ticks) else None


def _small(columns: _Columns, at: int) -> Guess | None:
    """One of few values."""
    column = columns.column(at)
    if len(column) < FEW:
        return None
    seen = np.unique(column)
    if _is_flags(seen):
        return _number(columns, at, "bits", "flags")
    if seen[0] >= -1 and seen[-1] < SMALL and len(column) > 2 * len(seen):
        return _number(columns, at, "int", "enumeration")
    return None


def _is_tick(column: Ints, ticks: Ints) -> bool:
    """Numbers near the snapshot's tick, apart from those that say never."""
    said = column > 0
    if said.sum() < max(FEW, len(column) // 20) or np.any(column < -1):
        return False
    ages = (ticks - column)[said]
    if np.any(ages < -TICK_REACH):
        return False
    near = float(np.mean(np.abs(ages) <= TICK_REACH))
    if int(ticks.min()) >= CERTAIN_TICK:
        return near >= 0.5 or float(np.mean(ages <= ticks[said] // 2)) == 1.0
    # Where ticks are small, other numbers are as large: what moves along with the ticks, and is never ahead, is one.
    later = ticks[said] > np.median(ticks[said])
    if near < 0.9 or np.any(ages < -100) or not later.any() or later.all():
        return False
    own = column[said]
    moved = float(own[later].mean() - own[~later].mean())
    passed = float(ticks[said][later].mean() - ticks[said][~later].mean())
    return 0.5 * passed <= moved <= 1.5 * passed and float(np.median(ages)) < 1000


def _is_flags(seen: Ints) -> bool:
    """Few bits, some of those between them never used, or one at a time."""
    low, high = int(seen[0]), int(seen[-1])
    if low < 0 or high < 4 or len(seen) < 3:
        return False
    bits = int(np.bitwise_or.reduce(seen)).bit_count()
    counts = [int(value).bit_count() for value in seen]
    if max(counts) <= 1 and len(seen) >= 4:
        return True
    return bits <= MOST_BITS and bits < high.bit_length() and len(seen) <= MOST_COMBINATIONS


def _place(columns: _Columns, at: int) -> Guess | None:
    """The first of two ints that are a place in the world."""
    if at + 1 >= columns.values.shape[1] or len(columns.values) < FEW:
        return None
    both = _is_place(columns, at) and _is_place(columns, at + 1)
    return _number(columns, at, "pos", "position x") if both else None


def _is_place(columns: _Columns, at: int) -> bool:
    column = columns.column(at)
    if column.min() < -1024 or not 64 <= column.max() <= LARGEST_MAP:
        return False
    if np.mean(column <= 0) > 0.25 or np.median(column) < 64:
        return False
    speeds = np.abs(columns.speeds(at))
    steady = len(speeds) > 0 and float(np.mean(speeds <= MOST_SPEED)) > 0.9
    return len(np.unique(column)) >= (2 if steady else FEW - 1)


def _velocity(columns: _Columns, at: int, before: Sequence[Guess]) -> Guess | None:
    """The first of two ints that say how fast the place before them changes."""
    places = [guess.at for guess in before if guess.what == "position x"]
    if not places or at + 1 >= columns.values.shape[1] or not _follows(columns, places[-1], at):
        return None
    return _number(columns, at, "vel256", "velocity x")


def _direction(columns: _Columns, at: int) -> Guess | None:
    """The first of two ints that point somewhere, or an angle."""
    column = columns.column(at)
    paired = at + 1 < columns.values.shape[1] and len(column) >= FEW
    if paired and _is_direction(columns, at) and _is_direction(columns, at + 1):
        return _number(columns, at, "vel", "velocity x")
    many = len(np.unique(column)) >= 2 * FEW
    if many and ANGLES[0] <= column.min() and column.max() <= ANGLES[1] and np.ptp(column) > 256:
        return _number(columns, at, "angle256", "angle")
    return None


def _follows(columns: _Columns, place: int, at: int) -> bool:
    """Two ints that say how fast two others change: velocities in 1/256 units a tick."""
    gaps = np.diff(columns.ticks)
    near = (np.diff(columns.ids) == 0) & (gaps > 0) & (gaps <= 10)
    moved = False
    for axis in (0, 1):
        speeds = columns.speeds(place + axis).astype(np.float64)
        said = columns.column(at + axis)[1:][near] / 256
        moving = np.abs(speeds) + np.abs(said) > 1
        if moving.sum() < FEW:
            continue
        off = np.abs(speeds - said)[moving]
        if float(np.median(off)) > 2 + 0.35 * float(np.median(np.abs(said[moving]))):
            return False
        moved = True
    return moved


def _is_direction(columns: _Columns, at: int) -> bool:
    column = columns.column(at)
    spread = int(np.abs(column).max())
    return bool(column.min() < 0 < column.max()) and SMALL < spread <= 1 << 16 and len(np.unique(column)) >= FEW


def guess_body(bodies: Sequence[bytes]) -> tuple[Guess, ...]:
    """One guess for each field of a message, from the bytes behind its number. It fits all bodies, or is empty."""
    places = [0] * len(bodies)
    guesses: list[Guess] = []
    while len(guesses) < MOST_INTS:
        left = [number for number, body in enumerate(bodies) if places[number] < len(body)]
        if not left:
            return tuple(guesses)
        optional = len(left) < len(bodies)
        pulled = _texts(bodies, places, left) or _ints(bodies, places, left)
        if pulled is None:
            return ()
        guess, ends = pulled
        guesses.append(Guess(len(guesses), 1, guess.kind, guess.what, guess.low, guess.high, guess.distinct, optional))
        for number, end in zip(left, ends, strict=True):
            places[number] = end
    return ()


def _texts(bodies: Sequence[bytes], places: Sequence[int], left: Sequence[int]) -> tuple[Guess, list[int]] | None:
    ends, texts = [], []
    for number in left:
        stop = bodies[number].find(b"\0", places[number])
        try:
            text = bodies[number][places[number] : stop].decode("utf-8")
        except UnicodeDecodeError:
            return None
        if stop < 0 or not all(character.isprintable() or character in "\t\r\n" for character in text):
            return None
        ends.append(stop + 1)
        texts.append(text)
    # A short one may as well be a number and a zero.
    if sum(len(text) >= 3 for text in texts) * 2 <= len(texts):
        return None
    return Guess(0, 1, "str", "text"), ends


def _ints(bodies: Sequence[bytes], places: Sequence[int], left: Sequence[int]) -> tuple[Guess, list[int]] | None:
    values, ends = [], []
    for number in left:
        try:
            value, end = unpack(bodies[number], places[number], len(bodies[number]))
        except DecodeError:
            return None
        values.append(value)
        ends.append(end)
    column = np.array(values, dtype=np.int64)
    nothing = np.zeros(len(column), dtype=np.int64)
    columns = _Columns(column.reshape(-1, 1), nothing, nothing)
    return _plain(columns, 0) or _small(columns, 0) or _number(columns, 0, "int", ""), ends
