"""Tokens and generations of a flow: which packets belong to the connection, and when a new one begins.

Spec sections 2.1, 15.4 and 17.5.
"""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.transports.teeworlds_packet import (
    ACCEPT,
    CLOSE,
    CONNECT,
    CONNECTACCEPT,
    HEADER,
    NO_TOKEN,
    TAIL,
    TOKEN_EXCHANGE,
    TOKEN_SIZE,
    Packet,
    PacketKind,
    TokenPlace,
    Variant,
)

ADOPT_AFTER = 3
"""Packets of each side with an unknown token, none with the known token between, after which it is the connection's:
the capture missed the handshake. In 0.7 each side has its own."""
ADOPT_ALONE_AFTER = 64
"""The same where one direction only has it."""


@dataclass(slots=True)
class _Stranger:
    token: int
    seen: list[int]


class Connection:
    """What the handshakes of one flow say. Direction 0 or 1 as in the datagrams."""

    def __init__(self, variant: Variant, server: int) -> None:
        self.generation = 0
        self._variant = variant
        self._server = server
        self._places = (0, 1) if variant.token_place is TokenPlace.HEADER else (0, 0)
        """By direction: where the token is that its packets carry. Mostly both sides have the same."""
        self._tokens: list[int | None] = [None, None]
        self._offered: list[int | None] = [None, None]
        self._strangers: list[_Stranger | None] = [None, None]
        self._wanted = False
        self._closed = False
        self._pending = [False, False]
        self._certain = False

    @property
    def token(self) -> int | None:
        """The connection's token; where each side has its own, the one that the server chose."""
        return self.token_from(int(self._server == 0))

    def token_from(self, direction: int) -> int | None:
        """The token that the packets of a direction carry."""
        return self._tokens[self._places[direction]]

    @property
    def is_settled(self) -> bool:
        """Would other packets with the tokens change nothing?"""
        return all(
            self._strangers[place] is None
            and (self._offered[place] is None or self._offered[place] != self._tokens[place])
            for place in self._places
        )

    def admits(self, packet: Packet, direction: int) -> bool:
        """Does the packet carry the connection's token? False: it is spoofed or of an older connection."""
        if packet.kind is PacketKind.CONTROL and packet.control in self._variant.handshake:
            return True
        token, place = packet.token, self._places[direction]
        if token is None:
            return self._variant is not HEADER or self.token is None
        if self._tokens[place] is None or token in (self._tokens[place], self._offered[place]):
            self._take(token, place)
            return True
        return self._adopt(token, direction)

    def control(self, packet: Packet, direction: int) -> None:
        """A control packet that was admitted."""
        from_server = direction == self._server
        if self._variant.token_place is TokenPlace.HEADER and packet.control in self._variant.handshake:
            self._exchange(packet, direction)
        if packet.control == CONNECT and not from_server:
            # A repeated one asks for nothing new where it carries the client's own token.
            self._wanted = self._wanted or self._offers_another(1 - direction)
        elif packet.control == CONNECTACCEPT and from_server:
            if self._variant.token_place is not TokenPlace.HEADER:
                self._offered[0] = self._offer(packet)
            if self._variant is not TAIL:
                # The server answers only a client it has no connection with.
                self._expect_restart(certain=self._wanted or self._closed)
        elif packet.control == ACCEPT and not from_server and self._variant is TAIL:
            # Without a CONNECT before it, this ACCEPT is a repeated one.
            if self._wanted or self._closed:
                self._expect_restart(certain=True)
        elif packet.control == CLOSE:
            self._closed = True
            self._expect_restart(certain=False)

    def restarts(self, direction: int, resend: bool, last: int | None) -> bool:
        """Vital chunk number 1 arrived; `last` is the sender's last number in order. Does a new connection begin?"""
        if not self._pending[direction]:
            return False
        if last is None or last == 0:
            self._settle(direction)
            return False
        if resend and not self._certain:
            return False
        self.begin(direction)
        return True

    def begin(self, direction: int) -> None:
        """A new connection begins in this direction; the generation counts once for both."""
        if self._pending[1 - direction] or not self._pending[direction]:
            self.generation += 1
        self._settle(direction)

    def expect(self, direction: int) -> None:
        """A new connection was inferred in the other direction: this one will restart as well."""
        self._pending[direction] = True

    def _settle(self, direction: int) -> None:
        self._pending[direction] = False
        self._wanted = self._closed = False

    def _expect_restart(self, *, certain: bool) -> None:
        self._pending = [True, True]
        self._certain = certain

    def _exchange(self, packet: Packet, direction: int) -> None:
        """A handshake of 0.7: the header has the token of the receiver, the body that of the sender, if any.

        What a client puts into the header of its CONNECT the server alone can judge.
        """
        if direction == self._server and packet.token != NO_TOKEN:
            self._offered[direction] = packet.token
        if packet.control in (CONNECT, TOKEN_EXCHANGE) and len(packet.body) >= TOKEN_SIZE:
            self._offered[1 - direction] = int.from_bytes(packet.body[:TOKEN_SIZE], "big")

    def _offers_another(self, direction: int) -> bool:
        """Is a token on offer that the packets of a direction do not carry yet? Without tokens of its own: always."""
        if self._variant.token_place is not TokenPlace.HEADER:
            return True
        return self._offered[direction] != self._tokens[direction]

    def _offer(self, packet: Packet) -> int | None:
        if self._variant is HEADER:
            return int.from_bytes(packet.body[:TOKEN_SIZE], "big") if len(packet.body) >= TOKEN_SIZE else None
        return packet.token

    def _take(self, token: int, place: int) -> None:
        self._tokens[place] = token
        self._strangers[place] = None
        if token == self._offered[place]:
            # From here on an older token is a stranger's again, also if it was offered before.
            self._offered[place] = None

    def _adopt(self, token: int, direction: int) -> bool:
        place = self._places[direction]
        stranger = self._strangers[place]
        if stranger is None or stranger.token != token:
            stranger = self._strangers[place] = _Stranger(token, [0, 0])
        stranger.seen[direction] += 1
        strangers = [self._strangers[place] for place in self._places]
        seen = [0 if other is None else other.seen[side] for side, other in enumerate(strangers)]
        if min(seen) < ADOPT_AFTER and sum(seen) < ADOPT_ALONE_AFTER:
            return False
        for place, other in zip(self._places, strangers, strict=True):
            if other is not None and (other is stranger or min(seen) >= ADOPT_AFTER):
                self._take(other.token, place)
        self._expect_restart(certain=False)
        return True
