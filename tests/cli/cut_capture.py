"""Captures for the command tests: the bundled sample, and the first records of a pcap file as a file of their own."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "resources/samples/ddnet_learntoplay.pcap.gz"
CAPTURES = ROOT / "tests/captures"
RECONNECT = CAPTURES / "ddnet_dm2_reconnect_mapchange.pcap"
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
    lines = gzip.decompress(Path(f"{RECONNECT}.expected.jsonl.gz").read_bytes()).decode().splitlines()
    return [record for record in map(json.loads, lines) if record["frame"] <= RECONNECT_FRAMES]


def without_records(capture: Path, gap: range, count: int) -> bytes:
    """The first `count` records (from 0) of a pcap file but those in `gap`."""
    data = first_records(capture, count)
    return first_records(capture, gap.start) + data[len(first_records(capture, gap.stop)) :]
