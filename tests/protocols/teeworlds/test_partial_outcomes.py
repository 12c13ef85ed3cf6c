"""Snapshots without a base: why, what their rows say, when they are promoted, and that both ways to read agree."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.codes import CODES
from analyzer.protocols.teeworlds.partial import unpack_partial
from analyzer.protocols.teeworlds.partial_states import MAX_STATES
from analyzer.protocols.teeworlds.state import unpack_state
from analyzer.snapshots.status import LostBy, Proof, Status
from analyzer.snapshots.tracking.columns import CHAIN_LENGTH
from analyzer.store.rows import SnapshotRow
from tests.encoder import SNAPSINGLE, Items, chunk, crc, delta, key, message, pack_varints, snapshot
from tests.protocols.teeworlds.both_readings import check
from tests.protocols.teeworlds.played import (
    EMPTY,
    SECOND,
    SERVER,
    SIZES,
    A,
    B,
    Played,
    big_items,
    map_change,
    snap_empty,
    snap_single,
)
from tests.row_views import amended

MANY: Items = {key(4, number): (number, 5, 1, 0) for number in range(6)}
FEWER: Items = {item: values for item, values in MANY.items() if item & 0xFFFF > 1}


def code(row: SnapshotRow) -> str:
    return CODES[row.code].name


def begun() -> Played:
    """An epoch whose beginning was captured."""
    play = Played()
    play.send(SERVER, play.vital(SERVER, map_change("dm1")))
    return play


def emptied() -> Played:
    """The first snapshot, on an unknown base, removes every item: all of them are known to be absent."""
    play = Played()
    play.snap(102, 100, A, EMPTY)
    return play


class TestReasons:
    def test_b1_before_the_capture(self) -> None:
        play = Played()
        play.snap(102, 100, A, B)
        row = play.snapshots[-1]
        assert (code(row), row.status, row.cause, row.lost_by) == ("B1", Status.NO_BASE, -1, LostBy.CAPTURE)
        assert (row.base, row.base_tick, row.depth) == (-1, 100, -1)

    def test_b2_names_the_first_cause_through_chains(self) -> None:
        play = Played()
        for tick in range(102, 112, 2):
            play.snap(tick, tick - 2, A, A)
        assert [found for _, found in play.codes] == ["B1", "B2", "B2", "B2", "B2"]
        assert [row.cause for row in play.snapshots] == [-1, 0, 0, 0, 0]
        assert {row.lost_by for row in play.snapshots} == {LostBy.CAPTURE}

    def test_b3_in_a_gap(self) -> None:
        play = Played()
        play.snap(100, -1, EMPTY, A)
        play.snap(104, 102, A, B)
        row = play.snapshots[-1]
        assert (code(row), row.lost_by, row.cause) == ("B3", LostBy.CAPTURE, -1)

    def test_b3_where_the_beginning_was_captured(self) -> None:
        play = begun()
        play.snap(104, 102, A, B)
        assert play.codes == [(104, "B3")]

    def test_b4_a_base_let_go_of(self) -> None:
        """Snapshots near the size limit, each on one 499 ticks older, so that none is too old to keep."""
        items = {9 << 16 | item: (0,) * 22 for item in range(682)}
        play = Played()
        play.snap(1000, -1, EMPTY, items)
        assert play.snapshots[-1].state_bytes > 65000
        for tick in range(1001, 1500):
            play.messages([snap_empty(tick, 1000)])
        for tick in range(1500, 1800):
            play.messages([snap_empty(tick, tick - 499)])
        assert {found for _, found in play.codes} == {"OK", "OK-E"}
        play.messages([snap_empty(1800, 1001)])
        row = play.snapshots[-1]
        assert (code(row), row.status, row.lost_by) == ("B4", Status.NO_BASE, LostBy.LIMIT)


class TestRows:
    def test_what_is_known_is_counted(self) -> None:
        play = Played()
        play.snap(102, 100, MANY, FEWER)
        play.snap(104, 102, FEWER, {**MANY, key(4, 3): (9, 9, 1, 0)})
        first, second = play.finish().snapshots
        assert (code(first), first.status, first.items, first.detail2, first.base) == ("B1", Status.NO_BASE, 0, 0, -1)
        assert (first.deleted, first.updated, first.state_bytes, first.depth) == (2, 0, 0, -1)
        assert (code(second), second.status, second.items, second.detail2, second.base) == (
            "B2",
            Status.NO_BASE,
            2,
            1,
            0,
        )
        assert (second.deleted, second.updated, second.cause) == (0, 3, 0)

    def test_a_base_of_which_nothing_is_known_is_no_base(self) -> None:
        """What failed otherwise leads to nothing, neither does one that contradicts what is known."""
        play = Played()
        play.snap(102, 100, {key(70, 1): (1, 2)}, EMPTY)
        play.snap(104, 102, EMPTY, {key(70, 1): (1, 2)})
        play.messages([snap_single(106, 2, pack_varints([0, 1, 0, 70, 1, 3, 1, 1, 1]), 5)])
        play.snap(108, 106, EMPTY, A)
        rows = play.finish().snapshots
        assert [code(row) for row in rows] == ["B1", "OK-P", "D8", "B2"]
        assert (rows[3].base, rows[3].items, rows[3].detail2) == (-1, 0, 2)

    def test_an_unchanged_one_knows_what_its_base_knows(self) -> None:
        play = Played()
        play.snap(102, 100, MANY, FEWER)
        play.snap(104, 102, FEWER, MANY)
        play.messages([snap_empty(106, 104)])
        row = play.finish().snapshots[-1]
        assert (code(row), row.base, row.items, row.updated) == ("B2", 1, 2, 0)

    def test_long_chains_are_stored_whole_now_and_then(self) -> None:
        play = Played()
        play.snap(100, 98, MANY, FEWER)
        for step in range(1, 2 * CHAIN_LENGTH + 4):
            play.snap(100 + 2 * step, 98 + 2 * step, {key(4, 0): (step,) * 4}, {key(4, 0): (step + 1,) * 4})
        rows = play.finish()
        assert [local for local, _ in rows.rows.blocks] == [CHAIN_LENGTH, 2 * CHAIN_LENGTH]
        state = unpack_partial(rows.rows.blocks[0][1])
        assert (dict(state.known), set(state.absent)) == ({key(4, 0): (CHAIN_LENGTH,) * 4}, {key(4, 1)})

    def test_those_too_old_are_forgotten(self) -> None:
        play = Played()
        for tick in range(100, 100 + MAX_STATES + 10):
            play.snap(tick, 50, MANY, FEWER)
        play.snap(400, 101, FEWER, MANY)
        play.snap(401, 200, FEWER, MANY)
        old, known = play.finish().snapshots[-2:]
        assert (old.base, old.items, old.detail2) == (-1, 0, 2)
        assert (known.base, known.items) == (100, 2)


class TestPromotion:
    def test_all_items_known_and_the_checksum_right(self) -> None:
        play = emptied()
        play.snap(104, 102, EMPTY, A)
        play.snap(106, 104, A, B)
        play.messages([snap_empty(108, 106)])
        first, made, after, last = play.finish().snapshots
        assert [code(row) for row in (first, made, after, last)] == ["B1", "OK-P", "OK", "OK-E"]
        assert (made.status, made.proof, made.lost_by, made.cause) == (Status.OK, Proof.OWN, LostBy.NOBODY, -1)
        assert (made.base, made.items, made.added, made.changed, made.removed) == (0, 2, 2, 0, 0)
        assert (made.deleted, made.updated, made.crc_wire, made.crc_computed) == (0, 2, crc(A), crc(A))
        assert made.depth == 0
        assert (after.base, after.depth, after.changed, last.proof) == (1, 1, 1, Proof.BASE)
        (local, block), *more = play.rows.blocks
        assert (local, dict(unpack_state(block).items), more) == (1, A, [])
        assert play.rules == []
        assert {name: count.updates for (_, name), count in play.rows.types.items()} == {"Pickup": 2, "GameInfo": 1}

    def test_one_unseen_item_is_in_the_way(self) -> None:
        unseen = {**A, key(5, 7): (1, 2, 3)}
        play = Played()
        play.snap(102, 100, unseen, {key(5, 7): (1, 2, 3)})
        play.snap(104, 102, {key(5, 7): (1, 2, 3)}, unseen)
        assert [code(row) for row in play.finish().snapshots] == ["B1", "B2"]

    def test_no_checksum_no_promotion(self) -> None:
        """SNAPEMPTY carries none; the same without a difference, but with a checksum, is a proof."""
        play = emptied()
        play.messages([snap_single(104, 2, pack_varints(delta(EMPTY, A, SIZES)), crc(A) + 1)])
        play.messages([snap_empty(106, 104), snap_single(108, 4, b"", crc(A))])
        assert [code(row) for row in play.finish().snapshots] == ["B1", "B2", "B2", "OK-P"]

    def test_one_whose_base_is_still_open_cannot_use_it(self) -> None:
        big, bigger = big_items(1), {**big_items(1), key(5, 1): (1, 2, 3)}
        play = Played()
        play.snap(102, 100, big, EMPTY)
        parts = snapshot(104, 102, EMPTY, big, SIZES)
        play.messages(parts[:-1])
        play.snap(106, 104, big, bigger)
        play.messages(parts[-1:])
        play.snap(108, 104, big, bigger)
        first, early, made, after = play.finish().snapshots
        assert [code(row) for row in (first, early, made, after)] == ["B1", "B2", "OK-P", "OK"]
        assert (early.base, early.lost_by, early.cause, after.base) == (-1, LostBy.NOBODY, 2, 2)

    def test_after_a_silence_nothing_is_left(self) -> None:
        play = emptied()
        (first,) = play.datagrams
        play.snap(104, 102, EMPTY, A)
        later = replace(play.datagrams[-1], time_ns=first.time_ns + 100 * SECOND)
        rows = check(play.verdict, [first, later])
        assert [(code(row), row.base) for row in amended(rows)] == [("B1", -1), ("B3", -1)]


STEPS = st.lists(
    st.tuples(
        st.integers(1, 6),
        st.dictionaries(
            st.sampled_from([*MANY, key(70, 1), key(0, 0x7FFF), key(0x7FFF, 2)]), st.integers(-3, 3), max_size=6
        ),
        st.binary(max_size=2),
        st.integers(0, 40),
    ),
    min_size=2,
    max_size=25,
)


@settings(max_examples=60)
@given(STEPS)
def test_both_readings_agree(steps: list[tuple[int, dict[int, int], bytes, int]]) -> None:
    """Deltas on bases near and far, some of them with bytes that were overwritten."""
    play = Played()
    history: dict[int, Items] = {98: {}}
    for number, (back, numbers, spoiled, at) in enumerate(steps):
        tick = 100 + 2 * number
        base_tick = max(98, tick - 2 * back)
        base = history[base_tick]
        new: Items = {
            item: (value,) * (2 if item >> 16 == 70 else 5 if item >> 16 == 0x7FFF else 4)
            for item, value in numbers.items()
        }
        history[tick] = new
        data = pack_varints(delta(base, new, SIZES))
        if spoiled:
            data = data[: at % len(data)] + spoiled + data[at % len(data) + len(spoiled) :]
        head = pack_varints((tick, tick - base_tick, crc(new), len(data)))
        play.send(SERVER, chunk(message(SNAPSINGLE, True, head + data)))
    play.finish()
