"""A flow as a protocol gets it: its datagrams, what recognises it, and what makes rows of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from analyzer.store.rows import Rows


@dataclass(frozen=True, slots=True)
class Datagram:
    """One UDP payload of a flow."""

    packet: int
    """Row in `packets`."""
    time_ns: int
    direction: int
    """0: from the flow's endpoint a, 1: from endpoint b."""
    payload: bytes
    """Captured bytes."""
    udp_length: int
    """Bytes the datagram had."""

    @property
    def cut(self) -> bool:
        """The capture kept only its beginning."""
        return len(self.payload) < self.udp_length


@dataclass(frozen=True, slots=True)
class DatagramBatch:
    """Datagrams of one flow in capture order, as columns over one buffer; all arrays have shape (n,)."""

    packet: NDArray[np.int64]
    time_ns: NDArray[np.int64]
    direction: NDArray[np.int8]
    offset: NDArray[np.int64]
    length: NDArray[np.int64]
    udp_length: NDArray[np.int64]
    clock_ns: NDArray[np.int64]
    """Latest time of any frame of the capture up to this one; unlike `time_ns` it never goes back."""
    buffer: bytes

    def __len__(self) -> int:
        return len(self.packet)

    def __iter__(self) -> Iterator[Datagram]:
        columns = zip(
            self.packet.tolist(),
            self.time_ns.tolist(),
            self.direction.tolist(),
            self.offset.tolist(),
            self.length.tolist(),
            self.udp_length.tolist(),
            strict=True,
        )
        for packet, time_ns, direction, offset, length, udp_length in columns:
            yield Datagram(packet, time_ns, direction, self.buffer[offset : offset + length], udp_length)

    def after(self, packet: int) -> DatagramBatch:
        """The datagrams behind row `packet`."""
        return self.part(int(np.searchsorted(self.packet, packet, side="right")), len(self))

    def part(self, start: int, stop: int) -> DatagramBatch:
        """The datagrams from index `start` to `stop` - 1."""
        return DatagramBatch(
            self.packet[start:stop],
            self.time_ns[start:stop],
            self.direction[start:stop],
            self.offset[start:stop],
            self.length[start:stop],
            self.udp_length[start:stop],
            self.clock_ns[start:stop],
            self.buffer,
        )


def by_flow(flow: NDArray[np.int32], batch: DatagramBatch) -> dict[int, DatagramBatch]:
    """Datagrams of several flows, their flows' numbers of shape (n,): those of each, in their order, by flow."""
    order = np.argsort(flow, kind="stable")
    ordered = flow[order]
    whole = DatagramBatch(
        batch.packet[order],
        batch.time_ns[order],
        batch.direction[order],
        batch.offset[order],
        batch.length[order],
        batch.udp_length[order],
        batch.clock_ns[order],
        batch.buffer,
    )
    edges = [*np.flatnonzero(np.diff(ordered, prepend=-1)).tolist(), len(order)]
    return {int(ordered[start]): whole.part(start, stop) for start, stop in pairwise(edges)}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a detector thinks of a flow."""

    dialect: str
    score: float
    """0 to 1; the flow goes to the protocol that first says 1, at the end of the capture to the highest above 0."""
    server: int
    """Direction in which the server sends, -1 while unknown."""
    readable: bool = True
    """False: recognised, but there is no reading for the dialect; the flow keeps its packet rows and the name."""


class Detector(ABC):
    """Looks at the datagrams of one flow until the flow is claimed. Never raises, keeps bounded state."""

    @abstractmethod
    def see(self, datagram: Datagram) -> None:
        """Take one more datagram into account."""

    @abstractmethod
    def verdict(self) -> Verdict | None:
        """What it thinks so far; None: nothing speaks for this protocol, or more data is needed."""


@dataclass(frozen=True, slots=True)
class Loss:
    """The capture lost packets between two datagrams of a flow, which may have been the flow's."""

    begin_ns: int
    """The capture's clock when it had everything last; this may be before the datagrams read last."""
    end_ns: int
    """The capture's clock when it had everything again."""
    packets: int


REACH_NS = 1_000_000_000
"""What is sent at one time does not come further apart than this: a loss later than that was none of it."""
REST_NS = 60_000_000_000
"""Silence of a flow, by the capture's clock, after which a reading lets go of what it holds in memory."""


class Reading(ABC):
    """One interpretation of one flow: datagrams and their times go in, rows come out. No clock, no I/O, no log."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.last_ns: int | None = None
        """The capture's clock at the last datagram read."""

    def feed(self, batch: DatagramBatch) -> None:
        """Read a batch. This one reads datagram by datagram; a protocol with bulk traffic may do better."""
        for datagram, clock_ns in zip(batch, batch.clock_ns.tolist(), strict=True):
            if self.last_ns is not None and clock_ns - self.last_ns > REST_NS:
                self.rest()
            self.last_ns = clock_ns
            self.rows.begin(datagram.packet)
            self.receive(datagram)

    def rest(self) -> None:
        """The flow was silent for `REST_NS`: let go of states and histories, without adding rows.

        `feed` calls it before the datagram that ends the silence, and the engine may call it earlier: rows must not
        depend on whether it did.
        """
        return

    @abstractmethod
    def receive(self, datagram: Datagram) -> None:
        """Read one datagram; `rows.begin` was called for it. Bad bytes make rows, never an exception."""

    def lose(self, loss: Loss) -> None:
        """The capture lost something between the last datagram that was read and the next one."""
        return

    @abstractmethod
    def finish(self) -> None:
        """The capture has ended: settle what is still open. `rows.packet` is the last packet read."""

    def failed(self) -> None:
        """An exception of ours interrupted `receive`: leave a row where a person would miss one."""
        return
