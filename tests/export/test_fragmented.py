"""Excerpts of a capture whose datagrams came in fragments, with frames of other flows between them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from capture_files import SAMPLE

from analyzer.engine.capture import Capture
from analyzer.export import selection
from analyzer.export.raw_ip import LINKTYPE_RAW, raw_packet
from tests.export.excerpts import assert_same, assert_same_frames, cut, decoded

HEADER_4, HEADER_6 = 20, 40
MORE_4, MORE_6 = 0x2000, 1


def halves(packet: bytes, number: int, at: int, *, six: bool) -> list[bytes]:
    """A raw IP packet as two fragments; `at`: bytes of its payload in the first, in eights."""
    found = []
    body = packet[HEADER_6 if six else HEADER_4 :]
    for offset, data, more in ((0, body[:at], True), (at, body[at:], False)):
        if six:
            fragment = struct.pack("!BBHI", 17, 0, offset | MORE_6 * more, number)
            head = packet[:4] + struct.pack("!HBB", len(data) + 8, 44, 64) + packet[8:HEADER_6] + fragment
        else:
            field = offset // 8 | MORE_4 * more
            head = packet[:2] + struct.pack("!HHH", HEADER_4 + len(data), number, field) + packet[8:HEADER_4]
        found.append(head + data)
    return found


def sample_packets(*, six: bool) -> Iterator[bytes]:
    """Those of the sample, without a link layer."""
    with Capture.open(SAMPLE) as capture:
        capture.decode()
        query, tables = capture.query(), capture.tables
        for packet in range(len(tables.packets)):
            flow, direction = (tables.packets.integer(name, packet) for name in ("flow", "direction"))
            ends = [tables.flows.text(name, flow) for name in ("address_a", "address_b")]
            if six:
                ends = [f"[::1]:{end.rpartition(':')[2]}" for end in ends]
            yield raw_packet(ends[direction], ends[1 - direction], query.payload(packet))
        query.close()


def write(path: Path, rng: Random, *, six: bool) -> None:
    """Most datagrams come in two fragments, in either order, and the first of them up to 9 datagrams earlier."""
    placed: list[tuple[int, int, bytes]] = []
    for number, packet in enumerate(sample_packets(six=six)):
        size = len(packet) - (HEADER_6 if six else HEADER_4)
        if size < 40 or rng.random() < 0.2:
            placed.append((number, 1, packet))
            continue
        pieces = halves(packet, number + 1, 8 * rng.randrange(1, (size - 1) // 8 + 1), six=six)
        rng.shuffle(pieces)
        placed += [(number - rng.choice((0, 0, 2, 5, 9)), 0, pieces[0]), (number, 1, pieces[1])]
    placed.sort(key=lambda entry: entry[:2])
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, LINKTYPE_RAW))
        for at, (_, _, data) in enumerate(placed):
            file.write(struct.pack("<IIII", 1000 + at // 100, at % 100 * 10_000, len(data), len(data)) + data)


@pytest.mark.parametrize("six", [False, True], ids=["IPv4", "IPv6"])
def test_excerpts_decode_where_fragments_of_several_flows_mix(six: bool, tmp_path: Path) -> None:
    rng = Random(7)
    write(tmp_path / "fragments.pcap", rng, six=six)
    snapshots = made = 0
    with decoded(tmp_path / "fragments.pcap") as whole:
        tables = whole.capture.tables
        times = tables.frames.array("time_ns")
        assert len(whole.verdicts) == 881
        for turn in range(12):
            start = rng.randrange(len(times))
            stop = min(len(times) - 1, start + rng.choice((3, 30, 200)))
            chosen = selection.in_time(tables, int(times[start]), int(times[stop]))
            if turn % 3 == 0:
                chosen = selection.of_packets(tables, np.array(rng.sample(range(len(tables.packets)), 9)))
            excerpt, saved = cut(whole, chosen, tmp_path / "part.pcapng")
            with decoded(tmp_path / "part.pcapng") as part:
                assert_same_frames(whole, excerpt, part)
                snapshots += assert_same(whole, excerpt, part)
                assert (np.diff(part.capture.tables.frames.array("time_ns")) >= 0).all()
                made += saved.made
    assert snapshots > 300
    assert made > 20
