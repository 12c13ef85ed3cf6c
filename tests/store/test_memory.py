"""What tables take, by groups of columns."""

from __future__ import annotations

import sys

import numpy as np

from analyzer.store.columns import CHUNK_ROWS
from analyzer.store.memory import Size, memory_sizes
from analyzer.store.tables import Tables


def test_every_column_is_counted_in_one_group() -> None:
    tables = Tables()
    columns = {"message": np.arange(3), "number": np.zeros(3, np.int64)}
    tables.parts.append(columns, 3)
    tables.types.append({"session": [0, 0], "name": ["one", "one"]}, 2)
    tables.blocks.put(0, b"abc")
    tables.publish()
    sizes = memory_sizes(tables)
    assert list(sizes) == [*(table.name for table in tables), "blocks"]
    assert (sizes["parts"].rows, sizes["parts"].whole) == (3, Size(15, 0))
    assert sizes["parts"].groups == {"fixed": Size(15)}
    # Two pointers to one text, two numbers of 4 bytes in each row besides the session.
    assert sizes["types"].groups == {
        "fixed": Size(8), "objects": Size(2 * 8 + sys.getsizeof("one")), "late": Size(16),
    }  # fmt: skip
    assert (sizes["blocks"].rows, sizes["blocks"].whole, sizes["blocks"].groups) == (1, Size(3, 0), {})
    for name, (rows, size) in tables.memory().items():
        assert sizes[name].rows == rows
        assert sizes[name].whole.bytes >= size


def test_what_moved_is_told() -> None:
    tables = Tables(memory_limit=0)
    tables.parts.append({"message": np.zeros(CHUNK_ROWS + 1), "number": np.zeros(CHUNK_ROWS + 1)}, CHUNK_ROWS + 1)
    tables.publish()
    assert memory_sizes(tables)["parts"].whole == Size(5 * (CHUNK_ROWS + 1), 5 * CHUNK_ROWS)
