"""What every capture format yields: batches of frame records, and what is wrong or missing in the file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MADE_INTERFACE = "made by snapscope"
"""Name of the interface whose frames were not captured but written by this program (export/excerpt.py)."""


class CaptureError(Exception):
    """A file that cannot be opened as a capture. The text is a sentence for a person."""


@dataclass(frozen=True, slots=True)
class Interface:
    """Where frames were captured."""

    name: str
    link_type: int
    """LINKTYPE_ number of the pcap registry."""
    snap_length: int
    """Bytes kept of a frame; 0: no limit known."""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with the file; decoding went on with what was whole."""

    offset: int
    """Byte offset in the (unpacked) file."""
    text: str
    """A sentence for a person."""


MAX_LOST = 0x7FFFFFFF


@dataclass(frozen=True, slots=True)
class Drop:
    """The capturing program lost frames of an interface: behind frame `since` - 1 and before frame `frame`.

    Frames count from 0; the two are equal where the file says exactly between which two frames it was.
    """

    since: int
    frame: int
    interface: int
    """Index into `Source.interfaces`."""
    lost: int
    """Frames, 1 to `MAX_LOST`."""


@dataclass(frozen=True, slots=True)
class FrameBatch:
    """Consecutive captured records, a row each; all arrays have the same length."""

    time_ns: NDArray[np.int64]
    """Nanoseconds since 1970-01-01 UTC."""
    offset: NDArray[np.int64]
    """Byte offset of the frame's first byte in the (unpacked) file."""
    captured: NDArray[np.uint32]
    """Bytes in the file."""
    original: NDArray[np.uint32]
    """Bytes the frame had."""
    interface: NDArray[np.uint16]
    """Index into `Source.interfaces`."""

    def __len__(self) -> int:
        return len(self.time_ns)


def join_batches(batches: list[FrameBatch]) -> FrameBatch:
    """One batch with the rows of all of them, in order; without any, an empty one."""
    if len(batches) == 1:
        return batches[0]
    return FrameBatch(
        time_ns=np.concatenate([np.empty(0, np.int64), *(batch.time_ns for batch in batches)]),
        offset=np.concatenate([np.empty(0, np.int64), *(batch.offset for batch in batches)]),
        captured=np.concatenate([np.empty(0, np.uint32), *(batch.captured for batch in batches)]),
        original=np.concatenate([np.empty(0, np.uint32), *(batch.original for batch in batches)]),
        interface=np.concatenate([np.empty(0, np.uint16), *(batch.interface for batch in batches)]),
    )
