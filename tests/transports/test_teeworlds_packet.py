"""What the packet layer is made of: the variants' differences, and how a packet stands before anything was read."""

from __future__ import annotations

import pytest

from analyzer.transports.teeworlds_packet import (
    ACCEPT,
    CLOSE,
    COMPRESSED,
    CONNECT,
    CONNECTACCEPT,
    CONNLESS,
    CONTROL,
    HEADER,
    KEEPALIVE,
    PLAIN,
    RESEND,
    TAIL,
    TOKEN,
    Packet,
    PacketKind,
    TokenPlace,
    Variant,
)


def test_control_messages_have_the_names_of_their_numbers() -> None:
    numbers = (KEEPALIVE, CONNECT, CONNECTACCEPT, ACCEPT, CLOSE)
    assert [PLAIN.control_names[number] for number in numbers] == [
        "KEEPALIVE",
        "CONNECT",
        "CONNECTACCEPT",
        "ACCEPT",
        "CLOSE",
    ]


@pytest.mark.parametrize(
    ("variant", "name", "place", "known_bits"),
    [
        (PLAIN, "0.6", TokenPlace.NONE, 0b1111_0011),
        (TAIL, "ddnet", TokenPlace.TAIL, 0b1111_0011),
        (HEADER, "0.6.5", TokenPlace.FLAGGED, 0b1111_1011),
    ],
)
def test_variants_differ_in_the_token(variant: Variant, name: str, place: TokenPlace, known_bits: int) -> None:
    assert (variant.name, variant.token_place, variant.known_bits) == (name, place, known_bits)
    assert variant.size_shift == 4
    flags = {bit: flag for _, bit, flag in variant.flag_bits}
    assert flags[0x80] == COMPRESSED
    assert flags[0x40] == RESEND
    assert flags[0x20] == CONNLESS
    assert flags[0x10] == CONTROL
    assert flags.get(0x08) == (TOKEN if variant is HEADER else None)


def test_nothing_read_says_nothing() -> None:
    packet = Packet()
    assert (packet.kind, packet.control, packet.connless, packet.token, packet.error) == (
        PacketKind.CHUNKS,
        -1,
        "",
        None,
        None,
    )
    assert (packet.chunks, packet.issues, packet.body) == ([], [], b"")


def test_body_is_what_lies_before_the_token() -> None:
    packet = Packet(payload=b"\x04bye\0\x12\x34\x56\x78", body_offset=1, payload_end=5)
    assert packet.body == b"bye\0"
