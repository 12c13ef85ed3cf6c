"""Datagrams and flow numbers of batches of frames, with compiled kernels: the results of datagrams.py and flows.py.

Columns of a batch stay in the order of its frames, wherever a datagram was read.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.capture.frames import FrameBatch
from analyzer.net import kernels
from analyzer.net.datagrams import MAX_UDP_PAYLOAD, Datagram, Network
from analyzer.net.flows import Flow
from analyzer.net.kinds import FrameKind

_LINKS = {
    # Link type: kind of link layer for the kernel, and where in the frame its EtherType is.
    0: (kernels.FAMILY, 0),
    1: (kernels.ETHERTYPE, 12),
    12: (kernels.RAW, 0),
    14: (kernels.RAW, 0),
    101: (kernels.RAW, 0),
    108: (kernels.FAMILY, 0),
    113: (kernels.ETHERTYPE, 14),
    228: (kernels.RAW_4, 0),
    229: (kernels.RAW_6, 0),
    276: (kernels.COOKED_2, 0),
}
_LEFT = (-1, 0)

_FIRST_ENTRIES = 1024
"""Room of a new flow table; it has two entries a flow."""


@dataclass(frozen=True, slots=True)
class DatagramColumns:
    """The UDP datagrams of a batch of n frames, m rows in the order of their frames."""

    kind: NDArray[np.uint8]
    """`FrameKind` of every frame, shape (n,)."""
    frame: NDArray[np.int64]
    """Index in the batch, of fragments of the last to arrive."""
    offset: NDArray[np.int64]
    """Of the payload in `buffer`."""
    start: NDArray[np.int64]
    """Of the payload in its frame, of fragments in that of the first piece."""
    length: NDArray[np.int64]
    udp_length: NDArray[np.int64]
    keys: NDArray[np.uint64]
    """The two endpoints, shape (m, kernels.KEY_WORDS)."""
    joined: list[tuple[int, Datagram]]
    """Row and datagram of those that came in fragments."""
    buffer: bytes
    """The block that was read, and payloads joined from fragments behind it."""


class BulkNetwork:
    """Reads batches of frames in capture order; the fragments of unfinished packets are all that it remembers."""

    def __init__(self) -> None:
        self._network = Network()

    def read(self, first: int, frames: FrameBatch, link_types: list[int], block: bytes, begin: int) -> DatagramColumns:
        """The datagrams of frames whose bytes are in `block`, which begins at byte `begin` of the file.

        `first` is the number of the first frame.
        """
        count = len(frames)
        kind = np.empty(count, dtype=np.uint8)
        offset, length, udp_length = (np.empty(count, dtype=np.int64) for _ in range(3))
        keys = np.empty((count, kernels.KEY_WORDS), dtype=np.uint64)
        begins = frames.offset - begin
        links = np.array([_LINKS.get(link, _LEFT) for link in link_types], dtype=np.int64).reshape(-1, 2)
        left = kernels.read_frames(
            np.frombuffer(block, dtype=np.uint8),
            begins,
            frames.captured,
            frames.original,
            frames.interface,
            links,
            kind,
            offset,
            length,
            udp_length,
            keys,
        )
        joined: list[tuple[int, Datagram]] = []
        buffer = block
        if left:
            for index in np.flatnonzero(kind == kernels.LEFT).tolist():
                found = self._read_one(first, index, frames, link_types, block, begin)
                if isinstance(found, FrameKind):
                    kind[index] = found
                    continue
                kind[index] = FrameKind.UDP
                offset[index] = begins[index] + found.start
                length[index], udp_length[index] = len(found.payload), found.udp_length
                keys[index] = _key(found)
                if found.pieces:
                    joined.append((index, found))
            if joined:
                buffer = _append_joined(block, joined, offset)
        rows = np.flatnonzero(kind == FrameKind.UDP)
        start = offset[rows] - begins[rows]
        places = np.searchsorted(rows, [index for index, _ in joined]).tolist()
        joined = [(place, datagram) for place, (_, datagram) in zip(places, joined, strict=True)]
        for place, datagram in joined:
            start[place] = datagram.start
        return DatagramColumns(
            kind, rows, offset[rows], start, length[rows], udp_length[rows], keys[rows], joined, buffer
        )

    def _read_one(
        self, first: int, index: int, frames: FrameBatch, link_types: list[int], block: bytes, begin: int
    ) -> Datagram | FrameKind:
        at = int(frames.offset[index]) - begin
        found = self._network.read(
            first + index,
            int(frames.time_ns[index]),
            link_types[int(frames.interface[index])],
            block[at : at + int(frames.captured[index])],
            int(frames.original[index]),
        )
        if isinstance(found, Datagram) and found.udp_length > MAX_UDP_PAYLOAD:
            return FrameKind.MALFORMED_UDP
        return found


class BulkFlowTable:
    """Flows in the order in which they begin, numbered as by `FlowTable`; about 100 bytes a flow."""

    def __init__(self) -> None:
        # A capture's author must not be able to make all endpoints meet in one slot.
        seeds = [secrets.randbits(32) | 1 for _ in range(2 * kernels.KEY_WORDS)]
        self._seeds = np.array(seeds, dtype=np.uint64)
        self._known = np.empty((_FIRST_ENTRIES, kernels.KEY_WORDS), dtype=np.uint64)
        self._places = np.empty(_FIRST_ENTRIES, dtype=np.int32)
        self._slots = np.zeros(2 * _FIRST_ENTRIES, dtype=np.int32)
        self._counts = np.zeros(2, dtype=np.int64)

    def __len__(self) -> int:
        return int(self._counts[1])

    def assign(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Flow number and direction of each pair of endpoints, shape (m, kernels.KEY_WORDS)."""
        flow = np.empty(len(keys), dtype=np.int32)
        direction = np.empty(len(keys), dtype=np.int8)
        done = 0
        while True:
            done = kernels.assign_flows(
                keys, done, self._seeds, self._slots, self._known, self._places, self._counts, flow, direction
            )
            if done == len(keys):
                return flow, direction
            self._grow()

    def _grow(self) -> None:
        self._known = np.concatenate([self._known, np.empty_like(self._known)])
        self._places = np.concatenate([self._places, np.empty_like(self._places)])
        self._slots = np.zeros(2 * len(self._known), dtype=np.int32)
        kernels.place_entries(int(self._counts[0]), self._seeds, self._slots, self._known)


def endpoints(key: NDArray[np.uint64]) -> Flow:
    """Source and destination of a row of `DatagramColumns.keys`."""
    raw = key.astype(">u8").tobytes()
    size = 4 if raw[39] == 4 else 16
    return raw[:size], int.from_bytes(raw[32:34], "big"), raw[16 : 16 + size], int.from_bytes(raw[34:36], "big")


def _key(datagram: Datagram) -> NDArray[np.uint64]:
    raw = datagram.source.ljust(16, b"\0") + datagram.destination.ljust(16, b"\0")
    version = 4 if len(datagram.source) == 4 else 6
    words = [int.from_bytes(raw[at : at + 8], "big") for at in range(0, 32, 8)]
    return np.array([*words, datagram.source_port << 48 | datagram.destination_port << 32 | version], dtype=np.uint64)


def _append_joined(block: bytes, joined: list[tuple[int, Datagram]], offset: NDArray[np.int64]) -> bytes:
    """The block with payloads that lie in it in pieces behind it; `offset` of their frames is set to that."""
    end = len(block)
    for index, datagram in joined:
        offset[index] = end
        end += len(datagram.payload)
    return block + b"".join(datagram.payload for _, datagram in joined)
