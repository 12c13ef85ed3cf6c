"""The readings of a capture's flows: each begins where a protocol claims its flow, is fed in order, and settled.

A flow that a person pinned is claimed by its first datagram; one that is read anew (rereading.py) is not fed meanwhile.
Two flows share nothing here but the tables, which are read: threads may feed different flows at once.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.engine.clock import Clock
from analyzer.engine.detection import Claim, FlowDetection
from analyzer.engine.drops import Drops
from analyzer.engine.payloads import Payloads, read_batch
from analyzer.engine.pins import NOT_DECODED, Pins
from analyzer.protocols.base import Protocol
from analyzer.protocols.flow import REST_NS, DatagramBatch, Reading, Verdict
from analyzer.store.rows import Handed, Rows
from analyzer.store.tables import Tables

REPLAY_PACKETS = 1024
"""Packets of a flow that are read again from the file at a time."""


@dataclass(frozen=True, slots=True)
class Silence:
    """A flow that a person wants not to be decoded."""

    server: int
    """Which end is the server."""


Wanted = Claim | Silence
"""What a flow is to be read as."""

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
        pins: Pins,
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
        self._pins = pins
        self._strict = strict
        self._compiled = compiled
        self._undecided: dict[int, FlowDetection] = {}
        self._readings: dict[int, Reading] = {}
        self._rows: dict[int, Rows] = {}
        self._active: OrderedDict[int, None] = OrderedDict()
        """Flows whose reading holds something, the longest silent first."""
        self._claims: dict[int, Claim] = {}
        """What detection said; it is asked once."""
        self._opened: dict[int, Wanted] = {}
        """What a flow is read as, or only recognised as, or that it is not decoded."""
        self._numbers: dict[int, int] = {}
        """Of the last reading of a flow that has had several."""
        self.behind: set[int] = set()
        """Flows that are read anew, and have not caught up."""
        self._finished = False

    def __contains__(self, flow: int) -> bool:
        """The flow has a reading that is to be fed."""
        return flow in self._readings and flow not in self.behind

    def detect(self, by_flow: Mapping[int, DatagramBatch]) -> list[int]:
        """Ask the protocols about undecided flows; a flow that is claimed is read from its first datagram.

        Returns the flows that have a reading now, in the order of the packets that decided.
        """
        claims: list[tuple[int, int, Wanted]] = []
        for flow, batch in by_flow.items():
            if flow in self._opened or flow in self.behind:
                continue
            pinned = self._pinned(flow) if flow not in self._undecided else None
            if isinstance(pinned, Silence):
                self._begin(flow, pinned, int(batch.packet[0]))
            elif pinned is not None:
                claims.append((int(batch.packet[0]), flow, pinned))
            elif (found := self._see(flow, batch)) is not None:
                claims.append((found[0], flow, found[1]))
        claims.sort(key=lambda found: found[0])
        return [flow for packet, flow, claim in claims if self._claim(flow, claim, packet, by_flow[flow])]

    def feed(self, flow: int, batch: DatagramBatch) -> None:
        """Let a flow's reading have its next datagrams."""
        self._feed(self._readings[flow], batch)

    def rest(self, touched: Sequence[int], now_ns: int) -> None:
        """Let readings rest whose flows are silent: memory follows the clients there are, not those there were."""
        for flow in touched:
            if flow in self.behind:
                # Its next datagram is not the flow's next.
                continue
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
                self._claims[flow] = claim
                self._claim(flow, claim, self._tables.packets.appended - 1)
        self._finished = True
        for reading in self._readings.values():
            self._settle(reading)
        return [rows.hand_over() for rows in self._rows.values()]

    def pin(self, pins: Pins) -> list[int]:
        """A person wants flows read otherwise: those that have to be read anew for it."""
        flows, before = self._tables.flows, self._pins
        self._pins = pins
        changed = []
        for flow in range(flows.appended):
            ends = flows.text("address_a", flow), flows.text("address_b", flow)
            if before.find(*ends) == pins.find(*ends):
                continue
            if not _is_same(self._pinned(flow) or self._claims.get(flow), self._opened.get(flow)):
                changed.append(flow)
        return changed

    def of_dialects(self, dialects: Container[str] | None) -> list[int]:
        """Flows that are read as one of these; None: as any."""
        return [
            flow
            for flow, claim in self._opened.items()
            if isinstance(claim, Claim) and (dialects is None or claim.verdict.dialect in dialects)
        ]

    def retire(self, flow: int) -> None:
        """The flow is read anew: its reading counts no more, and it is not fed until it has `caught_up`."""
        reading = self._readings.pop(flow, None)
        if reading is not None:
            self._tables.readings.amend("alive", [reading.rows.reading], [False])
            self._drops.forget(reading)
        for of_flow in (self._rows, self._undecided, self._active, self._opened):
            of_flow.pop(flow, None)
        self.behind.add(flow)
        for column, unset in (("reading", -1), ("recognised", ""), ("server", -1)):
            self._tables.flows.amend(column, [flow], [unset])

    def reopen(self, flow: int) -> bool:
        """Begin what a flow is read as now. False: nobody knows, and protocols have to be asked about it.

        It is `behind` if there is a reading that has to catch up.
        """
        wanted = self._pinned(flow) or self._claims.get(flow)
        if wanted is None:
            return False
        self._begin_anew(flow, wanted)
        return True

    def ask(self, by_flow: Mapping[int, DatagramBatch]) -> list[int]:
        """Ask the protocols about flows that are read anew; those that were claimed."""
        claimed = []
        for flow, batch in by_flow.items():
            found = self._see(flow, batch)
            if found is not None:
                del self._undecided[flow]
                self._begin_anew(flow, found[1])
                claimed.append(flow)
        return claimed

    def give_up(self, flows: Sequence[int]) -> set[int]:
        """Protocols have seen all there is of flows: those that one claims because nothing more will come."""
        claimed = set()
        for flow in flows:
            detection = self._undecided.get(flow)
            claim = detection.best() if detection is not None and self._finished else None
            if claim is None:
                self.behind.discard(flow)
            else:
                del self._undecided[flow]
                self._claims[flow] = claim
                self._begin_anew(flow, claim)
                claimed.add(flow)
        return claimed

    def caught_up(self, flows: Sequence[int]) -> list[Handed]:
        """The readings of flows have every datagram there is; what they produced if they had to be settled."""
        self.behind.difference_update(flows)
        if not self._finished:
            return []
        for flow in flows:
            self._settle(self._readings[flow])
        return self.hand_over(flows)

    def _see(self, flow: int, batch: DatagramBatch) -> tuple[int, Claim] | None:
        """Let the protocols see a flow's next datagrams: the packet with which one was sure, and its claim."""
        detection = self._undecided.setdefault(flow, FlowDetection(self._protocols, self._tables.chunks))
        for datagram in batch:
            claim = detection.see(datagram)
            if claim is not None:
                self._claims[flow] = claim
                return datagram.packet, claim
        detection.packets.append(batch.packet.astype(np.int32))
        return None

    def _pinned(self, flow: int) -> Wanted | None:
        """What a person wants the flow read as, which is noted; None: what detection says."""
        flows = self._tables.flows
        found = None
        if len(self._pins) or flows.text("pinned", flow):
            found = self._pins.find(flows.text("address_a", flow), flows.text("address_b", flow))
        choice, server = (found[0].choice, found[1]) if found is not None else (None, -1)
        pinned: Wanted | None = None
        if choice == NOT_DECODED:
            pinned = Silence(server)
        elif choice is not None:
            # One that is not known may be remembered from another program.
            known = (one for one in self._protocols if one.name == choice.protocol and choice.dialect in one.dialects)
            pinned = next((Claim(one, Verdict(choice.dialect, 1.0, server)) for one in known), None)
        word = "" if choice is None or pinned is None else choice.word
        if word != flows.text("pinned", flow):
            flows.amend("pinned", [flow], [word])
        return pinned

    def _claim(self, flow: int, claim: Wanted, packet: int, batch: DatagramBatch | None = None) -> bool:
        """Begin the reading that `packet` of `batch`, if there is one, decided on.

        False: the dialect is known by name only.
        """
        detection = self._undecided.pop(flow, None)
        self._begin(flow, claim, packet)
        if flow not in self._readings:
            return False
        if detection is not None:
            for earlier in self._replay(detection.packets.view):
                self._feed(self._readings[flow], earlier)
        if batch is not None:
            self._feed(self._readings[flow], batch)
        return True

    def _begin_anew(self, flow: int, wanted: Wanted) -> None:
        self._begin(flow, wanted, self._tables.packets.appended - 1)
        if flow not in self._readings:
            # There is nothing that would have to catch up.
            self.behind.discard(flow)

    def _begin(self, flow: int, wanted: Wanted, packet: int) -> None:
        """Open the reading that `packet` decided on, or note that there is none."""
        self._opened[flow] = wanted
        flows = self._tables.flows
        if isinstance(wanted, Silence):
            flows.amend("server", [flow], [wanted.server])
            return
        claim, verdict = wanted, wanted.verdict
        flows.amend("server", [flow], [verdict.server])
        if not verdict.readable:
            flows.amend("recognised", [flow], [f"{claim.protocol.title} {verdict.dialect}"])
            return
        number = self._numbers[flow] = self._numbers.get(flow, -1) + 1
        columns: dict[str, Sequence[object]] = {
            "flow": [flow],
            "protocol": [claim.protocol.name],
            "dialect": [verdict.dialect],
            "number": [number],
        }
        row = self._tables.readings.append(columns, 1)
        if number:
            self._tables.readings.publish()
        flows.amend("reading", [flow], [row])
        rows = self._rows[flow] = Rows(row, packet, self._tables.chunks)
        bulk = claim.protocol.open_bulk_reading if self._compiled else None
        self._readings[flow] = (bulk or claim.protocol.open_reading)(rows, verdict)

    def _replay(self, own: NDArray[np.int32]) -> Iterable[DatagramBatch]:
        """Datagrams from the file again."""
        for start in range(0, len(own), REPLAY_PACKETS):
            some = own[start : start + REPLAY_PACKETS].astype(np.int64)
            yield read_batch(some, self._tables, self._payloads, self._clock)

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


def _is_same(one: Wanted | None, other: Wanted | None) -> bool:
    """Does a flow have the same rows by both?"""
    if isinstance(one, Claim) and isinstance(other, Claim):
        mine, theirs = one.verdict, other.verdict
        return (one.protocol.name, mine.dialect, mine.server) == (other.protocol.name, theirs.dialect, theirs.server)
    return one == other
