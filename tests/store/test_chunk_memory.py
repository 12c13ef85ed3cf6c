"""Past a limit the chunks that were closed first move to a file; what is read and amended stays the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analyzer.store.blocks import Blocks
from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.columns import CHUNK_ROWS, ColumnSpec, Table
from analyzer.store.journal import Journal
from analyzer.store.pieces import PIECE_BYTES

CHUNK = 4 * CHUNK_ROWS
SPECS = (ColumnSpec("number", "i4", "a number"), ColumnSpec("late", "i4", "known later", -1))


def filled(memory: ChunkMemory, rows: int) -> Table:
    table = Table("things", SPECS, Journal(), memory)
    for start in range(0, rows, 10_000):
        count = min(10_000, rows - start)
        table.append({"number": np.arange(start, start + count)}, count)
    table.publish()
    return table


def test_without_a_limit_all_stays() -> None:
    memory = ChunkMemory()
    table = filled(memory, 3 * CHUNK_ROWS)
    assert (memory.held, memory.moved) == (6 * CHUNK, 0)
    assert table.columns["number"].in_file == 0


@pytest.mark.parametrize("limit", [0, 2 * CHUNK, 3 * CHUNK, 5 * CHUNK, 100 * CHUNK])
def test_memory_keeps_to_its_limit_but_for_open_chunks(tmp_path: Path, limit: int) -> None:
    memory = ChunkMemory(limit, tmp_path)
    table = filled(memory, 6 * CHUNK_ROWS + 1)
    # The last chunk of each column is open.
    assert memory.held == min(max(limit, 2 * CHUNK), 14 * CHUNK)
    assert memory.held + memory.moved == 14 * CHUNK
    assert sum(column.in_file for column in table.columns.values()) == memory.moved
    assert table.integers("number").tolist() == list(range(6 * CHUNK_ROWS + 1))
    rows = np.array([6 * CHUNK_ROWS, 5, CHUNK_ROWS])
    table.amend("late", rows, rows + 1)
    assert table.take("late", rows).tolist() == (rows + 1).tolist()
    assert [table.get("late", row) for row in (4, 5, 6)] == [-1, 6, -1]
    assert int(table.integers("late").sum()) == int((rows + 1).sum()) - (6 * CHUNK_ROWS + 1 - 3)


def test_the_oldest_move_first(tmp_path: Path) -> None:
    memory = ChunkMemory(4 * CHUNK, tmp_path)
    table = filled(memory, 2 * CHUNK_ROWS + 1)
    assert [column.in_file for column in table.columns.values()] == [CHUNK, CHUNK]
    other = filled(memory, 1)
    assert [column.in_file for column in table.columns.values()] == [2 * CHUNK, 2 * CHUNK]
    assert [column.in_file for column in other.columns.values()] == [0, 0]


def test_objects_stay() -> None:
    memory = ChunkMemory(0)
    table = Table("things", (ColumnSpec("text", "O", "a text"),), Journal(), memory)
    table.append({"text": [str(row) for row in range(CHUNK_ROWS + 1)]}, CHUNK_ROWS + 1)
    assert (memory.held, memory.moved, memory.trouble) == (16 * CHUNK_ROWS, 0, "")


def test_where_the_file_cannot_be_made_all_stays_and_it_is_said(tmp_path: Path) -> None:
    memory = ChunkMemory(0, tmp_path / "nowhere")
    table = filled(memory, 3 * CHUNK_ROWS)
    assert memory.trouble == "No such file or directory"
    assert (memory.held, memory.moved) == (6 * CHUNK, 0)
    assert table.integers("number").tolist() == list(range(3 * CHUNK_ROWS))


def test_blocks_move_too(tmp_path: Path) -> None:
    memory = ChunkMemory(0, tmp_path)
    blocks = Blocks(memory)
    sizes = [0, 1, PIECE_BYTES - 4, PIECE_BYTES, 3 * PIECE_BYTES, 70_000, 70_000, 70_000, 70_000]
    for row, size in enumerate(sizes):
        blocks.put(row, bytes([row + 1]) * size)
    assert [blocks.get(row) for row in range(len(sizes))] == [bytes([row + 1]) * size for row, size in enumerate(sizes)]
    assert blocks.get(len(sizes)) is None
    assert (len(blocks), blocks.nbytes) == (len(sizes), sum(sizes))
    assert memory.moved == blocks.in_file > sum(sizes[:5])
