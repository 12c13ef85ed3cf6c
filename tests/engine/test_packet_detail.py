"""A packet's tree with the delta's items by name, and the way of bytes back through parts and buffers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from capture_files import BUNDLED

from analyzer.engine.capture import Capture
from analyzer.engine.packet_detail import (
    PacketDetail,
    Place,
    begins_in_hex,
    field_text,
    packet_detail,
    part_bytes,
    part_span,
    shared_bytes,
    sources,
)
from analyzer.engine.worker import Worker
from analyzer.snapshots.model import FieldChange
from analyzer.snapshots.status import Status
from analyzer.stats.parts import part_packets
from analyzer.wire.reader import Field, Span
from tests.cli.cut_capture import without_records

TWO_PARTS = 2237
"""Completes tick 234; the first part is in the packet before."""
BOTS = BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"


@pytest.fixture(scope="module")
def details() -> Iterator[dict[int, PacketDetail]]:
    worker = Worker.open(BOTS)
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
    (character,) = [child for child in delta(detail).children if child.name == "Character 23 · bot23"]
    assert character.text == "4 of 22 fields changed"
    assert [child.name for child in character.children[:3]] == ["type", "id", "tick"]
    (vel_y,) = [child for child in character.children if child.name == "vel_y"]
    assert vel_y.span == Span(2, 83, 2)
    assert vel_y.text.startswith("384 -> 896 (+512, +2.00 units/tick, +3.12 tiles/s)")
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


def test_items_of_players_have_their_names(details: dict[int, PacketDetail]) -> None:
    detail = details[TWO_PARTS]
    meanings = [(child.name, detail.meaning(child)) for child in delta(detail).children if child.children]
    named = {name: meaning.change.owner for name, meaning in meanings if meaning is not None and meaning.change.owner}
    assert any(name.startswith("Character ") for name in named)
    assert all(name.endswith(f"{id} · {owner}") for name, owner in named.items() for id in [name.split()[1]])
    unowned = [name for name, meaning in meanings if meaning is not None and not meaning.change.owner]
    assert unowned
    assert not any("·" in name for name in unowned)


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


def test_a_part_that_completes_nothing_has_the_delta_it_belongs_to(details: dict[int, PacketDetail]) -> None:
    detail, before = details[TWO_PARTS], details[TWO_PARTS - 1]
    assert detail.completed_by is None
    assert before.completed_by == Place(TWO_PARTS, 2238)
    assert before.snapshot == detail.snapshot
    assert before.joined == detail.joined
    assert before.parts == 2
    assert before.missing == ()
    assert delta(before).text == f"{delta(detail).text}, completed by packet 2238"
    assert delta(before).children == delta(detail).children
    early = Span(2, 83, 2)
    piece, packed = sources(before, early)
    assert before.tree.buffers[1].data[piece.offset : piece.offset + 2] == before.tree.buffers[2].data[83:85]
    assert packed == Span(0, 3, len(before.tree.buffers[0].data) - 3)
    assert sources(before, Span(2, 1200, 1)) == ()


@pytest.fixture(scope="module")
def incomplete(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[PacketDetail]]:
    """The packets that carry parts of snapshots which lack one, where the record of tick 234's first part is gone."""
    path = tmp_path_factory.mktemp("lossy") / "lossy.pcap"
    path.write_bytes(without_records(BOTS, range(TWO_PARTS - 1, TWO_PARTS), TWO_PARTS + 100))
    with Capture.open(path) as capture:
        capture.decode()
        query, tables = capture.query(), capture.tables
        rows = np.flatnonzero(tables.snapshots.integers("status") == Status.INCOMPLETE).tolist()
        packets = sorted({packet for row in rows for packet in part_packets(tables, row).tolist()})
        yield [packet_detail(query, tables, packet) for packet in packets]
        query.close()


def test_parts_of_a_delta_that_never_was_completed_are_shown_with_the_gap(incomplete: list[PacketDetail]) -> None:
    shown = [detail for detail in incomplete if detail.missing]
    assert shown
    for detail in shown:
        buffer = detail.tree.buffers[-1]
        group = delta(detail)
        assert detail.joined is not None
        assert buffer.name == group.name == "received parts"
        assert buffer.data == detail.joined.data
        assert len(group.children) == detail.parts
        assert group.text.startswith(f"{detail.parts - len(detail.missing)} of {detail.parts} parts, ")
        for number, child in enumerate(group.children):
            assert child.name == f"part {number + 1}"
            assert (child.note == "never came") == (child.span is None) == (number in detail.missing)
        own = [child for child in group.children if child.text.endswith("this packet")]
        assert own
        for child in own:
            assert child.span is not None
            piece = sources(detail, child.span)[0]
            data = buffer.data[child.span.offset : child.span.offset + child.span.length]
            assert detail.tree.buffers[piece.buffer].data[piece.offset :][: piece.length] == data
        assert detail.completed_by is None
        assert not detail.meanings


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


@pytest.mark.parametrize(
    ("value", "text", "answer"),
    [
        (0xE402E4B5, "e402e4b5", True),
        (-233464210, "f2159e6e", True),
        (0x0102, "0102", True),
        (41, "0x29  ddnet, pingex", True),
        (0, "0x00  none", True),
        (12, "12 bytes", False),
        (0x12, "12", False),
        (5, "0x29", False),
        (1, "", False),
        (1, "red", False),
        (True, "0x1", True),
        ("29", "0x29", False),
        (None, "0x29", False),
    ],
)
def test_text_that_begins_with_the_number_in_hexadecimal(value: int | str | None, text: str, answer: bool) -> None:
    assert begins_in_hex(value, text) == answer
