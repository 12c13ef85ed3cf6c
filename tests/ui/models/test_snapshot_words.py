"""What the bar above a snapshot says of parts that are missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyzer.engine.change_tree import PartialCounts, PartNode
from analyzer.snapshots.status import LostBy, Status
from tests.ui_trees import BASE_HEAD
from ui.models.snapshot_words import notice, partly


@pytest.mark.parametrize(
    ("lost_by", "lost", "text"),
    [
        (LostBy.UNKNOWN, 0, "Part 2 of 2 is missing"),
        (LostBy.NETWORK, 0, "Part 2 of 2 is missing: the network lost it"),
        (LostBy.CAPTURE, 0, "Part 2 of 2 is missing: the capture lost it"),
        (LostBy.CAPTURE, 1, "Part 2 of 2 is missing: the capture lost 1 packet here"),
        (LostBy.CAPTURE, 37, "Part 2 of 2 is missing: the capture lost 37 packets here"),
    ],
)
def test_who_lost_a_part(lost_by: LostBy, lost: int, text: str) -> None:
    parts = (PartNode(0, 70), PartNode(1, -1))
    head = replace(BASE_HEAD, status=Status.INCOMPLETE, announced=2, parts=parts, lost_by=lost_by, lost=lost)
    assert notice(head, "", lambda packet: packet, has_delta=False).text == f"{text}; part 1 came in packet 70"


@pytest.mark.parametrize(
    ("known", "unknown", "absent", "text"),
    [
        (1, 0, 0, "1 item"),
        (3, 19, 0, "3 items, at least 19 more without values"),
        (3, 0, 2, "3 items, 2 not there"),
    ],
)
def test_only_what_is_known_is_counted(known: int, unknown: int, absent: int, text: str) -> None:
    assert partly(PartialCounts(known, unknown, absent)) == f"Known in part, from deltas alone: {text}."
