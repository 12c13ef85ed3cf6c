"""A cell of the change tree as the text of a filter. Knows no Qt."""

from __future__ import annotations

from analyzer.engine.change_tree import FieldNode, ItemNode, TypeNode, Value
from ui.models.change_cells import BASELINE, BITS, DIFFERENCE, NEW, Fold
from ui.models.filter_texts import FilterTexts

HERE = ("removed", "absent", "unknown", "there")
"""Kinds of items whose values the rebuilt snapshot does not have."""


def cell_filter(
    texts: FilterTexts, node: TypeNode | ItemNode | FieldNode | Fold | None, item: ItemNode | None, column: int
) -> str:
    """`item`: the one that the row is, or is in."""
    if isinstance(node, TypeNode):
        return texts.type(node.name, changed=column in (DIFFERENCE, BITS))
    if item is None or node is None:
        return ""
    if isinstance(node, FieldNode):
        return _field(texts, item, node, column)
    if column == BITS and item.bits:
        return texts.bits(item.name, item.bits)
    return texts.item(item.name, item.id, "removed" if item.kind in HERE else item.kind)


def _field(texts: FilterTexts, item: ItemNode, field: FieldNode, column: int) -> str:
    changed = item.kind == "changed" and not field.same
    if column == BASELINE and field.old is not None and changed:
        return texts.item_field(item.name, field.name, "old", _plain(field.old))
    if column == DIFFERENCE and field.difference:
        return texts.item_field(item.name, field.name, "difference", field.difference)
    if column == BASELINE and field.old is not None:
        return texts.item_field(item.name, field.name, "new", _plain(field.old))
    if field.new is not None and item.kind not in HERE:
        return texts.item_field(item.name, field.name, "new", _plain(field.new))
    if column == NEW and field.difference:
        return texts.item_field(item.name, field.name, "difference", field.difference)
    return texts.item(item.name, item.id, "removed")


def _plain(value: Value) -> int | str | None:
    """The number; of a field of several the text they make."""
    if not value.raw or " " in value.raw:
        first, last = value.text.find('"'), value.text.rfind('"')
        return value.text[first + 1 : last] if 0 <= first < last else None
    return int(value.raw)
