"""Answers about single rows of real captures, checked against what an independent decoder rebuilt."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from capture_files import BUNDLED, SAMPLE, oracle_records

from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.protocols.teeworlds.state import State
from analyzer.snapshots.model import Change
from analyzer.snapshots.status import Status
from analyzer.snapshots.tracking.columns import CHAIN_LENGTH
from analyzer.store.tables import Tables
from analyzer.wire.reader import Field, FieldTree
from tests.capture.builders import pcap_file
from tests.cli.cut_capture import first_records, without_records
from tests.engine.toy import FOREIGN, SURE, TOY
from tests.net.builders import ipv4, udp

SMALL = (
    "ddnet_ctf4_ipv6_head.pcap",
    "ddnet_tsunami_badcrc_head.pcap",
    "serverinfo_and_play_head.pcap",
    "ddnet_ctf3_midsession_head.pcap.gz",
)
PATHS = [*(BUNDLED / name for name in SMALL), SAMPLE]
MANY_PARTS = BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"
MANY_PARTS_FRAMES = 2500
RECONNECT = BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap"


class Opened:
    """A decoded capture and its answers."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.capture = Capture.open(path, strict=True)
        self.capture.decode()
        self.tables = self.capture.tables
        self.query = self.capture.query()

    def close(self) -> None:
        self.query.close()
        self.capture.close()

    def snapshots(self, *statuses: Status) -> list[int]:
        """Rows with one of the statuses; rebuilt ones by default."""
        wanted = statuses or (Status.OK, Status.CRC)
        return [row for row, status in enumerate(self.tables.snapshots.integers("status")) if Status(status) in wanted]

    def state(self, snapshot: int) -> State:
        state = self.query.state(snapshot)
        assert isinstance(state, State)
        return state


@pytest.fixture(scope="module", params=PATHS, ids=lambda path: path.name)
def opened(request: pytest.FixtureRequest) -> Iterator[Opened]:
    made = Opened(request.param)
    yield made
    made.close()


@pytest.fixture(scope="module")
def sample() -> Iterator[Opened]:
    made = Opened(SAMPLE)
    yield made
    made.close()


@pytest.fixture(scope="module")
def many_parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    path = tmp_path_factory.mktemp("head") / "parts.pcap"
    path.write_bytes(first_records(MANY_PARTS, MANY_PARTS_FRAMES))
    made = Opened(path)
    yield made
    made.close()


def keyed(records: list[dict[str, Any]]) -> dict[tuple[str, int, int], dict[str, Any]]:
    found = {(record["client"], record["session"], record["tick"]): record for record in records}
    assert len(found) == len(records)
    return found


def test_every_snapshot_in_random_order_is_that_of_the_oracle(opened: Opened) -> None:
    flows = opened.tables.flows
    unread = [flow for flow in range(len(flows)) if flows.integer("reading", flow) < 0]
    ends = {flows.text(end, flow) for flow in unread for end in ("address_a", "address_b")}
    expected = keyed([record for record in oracle_records(opened.path) if record["client"] not in ends])
    assert len(expected) > 40
    rows = opened.snapshots()
    random.Random(opened.path.name).shuffle(rows)
    found = keyed([opened.query.record(row, True) for row in rows])
    assert found.keys() == expected.keys()
    for key, record in expected.items():
        assert {name: found[key][name] for name in record} == record


def test_snapshots_of_many_parts_and_long_chains(many_parts: Opened) -> None:
    oracle = [record for record in oracle_records(MANY_PARTS) if record["frame"] <= MANY_PARTS_FRAMES]
    expected = keyed(oracle)
    rows = many_parts.snapshots()
    assert len(rows) == len(expected)
    assert max(many_parts.tables.snapshots.integers("parts")) > 2
    chosen = random.Random(1).sample(rows, 150)
    for key, record in keyed([many_parts.query.record(row, True) for row in chosen]).items():
        assert {name: record[name] for name in expected[key]} == expected[key]


def carried_out(base: State | None, changes: tuple[Change, ...]) -> dict[int, tuple[int, ...]]:
    """The items after the changes, carried out by their words."""
    items = dict(base.items) if base is not None else {}
    for change in changes:
        key = change.type << 16 | change.id
        if change.kind == "removed":
            del items[key]
            continue
        assert (key in items) == (change.kind != "added")
        values = [field.new for field in change.fields]
        assert all(isinstance(value, int) for value in values)
        if change.kind in ("changed", "rewritten"):
            old = items[key]
            assert [field.old for field in change.fields] == list(old[: len(change.fields)])
            assert (change.kind == "changed") == (tuple(values) != old)
        items[key] = tuple(value for value in values if value is not None)
    return items


