"""What the tables of a capture take, by groups of columns: told to a person who asks for it."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.store.columns import Column, Table
from analyzer.store.tables import Tables


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of rows in use."""

    bytes: int = 0
    """All of them, wherever they are; of objects also what they point to."""
    in_file: int = 0
    """Those that moved to the temporary file."""

    def __add__(self, other: Size) -> Size:
        return Size(self.bytes + other.bytes, self.in_file + other.in_file)


@dataclass(frozen=True, slots=True)
class TableSize:
    """One table, or the chain blocks, which have no groups."""

    rows: int
    whole: Size
    groups: dict[str, Size]
    """By the word for the columns: `fixed` are known with their row, `late` may be amended, `objects` stay."""


def memory_sizes(tables: Tables) -> dict[str, TableSize]:
    """Every table and, last, `blocks`. Looks at every object, so not for a timer."""
    sizes = {table.name: _table_size(table) for table in tables}
    blocks = tables.blocks
    sizes["blocks"] = TableSize(len(blocks), Size(blocks.nbytes, blocks.in_file), {})
    return sizes


def _table_size(table: Table) -> TableSize:
    groups: dict[str, Size] = {}
    for column in table.columns.values():
        group = _group(column)
        size = Size(column.nbytes + column.object_bytes(), column.in_file)
        groups[group] = groups.get(group, Size()) + size
    return TableSize(len(table), sum(groups.values(), Size()), groups)


def _group(column: Column) -> str:
    if column.spec.dtype == "O" and not column.spec.moves:
        return "objects"
    return "fixed" if column.spec.unset is None else "late"
