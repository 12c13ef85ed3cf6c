"""Payloads read back from the capture file are those that were sent, in one frame or in fragments."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from tests.capture.builders import pcap_file, pcap_header, pcap_record
from tests.engine.toy import TOY
from tests.net.builders import ipv4, udp

RAW = 101
PAYLOAD = bytes(range(0xE0)) * 7
"""Without the bytes that trouble the toy protocol."""


def fragments(packet: bytes, edges: Sequence[int], identification: int) -> list[bytes]:
    """IPv4 fragments of a UDP packet, cut at `edges` (multiples of 8)."""
    cuts = [0, *edges, len(packet)]
    return [
        ipv4(packet[start:stop], offset=start, more=stop < len(packet), identification=identification)
        for start, stop in pairwise(cuts)
    ]


def pieces_of(edges: Collection[int]) -> int:
    """Fragments of a packet cut there: also of one that holds the UDP header alone."""
    return len(edges) + 1 if edges else 0


@contextmanager
def opened(path: Path, data: bytes, batch: int = 4096) -> Iterator[tuple[Capture, Query]]:
    path.write_bytes(data)
    with Capture.open(path, protocols=(TOY,), batch=batch, strict=True) as capture_file:
        capture_file.decode()
        query = capture_file.query()
        try:
            yield capture_file, query
        finally:
            query.close()


def file_of(frames: Sequence[bytes]) -> bytes:
    return pcap_file([(0, number, frame) for number, frame in enumerate(frames)], link_field=RAW)


def test_payloads_and_frames_as_they_were(tmp_path: Path) -> None:
    payloads = [b"toy!", b"", PAYLOAD, b"\x00"]
    frames = [ipv4(udp(payload)) for payload in payloads]
    frames.insert(1, b"no IP packet")
    with opened(tmp_path / "x.pcap", file_of(frames)) as (_, query):
        assert [query.payload(packet) for packet in range(len(payloads))] == payloads
        assert [query.frame(number) for number in range(len(frames))] == frames


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    edges=st.lists(st.sets(st.integers(1, 190).map(lambda units: units * 8), max_size=6), min_size=1, max_size=4),
    order=st.randoms(use_true_random=False),
    batch=st.integers(1, 30),
)
def test_fragments_in_any_order(tmp_path: Path, edges: list[set[int]], order: random.Random, batch: int) -> None:
    payloads = {}
    frames = []
    for number, cuts in enumerate(edges):
        payload = b"toy!" + bytes((number,)) + PAYLOAD[: 1520 - number]
        payloads[1000 + number] = payload
        frames += fragments(udp(payload, source=1000 + number), sorted(cuts), number)
    order.shuffle(frames)
    with opened(tmp_path / "x.pcap", file_of(frames), batch) as (capture_file, query):
        tables = capture_file.tables
        assert len(tables.packets) == len(edges)
        for packet in range(len(edges)):
            flow = tables.packets.integer("flow", packet)
            port = int(tables.flows.text("address_a", flow).rpartition(":")[2])
            assert query.payload(packet) == payloads[port]
            assert tables.packets.integer("length", packet) == len(payloads[port])
            held = pieces_of(edges[port - 1000])
            assert tables.packets.integer("pieces", packet) == (held or 1)
        assert len(tables.fragments) == sum(map(pieces_of, edges))


def test_many_fragments(tmp_path: Path) -> None:
    """More than the column of pieces can count."""
    packet = udp(b"toy!" + PAYLOAD * 2)
    frames = fragments(packet, range(8, len(packet), 8), 1)
    assert len(frames) > 255
    with opened(tmp_path / "x.pcap", file_of(frames)) as (capture_file, query):
        assert capture_file.tables.packets.integer("pieces", 0) == 255
        assert query.payload(0) == packet[8:]


@pytest.mark.parametrize("kept", [0, 4, 20, 400])
@pytest.mark.parametrize("cut", [0, 1])
def test_cut_fragments(tmp_path: Path, kept: int, cut: int) -> None:
    """The payload ends where the capture cut the first part; the packet is whole with the last frame, another one."""
    packet = udp(b"toy!" + PAYLOAD)
    frames = fragments(packet, [800], 1)
    data = pcap_header(link_field=RAW)
    for number, frame in enumerate(frames):
        taken = frame[: 20 + 8 + kept] if number == cut else frame
        data += pcap_record(number, 0, taken, original=len(frame))
    whole = packet[8:]
    expected = whole[:kept] if cut == 0 else whole[: 800 + kept]
    with opened(tmp_path / "x.pcap", data) as (capture_file, query):
        assert len(capture_file.tables.packets) == 1
        assert query.payload(0) == expected
        assert capture_file.tables.packets.integer("length", 0) == len(expected)
        assert capture_file.tables.packets.integer("udp_length", 0) == len(whole)


def test_a_flow_of_fragments_is_replayed(tmp_path: Path) -> None:
    """A reading that begins late gets the same bytes from the file as one that was there."""
    early = [*fragments(udp(b"toy!" + PAYLOAD), [800], 1), *fragments(udp(PAYLOAD), [8, 16], 2)]
    late = [*fragments(udp(PAYLOAD), [8, 16], 2), *fragments(udp(b"toy!" + PAYLOAD), [800], 1)]
    for frames, first in ((early, b"toy!" + PAYLOAD), (late, PAYLOAD)):
        with opened(tmp_path / "x.pcap", file_of(frames), batch=1) as (capture_file, _):
            tables = capture_file.tables
            ids = tables.messages.integers("id")
            assert bytes(ids[: len(first)].tolist()) == first
            assert len(ids) == 2 * len(PAYLOAD) + 4
