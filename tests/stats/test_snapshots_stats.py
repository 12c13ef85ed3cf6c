"""Statuses, proof, sizes and attribution of chosen snapshots."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from capture_files import BUNDLED

from analyzer.engine.capture import Capture
from analyzer.snapshots.status import LostBy, Proof, Status
from analyzer.stats.live import live_snapshots
from analyzer.stats.sizes import Sizes
from analyzer.stats.snapshots import (
    RebuiltCounter,
    RebuiltCounts,
    failed_mask,
    is_failed,
    repeated_mask,
    snapshot_stats,
)
from tests.stats.hand_made import CODES, tables


def test_the_numbers_of_a_capture() -> None:
    made = tables()
    stats = snapshot_stats(made, live_snapshots(made), CODES)
    assert {word: count for word, count in stats.statuses.items() if count} == {"ok": 2, "crc": 1, "no-base": 1}
    assert stats.codes == {"ok": {"OK": 1, "OK-E": 1}, "crc": {"C1": 1}, "no-base": {"B1": 1}}
    assert (stats.rebuilt, stats.proved, stats.unproven, stats.not_kept) == (3, 1, 1, 1)
    assert stats.client_has == {"never": 1, "later": 1, "acked": 1}
    assert stats.lost_by["capture"] == 1
    assert stats.sizes["wire_bytes"] == Sizes(3, 330, 110.0, 140, 160, 160)
    assert stats.parts == {1: 2, 2: 1}


def test_every_status_has_its_word_even_when_none_was_seen() -> None:
    stats = snapshot_stats(tables(), np.empty(0, np.int64), CODES)
    assert sum(stats.statuses.values()) == 0
    assert {"ok", "crc", "incomplete", "no-base", "malformed", "late", "duplicate", "bug"} <= set(stats.statuses)
    assert stats.codes == {}
    assert stats.sizes["state_bytes"].max is None


def test_a_code_no_protocol_names_is_shown_by_number() -> None:
    made = tables()
    stats = snapshot_stats(made, live_snapshots(made), {"toy": ("OK",)})
    assert stats.codes["crc"] == {"code 4": 1}


def test_a_late_part_repeats_only_where_its_tick_has_a_row() -> None:
    status = np.array([Status.OK, Status.DUPLICATE, Status.LATE, Status.LATE, Status.INCOMPLETE])
    cause = np.array([-1, -1, 0, -1, -1])
    assert repeated_mask(status, cause).tolist() == [False, True, True, False, False]


def test_rebuilt_failed_and_repeated_are_all() -> None:
    made = tables()
    stats = snapshot_stats(made, live_snapshots(made), CODES)
    assert (stats.rebuilt, stats.failed, stats.repeated) == (3, 1, 0)


def test_a_failure_has_its_first_cause_in_the_capture() -> None:
    pairs = [(status, root) for status in Status for root in Status]
    failed = {(status, root) for status, root in pairs if is_failed(status, root)}
    wrong = {Status.CRC, Status.MALFORMED, Status.BUG, Status.ERROR}
    lacking = (Status.NO_BASE, Status.INCOMPLETE)
    through = {(status, root) for status in lacking for root in Status if root is not Status.NO_BASE}
    assert failed == {(status, root) for status in wrong for root in Status} | through
    statuses, roots = (np.array(values, dtype=np.int64) for values in zip(*pairs, strict=True))
    assert failed_mask(statuses, roots).tolist() == [pair in failed for pair in pairs]


def test_the_cheap_counts_are_those_of_all_live_snapshots() -> None:
    for name in ("ddnet_tsunami_badcrc_head.pcap", "ddnet_dm2_reconnect_mapchange.pcap"):
        with Capture.open(BUNDLED / name) as opened:
            assert RebuiltCounter(opened.tables).counts() == RebuiltCounts(0, 0, 0, 0, 0)
            opened.decode()
            full = snapshot_stats(opened.tables, live_snapshots(opened.tables), {})
            counts = RebuiltCounter(opened.tables).counts()
        assert (counts.rebuilt, counts.proved, counts.unproven) == (full.rebuilt, full.proved, full.unproven)
        assert counts.failed + counts.unknown == full.failed + full.statuses["crc"]
        assert counts.proved > 0


@pytest.mark.parametrize("name", ["ddnet_tsunami_badcrc_head.pcap", "ddnet_dm2_reconnect_mapchange.pcap"])
def test_counts_that_are_kept_follow_the_capture(name: str) -> None:
    with Capture.open(BUNDLED / name, batch=200, compiled=False) as opened:
        counter = RebuiltCounter(opened.tables)
        while opened.step():
            assert counter.counts() == RebuiltCounter(opened.tables).counts()
        assert counter.counts() == RebuiltCounter(opened.tables).counts()
        assert counter.counts().rebuilt > 0


@pytest.mark.parametrize("seed", range(8))
def test_counts_that_are_kept_follow_what_is_amended(seed: int) -> None:
    choose, made = Random(seed), tables()
    counter = RebuiltCounter(made)
    seen = set()
    for _ in range(6):
        count, before = choose.randrange(1, 12), len(made.snapshots)
        values: dict[str, list[int]] = {spec.name: [0] * count for spec in made.snapshots.specs if spec.unset is None}
        values["session"] = choose.choices([0, 1, 2], k=count)
        values["status"] = choose.choices([Status.OK, Status.CRC, Status.NO_BASE, Status.INCOMPLETE], k=count)
        values["cause"] = [choose.randrange(-1, before) for _ in range(count)]
        made.snapshots.append(values, count)
        made.publish()
        seen.add(counter.counts())
        assert counter.counts() == RebuiltCounter(made).counts()
        rows = choose.sample(range(len(made.snapshots)), 2)
        column, most = choose.choice([("lost_by", len(LostBy) - 1), ("cause", min(rows)), ("proof", len(Proof) - 1)])
        made.snapshots.amend(column, rows, [choose.randint(0, most), choose.randint(0, most)])
        made.readings.amend("alive", [choose.randrange(3)], [choose.random() < 0.5])
        assert counter.counts() == RebuiltCounter(made).counts()
    assert len(seen) > 1


def test_counting_again_reads_only_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    made = tables()
    counter = RebuiltCounter(made)
    counter.counts()
    read: list[int] = []
    take, array = made.snapshots.take, made.snapshots.array

    def counted_take(column: str, rows: np.ndarray) -> np.ndarray:
        read.append(len(rows))
        return take(column, rows)

    def counted_array(column: str, start: int = 0, stop: int | None = None) -> np.ndarray:
        found = array(column, start, stop)
        read.append(len(found))
        return found

    monkeypatch.setattr(made.snapshots, "take", counted_take)
    monkeypatch.setattr(made.snapshots, "array", counted_array)
    counter.counts()
    assert sum(read) == 0
    RebuiltCounter(made).counts()
    assert sum(read) > 0
