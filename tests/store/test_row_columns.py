"""The numbers of the columns are where the names say, and the names are those of the tables and of the objects."""

from __future__ import annotations

from dataclasses import fields

import pytest

from analyzer.store import row_columns, tables
from analyzer.store.rows import PacketLate, PartRow, RowBuffers, SnapshotRow


@pytest.mark.parametrize(
    ("prefix", "names"),
    [
        ("P_", row_columns.PACKET_COLUMNS),
        ("M_", row_columns.MESSAGE_COLUMNS),
        ("S_", row_columns.SNAPSHOT_COLUMNS),
        ("R_", row_columns.PART_COLUMNS),
        ("A_", row_columns.AMENDMENT_COLUMNS),
        ("N_", RowBuffers._fields[:-1]),
    ],
)
def test_a_number_for_each_name(prefix: str, names: tuple[str, ...]) -> None:
    numbers = {name: value for name, value in vars(row_columns).items() if name.startswith(prefix)}
    assert numbers == {prefix + name.upper(): index for index, name in enumerate(names)}
    assert all(type(number) is int for number in numbers.values())


def test_names_are_those_of_the_objects() -> None:
    assert tuple(field.name for field in fields(PacketLate)) == row_columns.PACKET_COLUMNS
    assert tuple(field.name for field in fields(PartRow)) == row_columns.PART_COLUMNS
    assert tuple(field.name for field in fields(SnapshotRow)) == (*row_columns.SNAPSHOT_FIELDS, "received")


def test_names_are_those_of_the_tables() -> None:
    late = {spec.name for spec in tables.PACKETS if spec.unset is not None}
    assert late - {"first_message"} == set(row_columns.PACKET_COLUMNS) - {"packet"}
    assert {spec.name for spec in tables.MESSAGES} - {"reading"} == set(row_columns.MESSAGE_COLUMNS)
    assert {spec.name for spec in tables.SNAPSHOTS} == set(row_columns.SNAPSHOT_COLUMNS)


def test_what_may_be_amended_has_a_value_while_it_is_not_known() -> None:
    unset = {spec.name for spec in tables.SNAPSHOTS if spec.unset is not None}
    assert row_columns.AMENDABLE.keys() <= unset
    for name, column in row_columns.AMENDABLE.items():
        assert getattr(row_columns, f"AMEND_{name.upper()}") == column == row_columns.SNAPSHOT_COLUMNS.index(name)
