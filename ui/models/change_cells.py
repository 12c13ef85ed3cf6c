"""What the cells of the change tree show: types, items, fields, and unchanged fields folded into one row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from analyzer.engine.change_tree import FieldNode, ItemNode, TypeNode, Value
from ui import words
from ui.fonts import Use
from ui.models.colours import colour_name, colour_of
from ui.views.cells import Cell

ITEM, BASELINE, NEW, DIFFERENCE, BITS, SHARE = range(6)
COLUMNS = 6
SIGNS = {
    "added": "added",
    "removed": "removed",
    "changed": "changed",
    "readded": "changed",
    "rewritten": "same",
    "same": "same",
    "unknown": "unknown",
    "there": "unknown",
    "absent": "removed",
}
"""What became of an item -> its sign. Of an item on an unknown baseline nobody can tell."""
_NEGATIVE = re.compile(r"(?<![\w.\-])-(?=\d)")


@dataclass(frozen=True, slots=True)
class GroupCell(Cell):
    """The name of a type with its counts by sign."""

    counts: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ShareCell(Cell):
    """A share in words, with a thin bar below."""

    under: float = 0.0


@dataclass(frozen=True, slots=True)
class ValueCell(Cell):
    """A raw value, which is `text`, and what it means; the meaning gives way where there is little room."""

    explained: bool = False
    """Room is kept for a meaning, whether the value has one or not, so that numbers stand below each other."""
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Fold:
    """The unchanged fields of an item in one row: they cost bits too."""

    fields: tuple[FieldNode, ...]

    @property
    def bits(self) -> int:
        """What they cost."""
        return sum(field.bits for field in self.fields)


def minus(text: str) -> str:
    """A text with real minus signs; what stands in quotes is left alone."""
    return text if text.startswith('"') else _NEGATIVE.sub(words.MINUS, text)


def _tr(text: str, number: int = -1) -> str:
    return QCoreApplication.translate("ChangesModel", text, None, number)


def sign_counts(items: Sequence[ItemNode]) -> tuple[tuple[str, int], ...]:
    """How many items have each sign, without the unchanged."""
    signs = [SIGNS[item.kind] for item in items if item.kind not in ("there", "absent")]
    found = ((sign, signs.count(sign)) for sign in ("added", "changed", "unknown", "removed"))
    return tuple((sign, number) for sign, number in found if number)


def type_cell(node: TypeNode, shown: Sequence[ItemNode], in_mode: int, column: int, bits: int) -> Cell:
    """A cell of a type row. `shown` are its items that pass the filter, `in_mode` counts them without filter."""
    if column == ITEM:
        sign = "event" if node.event else ""
        return GroupCell(node.name, use=Use.GROUP_ROW, tint="sunken", sign=sign, counts=sign_counts(shown))
    if column == NEW:
        absent = sum(item.kind == "absent" for item in shown)
        text = words.count(in_mode - absent, "item")
        if absent:
            text = _tr("{items}, {absent} not there").format(items=text, absent=words.quantity(absent))
        if len(shown) != in_mode:
            text = _tr("{shown} of {all}").format(shown=len(shown), all=text)
        return Cell(text, "text2", True, tint="sunken")
    if column == DIFFERENCE and node.event:
        return Cell(_tr("momentary"), "text3", True, tint="sunken")
    if column == BITS:
        return Cell(words.quantity(node.bits), "text", True, Use.GROUP_ROW, "sunken")
    if column == SHARE and node.bits:
        share = node.bits / bits
        return ShareCell(words.percent(node.bits, bits), "text2", True, tint="sunken", under=share)
    return Cell(tint="sunken")


def item_title(node: ItemNode) -> str:
    """Name, id, and the player's name."""
    title = f"{node.name} {node.id}"
    return f"{title}{words.DOT}{node.owner}" if node.owner.strip() else title


def item_remark(node: ItemNode) -> str:
    """What became of an item, in words."""
    if node.event and node.kind in ("changed", "readded", "rewritten"):
        return _tr("another event")
    if node.kind == "changed":
        sent = sum(field.sent for field in node.fields)
        return _tr("{changed} of {all} fields changed").format(changed=node.changed, all=sent)
    return {
        "added": _tr("new event") if node.event else _tr("new item"),
        "removed": _tr("event is over") if node.event else _tr("removed"),
        "readded": _tr("removed and sent"),
        "rewritten": _tr("sent, but the same"),
        "unknown": _tr("new or changed"),
        "same": _tr("same"),
        "there": _tr("there, values not known"),
        "absent": _tr("not there"),
    }[node.kind]


