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
    TAIL,
    TOKEN_SIZE,
    Packet,
    PacketKind,
    Variant,
)

ADOPT_AFTER = 3
"""Packets of each side with one unknown token, none with the known token between, after which it is the connection's:
the capture missed the handshake."""
ADOPT_ALONE_AFTER = 64
"""The same where the capture has one direction only."""


@dataclass(slots=True)
class _Stranger:
    token: int
    seen: list[int]


class Connection:
    """What the handshakes of one flow say. Direction 0 or 1 as in the datagrams."""

    def __init__(self, variant: Variant, server: int) -> None:
        self.token: int | None = None
        self.generation = 0
        self._variant = variant
        self._server = server
        self._offered: int | None = None
        self._wanted = False
        self._closed = False
        self._pending = [False, False]
        self._certain = False
        self._stranger: _Stranger | None = None

    @property
    def is_settled(self) -> bool:
        """Would another packet with the token change nothing?"""
        return self._stranger is None and (self._offered is None or self._offered != self.token)

    def admits(self, packet: Packet, direction: int) -> bool:
        """Does the packet carry the connection's token? False: it is spoofed or of an older connection."""
        if packet.kind is PacketKind.CONTROL and packet.control in (CONNECT, CONNECTACCEPT):
            return True
        token = packet.token
        if token is None:
            return self._variant is not HEADER or self.token is None
        if self.token is None or token in (self.token, self._offered):
            self._take(token)
            return True
        return self._adopt(token, direction)

    def control(self, packet: Packet, direction: int) -> None:
        """A control packet that was admitted."""
        from_server = direction == self._server
        if packet.control == CONNECT and not from_server:
            self._wanted = True
        elif packet.control == CONNECTACCEPT and from_server:
            self._offered = self._offer(packet)
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

    def _offer(self, packet: Packet) -> int | None:
        if self._variant is HEADER:
            return int.from_bytes(packet.body[:TOKEN_SIZE], "big") if len(packet.body) >= TOKEN_SIZE else None
        return packet.token

    def _take(self, token: int) -> None:
        self.token = token
        self._stranger = None
        if token == self._offered:
            # From here on an older token is a stranger's again, also if it was offered before.
            self._offered = None

    def _adopt(self, token: int, direction: int) -> bool:
        stranger = self._stranger
        if stranger is None or stranger.token != token:
            stranger = self._stranger = _Stranger(token, [0, 0])
        stranger.seen[direction] += 1
        if min(stranger.seen) < ADOPT_AFTER and sum(stranger.seen) < ADOPT_ALONE_AFTER:
            return False
        self._take(token)
        self._expect_restart(certain=False)
        return True
