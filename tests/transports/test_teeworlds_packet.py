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
    SEVEN,
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


def test_seven_differs_in_bits_and_sizes_too() -> None:
    """Spec sections 2.2, 4.1 and 7.1."""
    assert (SEVEN.name, SEVEN.token_place, SEVEN.size_shift, SEVEN.max_payload) == ("0.7", TokenPlace.HEADER, 6, 1391)
    flags = {bit: flag for _, bit, flag in SEVEN.flag_bits}
    assert flags == {0x20: CONNLESS, 0x10: COMPRESSED, 0x08: RESEND, 0x04: CONTROL}
    assert SEVEN.known_bits == 0b0011_1111
    names = ["KEEPALIVE", "CONNECT", "ACCEPT", "", "CLOSE", "TOKEN", ""]
    assert [SEVEN.control_name(number) for number in range(7)] == names
    assert [number for number in range(7) if number in SEVEN.handshake] == [1, 2, 5]


def test_flags_of_a_first_byte() -> None:
    assert [variant.flags_of(0xFF) for variant in (PLAIN, TAIL, HEADER, SEVEN)] == [0xF0, 0xF0, 0xF8, 0xF0]
    assert [variant.flags_of(0x14) for variant in (PLAIN, SEVEN)] == [CONTROL, COMPRESSED | CONTROL]


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
