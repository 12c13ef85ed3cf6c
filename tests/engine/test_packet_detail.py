"""A packet's tree with the delta's items by name, and the way of bytes back through parts and buffers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from capture_files import BUNDLED

from analyzer.engine.packet_detail import (
    PacketDetail,
    field_text,
    packet_detail,
    part_bytes,
    part_span,
    shared_bytes,
    sources,
)
from analyzer.engine.worker import Worker
from analyzer.snapshots.model import FieldChange
from analyzer.wire.reader import Field, Span

TWO_PARTS = 2237
"""Completes tick 234; the first part is in the packet before."""


@pytest.fixture(scope="module")
def details() -> Iterator[dict[int, PacketDetail]]:
    worker = Worker.open(BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz")
    try:
        worker.start()
        worker.decoded.wait()
        query = worker.capture.query()
        yield {row: packet_detail(query, worker.capture.tables, row) for row in (TWO_PARTS, TWO_PARTS - 1)}
        query.close()
    finally:
        worker.close()


def delta(detail: PacketDetail) -> Field:
    return detail.tree.fields[-1]


def test_items_and_fields_of_the_delta_are_named(details: dict[int, PacketDetail]) -> None:
    detail = details[TWO_PARTS]
    removed = [child for child in delta(detail).children if child.text == "removed"]
    assert [child.name for child in removed][:2] == ["DDRaceProjectile 55", "Death 1"]
    (character,) = [child for child in delta(detail).children if child.name == "Character 23"]
    assert character.text == "4 of 22 fields changed"
    assert [child.name for child in character.children[:3]] == ["type", "id", "tick"]
    (vel_y,) = [child for child in character.children if child.name == "vel_y"]
    assert vel_y.span == Span(2, 83, 2)
    assert vel_y.text.startswith("384 -> 896 (+512)")
    meaning = detail.meaning(vel_y)
    assert meaning is not None
    assert meaning.field is not None
    assert meaning.field.bits == sum(detail.tree.buffers[2].bits[83:85]) == 10


def test_every_number_of_the_delta_has_a_meaning_and_the_bits_add_up(details: dict[int, PacketDetail]) -> None:
    detail = details[TWO_PARTS]
    groups = [child for child in delta(detail).children if child.children]
    assert len(groups) == 73
    for group in groups:
        meaning = detail.meaning(group)
        assert meaning is not None
        assert group.span is not None
        bits = detail.tree.buffers[2].bits[group.span.offset : group.span.offset + group.span.length]
        assert sum(bits) == meaning.change.bits
        assert sum(detail.meaning(child) is not None for child in group.children) == len(meaning.change.fields)


def test_bytes_lead_back_to_part_frame_and_other_buffers(details: dict[int, PacketDetail]) -> None:
    detail, before = details[TWO_PARTS], details[TWO_PARTS - 1]
    assert [(o.part.number, o.frame, o.part.offset) for o in detail.origins] == [(0, 2237, 0), (1, 2238, 900)]
    late = Span(2, 1200, 1)
    assert [o.frame for o in detail.origins_of(late)] == [2238]
    assert sources(detail, late) == (Span(1, 315, 1), Span(0, 3, 287))
    early = Span(2, 83, 2)
    (origin,) = detail.origins_of(early)
    assert sources(detail, early) == ()
    start, stop = shared_bytes(origin.part, early)
    found = part_span(before, part_bytes(detail, origin.part), start, stop - start)
    assert found is not None
    assert detail.joined is not None
    assert before.tree.buffers[found.buffer].data[found.offset :][:2] == detail.joined.data[83:85]
    assert [o.frame for o in detail.origins_of(Span(2, 899, 2))] == [2237, 2238]


def test_a_packet_without_a_whole_snapshot_has_no_origins(details: dict[int, PacketDetail]) -> None:
    before = details[TWO_PARTS - 1]
    assert before.joined is None
    assert before.origins_of(Span(1, 0, 3)) == []
    assert sources(before, Span(1, 0, 3)) == (Span(0, 3, len(before.tree.buffers[0].data) - 3),)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (FieldChange("x", None, None, 7, 8, None), ""),
        (FieldChange("x", None, 7, 7, 8, None, "", "red"), "red"),
        (FieldChange("x", 7, 7, 0, 8, None), "7"),
        (FieldChange("x", 7, 7, 0, 8, None, "red", "red"), "7, red"),
        (FieldChange("x", 7, 4, -3, 8, None), "7 -> 4 (-3)"),
        (FieldChange("x", 7, 4, -3, 8, None, "", "4  0.1 tiles"), "7 -> 4 (-3), 0.1 tiles"),
        (FieldChange("x", 7, 4, -3, 8, None, "", "4 (low)"), "7 -> 4 (-3), low"),
        (FieldChange("x", 7, 7, 0, 8, None, "7", "7"), "7"),
    ],
)
def test_what_a_field_says(change: FieldChange, text: str) -> None:
    assert field_text(change) == text
