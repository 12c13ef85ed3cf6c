"""The shared selection: what changes is announced once, and `back` returns where one was."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from analyzer.wire.reader import Span
from ui.selection import HISTORY, Place, Selection


@pytest.fixture
def selection(qtbot: QtBot) -> Selection:
    return Selection()


def announced(selection: Selection) -> list[tuple[object, ...]]:
    """A list that fills with what is announced from now on."""
    heard: list[tuple[object, ...]] = []
    selection.packet_changed.connect(lambda packet: heard.append(("packet", packet)))
    selection.snapshot_changed.connect(lambda snapshot: heard.append(("snapshot", snapshot)))
    selection.item_changed.connect(lambda item, field: heard.append(("item", item, field)))
    selection.span_changed.connect(lambda span: heard.append(("span", span)))
    selection.session_changed.connect(lambda session: heard.append(("session", session)))
    selection.hovered.connect(lambda time: heard.append(("hover", time)))
    return heard


def a_span() -> Span:
    return Span("payload", 0, 8)


def test_nothing_is_selected_at_first(selection: Selection) -> None:
    assert selection.place == Place(-1, -1, None, "")
    assert selection.span is None
    assert selection.session == -1
    assert not selection.can_go_back
    assert not selection.can_go_forward


def test_only_changes_are_announced(selection: Selection) -> None:
    heard = announced(selection)
    selection.select(4, 2)
    selection.select(4, 2)
    selection.select(5, 2)
    assert heard == [("packet", 4), ("snapshot", 2), ("packet", 5)]


def test_item_stays_with_the_next_snapshot(selection: Selection) -> None:
    selection.select(4, 2)
    selection.select_item((9, 1), "x")
    heard = announced(selection)
    selection.select_item((9, 1), "x")
    selection.select(5, 3)
    assert heard == [("packet", 5), ("snapshot", 3)]
    assert selection.place == Place(5, 3, (9, 1), "x")
    selection.select_item(None)
    assert heard[2:] == [("item", None, "")]


def test_bytes_belong_to_their_packet(selection: Selection) -> None:
    selection.select(4, 2)
    heard = announced(selection)
    span = a_span()
    selection.select_span(span)
    selection.select_span(span)
    assert selection.span == span
    selection.select(4, 3)
    assert selection.span == span
    selection.select(5, 3)
    assert selection.span is None
    assert heard == [("span", span), ("snapshot", 3), ("span", None), ("packet", 5)]


def test_session(selection: Selection) -> None:
    heard = announced(selection)
    for session in (3, 3, -1):
        selection.limit_to(session)
    assert heard == [("session", 3), ("session", -1)]
    assert selection.session == -1


def test_pointer_selects_nothing(selection: Selection) -> None:
    heard = announced(selection)
    selection.hover(1_700_000_000_000_000_000)
    selection.hover(None)
    assert heard == [("hover", 1_700_000_000_000_000_000), ("hover", None)]
    assert selection.place == Place()


def test_back_and_forward(selection: Selection) -> None:
    for packet in (1, 2, 3):
        selection.select(packet, packet * 10)
    selection.back()
    selection.back()
    assert selection.place == Place(1, 10)
    assert not selection.can_go_back
    selection.back()
    assert selection.place == Place(1, 10)
    selection.forward()
    assert selection.place == Place(2, 20)
    assert selection.can_go_forward
    selection.select(7, -1)
    assert not selection.can_go_forward
    selection.back()
    assert selection.place == Place(2, 20)


def test_history_is_bounded(selection: Selection) -> None:
    for packet in range(HISTORY + 20):
        selection.select(packet, -1)
    steps = 0
    while selection.can_go_back:
        selection.back()
        steps += 1
    assert steps == HISTORY - 1
    assert selection.place == Place(packet=20)
