"""Captures for the command tests: the bundled sample, and the first records of a pcap file as a file of their own."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Collection, Sequence
from pathlib import Path

from capture_files import BUNDLED, oracle_records

from tests.capture.builders import pcap_file

RECONNECT = BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap"
IPV6 = BUNDLED / "ddnet_ctf4_ipv6_head.pcap"
SLICES = BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"
RECONNECT_FRAMES = 1200
"""Frames of it that the tests look at: starts over from the same ports, and the map change."""
HEADER = 24
RECORD = struct.Struct("<8xII")


def first_records(capture: Path, count: int) -> bytes:
    """The head of a little-endian pcap file, as a whole pcap file."""
    data = gzip.decompress(capture.read_bytes()) if capture.suffix == ".gz" else capture.read_bytes()
    end = HEADER
    for _ in range(count):
        captured, _ = RECORD.unpack_from(data, end)
        end += RECORD.size + captured
    return data[:end]


def reconnect_oracle() -> list[dict[str, object]]:
    """What an independent decoder rebuilt in the first frames of `RECONNECT`."""
    return [record for record in oracle_records(RECONNECT) if record["frame"] <= RECONNECT_FRAMES]


def without_records(capture: Path, gap: range, count: int) -> bytes:
    """The first `count` records (from 0) of a pcap file but those in `gap`."""
    data = first_records(capture, count)
    return first_records(capture, gap.start) + data[len(first_records(capture, gap.stop)) :]


def udp_capture(payloads: Sequence[bytes], from_server: Collection[int] = (), *, apart_us: int = 1_000_000) -> bytes:
    """A pcap file of raw IPv4 of `payloads` between a client and a server; the indices say which are the server's."""
    frames = []
    for index, payload in enumerate(payloads):
        ends = [(b"\x0a\x00\x00\x02", 5000), (b"\x0a\x00\x00\x01", 8303)]
        (source, source_port), (target, target_port) = ends[::-1] if index in from_server else ends
        udp = struct.pack(">HHHH", source_port, target_port, 8 + len(payload), 0) + payload
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), index, 0, 64, 17, 0) + source + target
        frames.append((*divmod(index * apart_us, 1_000_000), ip + udp))
    return pcap_file(frames, link_field=101)
