"""Item types by what was sent of them; those of a retired reading do not count."""

from __future__ import annotations

from analyzer.stats.item_types import ItemType, all_item_types, item_types_by_session
from tests.stats.hand_made import tables


def test_by_session_and_in_all() -> None:
    found = item_types_by_session(tables())
    assert found == {
        1: [ItemType("Character", 20, 440), ItemType("Pickup", 2, 8)],
        2: [ItemType("Pickup", 30, 120)],
    }
    assert all_item_types(found.values()) == [ItemType("Character", 20, 440), ItemType("Pickup", 32, 128)]
