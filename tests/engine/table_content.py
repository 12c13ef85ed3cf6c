"""Everything in the tables of a capture as plain values, with texts for numbers that only they define."""

from __future__ import annotations

from analyzer.store.tables import Tables

NAMED = {("messages", "name"): "names", ("findings", "rule"): "rules"}


def table_content(tables: Tables) -> dict[str, list[object]]:
    """By table.column; `blocks` are those of the snapshot rows in order."""
    found: dict[str, list[object]] = {}
    for table in tables:
        for name in table.columns:
            values = table.array(name).tolist()
            texts = NAMED.get((table.name, name))
            if texts is not None:
                values = [getattr(tables, texts)[number] for number in values]
            found[f"{table.name}.{name}"] = values
    found["blocks"] = [tables.blocks.get(row) for row in range(len(tables.snapshots))]
    return found
