"""From a packet to the snapshots its parts belong to, and back."""

from __future__ import annotations

from analyzer.stats.parts import CarriedPart, PartIndex, part_packets, parts_in
from tests.stats.hand_made import tables


def test_parts_of_a_packet() -> None:
    made = tables()
    assert parts_in(made, 1) == [CarriedPart(1, 0)]
    assert parts_in(made, 3) == [CarriedPart(1, 1), CarriedPart(3, 0)]
    assert parts_in(made, 0) == []


def test_packets_of_a_snapshot() -> None:
    made = tables()
    assert part_packets(made, 1).tolist() == [1, 3]
    assert part_packets(made, 2).tolist() == [2]
    assert part_packets(made, 4).tolist() == []


def test_the_index_by_message() -> None:
    made = tables()
    index = PartIndex(made)
    assert [index.carried(message) for message in range(len(made.messages))] == [None] * len(made.messages)
    index.catch_up()
    for packet in range(len(made.packets)):
        owners = made.messages.array("packet").tolist()
        carried = [index.carried(message) for message, owner in enumerate(owners) if owner == packet]
        for part in parts_in(made, packet):
            assert part in carried