def item_cell(node: ItemNode, column: int, dearest: int) -> Cell:
    """A cell of an item row; its bar is relative to the dearest item of the type."""
    if column == ITEM:
        sign = SIGNS[node.kind]
        if node.event and sign not in ("added", "removed", "unknown"):
            sign = "event"
        unsent = node.kind in ("same", "there", "absent")
        tone = "text2" if unsent else {"added": "added", "removed": "removed"}.get(node.kind, "text")
        struck = node.kind in ("removed", "absent")
        return Cell(item_title(node), tone, use=Use.TABLE if unsent else Use.GROUP_ROW, sign=sign, struck=struck)
    if column == NEW:
        return Cell(item_remark(node), "text2", True)
    if column == DIFFERENCE and node.event and node.kind in ("changed", "readded"):
        return Cell(_tr("meaningless"), "text3", True)
    if column == BITS and node.kind not in ("same", "there", "absent"):
        return Cell(words.quantity(node.bits), right=True)
    if column == SHARE and dearest and node.bits:
        return Cell(bar=node.bits / dearest)
    return Cell()


def field_cell(item: ItemNode, field: FieldNode, column: int, raw: bool) -> Cell:
    """A cell of a field row; its bar is relative to the item."""
    if column == ITEM:
        return Cell(field.name, "text2" if field.same else "text", struck=item.kind == "removed")
    if column == BASELINE:
        return _value(field.old, raw, "text2", Use.VALUE, struck=item.kind == "removed")
    if column == NEW:
        if item.kind == "unknown":
            return Cell(minus(field.wire), "text", True, Use.VALUE_STRONG)
        if field.same:
            return _value(field.new, raw, "text2", Use.VALUE)
        tint = "" if item.kind == "removed" else "added_bg" if item.kind == "added" else "changed_bg"
        return _value(field.new, raw, "text", Use.VALUE_STRONG, tint=tint)
    if column == DIFFERENCE and field.difference is not None:
        tone, meaning = (
            "text3" if item.event else "text2",
            "" if raw else field.difference_unit.replace("-", words.MINUS),
        )
        return ValueCell(words.signed(field.difference), tone, True, Use.VALUE, explained=not raw, meaning=meaning)
    if column == BITS and field.bits:
        return Cell(words.quantity(field.bits), "text2" if field.same else "text", True)
    if column == SHARE and field.bits and item.bits:
        return Cell(bar=field.bits / item.bits)
    return Cell()


def fold_cell(fold: Fold, column: int) -> Cell:
    """A cell of the row of unchanged fields."""
    if column == ITEM:
        sent = sum(field.sent for field in fold.fields)
        text = words.count(sent, _tr("unchanged field"), _tr("unchanged fields"))
        if sent < len(fold.fields):
            text = _tr("{fields}, {number} not sent").format(fields=text, number=len(fold.fields) - sent)
        return Cell(text, "text2", sign="same")
    if column == NEW:
        return Cell(_tr("same"), "text2", True)
    if column == DIFFERENCE:
        return ValueCell("0", "text2", True, Use.VALUE, explained=True)
    if column == BITS:
        return Cell(words.quantity(fold.bits), "text2", True)
    return Cell()


def _value(value: Value | None, raw: bool, tone: str, use: Use, *, tint: str = "", struck: bool = False) -> Cell:
    if value is None:
        return Cell(tint=tint)
    if raw:
        return ValueCell(minus(value.raw), tone, True, use, tint, struck=struck)
    if not value.raw:
        return Cell(minus(value.text), "text3", True, tint=tint, struck=struck)
    if value.text.startswith('"'):
        return ValueCell(value.text, tone, True, use, tint, struck=struck)
    number, _, meaning = value.text.partition("  ")
    return ValueCell(
        minus(number),
        tone,
        True,
        use,
        tint,
        struck=struck,
        swatch=colour_of(meaning),
        explained=True,
        meaning=minus(meaning),
    )


def cell_text(cell: Cell) -> str:
    """The same in words: for screen readers and for copying."""
    if isinstance(cell, GroupCell):
        return " ".join([cell.text, *(f"{number} {sign}" for sign, number in cell.counts)])
    if isinstance(cell, ValueCell) and cell.meaning:
        return f"{cell.text}  {cell.meaning}"
    return cell.text


def spoken(cell: Cell) -> str:
    """The same for screen readers, which cannot see the colour of a swatch."""
    text = cell_text(cell)
    return text if cell.swatch is None else f"{text}, {colour_name(cell.swatch)}"
