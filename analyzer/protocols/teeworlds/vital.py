"""Sequence numbers of vital chunks in one direction, as an observer sees them (spec sections 7.2 and 17.2, rule 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, TypeVar

from analyzer.protocols.base import Arrived
from analyzer.protocols.teeworlds.codes import AHEAD, REPEATED

T = TypeVar("T")

MODULO = 1024
BACKROOM = 512
"""A number at most this far behind the last one in order counts as seen; so at most 511 early chunks are held."""
WINDOW_NS = 12_000_000_000
"""A gap is given up after this time; both peers have closed a connection without acknowledgements by then."""


class Arrival(Enum):
    """What a vital chunk is."""

    NEXT = auto()
    REPEATED = auto()
    AHEAD = auto()


@dataclass(frozen=True, slots=True)
class Released(Generic[T]):
    """Chunks whose turn it is, oldest first, and the numbers that the capture lost before them."""

    chunks: tuple[T, ...] = ()
    lost: tuple[int, ...] = ()


class VitalStream(Generic[T]):
    """The vital chunks of one sender. `T` is whatever the caller wants back in order."""

    def __init__(self) -> None:
        self.last: int | None = None
        """Last number in order; None until the first chunk, whose number is taken as in order (rule 6)."""
        self._early: dict[int, tuple[T, int]] = {}
        self.acked: int | None = None
        """Newest number the peer is known to have."""

    @property
    def early(self) -> int:
        """How many chunks wait for those before them."""
        return len(self._early)

    def restart(self) -> None:
        """A new connection: the next number is 1."""
        self.last = 0
        self._early.clear()
        self.acked = None

    def receive(self, sequence: int, chunk: T, time_ns: int) -> tuple[Arrival, Released[T]]:
        """A chunk arrived; the answer says what it is and which chunks are to be processed now, itself included."""
        if self.last is None or sequence == (self.last + 1) % MODULO:
            self.last = sequence
            return Arrival.NEXT, Released((chunk, *self._drain()))
        if (self.last - sequence) % MODULO <= BACKROOM:
            return Arrival.REPEATED, Released()
        self._early.setdefault(sequence, (chunk, time_ns))
        oldest = min(time for _, time in self._early.values())
        if time_ns - oldest > WINDOW_NS:
            return Arrival.AHEAD, self._give_up(self._ordered()[0])
        return Arrival.AHEAD, self._give_up_to(self.acked)

    def acknowledged(self, ack: int) -> Released[T]:
        """The peer has everything up to `ack`: what is missing below it was lost by the capture."""
        if self.last is None or not 0 < (ack - self.last) % MODULO <= BACKROOM:
            # More than half a turn ahead is an old one that was overtaken.
            return Released()
        self.acked = ack
        return self._give_up_to(ack)

    def _give_up_to(self, ack: int | None) -> Released[T]:
        chunks: list[T] = []
        lost: list[int] = []
        while self._early and self.last is not None and ack is not None:
            first = self._ordered()[0]
            missing = (first - self.last) % MODULO - 1
            if not missing <= (ack - self.last) % MODULO <= BACKROOM:
                break
            released = self._give_up(first)
            chunks.extend(released.chunks)
            lost.extend(released.lost)
        return Released(tuple(chunks), tuple(lost))

    def _ordered(self) -> list[int]:
        last = self.last or 0
        return sorted(self._early, key=lambda number: (number - last) % MODULO)

    def _give_up(self, first: int) -> Released[T]:
        """Take everything before early chunk `first` as lost and go on with it."""
        assert self.last is not None
        count = (first - self.last - 1) % MODULO
        lost = tuple((self.last + 1 + step) % MODULO for step in range(count))
        chunk, _ = self._early.pop(first)
        self.last = first
        return Released((chunk, *self._drain()), lost)

    def _drain(self) -> list[T]:
        chunks = []
        assert self.last is not None
        while (following := (self.last + 1) % MODULO) in self._early:
            chunks.append(self._early.pop(following)[0])
            self.last = following
        return chunks


def in_order(arrived: Sequence[Arrived]) -> list[int]:
    """Indices of vital messages as the receiver took them: one that came ahead of others after those, each once."""
    ordered: list[int] = []
    for index, message in enumerate(arrived):
        if message.flags & REPEATED:
            continue
        at = len(ordered)
        while at and _waits(arrived[ordered[at - 1]], message):
            at -= 1
        ordered.insert(at, index)
    return ordered


def _waits(early: Arrived, message: Arrived) -> bool:
    distance = (early.sequence - message.sequence) % MODULO
    ahead = bool(early.flags & AHEAD)
    return ahead and 0 < distance < BACKROOM and message.time_ns - early.time_ns <= WINDOW_NS
