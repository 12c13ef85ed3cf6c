"""Packets and chunks: the vectors and rules of spec sections 2, 4, 7, 19 and 22.2."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.transports.teeworlds import read_header, read_packet
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
    Chunk,
    Packet,
    PacketKind,
    Variant,
)
from analyzer.wire.reader import Field, Trace
from tests import encoder

VARIANTS = (PLAIN, TAIL, HEADER, SEVEN)
DDNET_TOKEN = 0x12345678

# snapshot A of spec section 22.1 as a message, 43 bytes
SNAPSHOT_A = bytes.fromhex("0fa401a501e4faffff0f200003000403a40188030203060000000000140001010a00010000bfffffff0f14")
PACKET_A = bytes.fromhex("800501c2df9d6d64807cd7954a4aba63dda267611bb558080b9b0f1f511f57595252d21d3c9747ba706d8a1b")
SNAPSHOT_B = bytes.fromhex(
    "0fa60102a991f3aa06350103008380200a00000000010000bfff03049b95f2ec0ef796a661f4fec0a20ae3ee97be0dbfff03000b0100"
    "024000404040327b40"
)
PACKET_B = bytes.fromhex("000501030f") + SNAPSHOT_B + bytes.fromhex("12345678")


def messages(packet: Packet) -> list[bytes]:
    return [packet.payload[chunk.offset : chunk.offset + chunk.size] for chunk in packet.chunks]


def fault(packet: Packet) -> tuple[str, int, int] | None:
    """Code, buffer and offset of the error."""
    return packet.error and (packet.error.code, packet.error_buffer, packet.error.offset)


def test_compressed_packet_with_tail_token() -> None:
    packet = read_packet(PACKET_A, TAIL)
    assert packet == Packet(
        kind=PacketKind.CHUNKS,
        flags=COMPRESSED,
        ack=5,
        chunk_count=1,
        token=DDNET_TOKEN,
        compressed=True,
        payload=b"\x02\x0b" + SNAPSHOT_A + b"\x12\x34\x56\x78",
        payload_end=45,
        payload_buffer=1,
        payload_offset=0,
        chunks=[Chunk(0, 2, 43, False, False, -1)],
        error_buffer=1,
    )


def test_packet_that_compression_would_not_shorten() -> None:
    packet = read_packet(PACKET_B, TAIL)
    assert (packet.compressed, packet.payload_buffer, packet.payload_offset) == (False, 0, 3)
    assert messages(packet) == [SNAPSHOT_B]
    assert packet.token == DDNET_TOKEN
    assert PACKET_B[packet.payload_offset :] == packet.payload


def test_snapempty_packet() -> None:
    packet = read_packet(bytes.fromhex("00050100040da8010212345678"), TAIL)
    assert messages(packet) == [bytes.fromhex("0da80102")]
    assert packet.token == DDNET_TOKEN


def test_the_encoder_writes_the_same_packets() -> None:
    a, b = encoder.chunk(SNAPSHOT_A), encoder.chunk(SNAPSHOT_B)
    assert encoder.packet([a], ack=5, token=DDNET_TOKEN, variant=TAIL) == PACKET_A
    assert encoder.packet([b], ack=5, token=DDNET_TOKEN, variant=TAIL) == PACKET_B
    assert encoder.control(CLOSE, b"bye\0", token=DDNET_TOKEN, variant=TAIL).hex() == "100000046279650012345678"


def test_packet_from_real_traffic() -> None:
    # compressed payload of spec section 22.4; the header is ours: two chunks
    compressed = bytes.fromhex("3d55aef6cd9db0bbd3e29b67b8978acbfca1c5ccff7f8b5f7103")
    packet = read_packet(b"\x80\x00\x02" + compressed, PLAIN)
    assert packet.error is None
    assert packet.issues == []
    assert [(chunk.size, chunk.vital) for chunk in packet.chunks] == [(4, False), (37, False)]
    assert messages(packet)[0] == bytes.fromhex("1387150f")
    assert messages(packet)[1].startswith(bytes.fromhex("0f88150494bbb1b90b1b"))


@pytest.mark.parametrize(
    ("datagram", "control", "body", "token"),
    [
        ("10000001544b454effffffff", CONNECT, b"TKEN", 0xFFFFFFFF),
        ("10000002544b454e12345678", CONNECTACCEPT, b"TKEN", DDNET_TOKEN),
        ("1000000312345678", ACCEPT, b"", DDNET_TOKEN),
        ("100000046279650012345678", CLOSE, b"bye\0", DDNET_TOKEN),
        ("1000000012345678", KEEPALIVE, b"", DDNET_TOKEN),
        # a body of exactly four bytes is the token
        ("1000000462796500", CLOSE, b"", 0x62796500),
    ],
)
def test_control_with_tail_token(datagram: str, control: int, body: bytes, token: int) -> None:
    packet = read_packet(bytes.fromhex(datagram), TAIL)
    assert packet.kind is PacketKind.CONTROL
    assert (packet.control, packet.body, packet.token) == (control, body, token)
    assert packet.error is None
    assert packet.issues == []


@pytest.mark.parametrize(
    ("datagram", "control", "body"),
    [
        ("10000001", CONNECT, b""),
        ("10000002", CONNECTACCEPT, b""),
        ("10000462", 0x62, b""),
        ("10000004", CLOSE, b""),
        ("1000000462796500", CLOSE, b"bye\0"),
        ("10000001544b454effffffff", CONNECT, b"TKEN\xff\xff\xff\xff"),
    ],
)
def test_control_without_token(datagram: str, control: int, body: bytes) -> None:
    packet = read_packet(bytes.fromhex(datagram), PLAIN)
    assert (packet.control, packet.body, packet.token) == (control, body, None)


def test_token_in_the_header() -> None:
    # CONNECTACCEPT of 0.6.5: the client's token in the header, the server's in the body
    packet = read_packet(bytes.fromhex("180000 a1a2a3a4 02 b1b2b3b4".replace(" ", "")), HEADER)
    assert (packet.kind, packet.flags, packet.token) == (PacketKind.CONTROL, CONTROL | TOKEN, 0xA1A2A3A4)
    assert (packet.control, packet.body) == (CONNECTACCEPT, b"\xb1\xb2\xb3\xb4")
    assert packet.payload_offset == 7

    chunks = encoder.packet([encoder.chunk(b"\x1b")], token=0xA1A2A3A4, variant=HEADER, compress=True)
    packet = read_packet(chunks, HEADER)
    assert (packet.token, messages(packet)) == (0xA1A2A3A4, [b"\x1b"])

    connect = bytes.fromhex("1000000100000000a1a2a3a4") + bytes(504)
    packet = read_packet(connect, HEADER)
    assert (packet.control, packet.token, len(packet.body)) == (CONNECT, None, 512)


@pytest.mark.parametrize(
    ("header", "chunk"),
    [
        ("0c08", (2, 200, False, False, -1)),
        ("4cf8e8", (3, 200, True, False, 1000)),
        ("ccf8e8", (3, 200, True, True, 1000)),
    ],
)
def test_chunk_header(header: str, chunk: tuple[int, int, bool, bool, int]) -> None:
    packet = read_packet(b"\0\0\1" + bytes.fromhex(header) + bytes(200), PLAIN)
    assert packet.chunks == [Chunk(0, *chunk)]
    assert packet.issues == []


def test_chunks_follow_each_other_and_may_be_empty() -> None:
    chunks = [encoder.chunk(b""), encoder.chunk(b"\x01\x02", vital=True, sequence=1023), encoder.chunk(b"\x03")]
    packet = read_packet(encoder.packet(chunks, ack=1023), PLAIN)
    assert packet.chunks == [
        Chunk(0, 2, 0, False, False, -1),
        Chunk(2, 5, 2, True, False, 1023),
        Chunk(7, 9, 1, False, False, -1),
    ]
    assert (packet.ack, packet.surplus, packet.error) == (1023, 0, None)


def test_differing_copies_of_sequence_bits_are_joined_and_reported() -> None:
    # bits 7 and 6: 11 in byte 1, 01 in byte 2
    packet = read_packet(bytes.fromhex("000001 40 30 40".replace(" ", "")), PLAIN)
    assert packet.chunks[0].sequence == 0xC0
    assert packet.issues == ["chunk 0: the two copies of sequence bits 7 and 6 differ"]


def test_a_larger_size_shift_has_no_overlap() -> None:
    seven = Variant("S=6", PLAIN.token_place, PLAIN.known_bits, PLAIN.flag_bits, size_shift=6)
    for header, chunk in (
        ("0308", (2, 200, False, False, -1)),
        ("43c8e8", (3, 200, True, False, 1000)),
        ("c3c8e8", (3, 200, True, True, 1000)),
    ):
        packet = read_packet(b"\0\0\1" + bytes.fromhex(header) + bytes(200), seven)
        assert packet.chunks == [Chunk(0, *chunk)]
        assert packet.issues == []


@pytest.mark.parametrize(
    ("datagram", "variant", "issue"),
    [
        ("000000", PLAIN, "neither chunks nor a resend request"),
        ("080001 0000", PLAIN, "unknown flag bits 08"),
        ("040001 0000", HEADER, "unknown flag bits 04"),
        ("000001 0000 aabb", PLAIN, "2 bytes after the last chunk"),
        ("000001 00f0", PLAIN, "chunk 0: sequence bits or resend flag in a chunk that is not vital"),
        ("000001 8000", PLAIN, "chunk 0: sequence bits or resend flag in a chunk that is not vital"),
        ("100001 00", PLAIN, "control packet with a chunk count"),
        ("500000 00", PLAIN, "control packet with a resend request"),
        ("900000 1537", PLAIN, "compressed control packet"),
        ("100000 05", PLAIN, "unknown control message 5"),
        ("200000 000000 ffffffff 67696533 00", PLAIN, "header bytes of a connectionless packet are not all ff"),
        ("ffffffffffff 67696533", PLAIN, "connectionless message without a name"),
        ("000001 0000" + "00" * 1396, PLAIN, "longer than 1400 bytes"),
    ],
)
def test_what_a_strict_receiver_would_not_accept_is_read_and_reported(
    datagram: str, variant: Variant, issue: str
) -> None:
    packet = read_packet(bytes.fromhex(datagram.replace(" ", "")), variant)
    assert packet.error is None
    assert issue in packet.issues


def test_a_resend_request_needs_no_chunks() -> None:
    packet = read_packet(bytes.fromhex("410200"), PLAIN)
    assert (packet.kind, packet.flags, packet.ack, packet.issues) == (PacketKind.CHUNKS, RESEND, 0x102, [])


@pytest.mark.parametrize(
    ("datagram", "variant", "error"),
    [
        ("", PLAIN, ("short", 0, 0)),
        ("0000", PLAIN, ("short", 0, 0)),
        ("ffffffffff", PLAIN, ("short", 0, 0)),
        ("100000", PLAIN, ("control-empty", 0, 3)),
        ("180000a1a2a3", HEADER, ("token-short", 0, 3)),
        ("180000a1a2a3a4", HEADER, ("control-empty", 0, 7)),
        ("1000000312", TAIL, ("token-short", 0, 4)),
        ("10000003123456", TAIL, ("token-short", 0, 4)),
        ("000001123456", TAIL, ("token-short", 0, 3)),
        ("00000100", PLAIN, ("chunk-header", 0, 3)),
        ("0000014001", PLAIN, ("chunk-header", 0, 3)),
        ("000002 0001aa 0002bb", PLAIN, ("chunk-size", 0, 6)),
        ("000001 0001 12345678", TAIL, ("chunk-size", 0, 3)),
        ("800001 00", PLAIN, ("huffman-eof", 0, 4)),
        # nothing but the end symbol, so no room for a chunk header
        ("800001 8a1b", PLAIN, ("chunk-header", 1, 0)),
        ("900000 8a1b", PLAIN, ("control-empty", 1, 0)),
    ],
)
def test_faults_say_where_reading_stopped(datagram: str, variant: Variant, error: tuple[str, int, int]) -> None:
    assert fault(read_packet(bytes.fromhex(datagram.replace(" ", "")), variant)) == error


def test_chunks_before_a_bad_one_stay() -> None:
    packet = read_packet(bytes.fromhex("000003 0001aa 4001 07bb 0003cc".replace(" ", "")), PLAIN)
    assert messages(packet) == [b"\xaa", b"\xbb"]
    assert fault(packet) == ("chunk-size", 0, 10)


def test_a_control_message_stays_when_its_token_is_missing() -> None:
    packet = read_packet(bytes.fromhex("10000001"), TAIL)
    assert (packet.kind, packet.control, packet.token) == (PacketKind.CONTROL, CONNECT, None)
    assert fault(packet) == ("token-short", 0, 4)


def test_decompressed_payload_is_limited() -> None:
    chunks = [encoder.chunk(bytes(1023)), encoder.chunk(bytes(370))]
    longest = encoder.packet(chunks, compress=True)
    packet = read_packet(longest, PLAIN)
    assert (len(packet.payload), packet.error) == (1397, None)
    too_long = encoder.packet([*chunks[:1], encoder.chunk(bytes(371))], compress=True)
    packet = read_packet(too_long, PLAIN)
    assert packet.error is not None
    assert (packet.error.code, packet.payload, packet.chunks) == ("huffman-limit", b"", [])
    assert packet.chunk_count == 2


def test_connless() -> None:
    packet = read_packet(encoder.connless("gie3", b"\x07"), TAIL)
    assert (packet.kind, packet.flags, packet.connless, packet.body) == (
        PacketKind.CONNLESS,
        CONNLESS,
        "gie3",
        b"\x07",
    )
    assert (packet.token, packet.extra_token, packet.payload_offset, packet.issues) == (None, None, 6, [])


def test_connless_extended() -> None:
    packet = read_packet(encoder.connless("gie3", b"\x07", extra_token=0xABCD), PLAIN)
    assert (packet.kind, packet.connless, packet.extra_token, packet.body) == (
        PacketKind.CONNLESS_EXTENDED,
        "gie3",
        0xABCD,
        b"\x07",
    )


def test_connless_of_seven() -> None:
    """Spec section 2.3."""
    datagram = bytes.fromhex("21 12345678 c1c1c1c1 ffffffff 67696533 05")
    assert encoder.connless_07("gie3", b"\x05", DDNET_TOKEN, 0xC1C1C1C1) == datagram
    for variant in VARIANTS:
        packet = read_packet(datagram, variant)
        assert (packet.kind, packet.flags, packet.connless, packet.body) == (
            PacketKind.CONNLESS_07,
            CONNLESS,
            "gie3",
            b"\x05",
        )
        assert (packet.token, packet.response_token, packet.payload_offset) == (DDNET_TOKEN, 0xC1C1C1C1, 9)
        assert packet.issues == []
        assert fault(read_packet(datagram[:8], variant)) == ("short", 0, 0)
    assert read_packet(b"\x25" + datagram[1:], SEVEN).issues == ["unknown flag bits 04"]
    # Another version than 1: no form of 0.7 that anybody reads.
    assert read_packet(b"\x22" + datagram[1:], SEVEN).kind is PacketKind.CONNLESS


def test_chunks_of_seven() -> None:
    """The vector of spec section 22.2."""
    datagram = bytes.fromhex("02bc01deadbeef00040fa80102")
    packet = read_packet(datagram, SEVEN)
    assert (packet.ack, packet.token, packet.flags, packet.error, packet.issues) == (700, 0xDEADBEEF, 0, None, [])
    assert messages(packet) == [bytes.fromhex("0fa80102")]
    chunk = encoder.chunk(bytes.fromhex("0fa80102"), size_shift=6)
    assert encoder.packet([chunk], ack=700, token=0xDEADBEEF, variant=SEVEN, compress=False) == datagram


@pytest.mark.parametrize(
    ("header", "size", "sequence"), [("03 08", 200, -1), ("43 c8 e8", 200, 1000), ("c3 c8 e8", 200, 1000)]
)
def test_chunk_headers_of_seven(header: str, size: int, sequence: int) -> None:
    """Spec section 7.1."""
    datagram = bytes.fromhex("000501deadbeef" + header) + bytes(size)
    packet = read_packet(datagram, SEVEN)
    assert [(chunk.size, chunk.sequence) for chunk in packet.chunks] == [(size, sequence)]
    assert packet.issues == []


@pytest.mark.parametrize(
    ("datagram", "control", "body", "token"),
    [
        ("040000 ffffffff 05 c1c1c1c1" + "00" * 508, 5, bytes.fromhex("c1c1c1c1") + bytes(508), 0xFFFFFFFF),
        ("040000 c1c1c1c1 05 12345678", 5, bytes.fromhex("12345678"), 0xC1C1C1C1),
        ("040000 c1c1c1c1 02", 2, b"", 0xC1C1C1C1),
        ("060200 c1c1c1c1 00", 0, b"", 0xC1C1C1C1),
        ("040000 c1c1c1c1 04 62796500", 4, b"bye\0", 0xC1C1C1C1),
    ],
)
def test_control_of_seven(datagram: str, control: int, body: bytes, token: int) -> None:
    packet = read_packet(bytes.fromhex(datagram), SEVEN)
    assert (packet.kind, packet.control, packet.body, packet.token) == (PacketKind.CONTROL, control, body, token)
    assert (packet.error, packet.issues) == (None, [])


def test_what_is_wrong_with_packets_of_seven() -> None:
    assert fault(read_packet(bytes.fromhex("000501deadbe"), SEVEN)) == ("token-short", 0, 3)
    assert read_packet(bytes.fromhex("040000c1c1c1c103"), SEVEN).issues == ["unknown control message 3"]
    assert read_packet(bytes.fromhex("880500deadbeef"), SEVEN).issues == ["unknown flag bits 80"]
    limit = encoder.packet([encoder.chunk(bytes(1389), size_shift=6)], token=1, variant=SEVEN, compress=True)
    assert read_packet(limit, SEVEN).error is None
    over = encoder.packet([encoder.chunk(bytes(1390), size_shift=6)], token=1, variant=SEVEN, compress=True)
    assert (fault(read_packet(over, SEVEN)) or ("",))[0] == "huffman-limit"


@pytest.mark.parametrize("start", ["0001", "0101", "0111"])
def test_stun_is_told_apart_first(start: str) -> None:
    datagram = bytes.fromhex(start + "0000" + "2112a442") + bytes(12)
    packet = read_packet(datagram, PLAIN)
    assert (packet.kind, packet.payload, packet.chunks, packet.error) == (PacketKind.STUN, datagram, [], None)
    assert read_packet(datagram[:19], PLAIN).kind is PacketKind.CHUNKS


def test_the_header_alone_of_a_datagram_cut_short() -> None:
    packet = read_header(PACKET_A[:10], TAIL)
    assert (packet.kind, packet.ack, packet.chunk_count, packet.compressed) == (PacketKind.CHUNKS, 5, 1, True)
    assert (packet.payload, packet.chunks, packet.error) == (b"", [], None)


@pytest.mark.parametrize("datagram", [PACKET_A, PACKET_B, encoder.control(CLOSE, b"bye\0", token=7, variant=TAIL)])
def test_a_packet_cut_at_any_length_is_answered(datagram: bytes) -> None:
    for length in range(len(datagram)):
        packet = read_packet(datagram[:length], TAIL)
        assert packet.error is not None or packet.kind is PacketKind.CONTROL


CHUNKS = st.lists(
    st.tuples(st.binary(max_size=60), st.booleans(), st.integers(0, 1023), st.booleans()), min_size=1, max_size=6
)


@given(CHUNKS, st.integers(0, 1023), st.sampled_from(VARIANTS), st.booleans(), st.integers(0, 0xFFFFFFFF))
def test_what_is_encoded_is_read(
    chunks: list[tuple[bytes, bool, int, bool]], ack: int, variant: Variant, compress: bool, token: int
) -> None:
    encoded = [
        encoder.chunk(body, vital=vital, sequence=sequence, resend=vital and resend, size_shift=variant.size_shift)
        for body, vital, sequence, resend in chunks
    ]
    packet = read_packet(encoder.packet(encoded, ack=ack, token=token, variant=variant, compress=compress), variant)
    assert packet.error is None
    assert packet.issues == []
    assert (packet.ack, packet.chunk_count) == (ack, len(chunks))
    assert packet.token == (None if variant is PLAIN else token)
    assert messages(packet) == [body for body, *_ in chunks]
    assert [(chunk.vital, chunk.resend, chunk.sequence) for chunk in packet.chunks] == [
        (vital, vital and resend, sequence if vital else -1) for _, vital, sequence, resend in chunks
    ]


def check_spans(node: Field) -> None:
    """Fields lie inside the field they belong to."""
    for child in node.children:
        assert node.span is not None
        assert child.span is not None
        assert child.span.buffer == node.span.buffer
        assert node.span.offset <= child.span.offset
        assert child.span.offset + child.span.length <= node.span.offset + node.span.length
        check_spans(child)


@given(st.binary(max_size=80), st.sampled_from(VARIANTS), st.sampled_from([b"", b"\0\0\2", b"\x80\0\1", b"\x10\0\0"]))
def test_any_datagram_is_answered(data: bytes, variant: Variant, start: bytes) -> None:
    datagram = start + data
    trace = Trace()
    packet = read_packet(datagram, variant, trace)
    plain = read_packet(datagram, variant)
    assert fault(packet) == fault(plain)
    plain.error = packet.error
    assert packet == plain
    end = 0
    for chunk in packet.chunks:
        assert end == chunk.header_offset < chunk.offset
        end = chunk.offset + chunk.size
    assert end + packet.surplus <= packet.payload_end <= len(packet.payload)
    buffers = (datagram, packet.payload)
    if packet.error is not None:
        assert 0 <= packet.error.offset <= len(buffers[packet.error_buffer])
    for node in trace.fields:
        assert node.span is not None
        assert 0 <= node.span.offset <= node.span.offset + node.span.length <= len(buffers[node.span.buffer])
        check_spans(node)
