"""Vital chunks of one end of a connection: numbers, acknowledgements and repetition (spec section 7.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from world import wire
from world.clock import MILLISECOND, Clock
from world.datagram import Address, Chunk, Datagram, Message

REPEAT_AFTER = 1000 * MILLISECOND
REPEAT_PAUSE = 100 * MILLISECOND
"""A peer answers at most ten resend requests a second."""


class Connection:
    """One end. `send` takes a finished datagram; `codes` are the Huffman codes of a peer that compresses."""

    def __init__(
        self,
        clock: Clock,
        local: Address,
        remote: Address,
        token: int | None,
        send: Callable[[Datagram], None],
        codes: Mapping[int, str] | None,
    ) -> None:
        self.token = token
        self.sent_at = clock.now
        self.heard_at = clock.now
        self._clock = clock
        self._local, self._remote = local, remote
        self._send = send
        self._codes = codes
        self._sequence = 0
        self._ack: int | None = 0
        self._peer_ack = 0
        self._unacked: list[tuple[int, Chunk]] = []
        self._queue: list[Chunk] = []
        self._want_resend = False
        self._repeated_at = 0

    def adopt(self) -> None:
        """Go on after the anti-spoof handshake: own numbers continue, the peer's next one is taken as in order."""
        self._unacked.clear()
        self._ack = None

    @property
    def sequence(self) -> int:
        """Number of the last vital message."""
        return self._sequence

    def peer_has(self, sequence: int) -> bool:
        """The peer acknowledged a vital message."""
        return (self._peer_ack - sequence) % 1024 < 512

    def vital(self, message: Message, data: bytes) -> None:
        """Queue a vital message."""
        self._sequence = (self._sequence + 1) % 1024
        chunk = Chunk(message, data, self._sequence)
        self._unacked.append((self._clock.now, chunk))
        self._queue.append(chunk)

    def flush(self, *others: tuple[Message, bytes]) -> None:
        """Send what is queued, and behind it messages that are not vital."""
        chunks = [*self._queue, *(Chunk(message, data) for message, data in others)]
        self._queue.clear()
        if not chunks and not self._want_resend:
            return
        bodies = [wire.chunk(chunk.data, chunk.sequence, chunk.resent) for chunk in chunks]
        payload = wire.packet(bodies, self._ack or 0, self.token, self._codes, self._want_resend)
        self._emit(payload, chunks=tuple(chunks), resend=self._want_resend)
        self._want_resend = False

    def control(self, number: int, body: bytes = b"") -> None:
        """Send a control packet."""
        self._emit(wire.control(number, self._ack or 0, self.token, body), control=number)

    def repeat(self) -> None:
        """Send again what waited too long for its acknowledgement."""
        if self._unacked and self._clock.now - self._unacked[0][0] >= REPEAT_AFTER:
            self._resend()

    def accept(self, datagram: Datagram) -> list[Message] | None:
        """The messages to process; None: the whole packet is dropped for its acknowledgement."""
        if (datagram.ack - self._peer_ack) % 1024 > (self._sequence - self._peer_ack) % 1024:
            return None
        self.heard_at = self._clock.now
        acked = (datagram.ack - self._peer_ack) % 1024
        self._peer_ack = datagram.ack
        del self._unacked[:acked]
        if datagram.resend and self._clock.now - self._repeated_at >= REPEAT_PAUSE:
            self._repeated_at = self._clock.now
            self._resend()
        return [chunk.message for chunk in datagram.chunks if self._in_order(chunk)]

    def _in_order(self, chunk: Chunk) -> bool:
        if chunk.sequence is None:
            return True
        if self._ack is None or chunk.sequence == (self._ack + 1) % 1024:
            self._ack = chunk.sequence
            return True
        if (self._ack - chunk.sequence) % 1024 >= 512:
            self._want_resend = True
        return False

    def _resend(self) -> None:
        now = self._clock.now
        chunks = [Chunk(chunk.message, chunk.data, chunk.sequence, True) for _, chunk in self._unacked]
        self._unacked = [(now, chunk) for chunk in chunks]
        self._queue = list(chunks)
        if chunks:
            self.flush()

    def _emit(
        self, payload: bytes, chunks: tuple[Chunk, ...] = (), control: int | None = None, resend: bool = False
    ) -> None:
        self.sent_at = self._clock.now
        self._send(Datagram(self._local, self._remote, payload, self._ack or 0, chunks, control, self.token, resend))