def test_changes_on_the_base_make_the_state(opened: Opened) -> None:
    tables = opened.tables
    for row in opened.snapshots():
        base = tables.snapshots.integer("base", row)
        assert (base < 0) == (tables.snapshots.integer("base_tick", row) < 0)
        changes = opened.query.changes(row)
        assert carried_out(opened.state(base) if base >= 0 else None, changes) == opened.state(row).items
        kinds = [change.kind for change in changes]
        assert kinds.count("added") == tables.snapshots.integer("added", row)
        assert kinds.count("removed") == tables.snapshots.integer("removed", row)
        assert kinds.count("changed") == tables.snapshots.integer("changed", row)


def test_items_are_those_of_the_state(opened: Opened) -> None:
    for row in opened.snapshots()[:40]:
        items = opened.query.items(row)
        assert {item.type << 16 | item.id: item.values for item in items} == opened.state(row).items
        assert len(items) == opened.tables.snapshots.integer("items", row)
        assert all(item.name for item in items)


def check_tree(tree: FieldTree) -> int:
    """Spans lie in their buffers, children in their parents; the number of fields."""

    def check(field: Field, parent: Field | None) -> int:
        span = field.span
        if span is not None:
            assert 0 <= span.buffer < len(tree.buffers)
            assert min(span.offset, span.length) >= 0
            assert span.offset + span.length <= len(tree.buffers[span.buffer].data)
            outer = parent.span if parent is not None else None
            if outer is not None and outer.buffer == span.buffer:
                assert outer.offset <= span.offset
                assert span.offset + span.length <= outer.offset + outer.length
        return 1 + sum(check(child, field) for child in field.children)

    return sum(check(field, None) for field in tree.fields)


def test_every_packet_can_be_explained(opened: Opened) -> None:
    for packet in range(len(opened.tables.packets)):
        tree = opened.query.explain(packet)
        assert tree.buffers[0].data == opened.query.payload(packet)
        count = check_tree(tree)
        assert (count > 0) == (opened.query.protocol(packet) is not None)
        snapshot = opened.query.snapshot(packet)
        joined = opened.query.joined(snapshot) if snapshot >= 0 else None
        assert opened.tables.packets.integer("snapshot", packet) in (snapshot, -1)
        assert ("joined delta" in [buffer.name for buffer in tree.buffers]) == (joined is not None)
        assert opened.query.info(packet)


def test_messages_of_every_packet(opened: Opened) -> None:
    tables = opened.tables
    owners = tables.messages.array("packet").tolist()
    for packet in range(len(tables.packets)):
        messages = opened.query.messages(packet)
        assert list(messages) == [row for row in messages if owners[row] == packet]
        assert len(messages) == owners.count(packet) if packet < 50 else True
    assert sum(len(opened.query.messages(packet)) for packet in range(len(tables.packets))) == len(owners)


def test_the_snapshot_of_every_part(many_parts: Opened) -> None:
    tables, query = many_parts.tables, many_parts.query
    several = [row for row in many_parts.snapshots() if tables.snapshots.integer("parts", row) > 1][:40]
    assert several
    for row in several:
        joined = query.joined(row)
        assert joined is not None
        assert len(joined.data) == tables.snapshots.integer("delta_bytes", row)
        assert [part.number for part in joined.parts] == list(range(tables.snapshots.integer("parts", row)))
        for part in joined.parts:
            assert query.snapshot_of_part(part.packet) == row
        last = tables.snapshots.integer("packet", row)
        assert last == max(part.packet for part in joined.parts)
        assert row in query.snapshots_of(last)
        assert query.alive(row)
        number = tables.parts.array("number", *_part_rows(tables, row)).tolist()[-1] + 1
        assert f"part {number}/{len(joined.parts)}" in query.info(last)


def _part_rows(tables: Tables, snapshot: int) -> tuple[int, int]:
    first = tables.snapshots.integer("first_part", snapshot)
    return first, first + tables.snapshots.integer("part_count", snapshot)


def test_packets_without_parts(sample: Opened) -> None:
    tables = sample.tables
    name = sample.query.messages(0)
    assert len(name) <= tables.packets.integer("chunks", 0) or tables.packets.integer("kind", 0) > 0
    assert sample.query.snapshot_of_part(0) == -1
    assert sample.query.snapshots_of(0) == []


def test_client_ids_in_messages_have_names(sample: Opened) -> None:
    """Frame 1541 tells a kill; frame 29 has chat, most of it the server's, and the first snapshot."""

    def texts(frame: int, wanted: set[str]) -> list[str]:
        groups = sample.query.explain(frame - 1).fields
        return [node.text for group in groups for node in group.children if node.name in wanted]

    killer, victim = texts(1541, {"killer", "victim"})
    assert re.fullmatch(r"\d  bot\d", killer)
    assert re.fullmatch(r"\d  bot\d", victim)
    assert {text for text in texts(29, {"client_id"}) if text} == {"-1  server", "1  bot1"}
    assert not any(texts(13, {"client_id"}))


