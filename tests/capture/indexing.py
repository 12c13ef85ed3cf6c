"""What the index of a capture file says, as rows: of a file that is whole, and of one that grows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TypeVar

from analyzer.capture.file import CaptureFile
from analyzer.capture.frames import FrameBatch
from analyzer.capture.pcap import PcapIndexer
from analyzer.capture.pcapng import PcapngIndexer

Row = tuple[int, int, int, int, int]
"""Time, offset, captured and original length, interface."""
Indexer = TypeVar("Indexer", bound=PcapIndexer | PcapngIndexer)


def rows(batch: FrameBatch) -> list[Row]:
    columns = (batch.time_ns, batch.offset, batch.captured, batch.original, batch.interface)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def index_whole(
    path: Path, data: bytes, open_index: Callable[[CaptureFile], Indexer], limit: int
) -> tuple[Indexer, list[Row]]:
    """The index of a file of these bytes, read to its end by `limit` frames at a time."""
    path.write_bytes(data)
    file = CaptureFile.open(path)
    indexer = open_index(file)
    found: list[Row] = []
    while not indexer.ended:
        batch = indexer.read(limit, closed=True)
        assert len(batch) <= limit
        assert len(batch) or indexer.ended
        found += rows(batch)
    assert not len(indexer.read(limit, closed=True))
    file.close()
    return indexer, found


def index_growing(
    path: Path, data: bytes, open_index: Callable[[CaptureFile], Indexer], choose: Random, *, piece: int, limit: int
) -> tuple[Indexer, list[Row]]:
    """The same of a file that gets fewer than `piece` bytes before each read of fewer than `limit` frames."""
    path.write_bytes(b"")
    file = CaptureFile.open(path)
    indexer = open_index(file)
    found: list[Row] = []
    written = 0
    with path.open("ab", buffering=0) as writer:
        while written < len(data):
            step = choose.randrange(1, piece)
            writer.write(data[written : written + step])
            written += step
            found += rows(indexer.read(choose.randrange(limit), closed=False))
            assert not indexer.ended
    while not indexer.ended:
        found += rows(indexer.read(limit - 1, closed=True))
    file.close()
    return indexer, found
