"""Joins the fragments of IP packets (RFC 791 3.2, RFC 8200 4.5), from a bystander's place and in bounded memory."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from analyzer.net.ip import FragmentPosition

MAX_OPEN_PACKETS = 4096
"""Packets that wait for a part; the oldest gives way."""

MAX_OPEN_BYTES = 16 << 20
"""Bytes that all waiting parts hold together; the oldest packet gives way."""

MAX_AGE_NS = 30_000_000_000
"""Frame time that a packet waits for its parts, as in Linux: identifications are used again."""

_PART_COST = 128
"""Bytes that a part counts for beside its own, so that a flood of tiny ones is bounded as well."""

Piece = tuple[int, int, int]
"""Frame number, offset in that frame, bytes."""

Key = tuple[bytes, bytes, int, int]
"""Source, destination, identification, protocol."""


@dataclass(frozen=True, slots=True)
class JoinedPacket:
    """What all the parts of a packet carry."""

    payload: bytes
    """Shorter than `length` when the capture cut a part: it ends where the first missing byte would be."""
    length: int
    """Bytes by the fragments' headers."""
    pieces: tuple[Piece, ...]
    """Where the payload's bytes are, in its order: every part is there, with 0 bytes what is behind the missing one."""


@dataclass(frozen=True, slots=True)
class _Part:
    position: int
    end: int
    frame: int
    offset: int
    data: bytes
    """What was captured of it: the beginning."""

    def slice(self, position: int, end: int) -> _Part:
        skipped = position - self.position
        return _Part(position, end, self.frame, self.offset + skipped, self.data[skipped : end - self.position])

    def contradicts(self, other: _Part) -> bool:
        """Whether the two have different bytes at the same place of the packet."""
        position = max(self.position, other.position)
        end = min(self.position + len(self.data), other.position + len(other.data))
        return position < end and (
            self.data[position - self.position : end - self.position]
            != other.data[position - other.position : end - other.position]
        )


class _OpenPacket:
    """The parts that are there, in payload order and without overlap."""

    def __init__(self, started_ns: int) -> None:
        self.started_ns = started_ns
        self.length: int | None = None
        self.parts: list[_Part] = []
        self.cost = 0
        self._covered = 0

    @property
    def whole(self) -> bool:
        return self._covered == self.length

    def accepts(self, part: _Part, more: bool) -> bool:
        """Whether a part fits what is known: no other bytes at its place, and one end only."""
        if self.length is not None and (part.end > self.length or (not more and part.end != self.length)):
            return False
        if not more and self.parts and self.parts[-1].end > part.end:
            return False
        return not any(part.contradicts(other) for other in self._around(part))

    def add(self, part: _Part, more: bool) -> None:
        """Put what a part has that is not there yet into its gaps."""
        if not more:
            self.length = part.end
        position = part.position
        gaps = []
        for other in self._around(part):
            if position < other.position:
                gaps.append(part.slice(position, other.position))
            position = max(position, other.end)
        if position < part.end:
            gaps.append(part.slice(position, part.end))
        for gap in gaps:
            self.parts.insert(bisect_right(self.parts, gap.position, key=lambda one: one.position), gap)
            self._covered += gap.end - gap.position
            self.cost += len(gap.data) + _PART_COST

    def joined(self) -> JoinedPacket:
        payload = bytearray()
        pieces: list[Piece] = []
        for part in self.parts:
            # Behind the first byte that is missing nothing has its place.
            taken = part.data if len(payload) == part.position else b""
            payload += taken
            pieces.append((part.frame, part.offset, len(taken)))
        return JoinedPacket(bytes(payload), self.length or 0, tuple(pieces))

    def _around(self, part: _Part) -> list[_Part]:
        """The parts that overlap it."""
        first = bisect_right(self.parts, part.position, key=lambda one: one.end)
        last = bisect_right(self.parts, part.end - 1, key=lambda one: one.position)
        return self.parts[first:last]


class Reassembly:
    """Packets whose fragments have not all been seen."""

    def __init__(self) -> None:
        self._open: dict[Key, _OpenPacket] = {}
        self._cost = 0

    def add(
        self, key: Key, position: FragmentPosition, length: int, data: bytes, frame: int, offset: int, time_ns: int
    ) -> JoinedPacket | None:
        """Take a fragment of `length` bytes, of which `data` was captured at `offset` of `frame`; the packet if whole.

        A fragment that contradicts those before it belongs to another packet with the same identification, so that
        the earlier one is given up. Repeated fragments change nothing.
        """
        self._expire(time_ns)
        part = _Part(position.offset, position.offset + length, frame, offset, data)
        packet = self._open.get(key)
        if packet is not None and (
            abs(time_ns - packet.started_ns) > MAX_AGE_NS or not packet.accepts(part, position.more)
        ):
            self._drop(key)
            packet = None
        if packet is None:
            packet = self._open[key] = _OpenPacket(time_ns)
        before = packet.cost
        packet.add(part, position.more)
        self._cost += packet.cost - before
        if packet.whole:
            self._drop(key)
            return packet.joined()
        while len(self._open) > MAX_OPEN_PACKETS or self._cost > MAX_OPEN_BYTES:
            self._drop(next(iter(self._open)))
        return None

    def _expire(self, time_ns: int) -> None:
        while self._open:
            oldest = next(iter(self._open))
            if time_ns - self._open[oldest].started_ns <= MAX_AGE_NS:
                break
            self._drop(oldest)

    def _drop(self, key: Key) -> None:
        self._cost -= self._open.pop(key).cost
