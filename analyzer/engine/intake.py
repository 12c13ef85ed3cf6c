"""Takes the datagrams out of a batch of frames: rows of frames, packets, flows, fragments, and a batch by flow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from analyzer.capture.frames import FrameBatch
from analyzer.capture.source import Source
from analyzer.engine.clock import Clock
from analyzer.net.datagrams import MAX_UDP_PAYLOAD, Network
from analyzer.net.datagrams import Datagram as UdpDatagram
from analyzer.net.flows import FlowTable, format_endpoint
from analyzer.net.kinds import FrameKind
from analyzer.protocols.flow import Datagram, DatagramBatch
from analyzer.store.tables import Tables


class Intake(Protocol):
    """Both ways, plain and compiled, append the same rows."""

    def add(self, frames: FrameBatch) -> dict[int, DatagramBatch]:
        """Append the rows of a batch of frames; its datagrams by flow."""
        ...


class PlainIntake:
    """Frame by frame."""

    def __init__(self, source: Source, tables: Tables, clock: Clock) -> None:
        self._source = source
        self._tables = tables
        self._clock = clock
        self._network = Network()
        self._flows = FlowTable()

    def add(self, frames: FrameBatch) -> dict[int, DatagramBatch]:
        """Append the rows of a batch of frames; its datagrams by flow."""
        return self._add_packets(self._read_frames(frames))

    def _read_frames(self, frames: FrameBatch) -> list[UdpDatagram]:
        """Append the frames and take the datagrams out of them, reading the file in one piece."""
        first = self._tables.frames.appended
        data, begin = self._source.block(frames)
        links = [interface.link_type for interface in self._source.interfaces]
        self._clock.advance(first, frames.time_ns)
        kinds = np.empty(len(frames), dtype=np.uint8)
        datagrams = []
        columns = zip(
            frames.time_ns.tolist(),
            (frames.offset - begin).tolist(),
            frames.captured.tolist(),
            frames.original.tolist(),
            frames.interface.tolist(),
            strict=True,
        )
        for index, (time_ns, offset, captured, original, interface) in enumerate(columns):
            frame = data[offset : offset + captured]
            found = self._network.read(first + index, time_ns, links[interface], frame, original)
            if isinstance(found, FrameKind):
                kinds[index] = found
            elif found.udp_length > MAX_UDP_PAYLOAD:
                kinds[index] = FrameKind.MALFORMED_UDP
            else:
                kinds[index] = FrameKind.UDP
                datagrams.append(found)
        add_frames(self._tables, frames, kinds)
        return datagrams

    def _add_packets(self, datagrams: list[UdpDatagram]) -> dict[int, DatagramBatch]:
        """A row for every datagram, and the datagrams of each flow as a batch."""
        first = self._tables.packets.appended
        assigned = [self._flows.assign(datagram) for datagram in datagrams]
        self._add_flows(first, [flow for flow, _ in assigned])
        self._tables.packets.append(
            {
                "frame": [datagram.frame for datagram in datagrams],
                "flow": [flow for flow, _ in assigned],
                "direction": [direction for _, direction in assigned],
                "start": [datagram.start for datagram in datagrams],
                "length": [len(datagram.payload) for datagram in datagrams],
                "udp_length": [datagram.udp_length for datagram in datagrams],
                "pieces": [pieces_column(datagram) for datagram in datagrams],
            },
            len(datagrams),
        )
        add_fragments(self._tables, enumerate(datagrams, first))
        by_flow: dict[int, list[Datagram]] = {}
        for row, (datagram, (flow, direction)) in enumerate(zip(datagrams, assigned, strict=True), first):
            by_flow.setdefault(flow, []).append(
                Datagram(row, datagram.time_ns, direction, datagram.payload, datagram.udp_length)
            )
        return {flow: make_batch(own, self._tables, self._clock) for flow, own in by_flow.items()}

    def _add_flows(self, first: int, flows: list[int]) -> None:
        known = self._tables.flows.appended
        counts: dict[int, int] = {}
        firsts: dict[int, int] = {}
        for row, flow in enumerate(flows, first):
            counts[flow] = counts.get(flow, 0) + 1
            firsts.setdefault(flow, row)
        new = sorted(flow for flow in counts if flow >= known)
        endpoints = [self._flows.flows[flow] for flow in new]
        self._tables.flows.append(
            {
                "address_a": [format_endpoint(a, port) for a, port, _, _ in endpoints],
                "address_b": [format_endpoint(b, port) for _, _, b, port in endpoints],
                "first_packet": [firsts[flow] for flow in new],
            },
            len(new),
        )
        sums = [self._tables.flows.integer("packets", flow) + count for flow, count in counts.items()]
        self._tables.flows.amend("packets", counts, sums)


def add_frames(tables: Tables, frames: FrameBatch, kinds: NDArray[np.uint8]) -> None:
    """A row for every frame, with what it was (`FrameKind`)."""
    tables.frames.append(
        {
            "time_ns": frames.time_ns,
            "offset": frames.offset,
            "captured": frames.captured,
            "original": frames.original,
            "interface": frames.interface,
            "kind": kinds,
        },
        len(frames),
    )


def add_fragments(tables: Tables, datagrams: Iterable[tuple[int, UdpDatagram]]) -> None:
    """The pieces of datagrams that came in fragments; each datagram with its row."""
    pieces = [(row, *piece) for row, datagram in datagrams for piece in datagram.pieces]
    columns = ("packet", "frame", "start", "length")
    tables.fragments.append(
        {name: [piece[index] for piece in pieces] for index, name in enumerate(columns)}, len(pieces)
    )


def make_batch(datagrams: Sequence[Datagram], tables: Tables, clock: Clock) -> DatagramBatch:
    """Datagrams of one flow as columns over one buffer."""
    lengths = np.array([len(datagram.payload) for datagram in datagrams], dtype=np.int64)
    packets = np.array([datagram.packet for datagram in datagrams], dtype=np.int64)
    frames = tables.packets.take("frame", packets).astype(np.int64)
    return DatagramBatch(
        packets,
        np.array([datagram.time_ns for datagram in datagrams], dtype=np.int64),
        np.array([datagram.direction for datagram in datagrams], dtype=np.int8),
        np.cumsum(lengths) - lengths,
        lengths,
        np.array([datagram.udp_length for datagram in datagrams], dtype=np.int64),
        clock.at(frames, tables.frames),
        b"".join(datagram.payload for datagram in datagrams),
    )


def pieces_column(datagram: UdpDatagram) -> int:
    """For packets.pieces."""
    return min(255, len(datagram.pieces)) if datagram.pieces else 1
