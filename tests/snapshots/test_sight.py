"""What is seen in items is only read."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from analyzer.snapshots.sight import Seen


def test_what_was_seen_is_a_value() -> None:
    seen = Seen(0, "snap.unknown_type", 60, "type 60 is not known (1 item here)")
    assert seen == Seen(0, "snap.unknown_type", 60, "type 60 is not known (1 item here)") != Seen(1, "", 60, "")
    with pytest.raises(FrozenInstanceError):
        seen.state = 1  # type: ignore[misc]
