"""The field model under Qt's own model tester, and the small rules of what its cells say."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.modeltest import ModelTester

from analyzer.engine.packet_detail import PacketDetail
from analyzer.wire.reader import Buffer, Field, FieldTree, Span, Value
from analyzer.wire.secrets import Secrets
from ui.models.field_text import place_text, value_text
from ui.models.fields import FieldModel
from ui.views.cells import CELL_ROLE, Cell

INNER = Field(
    "group", span=Span(0, 1, 3), children=(Field("a", 1, span=Span(0, 1, 1)), Field("b", 0, span=Span(0, 2, 2)))
)
TREE = FieldTree((Buffer("captured", bytes(range(5))),), (Field("first", 0, span=Span(0, 0, 1)), INNER))


def detail(tree: FieldTree) -> PacketDetail:
    return PacketDetail(7, 8, "test", tree)


def test_model(qtmodeltester: ModelTester) -> None:
    model = FieldModel()
    qtmodeltester.check(model)
    model.show(detail(TREE))
    qtmodeltester.check(model)
    group = model.index(1, 0)
    assert model.rowCount(group) == 2
    assert model.parent(model.index(1, 0, group)) == group
    model.show(None)
    assert model.rowCount() == 0


def test_the_deepest_field_of_a_byte() -> None:
    model = FieldModel()
    model.show(detail(TREE))
    assert model.rows(model.locate(Span(0, 3, 1))) == (1, 1)
    assert model.rows(model.locate(Span(0, 1, 2))) == (1,)
    assert not model.locate(Span(0, 4, 1)).isValid()
    assert not model.locate(Span(1, 0, 1)).isValid()


def test_of_fields_that_share_a_byte_the_chosen_one_stays() -> None:
    flags = tuple(Field(name, True, span=Span(0, 0, 1), mask=bit) for name, bit in (("x", 1), ("y", 2)))
    model = FieldModel()
    model.show(detail(FieldTree((Buffer("captured", b"\3"),), flags)))
    assert model.rows(model.locate(Span(0, 0, 1))) == (0,)
    assert model.rows(model.locate(Span(0, 0, 1), model.index(1, 0))) == (1,)


def test_an_error_without_a_field_gets_one_at_the_end() -> None:
    model = FieldModel()
    model.show(detail(FieldTree(TREE.buffers, TREE.fields, "cut short")))
    last = model.index(2, 1)
    assert model.data(last) == "cut short"
    cell = model.data(last, CELL_ROLE)
    assert isinstance(cell, Cell)
    assert cell.tone == "error"
    assert model.data(model.index(2, 0), Qt.ItemDataRole.DisplayRole) == "unreadable"
    assert model.rowCount(QModelIndex()) == 3


def test_a_colour_has_a_swatch_and_a_name() -> None:
    meaning = "#33FDFF, sent as hsl(181, 100%, 20%)"
    said = Field("color_body", 8453939, f"8453939  {meaning}", Span(0, 0, 4))
    name = Field("name", meaning, span=Span(0, 4, 1))
    model = FieldModel()
    model.show(detail(FieldTree((Buffer("captured", bytes(5)),), (said, name))))
    index = model.index(0, 1)
    cell = model.data(index, CELL_ROLE)
    assert isinstance(cell, Cell)
    assert cell.swatch == (0x33, 0xFD, 0xFF)
    assert cell.text.endswith(meaning)
    assert model.data(index, Qt.ItemDataRole.AccessibleTextRole) == f"{cell.text}, cyan"
    text = model.data(model.index(1, 1), CELL_ROLE)
    assert isinstance(text, Cell)
    assert text.swatch is None  # somebody's name only looks like a colour
    assert model.data(model.index(1, 1), Qt.ItemDataRole.AccessibleTextRole) == text.text


@pytest.mark.parametrize(
    ("span", "mask", "text"),
    [
        (None, 0, "–"),
        (Span(0, 4, 1), 0, "4"),
        (Span(0, 4, 3), 0, "4–6"),
        (Span(0, 42, 1), 0xFC, "42, bits 2–7"),
        (Span(0, 42, 2), 0x03FF, "42, bits 0–1; 43"),
        (Span(0, 1, 2), 0x3F0F, "1, bits 0–5; 2, bits 0–3"),
        (Span(0, 9, 1), 0x80, "9, bit 7"),
    ],
)
def test_places(span: Span | None, mask: int, text: str) -> None:
    assert place_text(Field("x", span=span, mask=mask)) == text


@pytest.mark.parametrize(
    ("value", "text", "shown"),
    [
        (5, "", "5"),
        (5, "5  grabbed", "5  grabbed"),
        (-1, "-1  none", "\u22121  none"),
        (-1, "-1", "\u22121"),
        (12345, "12345  385.8 tiles", "12345  385.8 tiles"),
        (0xE402E4B5, "e402e4b5", "e402e4b5"),
        (41, "0x29  ddnet, pingex", "0x29  ddnet, pingex"),
        (15, "15 ms", "15 ms"),
        (8, "red", "8  red"),
        (None, "a group", "a group"),
        ("iext", "", '"iext"'),
    ],
)
def test_values_and_what_they_mean(value: Value, text: str, shown: str) -> None:
    node = Field("f", value, text, Span(0, 0, 1))
    tree = FieldTree((Buffer("captured", b"a"),), (node,))
    assert value_text(node, detail(tree), Secrets(tree)) == shown