def test_lines_of_info(sample: Opened) -> None:
    """Frame 44 completes tick 92 on tick 90, as the oracle says too."""
    line = sample.query.info(43)
    record = next(record for record in oracle_records(SAMPLE) if record["frame"] == 44)
    assert (record["tick"], record["base_tick"]) == (92, 90)
    assert "Snap 92 base −2" in line
    assert f"{record['num_items']} items" in line


def test_frame_numbers_of_the_oracle(sample: Opened) -> None:
    for row in sample.snapshots()[:50]:
        view = sample.query.view(row)
        packet = sample.tables.snapshots.integer("packet", row)
        assert view.frame == sample.tables.packets.integer("frame", packet) + 1
        assert view.cause_frame is None
        assert view.code.status is Status.OK
        assert len(sample.query.frame(view.frame - 1)) > len(sample.query.payload(packet))


@pytest.fixture(scope="module")
def gap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """The capture missed frames that hold bases of later snapshots."""
    path = tmp_path_factory.mktemp("gap") / "gap.pcap"
    path.write_bytes(without_records(SAMPLE, range(60, 100), 400))
    made = Opened(path)
    yield made
    made.close()


def test_failed_snapshots_say_why(gap: Opened) -> None:
    failed = gap.snapshots(Status.NO_BASE)
    assert failed
    caused = 0
    for row in failed:
        assert gap.query.state(row) is None
        assert gap.query.items(row) == ()
        view = gap.query.view(row)
        assert view.state is None
        assert "{" not in view.reason
        assert len(view.reason) > 10
        cause = gap.tables.snapshots.integer("cause", row)
        if cause >= 0:
            caused += 1
            assert cause < row
            frame = gap.tables.packets.integer("frame", gap.tables.snapshots.integer("packet", cause)) + 1
            assert view.cause_frame == frame
            assert str(frame) in view.reason
        else:
            assert str(gap.tables.snapshots.integer("base_tick", row)) in view.reason
        own_reason = view.reason.partition("; first cause")[0].partition("; deltas alone tell")[0]
        assert own_reason in gap.query.info(gap.tables.snapshots.integer("packet", row))
    assert caused


def test_changes_without_a_base_are_unknown(gap: Opened) -> None:
    """What deltas before it tell is known nevertheless."""
    first, *others = gap.snapshots(Status.NO_BASE)
    kinds = {change.kind for change in gap.query.changes(first)}
    assert "unknown" in kinds
    assert kinds <= {"unknown", "removed"}
    assert "changed" in {change.kind for row in others for change in gap.query.changes(row)}


def test_what_the_capture_cut_is_explained_up_to_there() -> None:
    cut = Opened(BUNDLED / "ddnet_dm6_snaplen220.pcap")
    try:
        assert cut.snapshots() == []
        assert len(cut.tables.packets) > 100
        for packet in range(0, len(cut.tables.packets), 7):
            check_tree(cut.query.explain(packet))
            assert cut.query.info(packet)
    finally:
        cut.close()


def test_blocks_begin_chains_anew() -> None:
    """In a long session no row is more than the chain's length from a stored block or a full snapshot."""
    reconnect = Opened(RECONNECT)
    try:
        depths = reconnect.tables.snapshots.array("depth").tolist()
        assert len(reconnect.tables.blocks) > 0
        assert max(depths) == CHAIN_LENGTH - 1
        deepest = [row for row in reconnect.snapshots() if depths[row] == CHAIN_LENGTH - 1]
        stored = [row for row in reconnect.snapshots() if reconnect.tables.blocks.get(row) is not None]
        expected = keyed(list(oracle_records(RECONNECT)))
        for row in random.Random(2).sample(deepest, 6) + stored[:6]:
            record = reconnect.query.record(row, True)
            found = expected[record["client"], record["session"], record["tick"]]  # type: ignore[index]
            assert {name: record[name] for name in found} == found
    finally:
        reconnect.close()


def test_flows_without_a_reading(tmp_path: Path) -> None:
    payloads = {5000: b"other", 5001: FOREIGN, 5002: SURE}
    path = tmp_path / "x.pcap"
    frames = [(0, port, ipv4(udp(payload, source=port))) for port, payload in payloads.items()]
    path.write_bytes(pcap_file(frames, link_field=101))
    with Capture.open(path, protocols=(TOY,)) as capture_file:
        capture_file.decode()
        query: Query = capture_file.query()
        assert query.protocol(0) is query.protocol(1) is None
        assert query.protocol(2) is TOY
        assert [query.info(packet) for packet in range(3)] == [
            "5 bytes",
            "Toy foreign (not decoded)",
            "byte 116, byte 111, byte 121, byte 33",
        ]
        assert query.explain(0).buffers[0].data == b"other"
        assert query.explain(0).fields == ()
        assert query.explain(2).buffers[0].data == SURE
        assert query.facts(2).dialect == "sure"
        assert list(query.messages(0)) == []
        query.close()
