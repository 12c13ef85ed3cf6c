"""Items and changes read from the ints of many snapshots against looking at each: the same values for every term."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from analyzer.engine.capture import Capture
from analyzer.engine.filtering import registry
from analyzer.engine.item_reading import BulkItemReader
from analyzer.engine.plain_items import ItemReader
from analyzer.engine.query import Query
from analyzer.filters.terms import ItemTerm, ItemValues
from tests.capture_files import capture_paths

TERMS = 16
ROWS = 60
PROJECTILE, CHARACTER = "Projectile", "Character"
ALWAYS = [
    ItemTerm(False, CHARACTER, "x"),
    ItemTerm(False, CHARACTER),
    ItemTerm(False, CHARACTER, part="id"),
    ItemTerm(False, CHARACTER, part="owner"),
    ItemTerm(False, PROJECTILE, "vel_x"),
    ItemTerm(False, "ClientInfo", "name"),
    ItemTerm(False, "unknown type 70", "value[0]"),
    ItemTerm(False, "DDNetCharacter", "flags"),
    ItemTerm(False, CHARACTER, "extra[0]"),
    *(ItemTerm(True, CHARACTER, "x", part) for part in ("old", "new", "difference")),
    *(ItemTerm(True, name, part=part) for name in (PROJECTILE, "DDNetCharacter") for part in ("added", "removed")),
    *(ItemTerm(True, CHARACTER, part=part) for part in ("", "id", "bits", "changed", "rewritten", "unknown")),
]


def found(values: ItemValues) -> list[tuple[int, int, object]]:
    """Snapshot, id and value of each, in an order of its own."""
    table = values.table
    numbers = values.values.tolist()
    each = numbers if table is None else [table[number] for number in numbers]
    return sorted(zip(values.owner.tolist(), values.id.tolist(), each, strict=True), key=repr)


def chosen(capture: Capture, random_terms: random.Random) -> list[ItemTerm]:
    every = [field.item for field in registry(capture.protocols) if field.item is not None]
    return [*ALWAYS, *random_terms.sample(every, TERMS)]


def both(query: Query, capture: Capture, terms: list[ItemTerm], rows: NDArray[np.int64]) -> int:
    """Compare both ways; how many terms have a value."""
    plain = ItemReader(query).read(terms, rows)
    bulk = BulkItemReader(capture.tables, query).read(terms, rows)
    for term, one, other in zip(terms, plain, bulk, strict=True):
        assert found(other) == found(one), term
        assert other.owner.tolist() == sorted(other.owner.tolist())
    return sum(len(one.owner) > 0 for one in plain)


@pytest.mark.parametrize(
    ("path", "compiled"),
    [(path, True) for path in capture_paths()] + [(path, False) for path in capture_paths()[:2]],
    ids=lambda value: value.name if isinstance(value, Path) else "compiled" if value else "plain",
)
def test_both_ways_say_the_same(path: Path, compiled: bool) -> None:
    """Some snapshots in a row, and some from all over the capture."""
    draw = random.Random(path.name)
    with Capture.open(path, compiled=compiled) as capture:
        capture.decode()
        query = capture.query()
        count = len(capture.tables.snapshots)
        some = ROWS if compiled else ROWS // 4
        start = draw.randrange(max(1, count - some))
        for rows in (range(start, min(start + some, count)), sorted(draw.sample(range(count), min(some, count)))):
            valued = both(query, capture, chosen(capture, draw), np.array(rows, np.int64))
            assert valued or not count
        query.close()


def test_no_snapshots_have_no_values() -> None:
    with Capture.open(capture_paths()[0], compiled=True) as capture:
        capture.decode()
        query = capture.query()
        assert both(query, capture, ALWAYS, np.empty(0, np.int64)) == 0
        query.close()
