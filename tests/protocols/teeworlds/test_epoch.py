"""Every rule of spec section 17.3 and every report code of 17.7, from messages to snapshot rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.codes import CODES
from analyzer.protocols.teeworlds.rebuilder import join_parts
from analyzer.protocols.teeworlds.snapshot_rows import F1_FIELDS
from analyzer.protocols.teeworlds.state import make_state, unpack_state
from analyzer.snapshots.status import ClientHas, LostBy, Proof, Status
from analyzer.snapshots.tracking.columns import BLOCK_SHARE, CHAIN_LENGTH, MAX_OPEN, MESSAGE_BYTES
from analyzer.store.rows import SnapshotRow
from tests.encoder import SNAP, SNAPEMPTY, SNAPSINGLE, Items, chunk, crc, message, pack_varints, signed, update
from tests.encoder import snapshot as snapshot_of
from tests.protocols.teeworlds.played import (
    CRC_A,
    CRC_B,
    EMPTY,
    ENTERGAME,
    SERVER,
    SIZES,
    A,
    B,
    Played,
    big_items,
    map_change,
    snap_empty,
    snap_part,
    snap_single,
)

LARGE = big_items(1)
LARGER = big_items(2)
PARTS = 3


def parts_of(tick: int, base_tick: int = -1, base: Items = EMPTY, new: Items = LARGE) -> list[bytes]:
    bodies = snapshot_of(tick, base_tick, base, new, SIZES)
    assert len(bodies) == PARTS
    return bodies


def last(play: Played) -> SnapshotRow:
    return play.snapshots[-1]


def code(row: SnapshotRow) -> str:
    return CODES[row.code].name


class TestRebuilt:
    def test_full_delta_and_empty(self) -> None:
        play = Played()
        packets = [*play.snap(100, -1, EMPTY, A), *play.snap(102, 100, A, B), *play.snap(104, 102, B, B)]
        assert play.codes == [(100, "OK"), (102, "OK"), (104, "OK-E")]
        full, delta, empty = play.snapshots
        assert (full.base_tick, full.base, full.depth, full.proof, full.parts) == (-1, -1, 0, Proof.OWN, 1)
        assert (full.items, full.added, full.changed, full.removed) == (2, 2, 0, 0)
        assert (full.deleted, full.updated) == (0, 2)
        assert (full.crc_wire, full.crc_computed, full.state_bytes) == (CRC_A, CRC_A, 8 + 2 * 8 + 12 * 4)
        assert (delta.base_tick, delta.base, delta.depth, delta.proof) == (100, 0, 1, Proof.OWN)
        assert (delta.items, delta.added, delta.changed, delta.removed) == (2, 0, 1, 0)
        assert (delta.crc_wire, delta.crc_computed) == (CRC_B, CRC_B)
        assert (empty.base, empty.depth, empty.proof, empty.items) == (1, 2, Proof.BASE, 2)
        assert [late.snapshot for late in packets] == [0, 1, 2]
        assert all(row.status is Status.OK and row.client_kept for row in play.snapshots)
        assert all(row.lost_by is LostBy.NOBODY and row.cause == -1 for row in play.snapshots)

    def test_an_empty_snapshot_becomes_a_base(self) -> None:
        play = Played()
        play.snap(100, -1, EMPTY, A)
        play.messages([snap_empty(102, 100)])
        play.snap(104, 102, A, B)
        assert [(row.tick, row.base, row.depth) for row in play.snapshots] == [(100, -1, 0), (102, 0, 1), (104, 1, 2)]
        assert play.codes[-1] == (104, "OK")

    def test_a_single_snapshot_without_bytes_means_the_same_with_a_crc(self) -> None:
        play = Played()
        play.snap(100, -1, EMPTY, A)
        play.messages([snap_single(102, 2, b"", CRC_A), snap_single(104, 4, b"", CRC_B)])
        assert play.codes == [(100, "OK"), (102, "OK"), (104, "C1")]
        assert play.snapshots[1].proof is Proof.OWN

    def test_an_empty_snapshot_on_nothing(self) -> None:
        play = Played()
        play.messages([snap_empty(100, -1)])
        assert (code(last(play)), last(play).items, last(play).crc_wire, last(play).proof) == ("OK-E", 0, 0, Proof.BASE)

    def test_every_48th_link_is_stored_whole(self) -> None:
        play = Played()
        play.snap(100, -1, EMPTY, A)
        for tick in range(101, 101 + 130):
            play.messages([snap_empty(tick, tick - 1)])
        assert [row.depth for row in play.snapshots[44:52]] == [44, 45, 46, 47, 0, 1, 2, 3]
        assert [local for local, _ in play.rows.blocks] == [48, 96]
        assert unpack_state(play.rows.blocks[0][1]) == make_state(A)

    def test_many_copies_of_a_large_snapshot_are_not_stored_each(self) -> None:
        play = Played()
        play.snap(100, -1, EMPTY, big_items(1))
        for tick in range(101, 149):
            play.messages([snap_empty(tick, tick - 1)])
        trunk = 147
        for tick in range(149, 449):
            play.messages([snap_empty(tick, trunk)])
        sent = sum(row.delta_bytes + MESSAGE_BYTES for row in play.snapshots)
        assert all(name == "OK-E" for _, name in play.codes[1:])
        assert sum(len(packed) for _, packed in play.rows.blocks) <= BLOCK_SHARE * sent
        assert max(row.depth for row in play.snapshots) == CHAIN_LENGTH

    def test_sizes_count_each_datagram_once(self) -> None:
        play = Played()
        bodies = parts_of(100)
        late = play.send(SERVER, chunk(bodies[0]))
        play.send(SERVER, chunk(bodies[1]))
        assert late.snapshot == -1
        play.send(SERVER, chunk(bodies[2]))
        row = last(play)
        assert row.delta_bytes > 1800
        assert row.parts == 3
        assert [(part.packet, part.ordinal, part.number) for part in row.received] == [(0, 0, 0), (1, 0, 1), (2, 0, 2)]


class TestParts:
    @pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
    def test_in_any_order(self, order: tuple[int, ...]) -> None:
        play = Played()
        bodies = parts_of(100)
        packets = play.messages([bodies[number] for number in order])
        assert play.codes == [(100, "OK")]
        assert last(play).packet == 2
        assert [late.snapshot for late in packets] == [-1, -1, 0]
        assert [part.number for part in last(play).received] == [0, 1, 2]

    def test_a_part_of_one(self) -> None:
        play = Played()
        data = pack_varints([0, 1, 0, *update(4 << 16, (1, 2, 3, 4), SIZES)])
        play.messages([snap_part(100, -1, 1, 0, data, 10)])
        assert play.codes == [(100, "OK")]
        assert last(play).kind == 2

    def test_an_older_snapshot_that_completes_late_is_rebuilt_and_marked(self) -> None:
        play = Played()
        bodies = parts_of(100)
        play.messages(bodies[:2])
        play.snap(102, -1, EMPTY, A)
        play.messages(bodies[2:])
        assert play.codes == [(102, "OK"), (100, "OK")]
        assert [row.client_kept for row in play.snapshots] == [True, False]

    def test_begun_counts_not_complete(self) -> None:
        play = Played()
        older, newer = parts_of(100), parts_of(102, new=LARGER)
        play.messages([*older[:2], newer[0], older[2], *newer[1:]])
        assert play.codes == [(100, "OK"), (102, "OK")]
        assert [row.client_kept for row in play.snapshots] == [False, True]

    def test_a_whole_snapshot_below_the_newest(self) -> None:
        play = Played()
        play.snap(102, -1, EMPTY, A)
        play.snap(100, -1, EMPTY, B)
        play.snap(104, 100, B, A)
        assert play.codes == [(102, "OK"), (100, "OK"), (104, "OK")]
        assert [row.client_kept for row in play.snapshots] == [True, False, True]

    def test_eight_are_collected_at_once(self) -> None:
        play = Played()
        ticks = range(100, 100 + MAX_OPEN)
        for tick in ticks:
            play.messages(parts_of(tick)[:1])
        play.snap(200, -1, EMPTY, A)
        assert play.codes == [(200, "OK")]
        play.messages(parts_of(201)[:1])
        assert play.codes == [(200, "OK"), (100, "P1")]
        for tick in range(101, 108):
            play.messages(parts_of(tick)[1:])
        assert play.codes[2:] == [(tick, "OK") for tick in range(101, 108)]

    def test_p1_names_what_is_here(self) -> None:
        play = Played()
        bodies = parts_of(100)
        play.messages([bodies[0], bodies[2]])
        play.finish()
        row = last(play)
        assert (code(row), row.status, row.parts, row.client_kept) == ("P1", Status.INCOMPLETE, 3, False)
        assert [part.number for part in row.received] == [0, 2]
        assert (row.depth, row.base, row.items) == (-1, -1, 0)
        assert row.packet == 1

    def test_what_is_open_ends_with_the_retention(self) -> None:
        play = Played()
        play.messages(parts_of(100)[:1])
        play.snap(600, -1, EMPTY, A)
        assert play.codes == [(600, "OK")]
        play.snap(601, 600, A, B)
        assert play.codes == [(600, "OK"), (601, "OK"), (100, "P1")]

    def test_s1_a_part_of_a_tick_given_up(self) -> None:
        play = Played()
        bodies = parts_of(100)
        play.messages(bodies[:1])
        for tick in range(101, 101 + MAX_OPEN):
            play.messages(parts_of(tick)[:1])
        assert play.codes == [(100, "P1")]
        play.messages(bodies[1:])
        assert play.codes == [(100, "P1"), (100, "S1"), (100, "S1")]
        row = last(play)
        assert (row.status, row.client_kept, row.cause) == (Status.LATE, False, 0)

    def test_s1_a_tick_below_the_retention(self) -> None:
        play = Played()
        play.snap(1000, -1, EMPTY, A)
        play.snap(499, 497, A, B)
        assert play.codes[-1] == (499, "S1")
        play.snap(500, 498, A, B)
        assert play.codes[-1] == (500, "B1")


class TestRepetitions:
    def test_s2_a_tick_that_completed(self) -> None:
        play = Played()
        for _ in range(2):
            play.snap(100, -1, EMPTY, A)
        assert play.codes == [(100, "OK"), (100, "S2")]
        assert (last(play).status, last(play).cause) == (Status.DUPLICATE, 0)

    def test_s3_with_other_bytes(self) -> None:
        play = Played()
        play.snap(100, -1, EMPTY, A)
        play.snap(100, -1, EMPTY, B)
        play.snap(102, 100, A, B)
        assert play.codes == [(100, "OK"), (100, "S3"), (102, "OK")]
        assert (play.snapshots[1].status, play.snapshots[1].cause) == (Status.DUPLICATE, 0)

    def test_s2_whatever_came_of_it(self) -> None:
        play = Played()
        for _ in range(2):
            play.snap(102, 100, A, B)
        assert play.codes == [(102, "B1"), (102, "S2")]

    def test_parts_that_completed(self) -> None:
        play = Played()
        play.messages([*parts_of(100), *parts_of(100)])
        assert play.codes == [(100, "OK"), *[(100, "S2")] * 3]
        assert [row.cause for row in play.snapshots] == [-1, 0, 0, 0]

    def test_a_part_already_held_is_followed_by_its_snapshot(self) -> None:
        play = Played()
        bodies = parts_of(100)
        play.messages([bodies[0], bodies[0]])
        assert [(code(row), row.cause) for row in play.snapshots] == [("S2", -1)]
        play.messages(bodies[1:])
        assert [(code(row), row.cause) for row in play.snapshots] == [("S2", 1), ("OK", -1)]

    @pytest.mark.parametrize("ending", ["P1", "B2"])
    def test_a_repetition_names_its_own_tick_and_lost_nothing(self, ending: str) -> None:
        play = Played()
        bodies = parts_of(104, 102, A)
        play.snap(102, 100, A, B)
        play.messages([bodies[0], bodies[0]])
        if ending == "B2":
            play.messages(bodies[1:])
        play.finish()
        assert [(code(row), row.cause) for row in play.snapshots] == [
            ("B1", -1),
            ("S2", 2),
            (ending, 0 if ending == "B2" else -1),
        ]
        assert play.snapshots[1].lost_by is LostBy.NOBODY

    def test_p2_the_later_part_is_kept(self) -> None:
        play = Played()
        bodies = parts_of(100)
        wrong = snap_part(100, -1, 3, 1, b"\0" * 900, crc(LARGE))
        play.messages([bodies[0], wrong, bodies[1], bodies[2]])
        assert play.codes == [(100, "OK")]
        assert play.rules == ["snap.parts_inconsistent"]
        assert play.rows.findings[0].text == "part 1 twice with different bytes"
        assert play.rows.findings[0].snapshot == 0

    @pytest.mark.parametrize(
        ("wrong", "text"),
        [
            (snap_part(102, 98, 3, 0, b"x" * 900, 5), "base tick 98 then 100"),
            (snap_part(102, 100, 4, 0, b"x" * 900, 5), "number of parts 4 then 3"),
            (snap_part(102, 100, 3, 0, b"x" * 900, 6), "crc 6 then 5"),
        ],
    )
    def test_p2_the_later_fields_are_kept(self, wrong: bytes, text: str) -> None:
        play = Played()
        play.messages([wrong, snap_part(102, 100, 3, 1, b"x" * 900, 5), snap_part(102, 100, 3, 2, b"x", 5)])
        row = last(play)
        assert (row.base_tick, row.parts, row.crc_wire) == (100, 3, 5)
        assert text in [finding.text for finding in play.rows.findings]


class TestMalformed:
    @pytest.mark.parametrize(
        ("number", "body", "field"),
        [
            (SNAPEMPTY, b"", "tick"),
            (SNAPEMPTY, pack_varints([102]), "delta_tick"),
            (SNAPSINGLE, pack_varints([102, 2]), "crc"),
            (SNAPSINGLE, pack_varints([102, 2, 5]), "length"),
            (SNAPSINGLE, pack_varints([102, 2, 5, 901]) + bytes(901), "length"),
            (SNAPSINGLE, pack_varints([102, 2, 5, -1]), "length"),
            (SNAPSINGLE, pack_varints([102, 2, 5, 4]) + bytes(3), "data"),
            (SNAP, pack_varints([102, 2]), "parts"),
            (SNAP, pack_varints([102, 2, 0, 0, 5, 0]), "parts"),
            (SNAP, pack_varints([102, 2, 65, 0, 5, 0]), "parts"),
            (SNAP, pack_varints([102, 2, 3, 3, 5, 0]), "part"),
            (SNAP, pack_varints([102, 2, 3, -1, 5, 0]), "part"),
        ],
    )
    def test_f1(self, number: int, body: bytes, field: str) -> None:
        play = Played()
        play.snap(100, -1, EMPTY, A)
        play.messages([message(number, True, body)])
        play.snap(102, 100, A, B)
        assert [found for _, found in play.codes] == ["OK", "F1", "OK"]
        row = play.snapshots[1]
        assert (row.status, row.tick) == (Status.MALFORMED, 102 if body else -1)
        assert F1_FIELDS[row.detail] == field
        ((rule, text, snapshot),) = [(found.rule, found.text, found.snapshot) for found in play.rows.findings]
        assert (rule, text.partition(":")[0], snapshot) == ("snap.malformed", field, 1)

    def test_f1_does_not_count_as_seen(self) -> None:
        play = Played()
        play.messages([message(SNAPSINGLE, True, pack_varints([5000, 2, 5, 901]))])
        play.snap(100, -1, EMPTY, A)
        play.send(SERVER, play.vital(SERVER, map_change("dm1")))
        assert play.codes == [(5000, "F1"), (100, "OK")]
        assert play.snapshots[1].client_kept

    @pytest.mark.parametrize(("tick", "delta_tick"), [(100, 0), (100, -4), (5, -2)])
    def test_b5(self, tick: int, delta_tick: int) -> None:
        play = Played()
        play.messages([snap_single(tick, delta_tick, b"\0\0\0", 0)])
        row = last(play)
        assert (code(row), row.status, row.base_tick) == ("B5", Status.MALFORMED, tick - delta_tick)
        assert row.lost_by is LostBy.GAME

    def test_a_negative_base_is_the_empty_snapshot_whatever_the_difference(self) -> None:
        """Tick less the second field wraps at 32 bits."""
        play = Played()
        play.messages([snap_empty(100, -1), message(SNAPEMPTY, True, pack_varints([101, -0x7FFFFFFF]))])
        assert play.codes == [(100, "OK-E"), (101, "OK-E")]
        assert last(play).base_tick == signed(101 + 0x7FFFFFFF)

    @pytest.mark.parametrize(
        ("data", "expected", "detail", "detail2"),
        [
            (pack_varints([0, 0, 0]) + b"\x80", "D1", 3, None),
            (pack_varints([0] * 3) + b"\0" * 898, "F1", None, None),
            (pack_varints([0, 0]), "D2", 2, None),
            (pack_varints([-1, 0, 0]), "D3", 0, None),
            (pack_varints([1, 0, 0]), "D3", 0, None),
            (pack_varints([0, 2, 0, 4, 0, 1, 2, 3, 4, 4]), "D4", None, 1),
            (pack_varints([0, 1, 0, 4, 0, 1, 2, 3]), "D4", None, 0),
            (pack_varints([0, 1, 0, 0x8000, 0, 0]), "D5", 3, 0),
            (pack_varints([0, 1, 0, -1, 0, 0]), "D5", 3, 0),
            (pack_varints([0, 1, 0, 4, 0x10000, 1, 2, 3, 4]), "D6", 4, 0),
            (pack_varints([0, 1, 0, 4, -1, 1, 2, 3, 4]), "D6", 4, 0),
            (pack_varints([0, 1, 0, 50, 1, 3, 1, 2]), "D7", 5, 0),
            (pack_varints([0, 1, 0, 50, 1, -1, 1, 2]), "D7", 5, 0),
            (pack_varints([0, 1, 0, 50, 1, 1, 7]), "D8", None, None),
            (pack_varints([0, 2, 0, 51, 1, 1, 7, 51, 1, 2, 7, 8]), "D8", None, None),
        ],
    )
    def test_deltas(self, data: bytes, expected: str, detail: int | None, detail2: int | None) -> None:
        base = {50 << 16 | 1: (1, 2)}
        play = Played()
        play.snap(100, -1, EMPTY, base)
        play.messages([snap_single(102, 2, data, 0)])
        play.snap(104, 100, base, base)
        play.messages([snap_empty(106, 102)])
        row = play.snapshots[1]
        assert code(row) == expected
        assert row.status is Status.MALFORMED
        assert detail is None or row.detail == detail
        assert detail2 is None or row.detail2 == detail2
        assert code(play.snapshots[2]) == "OK-E"
        if expected != "F1":
            assert (row.base, row.depth, row.lost_by) == (0, -1, LostBy.GAME)
            assert (code(last(play)), last(play).cause) == ("B2", 1)

    def test_d1_more_than_16384_ints(self) -> None:
        play = Played()
        play.messages([snap_part(100, -1, 19, part, bytes(900)) for part in range(19)])
        assert play.codes == [(100, "D1")]

    def test_d9(self) -> None:
        play = Played()
        items = {50 << 16 | item: () for item in range(1025)}
        play.snap(100, -1, EMPTY, items)
        assert play.codes == [(100, "D9")]
        del items[50 << 16]
        play.snap(102, -1, EMPTY, items)
        assert play.codes[-1] == (102, "OK")

    def test_c1_is_shown_and_no_base(self) -> None:
        play = Played()
        play.snap(100, -1, EMPTY, A)
        data = pack_varints([0, 1, 0, *update(4 << 16 | 3, (1, 0, 0, 0), SIZES)])
        play.messages([snap_single(102, 2, data, CRC_B + 5)])
        play.snap(104, 102, B, A)
        play.snap(106, 104, A, B)
        play.snap(108, -1, EMPTY, B)
        play.snap(110, 108, B, A)
        assert [found for _, found in play.codes] == ["OK", "C1", "B2", "B2", "OK", "OK"]
        row = play.snapshots[1]
        assert (row.status, row.crc_wire, row.crc_computed, row.detail) == (Status.CRC, CRC_B + 5, CRC_B, -5)
        assert (row.items, row.base, row.depth, row.proof) == (2, 0, 1, Proof.NONE)
        assert [row.cause for row in play.snapshots] == [-1, -1, 1, 1, -1, -1]

    def test_c1_compares_32_bits(self) -> None:
        play = Played()
        items = {4 << 16: (0x7FFFFFFF, 1, 0, 0)}
        play.snap(100, -1, EMPTY, items)
        assert last(play).crc_wire == -0x80000000
        play.messages([snap_single(102, 2, b"", 0x7FFFFFFF)])
        assert (code(last(play)), last(play).detail) == ("C1", 1)

    @pytest.mark.parametrize(
        ("data", "checksum", "text"),
        [
            (pack_varints([0, 0, 0, 7]), CRC_A, "ints after the last update"),
            (pack_varints([0, 0, 1]), CRC_A, "third int is not zero"),
            (b"\x80\x00\0\0", CRC_A, "number not in its shortest form"),
            (pack_varints([1, 0, 0, 5]), CRC_A, "removes an item that the base does not have"),
            (pack_varints([0, 2, 0, *update(4 << 16 | 3, (1, 0, 0, 0), SIZES) * 2]), CRC_B, "a key occurs twice"),
            (pack_varints([0, -1, 0]), CRC_A, ""),
        ],
    )
    def test_w1(self, data: bytes, checksum: int, text: str) -> None:
        play = Played()
        play.snap(100, -1, EMPTY, A)
        play.messages([snap_single(102, 2, data, checksum)])
        assert play.codes[-1] == (102, "OK")
        assert [(found.text, found.snapshot) for found in play.rows.findings] == ([(text, 1)] if text else [])

    def test_w1_a_short_middle_part_reads_as_zeros(self) -> None:
        play = Played()
        data = pack_varints([0, 1, 0, *update(4 << 16, (1, 2, 3, 4), SIZES)])
        play.messages([snap_part(100, -1, 2, 0, data, 10), snap_part(100, -1, 2, 1, b"\0", 10)])
        assert play.codes == [(100, "OK")]
        assert "middle part 0 is not 900 bytes long" in [finding.text for finding in play.rows.findings]


class TestBases:
    def test_bases_are_kept_for_500_ticks(self) -> None:
        play = Played()
        play.snap(1000, -1, EMPTY, A)
        for tick in range(1002, 1502, 2):
            play.messages([snap_empty(tick, tick - 2)])
        play.messages([snap_empty(1500 + 1, 1001 - 1)])
        assert play.codes[-1] == (1501, "OK-E")

    def test_the_base_last_acknowledged_stays_however_old(self) -> None:
        play = Played()
        play.snap(1000, -1, EMPTY, A)
        play.ack(1000)
        play.snap(1002, -1, EMPTY, B)
        for tick in range(1004, 3000, 2):
            play.messages([snap_empty(tick, tick - 2)])
        play.messages([snap_empty(3000, 1000)])
        assert play.codes[-1] == (3000, "OK-E")

    def test_base_age_150(self) -> None:
        play = Played()
        play.snap(1000, -1, EMPTY, A)
        for tick in range(1002, 1150, 2):
            play.messages([snap_empty(tick, tick - 2)])
        play.snap(1150, 1000, A, B)
        assert play.codes[-1] == (1150, "OK")

    def test_an_epoch_forgets_its_bases(self) -> None:
        play = Played()
        play.snap(100, -1, EMPTY, A)
        play.send(0, play.vital(0, ENTERGAME))
        play.snap(102, 100, A, B)
        assert play.codes == [(100, "OK"), (102, "B3")]


class TestCausesThatComeLater:
    def test_a_base_still_open_when_a_dependent_comes(self) -> None:
        play = Played()
        bodies = parts_of(100)
        play.messages(bodies[:2])
        play.snap(102, 100, LARGE, LARGER)
        play.messages([snap_empty(104, 102)])
        assert [(code(row), row.cause) for row in play.snapshots] == [("B2", -1), ("B2", -1)]
        play.finish()
        assert [(code(row), row.cause) for row in play.snapshots] == [("B2", 2), ("B2", 2), ("P1", -1)]

    def test_what_was_lost_by_whom_is_amended_too(self) -> None:
        play = Played()
        play.snap(98, -1, EMPTY, A)
        play.ack(98)
        play.messages(parts_of(100)[:2])
        play.messages([snap_empty(102, 100)])
        play.finish()
        assert [(code(row), row.lost_by) for row in play.snapshots[1:]] == [
            ("B2", LostBy.CAPTURE),
            ("P1", LostBy.CAPTURE),
        ]

    def test_the_network_lost_what_the_client_went_on_without(self) -> None:
        play = Played()
        play.snap(98, -1, EMPTY, A)
        play.messages(parts_of(100)[:2])
        play.snap(102, 98, A, B)
        play.ack(102)
        play.finish()
        row = last(play)
        assert (code(row), row.lost_by, row.client_has) == ("P1", LostBy.NETWORK, ClientHas.LATER)

    def test_an_open_base_that_fails_hands_on_its_cause(self) -> None:
        """102 failed first; 104 was open while 106 needed it, then failed by 102; 108 comes after that."""
        play = Played()
        play.snap(102, 100, A, B)
        bodies = parts_of(104, 102, A)
        play.messages(bodies[:2])
        play.messages([snap_empty(106, 104)])
        play.messages(bodies[2:])
        play.messages([snap_empty(108, 106), snap_empty(110, 108), snap_empty(112, 104)])
        assert [(row.tick, code(row), row.cause) for row in play.snapshots] == [
            (102, "B1", -1),
            (106, "B2", 0),
            (104, "B2", 0),
            (108, "B2", 0),
            (110, "B2", 0),
            (112, "B2", 0),
        ]

    def test_an_open_base_of_an_open_base(self) -> None:
        play = Played()
        first, second = parts_of(100), parts_of(102, 100, A)
        play.messages([*first[:2], *second[:2]])
        play.messages([snap_empty(104, 102)])
        play.messages(second[2:])
        play.messages([snap_empty(106, 104)])
        assert [row.cause for row in play.snapshots] == [-1, -1, -1]
        play.finish()
        assert [(row.tick, code(row), row.cause) for row in play.snapshots] == [
            (104, "B2", 3),
            (102, "B2", 3),
            (106, "B2", 3),
            (100, "P1", -1),
        ]

    def test_an_open_base_that_completes_after_all(self) -> None:
        play = Played()
        bodies = parts_of(100)
        play.messages(bodies[:2])
        play.snap(102, 100, LARGE, LARGER)
        play.messages(bodies[2:])
        assert [(row.tick, code(row), row.cause) for row in play.snapshots] == [(102, "B2", 1), (100, "OK", -1)]
        play.snap(104, 100, LARGE, LARGER)
        assert play.codes[-1] == (104, "OK")


class TestAcknowledgements:
    def test_what_the_client_had(self) -> None:
        play = Played()
        play.snap(100, -1, EMPTY, A)
        play.snap(102, 100, A, B)
        late = play.ack(102)
        play.snap(104, 102, B, A)
        assert [row.client_has for row in play.snapshots] == [ClientHas.LATER, ClientHas.ACKED, ClientHas.NEVER]
        assert [row.acked_packet for row in play.snapshots] == [-1, late.packet, -1]

    def test_a_resync_request_acknowledges_nothing(self) -> None:
        play = Played()
        play.snap(100, -1, EMPTY, A)
        play.ack(-1)
        assert last(play).client_has is ClientHas.NEVER

    def test_a_wrong_snapshot_that_was_acknowledged_is_the_captures_fault(self) -> None:
        play = Played()
        play.snap(100, -1, EMPTY, A)
        play.messages([snap_single(102, 2, b"", 1)])
        assert last(play).lost_by is LostBy.GAME
        play.ack(102)
        assert last(play).lost_by is LostBy.CAPTURE


@pytest.mark.parametrize(
    ("parts", "announced", "joined"),
    [
        ({0: b"abc"}, 1, b"abc"),
        ({0: b"a" * 900, 1: b"bc"}, 2, b"a" * 900 + b"bc"),
        ({0: b"a", 1: b"bc"}, 2, b"a" + bytes(899) + b"bc"),
        ({1: b"", 0: b"a" * 900}, 2, b"a" * 900),
    ],
)
def test_parts_are_joined_at_900_times_their_number(parts: dict[int, bytes], announced: int, joined: bytes) -> None:
    assert join_parts(parts, announced) == joined


TICKS = st.integers(95, 110)
MESSAGES = st.one_of(
    st.builds(snap_empty, TICKS, st.one_of(st.just(-1), TICKS)),
    st.builds(
        lambda tick, base, parts, part, data: snap_part(tick, base, parts, part % parts, data),
        TICKS,
        st.one_of(st.just(-1), TICKS),
        st.integers(1, 3),
        st.integers(0, 2),
        st.sampled_from((b"", b"\0\0\0", b"\x01", pack_varints([0, 1, 0, 50, 1, 1, 0]))),
    ),
    st.sampled_from((None, 96, 100, 105)),
)


@given(st.lists(MESSAGES, max_size=60))
def test_whatever_comes_every_failure_has_its_cause(messages: list[bytes | int | None]) -> None:
    play = Played()
    for body in messages:
        if body is None:
            play.send(SERVER, play.vital(SERVER, map_change("dm1")))
        elif isinstance(body, int):
            play.ack(body)
        else:
            play.messages([body])
    play.finish()
    rows = play.snapshots
    completed = [(row.session, row.tick) for row in rows if row.status not in (Status.DUPLICATE, Status.LATE)]
    assert len(set(completed)) == len(completed)
    for row in rows:
        found = code(row)
        assert (row.cause >= 0) == (found in ("B2", "S1", "S2", "S3"))
        if found == "B2":
            assert code(rows[row.cause]) not in ("B2", "S1", "S2", "S3")
            assert rows[row.cause].lost_by is row.lost_by
        if found in ("OK", "OK-E", "C1"):
            assert row.base_tick < 0 or rows[row.base].tick == row.base_tick
            assert row.depth >= 0
        else:
            assert row.depth == -1
