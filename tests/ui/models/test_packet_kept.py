"""Rows that a filter lets through: whatever verdicts come, and in whatever order, the rows are those of all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from capture_files import SAMPLE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester

from analyzer.engine.filter_runs import Verdicts
from tests.cli.cut_capture import first_records
from ui.document import Document
from ui.models.packet_cells import Column
from ui.models.packet_kept import Kept
from ui.models.packets import PacketModel

OpenDocument = Callable[..., Document]
PACKETS = 60
FRAMES = 150
"""Of the capture: Qt's tester asks for every cell of every row whenever rows come or go."""
NOBODY = np.empty(0, np.int64)


@pytest.fixture
def model(document: OpenDocument, qtmodeltester: ModelTester, tmp_path: Path) -> PacketModel:
    made = PacketModel()
    qtmodeltester.data_display_may_return_none = True
    path = tmp_path / "head.pcap"
    path.write_bytes(first_records(SAMPLE, FRAMES))
    made.show_document(document(path))
    qtmodeltester.check(made)
    return made


def verdicts(first: int, mask: list[bool], changed: dict[int, bool]) -> Verdicts:
    places = np.array(sorted(changed), np.int64)
    return Verdicts(
        1, first, np.array(mask, np.bool_), places, np.array([changed[p] for p in sorted(changed)], np.bool_)
    )


steps = st.lists(
    st.tuples(
        st.lists(st.booleans(), min_size=0, max_size=20),
        st.dictionaries(st.integers(0, PACKETS - 1), st.booleans(), max_size=8),
    ),
    min_size=1,
    max_size=6,
)


@given(steps=steps, column=st.sampled_from((-1, Column.LENGTH)), session=st.sampled_from((-1, 0)))
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_are_those_that_all_verdicts_let_through(
    model: PacketModel, steps: list[tuple[list[bool], dict[int, bool]]], column: int, session: int
) -> None:
    model.show_only(None)
    model.limit_to(session)
    model.sort(column, Qt.SortOrder.AscendingOrder)
    cells = model.cells
    assert cells is not None
    packets = cells.tables.packets
    kept, truth = Kept(cells.tables), list[bool]()
    model.show_only(kept)
    for mask, wanted in steps:
        changed = {packet: now for packet, now in wanted.items() if packet < len(truth)}
        model.judge(kept.take(verdicts(len(truth), mask, changed)))
        for packet, now in changed.items():
            truth[packet] = now
        truth += mask
        own = [p for p, true in enumerate(truth) if true and session in (-1, packets.integer("session", p))]
        rows = model.packets(0, model.rowCount()).tolist()
        assert sorted(rows) == own
        assert column >= 0 or rows == own
        assert [model.row_of(packet) for packet in rows] == list(range(len(rows)))
        assert all(model.row_of(packet) < 0 for packet in range(len(truth)) if packet not in own)
        if own:
            nearest = model.packet_at(model.nearest_row(7))
            assert abs(nearest - 7) == min(abs(packet - 7) for packet in own)
    model.show_only(None)
    model.limit_to(-1)
    assert model.rowCount() == len(packets)


def test_many_changed_verdicts_choose_all_rows_anew(model: PacketModel) -> None:
    cells = model.cells
    assert cells is not None
    count = min(400, len(cells.tables.packets))
    kept = Kept(cells.tables)
    kept.take(verdicts(0, [packet % 2 == 0 for packet in range(count)], {}))
    model.show_only(kept)
    resets = []
    model.modelReset.connect(lambda: resets.append(1))
    model.judge(kept.take(verdicts(count, [], {packet: packet % 2 == 1 for packet in range(count)})))
    assert model.packets(0, model.rowCount()).tolist() == list(range(1, count, 2))
    assert resets
