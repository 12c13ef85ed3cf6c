"""Names for the ints of a field."""

from __future__ import annotations

import pytest

from analyzer.protocols.teeworlds.layout import ItemFieldType, int_names
from analyzer.protocols.teeworlds.values import Kind


@pytest.mark.parametrize(
    ("ints", "count", "names"),
    [
        (1, 1, ["f"]),
        (1, 2, ["f[0]", "f[1]"]),
        (2, 1, ["f[0]", "f[1]"]),
        (2, 2, ["f[0][0]", "f[0][1]", "f[1][0]", "f[1][1]"]),
    ],
)
def test_each_int_has_a_name(ints: int, count: int, names: list[str]) -> None:
    field = ItemFieldType("f", Kind("k", "k", ints=ints), at=3, count=count)
    assert int_names(field) == names
    assert field.end == 3 + len(names)
