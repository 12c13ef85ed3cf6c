"""What a person is told of snapshots without a base: items, changes, tree, record; and of one that was promoted."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from capture_files import BUNDLED

from analyzer.engine.capture import Capture
from analyzer.engine.change_tree import ChangeTree, PartialCounts, change_tree
from analyzer.engine.query import Query
from analyzer.snapshots.model import NamedItem, PartialItems
from analyzer.snapshots.status import Status
from analyzer.stats.live import live_snapshots
from analyzer.stats.snapshots import snapshot_stats
from analyzer.store.tables import Tables
from tests.capture.builders import pcap_file
from tests.encoder import Items, key
from tests.net.builders import ipv4, udp
from tests.protocols.teeworlds.played import SERVER, A, B, Played, snap_empty

MIDSESSION = BUNDLED / "ddnet_ctf3_midsession_head.pcap.gz"


class Opened:
    def __init__(self, path: Path) -> None:
        self.capture = Capture.open(path, strict=True)
        self.capture.decode()
        self.tables: Tables = self.capture.tables
        self.query: Query = self.capture.query()

    def tree(self, row: int) -> ChangeTree:
        return change_tree(self.query, self.tables, row)

    def kinds(self, row: int) -> dict[tuple[str, int], str]:
        return {(item.name, item.id): item.kind for node in self.tree(row).types for item in node.items}

    def partial(self, row: int) -> PartialItems:
        found = self.query.partial(row)
        assert found is not None
        return found

    def close(self) -> None:
        self.query.close()
        self.capture.close()


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Opened]:
    """Rows 0 to 4: 102 removes all but flag 1; 104 changes it and adds flag 2; 106 is the same; 108 removes both and
    adds A, so that every item is known; 110 is based on it."""
    play = Played()
    play.handshake()
    play.login()
    flag: Items = {key(5, 1): (1, 2, 3)}
    flags: Items = {key(5, 1): (2, 2, 3), key(5, 2): (4, 5, 6)}
    play.snap(102, 100, {**A, **flag, key(5, 2): (0, 0, 1)}, flag)
    play.snap(104, 102, flag, flags)
    play.messages([snap_empty(106, 104)])
    play.snap(108, 106, flags, A)
    play.snap(110, 108, A, B)
    frames = []
    for sent in play.datagrams:
        source, destination = (8303, 50000) if sent.direction == SERVER else (50000, 8303)
        frames.append((0, sent.time_ns // 1000, ipv4(udp(sent.payload, source=source, destination=destination))))
    path = tmp_path / "game.pcap"
    path.write_bytes(pcap_file(frames, link_field=101))
    opened = Opened(path)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def midsession() -> Iterator[Opened]:
    """The head of a session seen from its middle."""
    opened = Opened(MIDSESSION)
    yield opened
    opened.close()


def names(items: Sequence[NamedItem]) -> list[tuple[str, int]]:
    return [(item.name, item.id) for item in items]


class TestItems:
    def test_known_there_and_absent(self, game: Opened) -> None:
        first, second, third = map(game.partial, range(3))
        assert (first.known, first.unknown) == ((), ())
        assert names(first.absent) == [("Pickup", 3), ("Flag", 2), ("GameInfo", 0)]
        (flag,) = second.known
        assert (flag.name, flag.id, flag.values) == ("Flag", 2, (4, 5, 6))
        assert names(second.unknown) == [("Flag", 1)]
        assert names(second.absent) == [("Pickup", 3), ("GameInfo", 0)]
        assert third == second

    def test_of_a_rebuilt_one_there_is_nothing_partial(self, game: Opened) -> None:
        assert [game.query.partial(row) for row in (3, 4)] == [None, None]
        assert [item.name for item in game.query.items(3)] == ["Pickup", "GameInfo"]
        assert game.query.items(1) == ()


def test_changes_tell_old_and_new_where_they_are_known(game: Opened) -> None:
    found = {(change.name, change.id): change for change in game.query.changes(1)}
    added, unknown = found["Flag", 2], found["Flag", 1]
    assert (added.kind, [field.new for field in added.fields]) == ("added", [4, 5, 6])
    assert (unknown.kind, [field.difference for field in unknown.fields]) == ("unknown", [1, 0, 0])
    assert all(field.new is None for field in unknown.fields)
    # of what a promoted snapshot removed, the values are known as far as its base is
    gone = {change.id: [field.old for field in change.fields] for change in game.query.changes(3) if change.type == 5}
    assert gone == {1: [], 2: [4, 5, 6]}


class TestTree:
    def test_what_a_delta_did_and_what_is_known_beside(self, game: Opened) -> None:
        assert game.kinds(0) == dict.fromkeys([("Pickup", 3), ("Flag", 2), ("GameInfo", 0)], "removed")
        beside = {("Pickup", 3): "absent", ("GameInfo", 0): "absent"}
        assert game.kinds(1) == {("Flag", 1): "unknown", ("Flag", 2): "added", **beside}
        assert game.kinds(2) == {("Flag", 1): "there", ("Flag", 2): "same", **beside}
        assert game.kinds(3) == {
            ("Flag", 1): "removed",
            ("Flag", 2): "removed",
            ("Pickup", 3): "added",
            ("GameInfo", 0): "added",
        }

    def test_head(self, game: Opened) -> None:
        head = game.tree(1).head
        assert head.partial == PartialCounts(1, 1, 2)
        assert (head.rebuilt, head.has_state, head.promoted) == (False, True, False)
        assert head.base == 0
        made = game.tree(3).head
        assert (made.partial, made.rebuilt, made.promoted, made.code) == (None, True, True, "OK-P")
        assert not game.tree(4).head.promoted


def test_records_and_reasons(game: Opened) -> None:
    records = [game.query.record(row, with_items=True) for row in range(5)]
    assert [record["code"] for record in records] == ["B3", "B2", "B2", "OK-P", "OK"]
    assert records[1]["partial"] == {
        "known": 1,
        "unknown": 1,
        "absent": 2,
        "known_items": [[5, 2, [4, 5, 6]]],
        "unknown_items": [[5, 1]],
        "absent_items": [[4, 3], [6, 0]],
    }
    assert str(records[1]["reason"]).endswith("; deltas alone tell 1 item, at least 1 more without values")
    assert "deltas alone" not in str(records[0]["reason"])
    assert [("partial" in record, record["crc_ok"]) for record in records[3:]] == [(False, True), (False, True)]


def test_the_numbers_of_a_capture(midsession: Opened) -> None:
    tables = midsession.tables
    rows = live_snapshots(tables)
    lacking = [row for row in rows.tolist() if tables.snapshots.integer("status", row) == Status.NO_BASE]
    assert lacking
    known = 0
    for row in lacking:
        partial = midsession.partial(row)
        assert len(partial.known) == tables.snapshots.integer("items", row)
        assert len(partial.unknown) == tables.snapshots.integer("detail2", row)
        known += bool(partial.known)
    assert known > len(lacking) / 2
    assert snapshot_stats(tables, rows, {}).partial == known


def test_any_order_gives_the_same(midsession: Opened) -> None:
    """Also where the chain was forgotten in between, and starts at a stored block or where nothing is known."""
    tables = midsession.tables
    lacking = [row for row in range(len(tables.snapshots)) if tables.snapshots.integer("status", row) == Status.NO_BASE]
    expected = {row: midsession.partial(row) for row in lacking}
    other = midsession.capture.query()
    for row in random.Random(5).sample(lacking, min(60, len(lacking))):
        assert other.partial(row) == expected[row]
    other.close()
