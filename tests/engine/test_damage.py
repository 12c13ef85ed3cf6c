"""Captures with frames lost, repeated, reordered and altered: every row is still answered, in whatever batches."""

from __future__ import annotations

from pathlib import Path

import pytest
from capture_files import BUNDLED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.engine.capture import Capture
from analyzer.snapshots.status import Status
from tests.cli.cut_capture import HEADER, RECORD, first_records
from tests.engine.table_content import table_content

FRAMES = 100
HEADERS = 60
"""Bytes of a record that stay as they are: its own header, and those of the layers below UDP's payload."""
SOURCES = (
    "ddnet_dm2_reconnect_mapchange.pcap",
    "ddnet_ctf1_24bots_slices.pcap.gz",
    "ddnet_ctf3_midsession_head.pcap.gz",
)

DAMAGE = st.lists(
    st.tuples(
        st.sampled_from(("lose", "repeat", "swap", "alter", "alter")),
        st.integers(0, 10_000),
        st.integers(0, 2000),
        st.integers(1, 255),
    ),
    max_size=25,
)


def records(capture_file: Path) -> list[bytes]:
    """The first records of a pcap file, each with its header."""
    data = first_records(capture_file, FRAMES)
    found = []
    at = HEADER
    while at < len(data):
        end = at + RECORD.size + RECORD.unpack_from(data, at)[0]
        found.append(data[at:end])
        at = end
    return [data[:HEADER], *found]


@pytest.fixture(scope="module", params=SOURCES)
def source(request: pytest.FixtureRequest) -> list[bytes]:
    return records(BUNDLED / request.param)


def damaged(source: list[bytes], damage: list[tuple[str, int, int, int]]) -> bytes:
    head, *frames = source
    for what, at, place, bits in damage:
        index = at % len(frames)
        frame = frames[index]
        if what == "lose" and len(frames) > 1:
            del frames[index]
        elif what == "repeat":
            frames.insert(place % len(frames), frame)
        elif what == "swap":
            other = (index + place % 8) % len(frames)
            frames[index], frames[other] = frames[other], frame
        elif what == "alter" and len(frame) > HEADERS:
            byte = HEADERS + place % (len(frame) - HEADERS)
            frames[index] = frame[:byte] + bytes((frame[byte] ^ bits,)) + frame[byte + 1 :]
    return head + b"".join(frames)


def ask_everything(opened: Capture) -> None:
    """Every question about every row; any exception is the failure."""
    tables, query = opened.tables, opened.query()
    for packet in range(len(tables.packets)):
        query.explain(packet)
        assert query.info(packet)
        part_of = query.snapshot_of_part(packet)
        assert part_of < len(tables.snapshots)
        for snapshot in query.snapshots_of(packet):
            assert tables.snapshots.integer("packet", snapshot) == packet
    for snapshot in range(len(tables.snapshots)):
        record = query.record(snapshot, True)
        rebuilt = Status(tables.snapshots.integer("status", snapshot)) in (Status.OK, Status.CRC)
        assert ("items" in record) == rebuilt
        changes = query.changes(snapshot)
        if rebuilt:
            # An altered delta may send one key twice: two entries, but one item.
            added = {(change.type, change.id) for change in changes if change.kind == "added"}
            assert len(added) == tables.snapshots.integer("added", snapshot)
            assert len(query.items(snapshot)) == tables.snapshots.integer("items", snapshot)
    query.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
@given(damage=DAMAGE, batch=st.integers(1, 40))
def test_damage(tmp_path: Path, source: list[bytes], damage: list[tuple[str, int, int, int]], batch: int) -> None:
    path = tmp_path / "damaged.pcap"
    path.write_bytes(damaged(source, damage))
    with Capture.open(path, strict=True) as whole, Capture.open(path, batch=batch, strict=True) as some:
        whole.decode()
        some.decode()
        assert table_content(some.tables) == table_content(whole.tables)
        ask_everything(whole)
