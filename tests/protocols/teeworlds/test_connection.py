"""Tokens and generations, by packets alone."""

from __future__ import annotations

import pytest

from analyzer.protocols.teeworlds.connection import ADOPT_AFTER, ADOPT_ALONE_AFTER, Connection
from analyzer.transports.teeworlds import read_packet
from analyzer.transports.teeworlds_packet import (
    ACCEPT,
    CLOSE,
    CONNECT,
    CONNECTACCEPT,
    HEADER,
    PLAIN,
    SEVEN,
    TAIL,
    TOKEN_EXCHANGE,
    Variant,
)
from tests.encoder import chunk, control, message, packet

CLIENT, SERVER = 0, 1
KNOWN, OTHER, NONE = 0x12345678, 0x0BADCAFE, 0xFFFFFFFF


class Wire:
    """A connection and its packets."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.connection = Connection(variant, SERVER)

    def control(self, direction: int, number: int, token: int | None, body: bytes = b"") -> bool:
        packet = read_packet(control(number, body, token=token, variant=self.variant), self.variant)
        admitted = self.connection.admits(packet, direction)
        if admitted:
            self.connection.control(packet, direction)
        return admitted

    def chunks(self, direction: int, token: int | None) -> bool:
        payload = packet([chunk(message(16, True))], token=token, variant=self.variant)
        return self.connection.admits(read_packet(payload, self.variant), direction)

    def handshake(self, token: int) -> None:
        assert self.control(CLIENT, CONNECT, NONE, b"TKEN")
        assert self.control(SERVER, CONNECTACCEPT, token, b"TKEN")
        assert self.control(CLIENT, ACCEPT, token)

    def first_vitals(self, *last: int | None, resend: bool = False) -> list[bool]:
        """Number 1 from client and server."""
        return [self.connection.restarts(direction, resend, last[direction]) for direction in (CLIENT, SERVER)]


def test_a_ddnet_handshake_makes_the_token_known() -> None:
    wire = Wire(TAIL)
    wire.handshake(KNOWN)
    assert wire.connection.token == KNOWN
    assert wire.first_vitals(None, None) == [False, False]
    assert wire.connection.generation == 0
    assert not wire.chunks(CLIENT, OTHER)
    assert wire.chunks(CLIENT, KNOWN)


def test_a_flow_without_handshake_takes_the_first_token() -> None:
    wire = Wire(TAIL)
    assert wire.chunks(SERVER, KNOWN)
    assert wire.connection.token == KNOWN
    assert not wire.control(CLIENT, CLOSE, OTHER)


def test_a_handshake_is_exempt_from_the_token() -> None:
    wire = Wire(TAIL)
    wire.handshake(KNOWN)
    assert wire.control(CLIENT, CONNECT, NONE, b"TKEN")
    assert wire.control(SERVER, CONNECTACCEPT, OTHER, b"TKEN")
    assert wire.connection.token == KNOWN
    assert wire.chunks(CLIENT, OTHER)
    assert wire.connection.token == OTHER


def test_a_token_that_both_sides_go_on_using_is_adopted() -> None:
    wire = Wire(TAIL)
    wire.handshake(KNOWN)
    for _ in range(20):
        assert not wire.chunks(CLIENT, OTHER)
    answers = [wire.chunks(SERVER, OTHER) for _ in range(ADOPT_AFTER)]
    assert answers == [False] * (ADOPT_AFTER - 1) + [True]
    assert wire.connection.token == OTHER
    assert not wire.chunks(CLIENT, KNOWN)
    assert wire.first_vitals(50, 60) == [True, True]
    assert wire.connection.generation == 1


def test_a_token_that_one_side_alone_goes_on_using_is_adopted_later() -> None:
    wire = Wire(TAIL)
    wire.handshake(KNOWN)
    answers = [wire.chunks(SERVER, OTHER) for _ in range(ADOPT_ALONE_AFTER)]
    assert answers == [False] * (ADOPT_ALONE_AFTER - 1) + [True]
    assert wire.connection.token == OTHER
    assert wire.first_vitals(50, 60) == [True, True]


def test_the_known_token_between_keeps_a_stranger_out() -> None:
    wire = Wire(TAIL)
    wire.handshake(KNOWN)
    for _ in range(20):
        assert not wire.chunks(CLIENT, OTHER)
        assert not wire.chunks(SERVER, OTHER)
        assert wire.chunks(SERVER, KNOWN)
    assert wire.connection.token == KNOWN


def test_a_ddnet_reconnect_begins_a_generation_once() -> None:
    wire = Wire(TAIL)
    wire.handshake(KNOWN)
    assert wire.first_vitals(None, None) == [False, False]
    wire.control(CLIENT, CONNECT, NONE, b"TKEN")
    assert wire.first_vitals(20, 30) == [False, False]
    wire.control(SERVER, CONNECTACCEPT, KNOWN, b"TKEN")
    assert wire.first_vitals(20, 30) == [False, False]
    wire.control(CLIENT, ACCEPT, KNOWN)
    assert wire.first_vitals(20, 30, resend=True) == [True, True]
    assert wire.connection.generation == 1
    wire.control(CLIENT, ACCEPT, KNOWN)
    assert wire.first_vitals(3, 3) == [False, False]
    assert wire.connection.generation == 1


def test_each_direction_restarts_by_itself() -> None:
    wire = Wire(TAIL)
    wire.handshake(KNOWN)
    wire.first_vitals(None, None)
    wire.handshake(KNOWN)
    assert wire.connection.restarts(SERVER, False, 40)
    assert not wire.connection.restarts(SERVER, False, 1)
    assert wire.connection.restarts(CLIENT, False, 40)
    assert wire.connection.generation == 1


def test_a_plain_connect_in_a_live_flow_changes_nothing() -> None:
    wire = Wire(PLAIN)
    wire.control(CLIENT, CONNECT, None)
    wire.control(SERVER, CONNECTACCEPT, None)
    wire.control(CLIENT, ACCEPT, None)
    assert wire.first_vitals(None, None) == [False, False]
    wire.control(CLIENT, CONNECT, None)
    wire.control(CLIENT, ACCEPT, None)
    assert wire.first_vitals(20, 30) == [False, False]
    assert wire.connection.generation == 0


@pytest.mark.parametrize("closed", [False, True])
def test_a_plain_generation_begins_with_connectaccept(closed: bool) -> None:
    wire = Wire(PLAIN)
    wire.control(CLIENT, CONNECT, None)
    wire.control(SERVER, CONNECTACCEPT, None)
    wire.first_vitals(None, None)
    if closed:
        wire.control(SERVER, CLOSE, None, b"bye\0")
    wire.control(CLIENT, CONNECT, None)
    wire.control(SERVER, CONNECTACCEPT, None)
    assert wire.first_vitals(20, 30) == [True, True]
    assert wire.connection.generation == 1


def test_a_plain_connectaccept_twice_is_no_second_generation() -> None:
    wire = Wire(PLAIN)
    wire.control(CLIENT, CONNECT, None)
    wire.control(SERVER, CONNECTACCEPT, None)
    wire.first_vitals(None, None)
    wire.control(SERVER, CONNECTACCEPT, None)
    assert wire.first_vitals(3, 3, resend=True) == [False, False]
    assert wire.connection.generation == 0


def test_after_a_close_a_first_number_that_is_not_resent_restarts() -> None:
    wire = Wire(TAIL)
    wire.handshake(KNOWN)
    wire.first_vitals(None, None)
    assert wire.control(CLIENT, CLOSE, KNOWN, b"bye\0")
    assert wire.first_vitals(20, 30, resend=True) == [False, False]
    assert wire.first_vitals(20, 30) == [True, True]
    assert wire.connection.generation == 1


def test_both_sides_of_0_6_5_carry_the_servers_token() -> None:
    wire = Wire(HEADER)
    client = (0xC1C1C1C1).to_bytes(4, "big")
    assert wire.control(CLIENT, CONNECT, None, bytes(4) + client + bytes(504))
    assert wire.control(SERVER, CONNECTACCEPT, 0xC1C1C1C1, KNOWN.to_bytes(4, "big"))
    assert wire.chunks(CLIENT, KNOWN)
    assert wire.chunks(SERVER, KNOWN)
    assert wire.connection.token == KNOWN
    assert not wire.chunks(CLIENT, 0xC1C1C1C1)
    assert not wire.chunks(CLIENT, None)


def test_an_inferred_generation_counts_once_for_both_directions() -> None:
    connection = Connection(PLAIN, SERVER)
    connection.begin(SERVER)
    connection.expect(CLIENT)
    assert connection.generation == 1
    assert connection.restarts(CLIENT, False, 40)
    assert connection.generation == 1


OWN, NEW = 0xC1C1C1C1, 0xC2C2C2C2
"""Tokens that a client of 0.7 chose."""


def exchange(wire: Wire, own: int, server: int = KNOWN) -> None:
    """The handshake of 0.7: the header has the receiver's token, the body the sender's."""
    own_bytes, server_bytes = own.to_bytes(4, "big"), server.to_bytes(4, "big")
    assert wire.control(CLIENT, TOKEN_EXCHANGE, NONE, own_bytes + bytes(508))
    assert wire.control(SERVER, TOKEN_EXCHANGE, own, server_bytes)
    assert wire.control(CLIENT, CONNECT, server, own_bytes + bytes(508))
    assert wire.control(SERVER, CONNECTACCEPT, own)


def test_of_seven_each_side_is_sent_its_own_token() -> None:
    wire = Wire(SEVEN)
    exchange(wire, OWN)
    assert wire.chunks(CLIENT, KNOWN)
    assert wire.chunks(SERVER, OWN)
    assert (wire.connection.token, wire.connection.token_from(SERVER)) == (KNOWN, OWN)
    assert wire.connection.is_settled
    assert not wire.chunks(CLIENT, OWN)
    assert not wire.chunks(SERVER, KNOWN)
    assert not wire.control(SERVER, CLOSE, OTHER, b"bye\0")
    assert not wire.control(CLIENT, 0, NONE)
    assert wire.first_vitals(None, None) == [False, False]
    assert wire.connection.generation == 0


def test_of_seven_another_token_of_the_client_begins_a_connection() -> None:
    wire = Wire(SEVEN)
    exchange(wire, OWN)
    wire.chunks(CLIENT, KNOWN)
    wire.chunks(SERVER, OWN)
    wire.first_vitals(None, None)
    exchange(wire, NEW)
    # What is still under way is of the connection before.
    assert wire.chunks(SERVER, OWN)
    assert wire.chunks(SERVER, NEW)
    assert not wire.chunks(SERVER, OWN)
    assert wire.first_vitals(50, 60, resend=True) == [True, True]
    assert wire.connection.generation == 1


def test_of_seven_a_handshake_that_is_repeated_begins_nothing() -> None:
    wire = Wire(SEVEN)
    exchange(wire, OWN)
    exchange(wire, OWN)
    wire.chunks(CLIENT, KNOWN)
    wire.chunks(SERVER, OWN)
    wire.first_vitals(None, None)
    exchange(wire, OWN)
    assert wire.first_vitals(5, 5, resend=True) == [False, False]
    assert wire.connection.generation == 0


def test_of_seven_an_answer_to_a_stranger_changes_nothing() -> None:
    wire = Wire(SEVEN)
    exchange(wire, OWN)
    wire.chunks(CLIENT, KNOWN)
    wire.chunks(SERVER, OWN)
    wire.first_vitals(None, None)
    assert wire.control(CLIENT, TOKEN_EXCHANGE, NONE, OTHER.to_bytes(4, "big") + bytes(508))
    assert wire.control(SERVER, TOKEN_EXCHANGE, OTHER, KNOWN.to_bytes(4, "big"))
    assert wire.chunks(CLIENT, KNOWN)
    assert wire.chunks(SERVER, OWN)
    assert wire.first_vitals(5, 5) == [False, False]
    assert wire.control(CLIENT, CONNECT, OTHER, OTHER.to_bytes(4, "big") + bytes(508))
    assert not wire.chunks(CLIENT, OTHER)
    assert wire.chunks(SERVER, OWN)


def test_of_seven_tokens_are_adopted_where_no_handshake_was_captured() -> None:
    wire = Wire(SEVEN)
    assert wire.chunks(CLIENT, KNOWN)
    assert wire.chunks(SERVER, OWN)
    for _ in range(ADOPT_AFTER - 1):
        assert not wire.chunks(CLIENT, OTHER)
        assert not wire.chunks(SERVER, NEW)
    assert not wire.chunks(CLIENT, OTHER)
    assert wire.chunks(SERVER, NEW)
    assert (wire.connection.token, wire.connection.token_from(SERVER)) == (OTHER, NEW)
    assert wire.first_vitals(50, 60) == [True, True]


def test_of_seven_a_new_token_of_the_client_alone_is_adopted_later() -> None:
    """A server may go on with the token that it gave to the address."""
    wire = Wire(SEVEN)
    assert wire.chunks(CLIENT, KNOWN)
    assert wire.chunks(SERVER, OWN)
    answers = []
    for _ in range(ADOPT_ALONE_AFTER):
        assert wire.chunks(CLIENT, KNOWN)
        answers.append(wire.chunks(SERVER, NEW))
    assert answers == [False] * (ADOPT_ALONE_AFTER - 1) + [True]
    assert (wire.connection.token, wire.connection.token_from(SERVER)) == (KNOWN, NEW)


def test_the_token_is_known_whichever_side_the_server_is() -> None:
    for server in (-1, 0, 1):
        assert Connection(SEVEN, server).token is None
