"""Snapshots that are stored whole."""

from __future__ import annotations

from analyzer.store.blocks import Blocks


def test_blocks_by_snapshot_row() -> None:
    blocks = Blocks()
    assert (len(blocks), blocks.nbytes, blocks.get(0)) == (0, 0, None)
    blocks.put(7, b"\x01\x02\x03")
    blocks.put(9, b"")
    assert (len(blocks), blocks.nbytes) == (2, 3)
    assert (blocks.get(7), blocks.get(8), blocks.get(9)) == (b"\x01\x02\x03", None, b"")


def test_many_blocks() -> None:
    blocks = Blocks()
    rows = list(range(3, 9000, 7))
    for row in rows:
        blocks.put(row, row.to_bytes(2, "big"))
    assert [row for row in range(9100) if blocks.get(row) is not None] == rows
    assert all(blocks.get(row) == row.to_bytes(2, "big") for row in rows)
