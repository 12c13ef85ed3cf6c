"""Compiled kernels find the datagrams and flows that the plain reading finds, in frames of every kind."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.capture.frames import FrameBatch
from analyzer.capture.source import Source
from analyzer.net.bulk import BulkFlowTable, BulkNetwork, DatagramColumns, endpoints
from analyzer.net.datagrams import MAX_UDP_PAYLOAD, Datagram, Network
from analyzer.net.flows import FlowTable
from analyzer.net.kinds import FrameKind
from tests.net.builders import ethernet, extension, fragment_header, ipv4, ipv6, udp

GAP = b"\xee" * 5
LINK_TYPES = [0, 1, 12, 14, 101, 108, 113, 228, 229, 276, 147]
Frame = tuple[int, bytes, int]
"""Index in LINK_TYPES, captured bytes, original length."""


def batch_of(frames: list[Frame]) -> tuple[FrameBatch, bytes]:
    """The frames with other bytes between them, as a file has them."""
    offsets, block = [], GAP
    for _, data, _ in frames:
        offsets.append(len(block) + 1000)
        block += data + GAP
    return (
        FrameBatch(
            np.arange(len(frames), dtype=np.int64),
            np.array(offsets, dtype=np.int64),
            np.array([len(data) for _, data, _ in frames], dtype=np.uint32),
            np.array([original for _, _, original in frames], dtype=np.uint32),
            np.array([link for link, _, _ in frames], dtype=np.uint16),
        ),
        block,
    )


def plainly(network: Network, first: int, frames: list[Frame]) -> tuple[list[int], list[Datagram]]:
    kinds, datagrams = [], []
    for index, (link, data, original) in enumerate(frames):
        found = network.read(first + index, index, LINK_TYPES[link], data, original)
        if isinstance(found, FrameKind):
            kinds.append(int(found))
        elif found.udp_length > MAX_UDP_PAYLOAD:
            kinds.append(int(FrameKind.MALFORMED_UDP))
        else:
            kinds.append(int(FrameKind.UDP))
            datagrams.append(found)
    return kinds, datagrams


def as_columns(first: int, datagrams: list[Datagram]) -> list[tuple[object, ...]]:
    return [
        (
            one.frame - first,
            one.start,
            one.payload,
            one.udp_length,
            (one.source, one.source_port, one.destination, one.destination_port),
            one.pieces,
        )
        for one in datagrams
    ]


def rows(columns: DatagramColumns) -> list[tuple[object, ...]]:
    pieces = {row: datagram.pieces for row, datagram in columns.joined}
    return [
        (
            int(columns.frame[row]),
            int(columns.start[row]),
            columns.buffer[columns.offset[row] : columns.offset[row] + columns.length[row]],
            int(columns.udp_length[row]),
            endpoints(columns.keys[row]),
            pieces.get(row, ()),
        )
        for row in range(len(columns.frame))
    ]


def check(frames: list[Frame], cut: int | None = None) -> list[Datagram]:
    """Both readings say the same of frames, read in one batch or in two."""
    cut = len(frames) if cut is None else cut % (len(frames) + 1)
    plain, bulk, flows, table = Network(), BulkNetwork(), FlowTable(), BulkFlowTable()
    found = []
    for first, some in ((0, frames[:cut]), (cut, frames[cut:])):
        if not some:
            continue
        kinds, datagrams = plainly(plain, first, some)
        batch, block = batch_of(some)
        columns = bulk.read(first, batch, LINK_TYPES, block, 1000)
        assert columns.kind.tolist() == kinds
        assert rows(columns) == as_columns(first, datagrams)
        flow, direction = table.assign(columns.keys)
        assigned = list(zip(flow.tolist(), direction.tolist(), strict=True))
        assert assigned == [flows.assign(one) for one in datagrams]
        assert len(table) == len(flows.flows)
        found += datagrams
    return found


SLL, SLL2 = bytes(14) + b"\x08\0", b"\x08\0" + bytes(18)
PACKETS = [
    ipv4(udp(b"hello")),
    ipv4(udp(b"hello"), options=bytes(8)),
    ipv4(udp(b"")),
    ipv4(udp(b"hello", length=0)),
    ipv4(udp(b"hello", length=7)),
    ipv4(udp(b"hello", length=500)),
    ipv4(udp(b"hello"), total=0),
    ipv4(udp(b"hello"), total=27),
    ipv4(udp(b"hello"), first=0x44),
    ipv4(b"tcp", protocol=6),
    ipv4(udp(bytes(24))[:16], more=True),
    ipv4(udp(bytes(24))[16:], offset=16),
    ipv6(udp(b"hello")),
    ipv6(udp(b"hello"), length=0),
    ipv6(extension(17) + udp(b"hello"), protocol=0),
    ipv6(fragment_header(17, 0, True) + udp(bytes(24))[:16], protocol=44),
    ipv6(fragment_header(17, 16, False) + udp(bytes(24))[16:], protocol=44),
    ipv6(b"icmp", protocol=58),
]


def linked(packet: bytes) -> list[tuple[int, bytes]]:
    """The packet in every link layer that carries it."""
    six = packet[0] >> 4 == 6
    ethertype = 0x86DD if six else 0x0800
    word = ethertype.to_bytes(2, "big")
    family = 24 if six else 2
    return [
        (0, family.to_bytes(4, "little") + packet),
        (0, family.to_bytes(4, "big") + packet),
        (1, ethernet(packet, ethertype)),
        (1, ethernet(packet, ethertype, (0x88A8, 0x8100))),
        (1, ethernet(packet, ethertype, (0x8100,) * 8)),
        (1, ethernet(packet, ethertype, (0x8100,) * 9)),
        (1, ethernet(packet, 0x0806)),
        *((link, packet) for link in (2, 3, 4)),
        (5, family.to_bytes(4, "big") + packet),
        (6, bytes(14) + word + packet),
        (8 if six else 7, packet),
        (7 if six else 8, packet),
        (9, word + bytes(18) + packet),
        (9, b"\x81\0" + bytes(20) + word + packet),
        (10, packet),
    ]


def test_every_link_layer_and_packet() -> None:
    frames = [(link, data, len(data)) for packet in PACKETS for link, data in linked(packet)]
    found = check(frames)
    assert len(found) > 80
    assert any(one.pieces for one in found)


@pytest.mark.parametrize("packet", PACKETS)
def test_cut_at_every_length(packet: bytes) -> None:
    for link, data in linked(packet):
        check([(link, data[:length], original) for length in range(len(data)) for original in (length, len(data))])


@given(
    frames=st.lists(
        st.tuples(
            st.sampled_from([frame for packet in PACKETS for frame in linked(packet)]),
            st.lists(st.tuples(st.integers(0, 200), st.integers(0, 255)), max_size=3),
            st.integers(0, 100),
            st.integers(-3, 70_000),
        ),
        max_size=20,
    ),
    cut=st.integers(0, 20),
)
def test_altered_frames(frames: list[tuple[tuple[int, bytes], list[tuple[int, int]], int, int]], cut: int) -> None:
    made = []
    for (link, data), changes, shorter, longer in frames:
        altered = bytearray(data)
        for at, value in changes:
            altered[at % len(altered)] = value
        some = bytes(altered[: len(altered) - shorter if shorter < 40 else len(altered)])
        made.append((link, some, max(len(some) + longer, 0)))
    check(made, cut)


@given(frames=st.lists(st.tuples(st.integers(0, 10), st.binary(max_size=90), st.integers(0, 200)), max_size=20))
def test_any_frames(frames: list[Frame]) -> None:
    check(frames)


def test_many_flows_of_few_addresses() -> None:
    choose = random.Random(1)
    frames = []
    for _ in range(6000):
        one, other = choose.randrange(4000), choose.randrange(3)
        source, destination = choose.choice([(one, other), (other, one), (other, other)])
        packet = choose.choice([ipv4, ipv6])(udp(b"x", source=source, destination=destination))
        frames.append((2, packet, len(packet)))
    check(frames, 2500)


def test_captures(capture: Path) -> None:
    source = Source.open(capture, compiled=True)
    plain, bulk = Network(), BulkNetwork()
    first = 0
    while not source.at_end:
        batch = source.read(5000)
        if not len(batch):
            continue
        block, begin = source.block(batch)
        links = [interface.link_type for interface in source.interfaces]
        columns = bulk.read(first, batch, links, block, begin)
        expected = []
        for index in range(len(batch)):
            data = source.data(int(batch.offset[index]), int(batch.captured[index]))
            link = links[int(batch.interface[index])]
            expected.append(
                plain.read(first + index, int(batch.time_ns[index]), link, data, int(batch.original[index]))
            )
        assert columns.kind.tolist() == [0 if isinstance(one, Datagram) else int(one) for one in expected]
        assert rows(columns) == as_columns(first, [one for one in expected if isinstance(one, Datagram)])
        first += len(batch)
    source.close()
    assert first
