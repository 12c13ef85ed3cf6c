"""A protocol that was added as docs/protocols.md says works in the whole engine, and disturbs no other."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_files import BUNDLED, ROOT, SAMPLE
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine.capture import Capture
from analyzer.protocols import PROTOCOLS
from analyzer.protocols.base import Protocol, SessionFacts
from analyzer.protocols.flow import Datagram
from analyzer.snapshots.model import JoinedDelta
from analyzer.snapshots.status import Status
from analyzer.snapshots.tracking.columns import CHAIN_LENGTH
from analyzer.store.rows import Rows
from analyzer.store.tables import Tables
from analyzer.wire.reader import Field
from tests.capture.builders import pcap_file
from tests.protocols.pong import CODES, GONE, PONG
from tests.row_views import packets, snapshots

ALL = (*PROTOCOLS, PONG)
OTHERS = (SAMPLE, BUNDLED / "serverinfo_and_play_head.pcap", BUNDLED / "ddnet_ctf4_ipv6_head.pcap")
MOVE = b"PONG\x01" + struct.pack(">Bhh", 3, 100, -5)


def part(tick: int, base_tick: int, parts: int, number: int, delta: bytes) -> bytes:
    return b"PONG\x02" + struct.pack(">iiBB", tick, base_tick, parts, number) + delta


def ball(number: int, x: int, y: int) -> bytes:
    return struct.pack(">Bhh", number, x, y)


def capture_of(payloads: list[tuple[bool, bytes]]) -> bytes:
    """A pcap file of raw IPv4; true: sent by the server."""
    frames = []
    for index, (from_server, payload) in enumerate(payloads):
        ends = [(b"\x0a\0\0\2", 5000), (b"\x0a\0\0\1", 7777)]
        (source, source_port), (target, target_port) = reversed(ends) if from_server else ends
        udp = struct.pack(">HHHH", source_port, target_port, 8 + len(payload), 0) + payload
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), index, 0, 64, 17, 0) + source + target
        frames.append((index, 0, ip + udp))
    return pcap_file(frames, link_field=101)


TRAFFIC = [
    (False, MOVE),
    (True, part(10, -1, 1, 0, ball(1, 5, 6) + ball(2, 7, 8))),
    (True, part(12, 10, 2, 1, ball(3, 0, 1)[2:] + ball(2, 0, GONE))),
    (True, part(12, 10, 2, 0, ball(1, 6, 6) + ball(3, 0, 1)[:2])),
    (True, part(14, 11, 1, 0, ball(1, 9, 9))),
    (True, part(16, 12, 1, 0, ball(1, 9, 9)[:3])),
    (False, b"PONG\x07what?"),
    (True, b"PONG\x02\0"),
    (True, part(18, 12, 2, 0, b"")),
]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Capture]:
    path = tmp_path / "pong.pcap"
    path.write_bytes(capture_of(TRAFFIC))
    with Capture.open(path, protocols=ALL, strict=True) as capture:
        capture.decode()
        yield capture


def test_the_document_shows_the_file_that_is_tested_here() -> None:
    """But for blank lines at the cuts."""
    text = (ROOT / "docs" / "protocols.md").read_text(encoding="utf-8")
    shown = "".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    file = (ROOT / "tests" / "protocols" / "pong" / "__init__.py").read_text(encoding="utf-8")
    assert [line for line in shown.splitlines() if line] == [line for line in file.splitlines() if line]


def test_packets_and_messages(opened: Capture) -> None:
    tables = opened.tables
    assert tables.flows.row(0)["server"] == 1
    assert tables.readings.row(0)["protocol"] == "pong"
    kinds = [PONG.packet_kinds[kind] for kind in tables.packets.integers("kind")]
    assert kinds == [*["message"] * 7, "malformed", "message"]
    assert tables.packets.integers("code").tolist() == [0] * 7 + [1, 0]
    names = [tables.names[name] for name in tables.messages.integers("name")]
    assert names == ["Move", *["Part"] * 5, "unknown message 7", "Part", "Part"]
    assert tables.packets.integers("snapshot").tolist() == [-1, 0, -1, 1, 2, 3, -1, -1, -1]


def test_snapshots_items_and_changes(opened: Capture) -> None:
    tables, query = opened.tables, opened.query()
    rows = [tables.snapshots.row(number) for number in range(len(tables.snapshots))]
    assert [(row["tick"], CODES[int(str(row["code"]))].name, row["base"]) for row in rows] == [
        (10, "OK", -1),
        (12, "OK", 0),
        (14, "B", -1),
        (16, "D", 1),
        (18, "P", -1),
    ]
    assert [(item.id, item.values, item.fields[0].text) for item in query.items(1)] == [
        (1, (6, 6), "6 px"),
        (3, (0, 1), "0 px"),
    ]
    assert [(change.kind, change.id) for change in query.changes(1)] == [("changed", 1), ("added", 3), ("removed", 2)]
    assert [(field.old, field.new) for field in query.changes(1)[0].fields] == [(5, 6), (6, 6)]
    assert [(change.kind, change.id) for change in query.changes(2)] == [("unknown", 1)]
    assert query.items(2) == query.items(3) == ()
    assert query.reason(2) == "base tick 11 is not known"
    assert query.reason(4) == "parts missing: 2 of 2 (part 1 in frame 9)"
    assert query.info(3) == "Part 12 part 1/2 base −2 · 2 items, unchanged"
    assert query.record(1, with_items=True) == {
        "client": "10.0.0.2:5000",
        "server": "10.0.0.1:7777",
        "session": 0,
        "dialect": "1",
        "frame": 4,
        "tick": 12,
        "base_tick": 10,
        "parts": 2,
        "status": "ok",
        "code": "OK",
        "reason": "rebuilt",
        "cause_frame": None,
        "items": [[0, 1, [6, 6]], [0, 3, [0, 1]]],
    }


def test_a_long_chain_is_rebuilt_from_a_stored_block(tmp_path: Path) -> None:
    path = tmp_path / "long.pcap"
    path.write_bytes(
        capture_of(
            [(True, part(tick, tick - 1 if tick else -1, 1, 0, ball(tick % 7, tick, -tick))) for tick in range(200)]
        )
    )
    with Capture.open(path, protocols=ALL, strict=True) as capture:
        capture.decode()
        assert capture.tables.snapshots.integers("depth").max() == CHAIN_LENGTH - 1
        items = capture.query().items(199)
    assert {item.id: item.values for item in items} == {tick % 7: (tick, -tick) for tick in range(193, 200)}


def test_explain(opened: Capture) -> None:
    query = opened.query()
    tree = query.explain(3)
    assert tree.error == ""
    assert [buffer.name for buffer in tree.buffers] == ["captured", "decompressed", "joined delta"]
    assert [field.name for field in tree.fields] == [
        *("magic", "message", "tick", "base tick", "parts", "part", "data"),
        *["ball"] * 3,
    ]
    assert [(field.name, field.value) for field in tree.fields[7].children] == [("id", 1), ("x", 6), ("y", 6)]
    assert query.explain(7).error != ""
    assert [field.value for field in query.explain(0).fields[2:5]] == [3, 100, -5]


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.name)
def test_other_protocols_are_read_the_same(path: Path) -> None:
    assert decoded(path, ALL) == decoded(path, PROTOCOLS)
    assert decoded(path, (PONG, *PROTOCOLS)) == decoded(path, PROTOCOLS)


def decoded(path: Path, protocols: tuple[Protocol, ...]) -> dict[str, list[object]]:
    """Every table, row by row."""
    with Capture.open(path, protocols=protocols, strict=True) as capture:
        capture.decode()
        return rows_of(capture.tables)


def rows_of(tables: Tables) -> dict[str, list[object]]:
    found = (tables.flows, tables.readings, tables.packets, tables.messages, tables.snapshots, tables.findings)
    return {table.name: [table.row(number) for number in range(len(table))] for table in found}


def payloads(prefix: bytes) -> st.SearchStrategy[bytes]:
    """Any bytes, some of which begin like a packet."""
    return st.binary(max_size=200) | st.binary(max_size=60).map(lambda rest: prefix + rest)


PAYLOADS = st.one_of(
    *(payloads(prefix) for prefix in (b"", b"PONG\x02\0\0\0", b"\x80\5\1", b"\0\5\2\0\4\x0d", b"\x10"))
)


@pytest.mark.parametrize("protocol", ALL, ids=lambda protocol: protocol.name)
@given(sent=st.lists(st.tuples(PAYLOADS, st.integers(0, 1)), min_size=1, max_size=8))
def test_any_payload_is_answered(protocol: Protocol, sent: list[tuple[bytes, int]]) -> None:
    detector = protocol.open_detector()
    for number, (payload, direction) in enumerate(sent):
        assert 0.0 <= protocol.probe(payload) <= 1.0
        detector.see(Datagram(number, 0, direction, payload, len(payload)))
    verdict = detector.verdict()
    if verdict is None or not verdict.readable:
        return
    assert 0.0 <= verdict.score <= 1.0
    rows = Rows(0, 0)
    reading = protocol.open_reading(rows, verdict)
    for number, (payload, direction) in enumerate(sent):
        rows.begin(number)
        reading.receive(Datagram(number, 0, direction, payload, len(payload)))
    reading.finish()
    assert all(0 < late.kind < len(protocol.packet_kinds) for late in packets(rows))
    assert all(late.code < len(protocol.packet_codes) for late in packets(rows))
    assert all(row.status is protocol.codes[row.code].status is not Status.BUG for row in snapshots(rows))
    facts = SessionFacts(verdict.dialect)
    for session in rows.sessions:
        assert isinstance(session.facts, SessionFacts)
        facts = session.facts
    for payload, _ in sent:
        for joined in (None, JoinedDelta(payload, ())):
            tree = protocol.explain(payload, facts, joined)
            lengths = [len(buffer.data) for buffer in tree.buffers]
            assert all(inside(field, lengths) for field in tree.fields)


def inside(field: Field, lengths: list[int]) -> bool:
    """Does every span lie in its buffer?"""
    span = field.span
    fits = span is None or 0 <= span.offset <= span.offset + span.length <= lengths[span.buffer]
    return fits and all(inside(child, lengths) for child in field.children)
