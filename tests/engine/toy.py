"""A small protocol for tests of the engine: every byte of a datagram is a message, and some bytes are trouble."""

from __future__ import annotations

from analyzer.protocols.base import Protocol, SessionFacts
from analyzer.protocols.flow import Datagram, DatagramBatch, Detector, Reading, Verdict
from analyzer.snapshots.model import JoinedDelta
from analyzer.store.rows import Rows, SessionRow
from analyzer.wire.reader import Buffer, FieldTree

SURE, MAYBE, FOREIGN, STUBBORN = b"toy!", b"toy?", b"toy-", b"toy#"
"""A flow is claimed at once, at the end at best, by name only, or by a reading that fails before it begins a packet."""
RAISE, RAISE_AT_END = 0xEE, 0xED
"""Bytes that make the reading raise: at once, or when it is finished."""
BUG = 9
"""packets.code of a packet that struck."""
_SCORES = {SURE: ("sure", 1.0, True), MAYBE: ("maybe", 0.5, True), FOREIGN: ("foreign", 1.0, False)}
_SCORES[STUBBORN] = ("stubborn", 1.0, True)


class ToyDetector(Detector):
    """Believes the first four bytes; of two words the later one counts."""

    def __init__(self) -> None:
        self._verdict: Verdict | None = None

    def see(self, datagram: Datagram) -> None:
        known = _SCORES.get(datagram.payload[:4])
        if known is not None:
            dialect, score, readable = known
            self._verdict = Verdict(dialect, score, datagram.direction, readable)

    def verdict(self) -> Verdict | None:
        return self._verdict


class ToyReading(Reading):
    """One session; a message for each byte."""

    def __init__(self, rows: Rows, verdict: Verdict) -> None:
        super().__init__(rows)
        self._dialect = verdict.dialect
        self._session = -1
        self._fails_at_end = False
        self.rests = 0

    def feed(self, batch: DatagramBatch) -> None:
        if self._dialect == "stubborn" and RAISE in batch.buffer[int(batch.offset[0]) :][: int(batch.length[0])]:
            raise RuntimeError("a kernel failed")
        super().feed(batch)

    def receive(self, datagram: Datagram) -> None:
        if self._session < 0:
            self._session = self.rows.session(
                SessionRow(0, 0, 0, self._dialect, SessionFacts(self._dialect), datagram.packet)
            )
        self.rows.packet.session = self._session
        self.rows.packet.kind = 1 + datagram.cut
        for offset, byte in enumerate(datagram.payload):
            if byte == RAISE:
                raise RuntimeError("a bug of ours")
            self._fails_at_end |= byte == RAISE_AT_END
            self.rows.message(f"byte {byte}", byte, datagram.direction, 65535, 1, offset)

    def rest(self) -> None:
        self.rests += 1

    def finish(self) -> None:
        self.rows.finding("toy.end", 1, "the end")
        if self._fails_at_end:
            raise RuntimeError("a bug at the end")

    def failed(self) -> None:
        self.rows.packet.code = BUG


def explain(payload: bytes, facts: SessionFacts, joined: JoinedDelta | None) -> FieldTree:
    """One buffer, no fields."""
    return FieldTree((Buffer("captured", payload),), ())


TOY = Protocol(
    name="toy",
    title="Toy",
    probe=lambda payload: 1.0 if payload.startswith(b"toy") else 0.0,
    open_detector=ToyDetector,
    open_reading=ToyReading,
    explain=explain,
    packet_kinds=("undecided", "whole", "cut"),
    packet_codes=("", *(f"c{number}: a fault" for number in range(1, BUG)), "bug: a bug of ours"),
    snapshot_kinds=(),
    codes=(),
    dialects={"sure": "Sure", "maybe": "Maybe", "foreign": "Foreign"},
)
