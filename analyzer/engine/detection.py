"""Which protocol a flow belongs to: asked datagram by datagram until one claims it, then never again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field

import numpy as np

from analyzer.protocols.base import Protocol
from analyzer.protocols.flow import Datagram, Detector, Verdict
from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.growing import Growing


@dataclass(frozen=True, slots=True)
class Claim:
    """A flow's protocol."""

    protocol: Protocol
    verdict: Verdict


@dataclass(slots=True)
class FlowDetection:
    """The detectors of one undecided flow; one is made when its protocol's probe first says that it may be."""

    protocols: Sequence[Protocol]
    memory: InitVar[ChunkMemory | None] = None
    """That of the capture's tables."""
    detectors: dict[str, Detector] = field(default_factory=dict)
    packets: Growing[np.int32] = field(init=False)
    """Rows of the flow's datagrams in earlier batches, which the reading of a claimed flow begins with."""

    def __post_init__(self, memory: ChunkMemory | None) -> None:
        self.packets = Growing(np.int32, memory)

    def see(self, datagram: Datagram) -> Claim | None:
        """Take a datagram into account; the claim, once a protocol is sure."""
        for protocol in self.protocols:
            detector = self.detectors.get(protocol.name)
            if detector is None:
                if protocol.probe(datagram.payload) <= 0.0:
                    continue
                detector = self.detectors[protocol.name] = protocol.open_detector()
            detector.see(datagram)
        best = self.best()
        return best if best is not None and best.verdict.score >= 1.0 else None

    def best(self) -> Claim | None:
        """What speaks most for a protocol so far, for the end of the capture."""
        claims = []
        for protocol in self.protocols:
            detector = self.detectors.get(protocol.name)
            verdict = detector.verdict() if detector is not None else None
            if verdict is not None and verdict.score > 0.0:
                claims.append(Claim(protocol, verdict))
        return max(claims, key=lambda claim: claim.verdict.score, default=None)
