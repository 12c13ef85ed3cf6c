"""Takes the datagrams out of a batch of frames with compiled kernels: columns all the way, over the block that is read.

The rows are those of `PlainIntake`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.capture.frames import FrameBatch
from analyzer.capture.source import Source
from analyzer.engine.clock import Clock
from analyzer.engine.intake import add_fragments, add_frames, pieces_column
from analyzer.net.bulk import BulkFlowTable, BulkNetwork, DatagramColumns, endpoints
from analyzer.net.flows import format_endpoint
from analyzer.protocols.flow import DatagramBatch, by_flow
from analyzer.store.tables import Tables


class BulkIntake:
    """Batch by batch."""

    def __init__(self, source: Source, tables: Tables, clock: Clock) -> None:
        self._source = source
        self._tables = tables
        self._clock = clock
        self._network = BulkNetwork()
        self._flows = BulkFlowTable()

    def add(self, frames: FrameBatch) -> dict[int, DatagramBatch]:
        """Append the rows of a batch of frames; its datagrams by flow."""
        first = self._tables.frames.appended
        block, begin = self._source.block(frames)
        links = [interface.link_type for interface in self._source.interfaces]
        clock_ns = self._clock.advance(first, frames.time_ns)
        datagrams = self._network.read(first, frames, links, block, begin)
        add_frames(self._tables, frames, datagrams.kind)
        flow, direction = self._flows.assign(datagrams.keys)
        packet = self._tables.packets.appended
        self._add_flows(packet, flow, datagrams.keys)
        self._add_packets(first, flow, direction, datagrams)
        add_fragments(self._tables, ((packet + row, datagram) for row, datagram in datagrams.joined))
        return by_flow(
            flow,
            DatagramBatch(
                np.arange(packet, packet + len(flow), dtype=np.int64),
                frames.time_ns[datagrams.frame],
                direction,
                datagrams.offset,
                datagrams.length,
                datagrams.udp_length,
                clock_ns[datagrams.frame],
                datagrams.buffer,
            ),
        )

    def _add_packets(
        self, first: int, flow: NDArray[np.int32], direction: NDArray[np.int8], datagrams: DatagramColumns
    ) -> None:
        """Columns that hold less than 64 bits have room for what the datagrams' columns hold."""
        pieces = np.ones(len(flow), dtype=np.uint8)
        for row, datagram in datagrams.joined:
            pieces[row] = pieces_column(datagram)
        self._tables.packets.append(
            {
                "frame": datagrams.frame + first,
                "flow": flow,
                "direction": direction,
                "start": datagrams.start,
                "length": datagrams.length,
                "udp_length": datagrams.udp_length,
                "pieces": pieces,
            },
            len(flow),
        )

    def _add_flows(self, first: int, flow: NDArray[np.int32], keys: NDArray[np.uint64]) -> None:
        known = self._tables.flows.appended
        numbers, rows, counts = np.unique(flow, return_index=True, return_counts=True)
        new = rows[numbers >= known]
        ends = [endpoints(keys[row]) for row in new.tolist()]
        self._tables.flows.append(
            {
                "address_a": [format_endpoint(a, port) for a, port, _, _ in ends],
                "address_b": [format_endpoint(b, port) for _, _, b, port in ends],
                "first_packet": new + first,
            },
            len(new),
        )
        before = self._tables.flows.take("packets", numbers.astype(np.int64)).astype(np.int64)
        self._tables.flows.amend("packets", numbers.tolist(), (before + counts).tolist())
