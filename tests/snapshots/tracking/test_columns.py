"""The places in the arrays: none twice, and as many as the arrays have."""

from __future__ import annotations

from analyzer.snapshots.status import ClientHas
from analyzer.snapshots.tracking import columns


def test_client_has_is_numbered_alike() -> None:
    assert (columns.NEVER, columns.LATER, columns.ACKED) == (ClientHas.NEVER, ClientHas.LATER, ClientHas.ACKED)


def test_every_column_is_inside_its_array() -> None:
    assert columns.FLAGS == columns.TICK_COLUMNS - 1
    assert columns.C_LATE < columns.COLLECTOR_COLUMNS
    assert columns.DIGEST == columns.PART_COLUMNS - 1
    assert columns.FACTOR == columns.NUMBERS - 1


def test_flags_are_bits_of_their_own() -> None:
    flags = (columns.FAILED, columns.CAUSE, columns.AWAITED, columns.REPEATED)
    assert sum(flags).bit_count() == len(flags)
