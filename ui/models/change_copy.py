"""Rows and subtrees of the change tree as text, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QModelIndex

from analyzer.engine.change_tree import FieldNode, ItemNode, TypeNode, Value
from ui.models.change_cells import COLUMNS, Fold
from ui.models.changes import ChangesModel

CSV_COLUMNS = ("item", "id", "owner", "change", "field", "old", "old_text", "new", "new_text", "difference", "bits")
Record = dict[str, object]


def as_text(model: ChangesModel, rows: Sequence[QModelIndex]) -> str:
    """The rows as shown, columns parted by tabs, each level indented."""
    return "\n".join(_line(model, row) for row in rows)


def as_csv(model: ChangesModel, rows: Sequence[QModelIndex]) -> str:
    """A line for each field of the rows and of what is in them; an item without fields has a line of its own."""
    out = io.StringIO()
    writer = csv.DictWriter(out, CSV_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for item, field in _fields(model, rows):
        record: Record = {"item": item.name, "id": item.id, "owner": item.owner, "change": item.kind}
        writer.writerow(record | ({"bits": item.bits} if field is None else _field_record(field)))
    return out.getvalue()


def as_json(model: ChangesModel, rows: Sequence[QModelIndex]) -> str:
    """The items of the rows with their fields."""
    items: dict[tuple[int, int], Record] = {}
    for item, field in _fields(model, rows):
        record = items.setdefault((item.type, item.id), _item_record(item))
        of_item = record["fields"]
        assert isinstance(of_item, list)
        if field is not None:
            of_item.append(_field_record(field))
    return json.dumps(list(items.values()), ensure_ascii=False, indent=2)


def _line(model: ChangesModel, row: QModelIndex) -> str:
    depth = 0
    parent = row.parent()
    while parent.isValid():
        depth, parent = depth + 1, parent.parent()
    texts = [str(row.siblingAtColumn(column).data() or "") for column in range(COLUMNS)]
    return ("  " * depth + "\t".join(texts)).rstrip()


def _fields(model: ChangesModel, rows: Sequence[QModelIndex]) -> Iterator[tuple[ItemNode, FieldNode | None]]:
    """Every field in the rows once."""
    seen: set[tuple[tuple[int, int], str]] = set()
    for top in rows:
        for row in model.below(top):
            node, item = model.node(row), model.item(row)
            if item is None or isinstance(node, TypeNode):
                continue
            fields: tuple[FieldNode | None, ...] = ()
            if isinstance(node, FieldNode):
                fields = (node,)
            elif isinstance(node, Fold):
                fields = node.fields
            elif not item.fields:
                fields = (None,)
            for field in fields:
                key = ((item.type, item.id), "" if field is None else field.name)
                if key not in seen:
                    seen.add(key)
                    yield item, field


def _item_record(item: ItemNode) -> Record:
    return {
        "type": item.type,
        "id": item.id,
        "name": item.name,
        "owner": item.owner,
        "change": item.kind,
        "event": item.event,
        "bits": item.bits,
        "fields": [],
    }


def _field_record(field: FieldNode) -> Record:
    def raw(value: Value | None) -> str | None:
        return None if value is None else value.raw

    return {
        "field": field.name,
        "old": raw(field.old),
        "old_text": "" if field.old is None else field.old.text,
        "new": raw(field.new),
        "new_text": "" if field.new is None else field.new.text,
        "difference": field.wire if field.old is None and field.new is None else field.difference,
        "bits": field.bits,
    }
