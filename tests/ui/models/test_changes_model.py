"""The change tree as a Qt model: levels, cells, filter, whole state, orders, copies."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.modeltest import ModelTester
from ui_trees import BASE_HEAD, made_tree

from analyzer.engine.change_tree import ChangeTree, FieldNode, ItemNode, TypeNode, Value
from ui import words
from ui.models import change_copy
from ui.models.change_cells import (
    BASELINE,
    BITS,
    DIFFERENCE,
    ITEM,
    NEW,
    SHARE,
    Fold,
    GroupCell,
    ShareCell,
    ValueCell,
    cell_text,
    item_title,
)
from ui.models.changes import ChangesModel
from ui.theme import LIGHT
from ui.views.cells import CELL_ROLE, Cell
from ui.views.signs import TEXTS


@pytest.fixture
def model(qtmodeltester: ModelTester) -> Iterator[ChangesModel]:
    """Under the model tester from before the first tree on."""
    made = ChangesModel()
    qtmodeltester.check(made)
    yield made
    made.show_tree(None)


def cell(index: QModelIndex, column: int) -> Cell:
    found = index.siblingAtColumn(column).data(CELL_ROLE)
    assert isinstance(found, Cell)
    return found


def texts(index: QModelIndex) -> list[str]:
    return [str(index.siblingAtColumn(column).data()) for column in range(6)]


def children(model: ChangesModel, index: QModelIndex) -> list[QModelIndex]:
    return [model.index(row, 0, index) for row in range(model.rowCount(index))]


def shown(model: ChangesModel) -> list[str]:
    """Every row by its first column, indented."""
    result = []
    for row in model.all_rows():
        depth, parent = 0, row.parent()
        while parent.isValid():
            depth, parent = depth + 1, parent.parent()
        result.append(" " * depth + str(row.data()))
    return result


def test_changes_only(model: ChangesModel) -> None:
    model.show_tree(made_tree())
    assert shown(model) == [
        "Tee 1 added 1 changed 1 removed",
        " Tee 3",
        "  x",
        " Tee 2 · Ann",
        "  x",
        "  y",
        " Tee 1 · Bob",
        "  x",
        "  1 unchanged field",
        "Sound 1 changed",
        " Sound 0",
        "  x",
    ]


def test_cells_of_a_type(model: ChangesModel) -> None:
    model.show_tree(made_tree())
    tees, sounds = (model.index(row, 0) for row in range(2))
    assert texts(tees)[1:] == ["", "3 items", "", "90", "75.0 %"]
    assert texts(sounds)[1:] == ["", "1 item", "momentary", "30", "25.0 %"]
    name, share = cell(tees, ITEM), cell(tees, SHARE)
    assert isinstance(name, GroupCell)
    assert name.counts == (("added", 1), ("changed", 1), ("removed", 1))
    assert (name.sign, cell(sounds, ITEM).sign) == ("", "event")
    assert isinstance(share, ShareCell)
    assert share.under == 0.75
    assert {cell(tees, column).tint for column in range(6)} == {"sunken"}


def test_cells_of_items(model: ChangesModel) -> None:
    model.show_tree(made_tree())
    removed, added, changed = children(model, model.index(0, 0))
    (event,) = children(model, model.index(1, 0))
    assert [cell(row, ITEM).sign for row in (removed, added, changed, event)] == [
        "removed",
        "added",
        "changed",
        "event",
    ]
    assert [texts(row)[NEW] for row in (removed, added, changed, event)] == [
        "removed",
        "new item",
        "1 of 2 fields changed",
        "another event",
    ]
    assert texts(event)[DIFFERENCE] == "meaningless"
    assert cell(removed, ITEM).struck
    assert [cell(row, SHARE).bar for row in (removed, added, changed)] == [0.25, 1.0, 1.0]


@pytest.mark.parametrize(("owner", "title"), [("Ann", "Tee 2 · Ann"), (" ", "Tee 2"), ("", "Tee 2")])
def test_a_name_that_shows_nothing_is_left_out(owner: str, title: str) -> None:
    assert item_title(ItemNode(9, 2, "Tee", owner, "added", False, 40, (), 0, "tee 2")) == title


def test_cells_of_fields(model: ChangesModel) -> None:
    model.show_tree(made_tree())
    removed, added, changed = children(model, model.index(0, 0))
    x, fold = children(model, changed)
    assert texts(x) == ["x", "100  3.1 tiles", "−92  −2.9 tiles", "−192", "8", ""]
    assert (cell(x, NEW).tint, cell(x, BASELINE).tone) == ("changed_bg", "text2")
    assert texts(fold) == ["1 unchanged field", "", "same", "0", "3", ""]
    old = children(model, removed)[0]
    assert texts(old) == ["x", "7", "", "", "", ""]
    assert cell(old, BASELINE).struck
    new = children(model, added)[0]
    assert texts(new)[BASELINE:BITS] == ["", "5  0.2 tiles", ""]
    assert cell(new, NEW).tint == "added_bg"


def test_differences_are_signed(model: ChangesModel) -> None:
    assert [words.signed(value) for value in (3, 0, -3)] == ["+3", "0", "−3"]


def test_raw_values(model: ChangesModel) -> None:
    model.show_tree(made_tree())
    x = model.find_field((9, 1), "x")
    seen: list[QModelIndex] = []
    model.dataChanged.connect(lambda first, last: seen.append(first))
    model.set_raw(True)
    assert seen
    assert texts(x)[BASELINE : NEW + 1] == ["100", "−92"]
    model.set_raw(False)
    assert texts(x)[BASELINE] == "100  3.1 tiles"


def test_whole_state(model: ChangesModel) -> None:
    model.show_tree(made_tree())
    model.set_whole(True)
    assert shown(model) == [
        "Tee 1 added 1 changed",
        " Tee 2 · Ann",
        "  x",
        "  y",
        " Tee 1 · Bob",
        "  x",
        "  y",
        "Sound 1 changed",
        " Sound 0",
        "  x",
        "Flag",
        " Flag 0",
        "  team",
    ]
    flag = model.find_field((5, 0), "team")
    assert texts(flag) == ["team", "1  blue", "1  blue", "", "", ""]
    assert cell(flag.parent(), ITEM).sign == "same"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("ANN", ["Tee 1 added", " Tee 2 · Ann", "  x", "  y"]),
        ("sound", ["Sound 1 changed", " Sound 0", "  x"]),
        ("2.9 tiles", ["Tee 1 changed", " Tee 1 · Bob", "  x", "Sound 1 changed", " Sound 0", "  x"]),
        (" y ", ["Tee 1 added 1 changed", " Tee 2 · Ann", "  y", " Tee 1 · Bob", "  y"]),
        ("nothing of the kind", []),
    ],
)
def test_filter(model: ChangesModel, text: str, rows: list[str]) -> None:
    model.show_tree(made_tree())
    model.set_filter(text)
    assert shown(model) == rows
    model.set_filter("")
    assert len(shown(model)) == 12


@pytest.mark.parametrize("text", ["tee", "TEE ", "t"])
def test_a_type_that_has_the_text_is_shown_whole_whatever_its_items_have(model: ChangesModel, text: str) -> None:
    model.show_tree(made_tree())
    whole = shown(model)
    model.set_filter(text)
    kept = shown(model)
    assert kept[0].startswith("Tee")
    assert of_type(kept, "Tee") == of_type(whole, "Tee")
    tees = model.index(0, 0)
    assert not any(model.is_shown_for_fields(model.index(row, 0, tees)) for row in range(model.rowCount(tees)))


def test_an_item_that_has_the_text_is_shown_whole_and_others_only_with_the_fields_that_have_it(
    model: ChangesModel,
) -> None:
    model.show_tree(made_tree())
    model.set_filter("y")
    assert of_type(shown(model), "Tee") == ["Tee 1 added 1 changed", " Tee 2 · Ann", "  y", " Tee 1 · Bob", "  y"]
    model.set_filter("tee 2")
    assert shown(model) == ["Tee 1 added", " Tee 2 · Ann", "  x", "  y"]
    assert not model.is_shown_for_fields(model.index(0, 0, model.index(0, 0)))


def of_type(rows: list[str], name: str) -> list[str]:
    """The row of a type and those in it."""
    start = next(at for at, row in enumerate(rows) if row.startswith(name))
    stop = next((at for at, row in enumerate(rows) if at > start and not row.startswith(" ")), len(rows))
    return rows[start:stop]


def test_filtered_types_say_so(model: ChangesModel) -> None:
    model.show_tree(made_tree())
    model.set_filter("ann")
    assert texts(model.index(0, 0))[NEW] == "1 of 3 items"


def test_orders(model: ChangesModel) -> None:
    model.show_tree(made_tree())
    names = []
    for order in ("name", "wire", "bits"):
        model.set_order(order)
        names.append([str(model.index(row, 0).data()).split()[0] for row in range(model.rowCount())])
    assert names == [["Sound", "Tee"], ["Sound", "Tee"], ["Tee", "Sound"]]


def test_places_are_found_again(model: ChangesModel) -> None:
    model.show_tree(made_tree())
    for row in model.all_rows():
        key, name = model.place(row)
        if key is None:
            assert model.find_type(int(model.key(row) or 0)) == row  # type: ignore[arg-type]
        elif not isinstance(model.node(row), Fold):
            assert model.find_field(key, name) == row
    fold = model.find_field((9, 1), "y")
    assert isinstance(model.node(fold), Fold)
    assert model.find_field((9, 2), "x[1]") == model.find_field((9, 2), "x")
    assert model.find_field((9, 2), "absent") == model.find_item((9, 2))
    assert not model.find_item((9, 99)).isValid()
    assert not model.find_field((77, 1), "x").isValid()


def test_unknown_baseline_heads_its_column_so(model: ChangesModel) -> None:
    field = FieldNode("x", None, None, None, "-3", 8, False)
    node = ItemNode(9, 1, "Tee", "", "unknown", False, 24, (field,), 1, "tee 1")
    model.show_tree(ChangeTree(BASE_HEAD, (TypeNode(9, "Tee", False, (node,), 24, 0),), 24))
    assert model.headerData(NEW, Qt.Orientation.Horizontal) == "Difference or new"
    row = model.find_field((9, 1), "x")
    assert texts(row) == ["x", "", "−3", "", "8", ""]
    assert cell(row.parent(), ITEM).sign == "unknown"
    model.show_tree(made_tree())
    assert model.headerData(NEW, Qt.Orientation.Horizontal) == "New"


def test_every_sign_exists_and_every_colour(model: ChangesModel) -> None:
    model.show_tree(made_tree())
    model.set_whole(False)
    for row in model.all_rows():
        for column in range(6):
            found = cell(row, column)
            assert not found.sign or found.sign in TEXTS
            for name in filter(None, (found.tone, found.tint)):
                assert LIGHT.color(name).isValid()
            assert cell_text(found) == row.siblingAtColumn(column).data()
        assert row.data(Qt.ItemDataRole.ToolTipRole)


def test_swatch_of_a_colour(model: ChangesModel) -> None:
    value = Value("4973800", "4973800  #BAF6AC, sent as hsl(108, 89%, 45%)")
    field = FieldNode("color", None, value, None, "4973800", 8, False)
    node = ItemNode(9, 1, "Tee", "", "added", False, 24, (field,), 1, "tee 1")
    model.show_tree(ChangeTree(BASE_HEAD, (TypeNode(9, "Tee", False, (node,), 24, 0),), 24))
    index = model.find_field((9, 1), "color").siblingAtColumn(NEW)
    found = cell(index, NEW)
    assert isinstance(found, ValueCell)
    assert (found.text, found.swatch) == ("4973800", (0xBA, 0xF6, 0xAC))
    assert index.data(Qt.ItemDataRole.AccessibleTextRole).endswith("sent as hsl(108, 89%, 45%), light green")


def test_copy_as_text(model: ChangesModel) -> None:
    model.show_tree(made_tree())
    item = model.find_item((9, 1))
    assert change_copy.as_text(model, list(model.below(item))).split("\n") == [
        "  Tee 1 · Bob\t\t1 of 2 fields changed\t\t40",
        "    x\t100  3.1 tiles\t−92  −2.9 tiles\t−192\t8",
        "    1 unchanged field\t\tsame\t0\t3",
    ]


def test_copy_as_csv_and_json(model: ChangesModel) -> None:
    model.show_tree(made_tree())
    item = model.find_item((9, 1))
    lines = list(csv.DictReader(io.StringIO(change_copy.as_csv(model, [item, *model.below(item)]))))
    assert [(line["field"], line["old"], line["new"], line["difference"]) for line in lines] == [
        ("x", "100", "-92", "-192"),
        ("y", "1", "1", "0"),
    ]
    (found,) = json.loads(change_copy.as_json(model, [item]))
    assert (found["name"], found["owner"], found["change"], found["bits"]) == ("Tee", "Bob", "changed", 40)
    assert [field["new"] for field in found["fields"]] == ["-92", "1"]
    whole = json.loads(change_copy.as_json(model, [model.index(0, 0), model.index(1, 0)]))
    assert [(record["name"], record["id"]) for record in whole] == [("Tee", 3), ("Tee", 2), ("Tee", 1), ("Sound", 0)]
