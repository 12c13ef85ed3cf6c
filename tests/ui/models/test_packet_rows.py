"""Orders of many packets: stable, whatever the keys, kept as the packets come, and bounded in memory."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.store.columns import CHUNK_ROWS
from analyzer.store.tables import Tables
from ui.marks import PacketSet
from ui.models.packet_cells import Column, PacketCells
from ui.models.packet_order import sorted_rows
from ui.models.packet_rows import ALL, PacketRows


def extend(tables: Tables, times: np.ndarray, sessions: np.ndarray) -> None:
    """A packet of each time and session, as long as its time says."""
    first, count = len(tables.packets), len(times)
    for table, columns in (
        (tables.frames, {"time_ns": times, "original": times & 0xFFFF_FFFF}),
        (tables.packets, {"frame": np.arange(first, first + count), "session": sessions}),
    ):
        plain = {spec.name: np.zeros(count, np.int64) for spec in table.specs if spec.unset is None}
        table.append({**plain, **columns}, count)
    tables.publish()


TIMES = st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), max_size=60)


@given(times=TIMES, column=st.sampled_from([Column.TIME, Column.LENGTH]), descending=st.booleans(), data=st.data())
def test_rows_are_sorted_by_any_number(times: list[int], column: Column, descending: bool, data: st.DataObject) -> None:
    tables = Tables()
    extend(tables, np.array(times, np.int64), np.zeros(len(times), np.int64))
    rows = data.draw(st.permutations(range(len(times))))
    keys = times if column is Column.TIME else [time & 0xFFFF_FFFF for time in times]
    chosen = np.array(rows, np.int32)
    found = sorted_rows(tables, PacketCells(tables, ()), chosen, column, descending=descending)
    assert found.tolist() == sorted(rows, key=lambda row: -keys[row] if descending else keys[row])


@pytest.mark.parametrize("session", [ALL, 1])
@pytest.mark.parametrize("seed", range(4))
def test_rows_and_packets_lead_to_each_other(seed: int, session: int) -> None:
    choose, tables = Random(seed), Tables()
    rows = PacketRows(tables, PacketCells(tables, ()), session)
    for _ in range(12):
        count = choose.randrange(1, 30)
        known = len(tables.packets)
        extend(
            tables,
            np.array([choose.randrange(9) for _ in range(count)]),
            np.array([choose.randrange(-1, 3) for _ in range(count)]),
        )
        rows.append(rows.arriving(known + count), known + count)
        if choose.random() < 0.3:
            rows.sort(choose.choice([None, Column.LENGTH]), descending=choose.random() < 0.5)
        elif rows.wants_sort:
            rows.resort()
        shown = rows.packets(0, len(rows)).tolist()
        wanted = [packet for packet in range(known + count) if session in (ALL, tables.packets.get("session", packet))]
        assert sorted(shown) == wanted
        assert [rows.packet_at(row) for row in range(len(rows))] == shown
        assert [rows.row_of(packet) for packet in shown] == list(range(len(rows)))
        hidden = set(range(known + count)) - set(wanted)
        assert {rows.row_of(packet) for packet in hidden} <= {-1}


def test_orders_of_many_packets_are_bounded_in_memory() -> None:
    limit = 4 << 20
    tables = Tables(limit)
    random = np.random.default_rng(1)
    rows = PacketRows(tables, PacketCells(tables, ()), ALL)
    held: list[int] = []
    for step in range(16):
        extend(tables, random.integers(0, 1500, CHUNK_ROWS), np.zeros(CHUNK_ROWS, np.int64))
        count = len(tables.packets)
        rows.append(rows.arriving(count), count)
        if not step:
            rows.sort(Column.LENGTH, descending=False)
        elif rows.wants_sort:
            rows.resort()
            rows.take(rows.ordering()())
        held.append(tables.chunks.held)
    chunks = sum(CHUNK_ROWS * np.dtype(spec.dtype).itemsize for table in tables for spec in table.specs)
    assert max(held) <= limit + chunks
    assert max(held[8:]) <= max(held[:8]), "it does not grow with what has come"
    rows.resort()
    rows.take(rows.ordering()())
    lengths = tables.frames.integers("original")
    assert rows.packets(0, len(rows)).tolist() == np.argsort(lengths, kind="stable").tolist()


@given(
    times=TIMES,
    session=st.sampled_from([ALL, 1]),
    column=st.sampled_from([None, Column.LENGTH]),
    chosen=st.sets(st.integers(0, 70), max_size=20),
    data=st.data(),
)
def test_steps_between_rows(
    times: list[int], session: int, column: Column | None, chosen: set[int], data: st.DataObject
) -> None:
    count = len(times)
    sessions = data.draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    tables = Tables()
    extend(tables, np.array(times, np.int64), np.array(sessions, np.int64))
    rows = PacketRows(tables, PacketCells(tables, ()), session)
    rows.sort(column, descending=False)
    shown = [packet for packet in range(count) if session in (ALL, sessions[packet])]
    order = rows.packets(0, len(rows)).tolist()
    assert sorted(order) == shown
    before = rows.before(np.array(order, np.int64)).tolist()
    assert before == [max((one for one in shown if one < packet), default=-1) for packet in order]
    mask = np.zeros(71, np.bool_)
    mask[list(chosen)] = True
    wanted, none = PacketSet(), PacketSet()
    wanted.change(mask, True)
    for row in range(-1, len(order) + 1):
        later = [other for other in range(row + 1, len(order)) if order[other] in chosen]
        earlier = [other for other in range(min(row, len(order))) if order[other] in chosen]
        assert rows.next_in(wanted, row, 1) == (later[0] if later else -1)
        assert rows.next_in(wanted, row, -1) == (earlier[-1] if earlier else -1)
    for row, packet in enumerate(order):
        for step, others in ((1, order[row + 1 :]), (-1, order[:row][::-1])):
            for without in (none, wanted):
                same = [one for one in others if sessions[one] == sessions[packet] and one not in without]
                found = rows.next_like("session", row, step, without)
                assert found == (order.index(same[0]) if same else -1)
    found_mask = np.zeros(count, np.bool_)
    rows.choose(1, 4, found_mask)
    assert set(np.flatnonzero(found_mask).tolist()) == set(order[1:4])
