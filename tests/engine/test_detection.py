"""Which protocol a flow is given to."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine.detection import Claim, FlowDetection
from analyzer.protocols import PROTOCOLS
from analyzer.protocols.base import Protocol
from analyzer.protocols.flow import Datagram, Detector, Verdict
from tests.engine.toy import FOREIGN, MAYBE, SURE, TOY


def datagram(payload: bytes, packet: int = 0, direction: int = 0) -> Datagram:
    return Datagram(packet, 0, direction, payload, len(payload))


class Patient(Detector):
    """Grows surer with every datagram."""

    def __init__(self, step: float) -> None:
        self.seen = 0
        self._step = step

    def see(self, datagram: Datagram) -> None:
        self.seen += 1

    def verdict(self) -> Verdict | None:
        return Verdict("patient", min(1.0, self.seen * self._step), -1) if self.seen > 1 else None


def patient(name: str, step: float, opened: list[Patient]) -> Protocol:
    def open_detector() -> Detector:
        opened.append(Patient(step))
        return opened[-1]

    return replace(TOY, name=name, probe=lambda payload: float(payload[:1] == b"p"), open_detector=open_detector)


def test_a_claim_at_once() -> None:
    claim = FlowDetection((TOY,)).see(datagram(SURE, direction=1))
    assert claim == Claim(TOY, Verdict("sure", 1.0, 1))


def test_maybe_is_for_the_end() -> None:
    detection = FlowDetection((TOY,))
    assert detection.best() is None
    assert detection.see(datagram(MAYBE)) is None
    assert detection.best() == Claim(TOY, Verdict("maybe", 0.5, 0))
    assert detection.see(datagram(FOREIGN)) == Claim(TOY, Verdict("foreign", 1.0, 0, False))


def test_a_detector_sees_everything_once_the_probe_said_so() -> None:
    opened: list[Patient] = []
    detection = FlowDetection((patient("a", 0.25, opened),))
    for payload in (b"x", b"y"):
        assert detection.see(datagram(payload)) is None
    assert opened == []
    assert detection.see(datagram(b"p")) is None
    assert detection.best() is None
    claims = [detection.see(datagram(payload)) for payload in (b"x", b"y", b"z")]
    assert (len(opened), opened[0].seen) == (1, 4)
    assert [claim is not None for claim in claims] == [False, False, True]


def test_the_first_that_is_sure_wins_and_at_the_end_the_highest() -> None:
    opened: list[Patient] = []
    slow, fast = patient("slow", 0.2, opened), patient("fast", 0.3, opened)
    detection = FlowDetection((slow, fast))
    claims = [detection.see(datagram(b"p")) for _ in range(4)]
    assert claims[:3] == [None, None, None]
    best = detection.best()
    assert best is not None
    assert best.protocol is fast
    assert best == claims[3]


def test_the_listed_order_decides_between_equals() -> None:
    opened: list[Patient] = []
    first, second = patient("first", 0.3, opened), patient("second", 0.3, opened)
    detection = FlowDetection((first, second))
    for _ in range(2):
        detection.see(datagram(b"p"))
    best = detection.best()
    assert best is not None
    assert best.protocol is first


@given(st.lists(st.tuples(st.binary(max_size=80), st.integers(0, 1)), max_size=20))
def test_any_datagrams_are_answered(payloads: list[tuple[bytes, int]]) -> None:
    detection = FlowDetection(PROTOCOLS)
    for packet, (payload, direction) in enumerate(payloads):
        claim = detection.see(datagram(payload, packet, direction))
        best = detection.best()
        assert (claim is not None) == (best is not None and best.verdict.score >= 1.0)
        if best is not None:
            assert 0.0 < best.verdict.score <= 1.0
            assert best.verdict.server in (-1, 0, 1)
