"""The model of the packet list on real captures: rows while they arrive, orders, session limit, gutter contents."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from ui.document import Document
from ui.models import packet_rows
from ui.models.packet_cells import WAITING, Column, TimeFormat
from ui.models.packets import PacketModel
from ui.models.related import Related, last_packet, related
from ui.models.steps import acknowledgement, baseline, cause, next_failed, next_part, next_snapshot, packet_of
from ui.selection import Place
from ui.views.cells import CELL_ROLE, ROW_ROLE, Cell
from ui.words import UNKNOWN

OpenDocument = Callable[..., Document]
RECONNECT = "ddnet_dm2_reconnect"
MIDSESSION = "ddnet_ctf3_midsession"
SERVERINFO = "serverinfo_and_play"
BOTS = "ddnet_ctf1_24bots"


@pytest.fixture
def model(qtbot: QtBot) -> Iterator[PacketModel]:
    made = PacketModel()
    tester = QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Warning)
    yield made
    made.show_document(None)
    tester.deleteLater()


def packet_of_frame(document: Document, frame: int) -> int:
    return int(np.flatnonzero(document.tables.packets.integers("frame") == frame - 1)[0])


def shown(model: PacketModel) -> list[int]:
    return [model.packet_at(row) for row in range(model.rowCount())]


def text(model: PacketModel, packet: int, column: Column) -> str:
    return str(model.index(model.row_of(packet), column).data())


def test_rows_arrive_in_batches(model: PacketModel, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(RECONNECT, wait=False)
    model.show_document(opened)
    inserts: list[tuple[int, int]] = []
    model.rowsInserted.connect(lambda _parent, first, last: inserts.append((first, last)))
    model.rowsInserted.connect(lambda _parent, _first, last: model.index(last, Column.INFO).data())
    qtbot.waitUntil(lambda: opened.is_decoded, timeout=60_000)
    assert model.rowCount() == len(opened.tables.packets) == 2635
    assert len(inserts) < 2635 / 20
    assert [first for first, _ in inserts[1:]] == [last + 1 for _, last in inserts[:-1]]
    infos = {text(model, packet, Column.INFO) for packet in range(model.rowCount())}
    assert WAITING not in infos
    assert "" not in infos


@pytest.mark.parametrize("session", [0, 1])
@pytest.mark.parametrize("column", [-1, Column.LENGTH], ids=["capture order", "sorted"])
def test_one_session_while_rows_arrive(
    model: PacketModel, document: OpenDocument, qtbot: QtBot, session: int, column: int
) -> None:
    opened = document(RECONNECT, wait=False)
    opened.selection.limit_to(session)
    model.show_document(opened)
    model.sort(column)
    qtbot.waitUntil(lambda: opened.is_decoded, timeout=60_000)
    of_session = np.flatnonzero(opened.tables.packets.integers("session") == session).tolist()
    assert sorted(shown(model)) == of_session != []
    assert (shown(model) == of_session) == (column < 0)
    opened.selection.limit_to(-1)
    assert model.rowCount() == len(opened.tables.packets)


def test_sorted_while_rows_arrive(model: PacketModel, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(MIDSESSION, wait=False)
    model.show_document(opened)
    model.sort(Column.LENGTH, Qt.SortOrder.DescendingOrder)
    qtbot.waitUntil(lambda: opened.is_decoded, timeout=60_000)
    lengths = [int(text(model, packet, Column.LENGTH)) for packet in shown(model)]
    assert lengths == sorted(lengths, reverse=True)
    assert len(lengths) == len(opened.tables.packets)


def test_many_rows_are_sorted_elsewhere(
    model: PacketModel, document: OpenDocument, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = document(SERVERINFO)
    model.show_document(opened)
    orders = {}
    for column in (Column.LENGTH, Column.CLIENT):
        model.sort(column, Qt.SortOrder.DescendingOrder)
        orders[column] = shown(model)
    model.sort(-1)
    as_captured = shown(model)
    assert as_captured not in orders.values()
    assert orders[Column.LENGTH] != orders[Column.CLIENT]
    monkeypatch.setattr(packet_rows, "AT_ONCE", 10)
    pointed = QPersistentModelIndex(model.index(17, Column.INFO))
    model.sort(Column.LENGTH, Qt.SortOrder.DescendingOrder)
    model.sort(Column.CLIENT, Qt.SortOrder.DescendingOrder)
    assert shown(model) == as_captured
    qtbot.waitUntil(lambda: shown(model) == orders[Column.CLIENT])
    assert model.packet_at(pointed.row()) == 17
    opened.selection.limit_to(0)
    own = [packet for packet in orders[Column.CLIENT] if opened.tables.packets.integer("session", packet) == 0]
    qtbot.waitUntil(lambda: shown(model) == own)
    opened.selection.limit_to(-1)
    model.sort(-1)
    assert shown(model) == as_captured


def test_many_rows_are_sorted_elsewhere_while_rows_arrive(
    model: PacketModel, document: OpenDocument, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packet_rows, "AT_ONCE", 10)
    opened = document(MIDSESSION, wait=False)
    model.show_document(opened)
    model.sort(Column.LENGTH)
    qtbot.waitUntil(lambda: opened.is_decoded, timeout=60_000)

    def sorted_by_length() -> bool:
        lengths = [int(text(model, packet, Column.LENGTH)) for packet in shown(model)]
        return lengths == sorted(lengths)

    qtbot.waitUntil(sorted_by_length)
    assert sorted(shown(model)) == list(range(len(opened.tables.packets)))


@pytest.mark.parametrize("column", [column for column in Column if column is not Column.GUTTER])
@pytest.mark.parametrize("order", [Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder], ids=["up", "down"])
def test_orders_are_stable(model: PacketModel, document: OpenDocument, column: Column, order: Qt.SortOrder) -> None:
    opened = document(SERVERINFO)
    model.show_document(opened)
    model.sort(column, order)
    rows = shown(model)
    assert sorted(rows) == list(range(len(opened.tables.packets)))
    groups: dict[str, list[int]] = {}
    for packet in rows:
        groups.setdefault(text(model, packet, column), []).append(packet)
    if column is not Column.INFO and column is not Column.DIRECTION:
        assert all(packets == sorted(packets) for packets in groups.values())
        assert list(groups) == list(dict.fromkeys(text(model, packet, column) for packet in rows))
    if column in (Column.NUMBER, Column.LENGTH):
        values = [int(value) for value in groups]
        assert values == sorted(values, reverse=order is Qt.SortOrder.DescendingOrder)
    model.sort(-1)
    assert shown(model) == sorted(rows)


def test_the_same_packet_is_pointed_to_in_another_order(model: PacketModel, document: OpenDocument) -> None:
    model.show_document(document(SERVERINFO))
    pointed = QPersistentModelIndex(model.index(17, Column.INFO))
    model.sort(Column.LENGTH)
    assert pointed.row() != 17
    assert model.packet_at(pointed.row()) == 17
    model.sort(-1)
    assert pointed.row() == 17


def test_cells_of_known_packets(model: PacketModel, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(BOTS)
    model.show_document(opened)
    packet = packet_of_frame(opened, 2238)
    assert [text(model, packet, column) for column in Column] == [
        "",
        "2238",
        "3.121149",
        "127.0.0.1:8303",
        "127.0.0.1:54217",
        "bot0",
        "",
        "DDNet",
        "332",
        "Snap 234 part 2/2 base −4 · 163 items, +15 ~58 −7",
    ]
    cells = [model.index(packet, column).data(CELL_ROLE) for column in Column]
    assert {cell.tint for cell in cells} == {"row_multi"}
    assert cells[Column.DIRECTION].sign == "down"
    assert cells[Column.NUMBER].right
    assert model.index(packet, Column.GUTTER).data(ROW_ROLE).edge == "p2"
    assert model.index(packet, Column.DIRECTION).data(Qt.ItemDataRole.AccessibleTextRole) == "Server to client"
    asked = packet_of_frame(opened, 2213)
    assert text(model, asked, Column.INFO) == "Input"
    qtbot.waitUntil(lambda: text(model, asked, Column.INFO) == "Input, acks 230, for tick 232")
    assert model.index(asked, Column.INFO).data(CELL_ROLE).tone == "text2"
    _check_gutter(model, opened, packet)
    _check_steps(opened, packet)


def _check_gutter(model: PacketModel, document: Document, packet: int) -> None:
    snapshot = document.tables.packets.integer("snapshot", packet)
    frames = {
        sign: [frame for frame in range(2105, 2240) if sign == _sign(model, document, frame)]
        for sign in ("part", "base", "ack")
    }
    assert frames == {"part": [], "base": [], "ack": []}
    document.selection.select(packet, snapshot)
    frames = {
        sign: [frame for frame in range(2105, 2240) if sign == _sign(model, document, frame)]
        for sign in ("part", "base", "ack")
    }
    assert frames == {"part": [2237, 2238], "base": [2130, 2131], "ack": [2213]}
    assert model.related == related(document.tables, snapshot)


def _sign(model: PacketModel, document: Document, frame: int) -> str:
    return model.sign_of(packet_of_frame(document, frame))


def _check_steps(document: Document, packet: int) -> None:
    tables = document.tables
    place = document.selection.place
    ticks = [tables.snapshots.integer("tick", next_snapshot(tables, place, step)) for step in (1, -1)]
    assert ticks == [236, 232]
    base = baseline(tables, place.snapshot)
    assert tables.snapshots.integer("tick", base) == 230
    assert packet_of(tables, base) == packet_of_frame(document, 2131)
    assert acknowledgement(tables, place.snapshot) == packet_of_frame(document, 2213)
    assert cause(tables, place.snapshot) == -1
    first = next_part(tables, place)
    assert first == packet_of_frame(document, 2237)
    assert next_part(tables, Place(first, place.snapshot)) == packet
    assert next_failed(tables, place, 1, -1) == -1


def test_failures(model: PacketModel, document: OpenDocument) -> None:
    opened = document("ddnet_tsunami_badcrc")
    tables = opened.tables
    model.show_document(opened)
    failed = next_failed(tables, Place(0, -1), 1, -1)
    assert tables.snapshots.integer("status", failed) == 1
    packet = last_packet(tables, failed)
    cell = model.index(model.row_of(packet), Column.INFO).data(CELL_ROLE)
    assert isinstance(cell, Cell)
    assert (cell.tint, cell.sign) == ("row_fail", "error")
    assert "crc mismatch" in cell.text
    following = next_failed(tables, Place(packet, failed), 1, -1)
    after = Place(last_packet(tables, following), following)
    assert next_failed(tables, after, -1, -1) == failed
    session = tables.snapshots.integer("session", failed)
    assert next_failed(tables, after, -1, session) == failed
    assert next_failed(tables, after, -1, session + 1) == -1


def test_a_base_before_the_capture_is_no_failure(model: PacketModel, document: OpenDocument) -> None:
    model.show_document(document(MIDSESSION))
    cell = model.index(0, Column.INFO).data(CELL_ROLE)
    assert "older than the capture" in cell.text
    assert (cell.tint, cell.sign) == ("", "note")


def test_what_is_not_known(model: PacketModel, document: OpenDocument) -> None:
    opened = document(SERVERINFO)
    model.show_document(opened)
    texts = {text(model, packet, Column.CLIENT) for packet in shown(model)}
    assert any(name.startswith(":") for name in texts)
    assert WAITING not in texts
    assert all(part for part in texts)
    assert UNKNOWN not in {text(model, packet, Column.LENGTH) for packet in shown(model)}


@pytest.mark.parametrize(
    ("form", "title", "first", "second"),
    [
        (TimeFormat.FIRST, "Time [s]", "0.000000", None),
        (TimeFormat.PREVIOUS, "Delta [s]", "0.000000", None),
        (TimeFormat.REFERENCE, "Since ref. [s]", "0.000000", None),
        (TimeFormat.UTC, "Time [UTC]", None, None),
    ],
)
def test_time_formats(
    model: PacketModel, document: OpenDocument, form: TimeFormat, title: str, first: str | None, second: str | None
) -> None:
    opened = document(SERVERINFO)
    model.show_document(opened)
    model.set_time_format(form)
    assert model.headerData(Column.TIME, Qt.Orientation.Horizontal) == title
    times = [text(model, packet, Column.TIME) for packet in range(3)]
    if first is not None:
        assert times[0] == first
    moments = opened.tables.frames.integers("time_ns")
    if form is TimeFormat.PREVIOUS:
        assert float(times[2]) == pytest.approx((moments[2] - moments[1]) / 1e9, abs=1e-6)
    if form is TimeFormat.UTC:
        assert [len(moment) for moment in times] == [15] * 3


def test_amended_packets_are_painted_anew(model: PacketModel, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(MIDSESSION, wait=False)
    model.show_document(opened)
    changed: list[tuple[int, int]] = []
    seen: set[str] = set()
    model.dataChanged.connect(lambda first, last: changed.append((first.row(), last.row())))
    model.rowsInserted.connect(lambda: seen.add(str(model.index(0, Column.INFO).data())))
    qtbot.waitUntil(lambda: opened.is_decoded, timeout=60_000)
    assert changed
    assert all(0 <= first <= last < model.rowCount() for first, last in changed)
    assert [text(model, packet, Column.INFO).partition(", acks")[0] for packet in range(50)] == [
        model.cells.info.line(packet).partition(", acks")[0] for packet in range(50)
    ]


def test_nothing_is_related_to_nothing(model: PacketModel, document: OpenDocument) -> None:
    opened = document(SERVERINFO)
    model.show_document(opened)
    assert related(opened.tables, -1) == Related()
    assert model.rowCount(model.index(0, 0)) == 0
    assert model.columnCount(QModelIndex()) == len(Column)
    model.show_document(None)
    assert model.rowCount() == 0
