"""The readings of a capture's flows: each begins where a protocol claims its flow, is fed in order, and settled.

Two flows share nothing here but the tables, which are read: threads may feed different flows at once.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from analyzer.engine.clock import Clock
from analyzer.engine.detection import Claim, FlowDetection
from analyzer.engine.drops import Drops
from analyzer.engine.intake import make_batch
from analyzer.engine.payloads import Payloads
from analyzer.protocols.base import REST_NS, Datagram, DatagramBatch, Protocol, Reading, Verdict
from analyzer.store.rows import Handed, Rows
from analyzer.store.tables import Tables

REPLAY_PACKETS = 1024
"""Packets of a flow that are read again from the file at a time."""

_LOG = logging.getLogger(__name__)


class FlowReadings:
    """By flow. What readings produce waits in buffers of theirs until it is handed over."""

    def __init__(
        self,
        tables: Tables,
        payloads: Payloads,
        clock: Clock,
        drops: Drops,
        protocols: Sequence[Protocol],
        *,
        strict: bool,
        compiled: bool,
    ) -> None:
        """`strict` lets an exception of ours through instead of marking the row; `compiled`: kernels take part."""
        self._tables = tables
        self._payloads = payloads
        self._clock = clock
        self._drops = drops
        self._protocols = protocols
        self._strict = strict
        self._compiled = compiled
        self._undecided: dict[int, FlowDetection] = {}
        self._readings: dict[int, Reading] = {}
        self._rows: dict[int, Rows] = {}
        self._active: OrderedDict[int, None] = OrderedDict()
        """Flows whose reading holds something, the longest silent first."""

    def __contains__(self, flow: int) -> bool:
        """The flow has a reading."""
        return flow in self._readings

    def detect(self, by_flow: Mapping[int, DatagramBatch]) -> list[int]:
        """Ask the protocols about undecided flows; a flow that is claimed is read from its first datagram.

        Returns the flows that have a reading now, in the order of the packets that decided.
        """
        claims = []
        for flow, batch in by_flow.items():
            if flow in self._readings or self._tables.flows.text("recognised", flow):
                continue
            detection = self._undecided.setdefault(flow, FlowDetection(self._protocols, self._tables.chunks))
            for datagram in batch:
                claim = detection.see(datagram)
                if claim is not None:
                    claims.append((datagram.packet, flow, claim))
                    break
            else:
                detection.packets.append(batch.packet.astype(np.int32))
        claims.sort(key=lambda found: found[0])
        return [flow for packet, flow, claim in claims if self._claim(flow, claim, packet, by_flow[flow])]

    def feed(self, flow: int, batch: DatagramBatch) -> None:
        """Let a flow's reading have its next datagrams."""
        self._feed(self._readings[flow], batch)

    def rest(self, touched: Sequence[int], now_ns: int) -> None:
        """Let readings rest whose flows are silent: memory follows the clients there are, not those there were."""
        for flow in touched:
            self._active[flow] = None
            self._active.move_to_end(flow)
        while self._active:
            flow = next(iter(self._active))
            last = self._readings[flow].last_ns
            if last is not None and now_ns - last <= REST_NS:
                break
            self._readings[flow].rest()
            del self._active[flow]

    def hand_over(self, flows: Sequence[int]) -> list[Handed]:
        """What the readings of some flows have produced since the last time, in this order."""
        return [self._rows[flow].hand_over() for flow in flows]

    def finish(self) -> list[Handed]:
        """The file has ended: decide what is undecided, settle what is open, and hand over the last of all."""
        for flow, detection in list(self._undecided.items()):
            claim = detection.best()
            if claim is not None:
                self._claim(flow, claim, self._tables.packets.appended - 1)
        for reading in self._readings.values():
            self._settle(reading)
        return [rows.hand_over() for rows in self._rows.values()]

    def _claim(self, flow: int, claim: Claim, packet: int, batch: DatagramBatch | None = None) -> bool:
        """Begin the reading that `packet` of `batch`, if there is one, decided on.

        False: the dialect is known by name only.
        """
        packets = self._undecided.pop(flow).packets.view
        self._tables.flows.amend("server", [flow], [claim.verdict.server])
        if claim.verdict.readable:
            reading = self._open_reading(flow, claim.protocol, claim.verdict, packet)
            for earlier in self._replay(packets):
                self._feed(reading, earlier)
            if batch is not None:
                self._feed(reading, batch)
        else:
            self._tables.flows.amend("recognised", [flow], [f"{claim.protocol.title} {claim.verdict.dialect}"])
        return claim.verdict.readable

    def _open_reading(self, flow: int, protocol: Protocol, verdict: Verdict, packet: int) -> Reading:
        number = self._tables.readings.append(
            {"flow": [flow], "protocol": [protocol.name], "dialect": [verdict.dialect], "number": [0]}, 1
        )
        self._tables.flows.amend("reading", [flow], [number])
        rows = self._rows[flow] = Rows(number, packet, self._tables.chunks)
        bulk = protocol.open_bulk_reading if self._compiled else None
        reading = self._readings[flow] = (bulk or protocol.open_reading)(rows, verdict)
        return reading

    def _replay(self, own: NDArray[np.int32]) -> Iterable[DatagramBatch]:
        """Datagrams from the file again."""
        packets, frames = self._tables.packets, self._tables.frames
        for start in range(0, len(own), REPLAY_PACKETS):
            some = own[start : start + REPLAY_PACKETS].astype(np.int64)
            times = frames.take("time_ns", packets.take("frame", some).astype(np.int64))
            columns = zip(
                some.tolist(),
                times.tolist(),
                packets.take("direction", some).tolist(),
                packets.take("udp_length", some).tolist(),
                strict=True,
            )
            yield make_batch(
                [
                    Datagram(packet, time_ns, direction, self._payloads.payload(packet), udp_length)
                    for packet, time_ns, direction, udp_length in columns
                ],
                self._tables,
                self._clock,
            )

    def _feed(self, reading: Reading, batch: DatagramBatch) -> None:
        """Let a reading have a batch. An exception of ours marks the packet it struck; the rest is read on."""
        while len(batch):
            try:
                self._drops.feed(reading, batch)
                return
            except Exception:
                if self._strict:
                    raise
                packet = reading.rows.packet.packet
                if packet < batch.packet[0]:
                    # It struck before anything was begun; without progress it would strike for ever.
                    packet = reading.rows.begin(int(batch.packet[0])).packet
                # without its bytes: they may hold a password
                _LOG.exception("packet %d could not be read", packet)
                reading.failed()
                batch = batch.after(packet)

    def _settle(self, reading: Reading) -> None:
        reading.rows.resume()
        try:
            self._drops.finish(reading)
            reading.finish()
        except Exception:
            if self._strict:
                raise
            _LOG.exception("a flow could not be settled")
            reading.failed()
