"""The ticks of an epoch and their bases: retention by ticks, what is found again, and blocks that are paid for."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from analyzer.snapshots.tracking import acks, parts, ticks
from analyzer.snapshots.tracking.columns import (
    ACK_PACKET,
    ANY_SEEN,
    AWAITED,
    BELIEVED_ACK,
    BLOCK_SHARE,
    BYTES,
    CAUSE,
    CAUSES,
    CHAIN_LENGTH,
    COLLECTOR,
    CRC,
    CREDIT,
    DEPTH,
    DONE,
    FAILED,
    FAILURES,
    FLAGS,
    FLOOR,
    FORGOTTEN,
    GIVEN_UP,
    HAS,
    ITEMS,
    LOCAL,
    LOWEST,
    MAX_PARTS,
    MESSAGE_BYTES,
    N_ACKS,
    N_DONE,
    N_TICKS,
    N_UNPASSED,
    NEVER,
    NONE,
    PROVED,
    PURGE_AT,
    PURGE_EVERY,
    REPEATED,
    RETENTION_TICKS,
    SEEN,
    SIZE,
    TICK,
    USED,
    USED_BY,
    WATCHED,
)
from analyzer.snapshots.tracking.tracker import MAX_TICK, Tracker

NEWEST = 10_000
OLDEST = NEWEST - RETENTION_TICKS
"""The oldest tick that the retention keeps."""
ANY_TICK = st.integers(-3, 3) | st.integers(0, 3000) | st.integers(-0x80000000, 0x7FFFFFFF)


def put(tracker: Tracker, tick: int, size: int = 100) -> int:
    tracker.make_room()
    return ticks.put_base(tracker.track, tick, abs(tick), size, 0, True, 7, 3)


def stored(*known: int) -> Tracker:
    """With bases of these ticks, the last of which is the newest."""
    tracker = Tracker()
    for tick in known:
        put(tracker, tick)
        ticks.see(tracker.track, tick)
    return tracker


def kept(tracker: Tracker) -> list[int]:
    return list(tracker.bases())


class TestEntries:
    def test_an_entry_is_made_once_and_empty(self) -> None:
        tracker = Tracker()
        assert ticks.find(tracker.track, 5) == NONE
        entry = ticks.enter(tracker.track, 5)
        assert ticks.enter(tracker.track, 5) == ticks.find(tracker.track, 5) == entry
        zeros = {column: tracker.track.ticks[entry, column] for column in (PROVED, USED, HAS, FLAGS)}
        assert set(zeros.values()) == {0}
        for column in (LOCAL, SIZE, DEPTH, CRC, ITEMS, USED_BY, ACK_PACKET, WATCHED, DONE, GIVEN_UP, COLLECTOR):
            assert tracker.track.ticks[entry, column] == NONE

    def test_flags_of_a_tick(self) -> None:
        track = Tracker().track
        assert ticks.flags_of(track, 5) == 0
        assert ticks.find(track, 5) == NONE
        track.ticks[ticks.enter(track, 5), FLAGS] |= REPEATED
        assert ticks.flags_of(track, 5) == REPEATED

    @given(st.lists(st.tuples(ANY_TICK, st.integers(0, 9)), max_size=150))
    @example([(tick << 12, 1) for tick in range(100)])
    def test_as_a_dict(self, steps: list[tuple[int, int]]) -> None:
        """Found again is what was entered, through any growth, purge or rest."""
        tracker = Tracker()
        known: dict[int, int] = {}
        newest = NONE
        for tick, step in steps:
            tracker.make_room()
            track = tracker.track
            if step < 7:
                entry = ticks.enter(track, tick)
                known[tick] = track.ticks[entry, DONE] = step
                ticks.see(track, tick)
                newest = max(newest, tick)
            elif step < 9:
                tracker.purge()
                known = {tick: done for tick, done in known.items() if tick >= newest - RETENTION_TICKS}
            else:
                ticks.forget(track)
                known = {}
            track = tracker.track
            assert track.numbers[N_TICKS] == len(known)
            found = ticks.find(track, tick)
            assert (track.ticks[found, DONE] if found >= 0 else None) == known.get(tick)
        for tick, done in known.items():
            assert tracker.track.ticks[ticks.find(tracker.track, tick), DONE] == done
            assert tracker.track.ticks[ticks.find(tracker.track, tick), TICK] == tick

    @given(ANY_TICK, st.lists(ANY_TICK, max_size=100))
    def test_what_was_not_entered_is_not_found(self, wanted: int, others: list[int]) -> None:
        tracker = Tracker()
        for tick in others:
            tracker.make_room()
            ticks.enter(tracker.track, tick)
        assert (ticks.find(tracker.track, wanted) >= 0) == (wanted in others)


class TestSeen:
    def test_lowest_and_highest(self) -> None:
        track = Tracker().track
        assert (track.numbers[SEEN], track.numbers[LOWEST], track.numbers[ANY_SEEN]) == (NONE, MAX_TICK, 0)
        assert [ticks.see(track, tick) for tick in (20, 30, 10, 30, 31)] == [False, False, True, False, False]
        assert (track.numbers[SEEN], track.numbers[LOWEST], track.numbers[ANY_SEEN]) == (31, 10, 1)

    def test_the_oldest_known(self) -> None:
        tracker = stored(NEWEST)
        assert ticks.oldest_known(tracker.track) == OLDEST
        ticks.forget(tracker.track)
        assert ticks.oldest_known(tracker.track) == NEWEST + 1


class TestBases:
    def test_a_base_by_its_tick(self) -> None:
        tracker = stored(4)
        track = tracker.track
        entry = ticks.put_base(track, 6, 1, 80, 5, False, -9, 2)
        assert entry == ticks.find(track, 6)
        columns = (LOCAL, SIZE, DEPTH, PROVED, CRC, ITEMS)
        assert [track.ticks[entry, column] for column in columns] == [1, 80, 5, 0, -9, 2]
        assert kept(tracker) == [4, 6]
        assert track.numbers[BYTES] == 180

    def test_a_tick_put_again_is_counted_once(self) -> None:
        tracker = stored(10)
        for size in (30, 500, 7):
            put(tracker, 10, size)
        assert tracker.numbers[BYTES] == 7

    def test_a_base_that_is_made_did_not_fail(self) -> None:
        tracker = Tracker()
        track = tracker.track
        track.ticks[ticks.enter(track, 10), FLAGS] = FAILED | AWAITED
        put(tracker, 10)
        assert ticks.flags_of(track, 10) == AWAITED

    def test_one_is_let_go(self) -> None:
        tracker = stored(10, 12)
        ticks.drop_base(tracker.track, ticks.find(tracker.track, 10))
        assert kept(tracker) == [12]
        assert (tracker.numbers[BYTES], tracker.numbers[FLOOR]) == (100, 10)

    def test_the_first_reference(self) -> None:
        track = stored(10).track
        assert [ticks.refer(track, 10, tick) for tick in (14, 16, 12)] == [True, False, False]
        assert track.ticks[ticks.find(track, 10), USED_BY] == 16
        assert ticks.refer(track, 11, 16)


class TestRetention:
    def test_by_ticks(self) -> None:
        tracker = stored(OLDEST - 1, OLDEST, NEWEST)
        ticks.purge(tracker.track)
        assert kept(tracker) == [OLDEST, NEWEST]
        assert tracker.numbers[FLOOR] == OLDEST - 1
        assert tracker.numbers[BYTES] == 200
        assert tracker.numbers[PURGE_AT] == NEWEST + PURGE_EVERY

    def test_the_acknowledged_base_stays_until_the_next(self) -> None:
        tracker = stored(10, 12)
        assert acks.believe(tracker.track, 10)
        put(tracker, NEWEST)
        ticks.see(tracker.track, NEWEST)
        ticks.purge(tracker.track)
        assert kept(tracker) == [10, NEWEST]
        assert acks.believe(tracker.track, NEWEST)
        ticks.purge(tracker.track)
        assert kept(tracker) == [NEWEST]

    def test_an_acknowledgement_that_is_not_believed_keeps_nothing_and_frees_nothing(self) -> None:
        tracker = stored(10, 12)
        acks.believe(tracker.track, 10)
        assert not acks.believe(tracker.track, 13 + RETENTION_TICKS)
        assert tracker.numbers[BELIEVED_ACK] == 10

    def test_a_base_in_use_stays(self) -> None:
        tracker = stored(10, 12, 14, NEWEST)
        for base_tick, tick in ((10, OLDEST), (10, 20), (12, OLDEST - 1)):
            ticks.refer(tracker.track, base_tick, tick)
        ticks.purge(tracker.track)
        assert kept(tracker) == [10, NEWEST]
        ticks.see(tracker.track, NEWEST + 1)
        ticks.purge(tracker.track)
        assert kept(tracker) == [NEWEST]

    def test_what_is_old_loses_all_but_what_is_being_collected(self) -> None:
        tracker = stored(NEWEST)
        track = tracker.track
        collector = parts.open_collector(track, 10)
        entry = ticks.find(track, 10)
        for column in (ACK_PACKET, WATCHED, DONE, GIVEN_UP, USED, HAS):
            track.ticks[entry, column] = 1
        track.ticks[entry, FLAGS] = FAILED | CAUSE | AWAITED | REPEATED
        ticks.purge(track)
        entry = ticks.find(track, 10)
        assert [track.ticks[entry, column] for column in (ACK_PACKET, WATCHED, DONE, GIVEN_UP)] == [NONE] * 4
        assert [track.ticks[entry, column] for column in (USED, HAS)] == [0, NEVER]
        assert track.ticks[entry, COLLECTOR] == collector
        assert ticks.flags_of(track, 10) == AWAITED | REPEATED
        parts.close_collector(track, collector)
        ticks.purge(track)
        assert ticks.find(track, 10) == NONE

    def test_lists_are_cut_too(self) -> None:
        tracker = Tracker()
        for tick in (10, 12, NEWEST - 2):
            tracker.make_room()
            track = tracker.track
            ticks.see(track, tick)
            acks.watch(track, tick, tick, True)
            parts.end(track, held(tracker, tick), tick)
            track.acks[track.numbers[N_ACKS]] = tick
            track.numbers[N_ACKS] += 1
        ticks.see(track, NEWEST)
        ticks.purge(track)
        assert [track.numbers[number] for number in (N_ACKS, N_UNPASSED, N_DONE)] == [1, 1, 1]
        assert (track.acks[0], track.unpassed[0]) == (NEWEST - 2, NEWEST - 2)
        assert parts.fate(track, NEWEST - 2, 0, 5) == parts.ENDED

    @given(st.lists(st.tuples(st.integers(0, 3000), st.booleans()), max_size=60))
    def test_within_it_nothing_is_lost(self, steps: list[tuple[int, bool]]) -> None:
        tracker = Tracker()
        known = set()
        for tick, purge in steps:
            ticks.see(tracker.track, tick)
            put(tracker, tick)
            known.add(tick)
            if purge:
                tracker.purge()
        tracker.purge()
        newest = tracker.numbers[SEEN]
        assert kept(tracker) == sorted(tick for tick in known if tick >= newest - RETENTION_TICKS)
        assert tracker.numbers[BYTES] == 100 * len(kept(tracker))
        assert all(tick <= tracker.numbers[FLOOR] for tick in known - set(kept(tracker)))

    def test_is_anything_kept_beside(self) -> None:
        track = Tracker().track
        assert ticks.nothing_beside(track)
        for number in (CAUSES, FAILURES):
            track.numbers[number] = 1
            assert not ticks.nothing_beside(track)
            track.numbers[number] = 0


def held(tracker: Tracker, tick: int) -> int:
    """A collector of one part."""
    track = tracker.track
    collector = parts.open_collector(track, tick)
    parts.agree(track, collector, -1, 1, 0, 0, False)
    parts.hold(track, collector, 0, 0, 0, 1, 100, 5)
    parts.close_collector(track, collector)
    return collector


class TestRest:
    def test_it_drops_everything(self) -> None:
        tracker = stored(NEWEST - 2, NEWEST)
        track = tracker.track
        acks.believe(track, NEWEST)
        ticks.refer(track, NEWEST - 2, NEWEST)
        track.ticks[ticks.enter(track, NEWEST - 4), FLAGS] = FAILED
        parts.end(track, held(tracker, NEWEST - 6), 0)
        ticks.forget(track)
        assert kept(tracker) == []
        assert [track.numbers[number] for number in (N_TICKS, N_DONE, BYTES)] == [0, 0, 0]
        assert (track.numbers[FLOOR], track.numbers[FORGOTTEN]) == (NEWEST, NEWEST)
        assert parts.fate(track, NEWEST - 6, 0, 5) == parts.TOO_LATE

    @pytest.mark.parametrize("flags", [0, AWAITED, REPEATED | AWAITED])
    def test_what_is_being_collected_stays(self, flags: int) -> None:
        tracker = stored(NEWEST - 2, NEWEST)
        track = tracker.track
        collectors = [parts.open_collector(track, tick) for tick in (NEWEST - 2, NEWEST + 2)]
        for tick in (NEWEST - 2, NEWEST + 2):
            track.ticks[ticks.find(track, tick), FLAGS] = flags | FAILED | CAUSE
            track.ticks[ticks.find(track, tick), ACK_PACKET] = 1
        ticks.forget(track)
        assert tracker.open_collectors() == collectors
        assert track.numbers[N_TICKS] == 2
        for tick, collector in zip((NEWEST - 2, NEWEST + 2), collectors, strict=True):
            entry = ticks.find(track, tick)
            assert (track.ticks[entry, COLLECTOR], track.ticks[entry, FLAGS]) == (collector, flags)
            assert (track.ticks[entry, LOCAL], track.ticks[entry, ACK_PACKET]) == (NONE, NONE)


class TestBlocks:
    def test_a_link_of_the_length_is_stored(self) -> None:
        track = Tracker().track
        assert not ticks.block_due(track, CHAIN_LENGTH - 1, 5000, 60_000)
        ticks.pay(track, 5000, 0)
        assert ticks.block_due(track, CHAIN_LENGTH, 100, 60_000)

    def test_nothing_is_stored_that_was_not_paid_for(self) -> None:
        track = Tracker().track
        affordable = BLOCK_SHARE * MESSAGE_BYTES
        assert not ticks.block_due(track, CHAIN_LENGTH, 0, affordable + 1)
        ticks.pay(track, 0, 0)
        assert ticks.block_due(track, CHAIN_LENGTH + 1, 0, 2 * affordable)
        ticks.pay(track, 0, 2 * affordable)
        assert track.numbers[CREDIT] == 0
        assert not ticks.block_due(track, CHAIN_LENGTH, 0, affordable + 1)

    @given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 65536)), max_size=50))
    def test_blocks_never_outgrow_what_was_sent(self, links: list[tuple[int, int]]) -> None:
        track = Tracker().track
        sent = kept = 0
        for delta_bytes, state_bytes in links:
            sent += MESSAGE_BYTES + delta_bytes
            due = ticks.block_due(track, CHAIN_LENGTH, delta_bytes, state_bytes)
            assert due == (kept + state_bytes <= BLOCK_SHARE * sent)
            kept += state_bytes if due else 0
            ticks.pay(track, delta_bytes, state_bytes if due else 0)


class TestRoom:
    @given(st.integers(0, 3), st.integers(1, MAX_PARTS))
    def test_one_message_never_needs_more(self, others: int, announced: int) -> None:
        """Its tick, its base's, and all of its parts: then there may be none left, but nothing was out of bounds."""
        tracker = Tracker()
        tick = 0
        for _ in range(40 + others):
            tracker.make_room()
            track = tracker.track
            assert ticks.has_room(track)
            before = track.numbers[N_TICKS], track.numbers[N_DONE]
            tick += 2
            ticks.see(track, tick)
            ticks.refer(track, tick - 1, tick)
            collector = parts.open_collector(track, tick)
            parts.agree(track, collector, tick - 1, announced, 0, 0, False)
            for part in range(announced):
                parts.hold(track, collector, part, tick, 0, 1, 1, 1)
            parts.close_collector(track, collector)
            acks.watch(track, tick, tick, True)
            put_again = ticks.put_base(track, tick, tick, 1, 0, True, 0, 0)
            parts.end(track, collector, tick)
            assert put_again == ticks.find(track, tick)
            assert track.numbers[N_TICKS] - before[0] <= 2
            assert track.numbers[N_DONE] - before[1] <= MAX_PARTS
            assert track.numbers[N_TICKS] <= len(track.ticks)
            assert track.numbers[N_DONE] <= len(track.done)
            assert max(track.numbers[N_ACKS], track.numbers[N_UNPASSED]) <= len(track.acks)
            # A free place ends every search.
            assert 2 * track.numbers[N_TICKS] <= len(track.places)


def test_ticks_whose_places_are_foreseen_lie_apart() -> None:
    """A sender chooses the base ticks that it names: no choice makes each of them be compared with all before it."""
    tracker = Tracker()
    chosen = [tick for tick in range(1, 1 << 21) if tick * 0x9E3779B1 >> 12 & 4095 < 2][:800]
    for tick in chosen:
        tracker.make_room()
        ticks.refer(tracker.track, tick, 1 << 22)
    assert all(tracker.track.ticks[ticks.find(tracker.track, tick), TICK] == tick for tick in chosen)
    used = bytes(place > 0 for place in tracker.track.places)
    assert used.count(1) == len(chosen)
    assert max(map(len, used.split(b"\0"))) < len(chosen) / 4
