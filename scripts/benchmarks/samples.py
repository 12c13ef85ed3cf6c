"""Parts of a capture: its first frames as a capture of their own, and single payloads from all over it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from analyzer.capture.frames import join_batches
from analyzer.capture.source import Source
from analyzer.net.datagrams import Datagram, Network

BLOCK = 8 * 1024 * 1024
FRAMES = 16384


def payloads(path: Path, count: int) -> list[bytes]:
    """UDP payloads of at most `count` frames spread evenly over the capture."""
    source, batches = Source.open(path), []
    while not source.at_end:
        batches.append(source.read(FRAMES))
    frames = join_batches(batches)
    rows = np.unique(np.linspace(0, len(frames) - 1, count).astype(np.int64))
    columns = (frames.time_ns, frames.offset, frames.captured, frames.original, frames.interface)
    network, found = Network(), []
    for number, row in enumerate(zip(*(column[rows].tolist() for column in columns), strict=True)):
        time_ns, offset, captured, original, interface = row
        link = source.interfaces[interface].link_type
        datagram = network.read(number, time_ns, link, source.data(offset, captured), original)
        if isinstance(datagram, Datagram):
            found.append(bytes(datagram.payload))
    source.close()
    return found


def prefix(path: Path, frames: int, target: Path) -> int:
    """Write a capture of the first frames of another, unpacked; returns how many there are."""
    source = Source.open(path)
    count, end = 0, 0
    while count < frames and not source.at_end:
        batch = source.read(min(FRAMES, frames - count))
        if len(batch):
            count += len(batch)
            end = int(batch.offset[-1]) + int(batch.captured[-1])
    if source.format.startswith("pcapng"):
        # The rest of a block without options.
        end = (end + 3) // 4 * 4 + 4
    with target.open("wb") as file:
        for begin in range(0, end, BLOCK):
            file.write(source.data(begin, min(BLOCK, end - begin)))
    source.close()
    return count
