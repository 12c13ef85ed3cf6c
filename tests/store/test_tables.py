"""The tables as a whole: columns a row is sure to hold, references that exist, and the memory a row may take."""

from __future__ import annotations

from analyzer.store.columns import Table
from analyzer.store.tables import Tables

ROW_LIMITS = {"messages": 20, "parts": 8, "snapshots": 96}
"""Design section 2, bytes a row; packets count with their frames."""
PACKET_LIMIT = 64


def with_a_row(table: Table) -> Table:
    values = {spec.name: ["" if spec.dtype == "O" else 0] for spec in table.specs if spec.unset is None}
    table.append(values, 1)
    return table


def test_bytes_of_a_row() -> None:
    tables = Tables()
    for table in tables:
        with_a_row(table)
    sizes = {name: size for name, (_, size) in tables.memory().items()}
    assert sizes["frames"] + sizes["packets"] <= PACKET_LIMIT
    for name, limit in ROW_LIMITS.items():
        assert 0 < sizes[name] <= limit, name


def test_memory_counts_published_rows_and_blocks() -> None:
    tables = Tables()
    with_a_row(tables.parts)
    tables.blocks.put(0, b"abc")
    assert tables.memory()["parts"][0] == 0
    tables.publish()
    assert tables.memory()["parts"] == (1, tables.parts.nbytes)
    assert list(tables.memory()) == [*(table.name for table in tables), "blocks"]
    assert tables.memory()["blocks"] == (1, 3)


def test_every_column_is_documented_and_refers_to_a_table() -> None:
    tables = {table.name: table for table in Tables()}
    for table in tables.values():
        assert len(table.columns) == len(table.specs)
        for spec in table.specs:
            assert spec.doc
            assert spec.ref in ("", *tables)
            if spec.ref:
                assert spec.dtype == "i4"
                assert spec.unset in (None, -1)


def test_unset_values_fit_their_columns() -> None:
    for table in Tables():
        row = with_a_row(table).row(0)
        for spec in table.specs:
            if spec.unset is not None:
                assert row[spec.name] == spec.unset


def test_amendments_of_all_tables_share_one_journal() -> None:
    tables = Tables()
    with_a_row(tables.flows)
    with_a_row(tables.packets)
    tables.publish()
    reader = tables.journal.reader()
    tables.flows.amend("server", [0], [1])
    tables.packets.amend("code", [0], [2])
    assert [(entry.table, entry.column) for entry in reader.take()] == [
        ("flows", "server"),
        ("packets", "code"),
    ]
