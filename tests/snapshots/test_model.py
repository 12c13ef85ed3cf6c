"""What a person sees of a snapshot: plain values that cannot change."""

from __future__ import annotations

import dataclasses

import pytest

from analyzer.snapshots.model import Change, FieldChange, Item, ItemField, JoinedDelta, Part
from analyzer.wire.reader import Span

VALUES = (
    Part(0, 7, 0, 900, 12, True),
    JoinedDelta(b"\0\0\0", (Part(0, 7, 0, 3, 12, False),)),
    ItemField("x", (1,), "1"),
    Item(4, 0, "Pickup", (1,), (ItemField("x", (1,), "1"),)),
    FieldChange("x", 1, 2, 1, 8, Span(2, 3, 1)),
    Change("changed", 4, 0, "Pickup", (), 32, None),
)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_are_frozen_and_compared_whole(value: object) -> None:
    fields = [field.name for field in dataclasses.fields(value)]  # type: ignore[arg-type]
    assert dataclasses.replace(value) == value  # type: ignore[type-var]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, fields[0], None)


def test_what_is_not_said_is_ordinary() -> None:
    assert not Item(4, 0, "Pickup", (), ()).event
    change = Change("removed", 4, 0, "Pickup", (), 32, None)
    assert not change.event
    field = FieldChange("x", None, 2, None, 8, None)
    assert (field.old_text, field.new_text) == ("", "")
