"""Which types, items and fields of a change tree are shown: what changed or the whole state, filtered by a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from analyzer.engine.change_tree import ChangeTree, FieldNode, ItemNode, TypeNode
from ui.models.change_cells import Fold

ORDERS = ("bits", "name", "wire")
"""Orders of the types."""


@dataclass(slots=True)
class ShownItem:
    """An item, and the rows of its fields."""

    node: ItemNode
    whole: bool
    """Show every field in a row of its own."""
    text: str
    """Show only fields with this text, if any."""
    _rows: tuple[FieldNode | Fold, ...] | None = None

    @property
    def rows(self) -> tuple[FieldNode | Fold, ...]:
        """Made when first asked for: most items stay closed."""
        if self._rows is None:
            self._rows = self._make_rows()
        return self._rows

    @property
    def was_asked(self) -> bool:
        """The rows were made."""
        return self._rows is not None

    def _make_rows(self) -> tuple[FieldNode | Fold, ...]:
        fields = self.node.fields
        if self.text:
            return tuple(field for field in fields if _matches(field, self.text))
        if self.whole or self.node.kind == "same":
            return fields
        same = tuple(field for field in fields if field.same)
        fold = (Fold(same),) if same else ()
        return (*(field for field in fields if not field.same), *fold)


@dataclass(slots=True)
class ShownType:
    """A type, and its items that are shown."""

    node: TypeNode
    in_mode: int
    """Its items without the filter."""
    items: list[ShownItem] = field(default_factory=list)
    dearest: int = 0
    """Bits of the item, shown or not, that cost most."""

    @property
    def nodes(self) -> list[ItemNode]:
        """The items themselves."""
        return [item.node for item in self.items]


def shown_types(tree: ChangeTree, whole: bool, order: str, text: str) -> list[ShownType]:
    """The types with the items that are shown. `whole`: of the whole state, or those that changed.

    `order`: one of `ORDERS`. `text`: what a type, an item or one of its fields must have, in lower case; may be empty.
    """
    types = list(tree.types)
    if order == "name":
        types.sort(key=lambda node: node.name.lower())
    elif order == "wire":
        types.sort(key=lambda node: node.order)
    hidden: tuple[str, ...] = ("same", "there", "absent")
    if whole and tree.head.has_state:
        # What a delta without a base removed is part of what is known: it is not there.
        hidden = ("removed",) if tree.head.rebuilt else ()
    result = []
    for node in types:
        items = [item for item in node.items if item.kind not in hidden]
        shown = ShownType(node, len(items), list(_passing(node, items, whole, text)))
        if shown.items:
            shown.dearest = max(item.bits for item in node.items)
            result.append(shown)
    return result


def _passing(type: TypeNode, items: list[ItemNode], whole: bool, text: str) -> Iterator[ShownItem]:
    if not text or text in type.name.lower():
        yield from (ShownItem(item, whole, "") for item in items)
        return
    for item in items:
        if text in item.search:
            yield ShownItem(item, whole, "")
        elif any(_matches(field, text) for field in item.fields):
            yield ShownItem(item, whole, text)


def _matches(field: FieldNode, text: str) -> bool:
    """Has a field's name or one of its values the text, which is lower case?"""
    values = (field.old, field.new)
    return text in field.name.lower() or any(value is not None and text in value.text.lower() for value in values)
