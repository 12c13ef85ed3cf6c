"""The delta tree as text."""

from __future__ import annotations

from analyzer.cli.change_lines import change_lines, values_text
from analyzer.snapshots.model import Change, FieldChange


def test_a_changed_item() -> None:
    fields = (
        FieldChange("x", 100, 92, -8, 16, None),
        FieldChange("weapon", 1, 2, 1, 1, None, "1  gun", "2  shotgun"),
        FieldChange("health", 10, 10, 0, 8, None),
        FieldChange("armor", 0, 0, 0, 1, None),
    )
    assert list(change_lines(Change("changed", 9, 3, "Character", fields, 48, None))) == [
        "~ Character 3  (48 bits)",
        "    x       100 -> 92  (raw -8, 16 bits)",
        "    weapon  1 (gun) -> 2 (shotgun)  (raw +1, 1 bit)",
        "    (unchanged: health, armor; 9 bits)",
    ]


def test_an_added_event_a_removed_item_and_one_without_base() -> None:
    added = Change("added", 14, 0, "SoundWorld", (FieldChange("x", None, 5, None, 8, None),), 32, None, event=True)
    removed = Change("removed", 2, 7, "Laser", (FieldChange("x", 5, None, None, 0, None),), 24, None)
    unknown = Change("unknown", 2, 8, "Laser", (FieldChange("x", None, None, -3, 8, None),), 24, None)
    assert list(change_lines(added)) == ["+ SoundWorld 0  (32 bits, event)", "    x  5  (8 bits)"]
    assert list(change_lines(removed)) == ["- Laser 7  (24 bits)", "    x  5"]
    assert list(change_lines(unknown)) == [
        "? Laser 8  (24 bits, the base is not known: values as on the wire)",
        "    x  on the wire -3  (8 bits)",
    ]


def test_what_is_zero_on_an_unknown_base_stands_in_one_line() -> None:
    names = ("x", "y", "owner")
    fields = tuple(FieldChange(name, None, None, sent, 8, None) for name, sent in zip(names, (0, -41, 0), strict=True))
    assert list(change_lines(Change("unknown", 2, 8, "Laser", fields, 48, None))) == [
        "? Laser 8  (48 bits, the base is not known: values as on the wire)",
        "    y  on the wire -41  (8 bits)",
        "    (on the wire 0: x, owner; 16 bits)",
    ]


def test_a_value_that_is_not_known_is_no_text() -> None:
    assert values_text(FieldChange("x", None, None, None, 0, None)) == ""


def test_an_item_of_a_player() -> None:
    change = Change("removed", 10, 3, "Character", (), 16, None, owner="bot0")
    assert list(change_lines(change)) == ["- Character 3 · bot0  (16 bits)"]
