"""Guesses from values: made up ones, and those of real captures against what their fields really are."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from capture_files import SAMPLE
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.protocols.base import ItemSample
from analyzer.protocols.teeworlds.infer import Guess, guess_body, guess_item
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.resources import resource
from analyzer.snapshots.status import REBUILT
from analyzer.store.tables import Tables
from analyzer.wire.varint import pack
from tests.modded import packed

ANY_INT = st.integers(-0x80000000, 0x7FFFFFFF)


def samples(*rows: tuple[int, ...], first: int = 30_000, step: int = 2, ids: int = 1) -> list[ItemSample]:
    """One item's values in snapshots that follow on each other, or of several in turn."""
    return [ItemSample(first + step * (at // ids), at % ids, row) for at, row in enumerate(rows)]


def kinds(found: tuple[Guess, ...]) -> list[tuple[str, str]]:
    return [(guess.kind, guess.what) for guess in found]


def column(*values: int) -> list[tuple[str, str]]:
    return kinds(guess_item(samples(*((value,) for value in values))))


def test_plain_columns() -> None:
    assert column(7, 7, 7, 7, 7) == [("int", "constant")]
    assert column(0, 1, 1, 0, 1) == [("bool", "yes or no")]
    assert column(0, 1, 5, 2, 1, 0, 5, 2, -1, 3, 4, 0, 1, 2, 5, 3) == [("int", "enumeration")]
    assert column(0, 64, 65, 1, 0, 64) == [("bits", "flags")]
    assert column(1, 2, 4, 64, 128, 1) == [("bits", "flags")]
    assert column(-70, 3_000_000, 12, -5, 900) == [("int", "")]
    assert column(29_990, 29_990, 30_001, 0, 30_004, 30_011) == [("tick", "tick")]


def test_angle_and_pairs() -> None:
    angles = [-400, -200, 0, 100, 300, 500, 700, 900, 1100, 1200]
    assert column(*angles) == [("angle256", "angle")]
    places = [(640 + 8 * step, 900 - 4 * step, 8 * 128, -4 * 128) for step in range(12)]
    moving = [(*row[:2], 8 * 256 // 2 + step % 3, -4 * 256 // 2 + step % 2) for step, row in enumerate(places)]
    assert kinds(guess_item(samples(*moving))) == [
        ("pos", "position x"),
        ("pos", "position y"),
        ("vel256", "velocity x"),
        ("vel256", "velocity y"),
    ]
    aims = [(-300 + 60 * step, 200 - 45 * step) for step in range(10)]
    assert kinds(guess_item(samples(*aims))) == [("vel", "velocity x"), ("vel", "velocity y")]


def test_client_id() -> None:
    rows = samples(*((at % 5, 40) for at in range(20)), ids=5)
    assert kinds(guess_item(rows)) == [("cid", "client id"), ("int", "constant")]


@pytest.mark.parametrize("text", ["nameless tee", "", "Ü", "abc", "fifteen letters"])
def test_packed_text(text: str) -> None:
    rows = [(5, *packed(name, 4), 9) for name in (text, "other", "third", "x")]
    found = guess_item(samples(*rows))
    assert [(guess.at, guess.ints, guess.kind) for guess in found] == [(0, 1, "int"), (1, 4, "str4"), (5, 1, "int")]


def test_small_ticks_need_to_move_along() -> None:
    moving = [(600 + 2 * at,) for at in range(30)]
    assert kinds(guess_item(samples(*moving, first=610))) == [("tick", "tick")]
    still = [(600 + at % 3,) for at in range(30)]
    assert kinds(guess_item(samples(*still, first=610))) != [("tick", "tick")]


def test_samples_of_another_size_say_nothing() -> None:
    rows = [*samples(*[(1, 2)] * 5), ItemSample(1, 1, (7, 7, 7))]
    assert [guess.at for guess in guess_item(rows)] == [0, 1]
    assert guess_item([]) == ()
    assert guess_item(samples((), ())) == ()


@given(st.lists(st.tuples(ANY_INT, ANY_INT, ANY_INT), max_size=12), ANY_INT, st.integers(1, 4))
def test_any_values_are_guessed_whole(rows: list[tuple[int, ...]], first: int, ids: int) -> None:
    found = guess_item(samples(*rows, first=first, ids=ids))
    assert sum(guess.ints for guess in found) == (3 if rows else 0)
    assert [guess.at for guess in found] == [sum(one.ints for one in found[:at]) for at in range(len(found))]


def test_bodies() -> None:
    bodies = [pack(client) + f"player {client}".encode() + b"\0" + pack(70_000 * client) for client in range(6)]
    found = guess_body(bodies)
    assert kinds(found) == [("int", ""), ("str", "text"), ("int", "")]
    assert not any(guess.optional for guess in found)
    shorter = guess_body([*bodies, pack(3) + b"short\0"])
    assert [guess.optional for guess in shorter] == [False, False, True]
    assert guess_body([]) == ()
    assert guess_body([b"", b""]) == ()


def test_bodies_that_no_layout_fits() -> None:
    assert guess_body([b"\x80", b"\x01"]) == ()


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_any_bodies(bodies: list[bytes]) -> None:
    assert [guess.at for guess in guess_body(bodies)] == list(range(len(guess_body(bodies))))


RIGHT = {
    "tick": ("tick",),
    "position x": ("pos",),
    "position y": ("pos",),
    "velocity x": ("vel", "vel100", "vel256", "int"),
    "velocity y": ("vel", "vel100", "vel256", "int"),
    "angle": ("angle256",),
    "client id": ("cid",),
    "flags": ("flags", "bits"),
    "yes or no": ("bool", "enum", "int", "flags", "bits", "cid"),
    "enumeration": ("enum", "int", "bool", "cid", "bits", "ticks"),
    "text": ("str",),
    "": ("int", "ms", "color", "ticks", "cid", "hundredths"),
}
"""What a guess may stand for; a number of few values is as good as an enumeration."""


def _samples(tables: Tables, query: Query) -> dict[str, list[ItemSample]]:
    """Three runs of snapshots of every session of some length, by the names of their items."""
    found: dict[str, list[ItemSample]] = defaultdict(list)
    rows: dict[int, list[int]] = defaultdict(list)
    for row in range(len(tables.snapshots)):
        if tables.snapshots.integer("status", row) in REBUILT:
            rows[tables.snapshots.integer("session", row)].append(row)
    for own in rows.values():
        chosen = {row for part in range(3) for row in own[part * (len(own) - 8) // 2 :][:8]} if len(own) > 40 else ()
        for row in sorted(chosen):
            for item in query.items(row):
                found[item.name].append(ItemSample(tables.snapshots.integer("tick", row), item.id, item.values))
    return found


def test_most_fields_of_real_items_are_guessed_right() -> None:
    right: Counter[bool] = Counter()
    texts: Counter[bool] = Counter()
    schema = default_schema()
    for path in (SAMPLE, resource("samples/ddnet_ctf3_midsession_head.pcap.gz")):
        with Capture.open(path, compiled=False) as capture:
            capture.decode()
            query = capture.query()
            for name, own in _samples(capture.tables, query).items():
                real = schema.by_name.get(name)
                if real is None or real.type == 0 or len(own) < 16:
                    continue
                for guess in guess_item(own):
                    if guess.what == "constant" or guess.at >= real.size:
                        continue
                    field = real.int_fields[guess.at]
                    right[field.kind.base in RIGHT[guess.what]] += 1
                    if field.kind.base == "str" and field.at == guess.at:
                        texts[guess.ints == field.kind.ints] += 1
            query.close()
    assert right.total() > 60
    assert right[True] > 0.8 * right.total()
    assert texts[True] >= 3
    assert not texts[False]
