"""The field tree of a packet: names, values and spans."""

from analyzer.transports.teeworlds import read_packet
from analyzer.transports.teeworlds_packet import (
    HEADER,
    PLAIN,
    SEVEN,
    TAIL,
    Variant,
)
from analyzer.wire.reader import Field, Reader, Span, Trace
from tests import encoder


def tree(datagram: bytes, variant: Variant) -> list[tuple[object, ...]]:
    """Fields as (name, value, buffer, offset, length, children); values of groups are left out."""
    trace = Trace()
    read_packet(datagram, variant, trace)
    return [flat(node) for node in trace.fields]


def flat(node: Field) -> tuple[object, ...]:
    span = node.span or Span(-1, -1, -1)
    place = (span.buffer, span.offset, span.length)
    if node.children:
        return (node.name, place, [flat(child) for child in node.children])
    return (node.name, node.value, place)


def flags(compression: bool = False, resend: bool = False, control: bool = False) -> list[tuple[object, ...]]:
    return [
        ("compression", compression, (0, 0, 1)),
        ("resend request", resend, (0, 0, 1)),
        ("connectionless", False, (0, 0, 1)),
        ("control", control, (0, 0, 1)),
    ]


def test_chunks_of_an_uncompressed_packet_lie_in_the_datagram() -> None:
    chunks = [encoder.chunk(b"\xaa"), encoder.chunk(b"\xbb\xcc", vital=True, sequence=9, resend=True)]
    datagram = encoder.packet(chunks, ack=300, resend=True, token=0x01020304, variant=TAIL, compress=False)
    assert tree(datagram, TAIL) == [
        ("header", (0, 0, 3), [*flags(resend=True), ("ack", 300, (0, 0, 2)), ("chunks", 2, (0, 2, 1))]),
        (
            "chunk 0",
            (0, 3, 3),
            [
                ("resend", False, (0, 3, 1)),
                ("vital", False, (0, 3, 1)),
                ("size", 1, (0, 3, 2)),
                ("message", b"\xaa", (0, 5, 1)),
            ],
        ),
        (
            "chunk 1",
            (0, 6, 5),
            [
                ("resend", True, (0, 6, 1)),
                ("vital", True, (0, 6, 1)),
                ("size", 2, (0, 6, 2)),
                ("sequence", 9, (0, 7, 2)),
                ("message", b"\xbb\xcc", (0, 9, 2)),
            ],
        ),
        ("token", 0x01020304, (0, 11, 4)),
    ]


def test_chunks_of_a_compressed_packet_lie_in_what_was_decompressed() -> None:
    datagram = encoder.packet([encoder.chunk(bytes(50))], token=0xA1A2A3A4, variant=HEADER)
    header, compressed, chunk = tree(datagram, HEADER)
    assert header[:2] == ("header", (0, 0, 7))
    assert ("token", 0xA1A2A3A4, (0, 3, 4)) in header[2]
    assert compressed == ("compressed payload", 52, (0, 7, len(datagram) - 7))
    assert chunk[:2] == ("chunk 0", (1, 0, 52))


def test_messages_are_read_by_the_protocol_and_a_bad_one_spares_its_siblings() -> None:
    def read_message(reader: Reader) -> None:
        reader.varint("id")
        reader.varint("tick")

    trace = Trace()
    chunks = [encoder.chunk(b"\x01"), encoder.chunk(b"\x02\x03")]
    read_packet(encoder.packet(chunks, compress=True), PLAIN, trace, read_message)
    first, second = trace.fields[2:]
    assert [(child.name, child.value) for child in first.children[3:]] == [("id", 1), ("unreadable", None)]
    assert first.children[-1] == Field("unreadable", span=Span(1, 3, 0), note="tick: a number is missing", wrong=True)
    assert first.note == "tick: a number is missing"
    assert [(child.name, child.value, child.span) for child in second.children[3:]] == [
        ("id", 2, Span(1, 5, 1)),
        ("tick", 3, Span(1, 6, 1)),
    ]
    assert second.note == ""


def test_control_messages() -> None:
    close = encoder.control(4, b"bye\0", token=7, variant=TAIL)
    assert tree(close, TAIL)[1:] == [
        ("CLOSE", (0, 3, 5), [("control message", 4, (0, 3, 1)), ("reason", "bye", (0, 4, 4))]),
        ("token", 7, (0, 8, 4)),
    ]
    assert tree(encoder.control(0), PLAIN)[1:] == [("KEEPALIVE", (0, 3, 1), [("control message", 0, (0, 3, 1))])]
    assert tree(encoder.control(9, b"\x01"), PLAIN)[1:] == [
        ("unknown", (0, 3, 2), [("control message", 9, (0, 3, 1)), ("body", b"\x01", (0, 4, 1))])
    ]


def test_a_reason_without_end_is_remarked() -> None:
    trace = Trace()
    read_packet(encoder.control(4, b"bye"), PLAIN, trace)
    assert trace.fields[1].note == "reason: no terminating zero byte"


def test_handshakes() -> None:
    ddnet = encoder.control(1, b"TKEN\xff\xff\xff\xff")
    assert tree(ddnet, PLAIN)[1][2] == [
        ("control message", 1, (0, 3, 1)),
        ("magic", b"TKEN", (0, 4, 4)),
        ("token", 0xFFFFFFFF, (0, 8, 4)),
    ]
    tail = encoder.control(1, b"TKEN", token=0xFFFFFFFF, variant=TAIL)
    assert [tree(tail, TAIL)[1][2][1], tree(tail, TAIL)[2]] == [
        ("magic", b"TKEN", (0, 4, 4)),
        ("token", 0xFFFFFFFF, (0, 8, 4)),
    ]
    vanilla = encoder.control(1, bytes(4) + b"\xa1\xa2\xa3\xa4" + bytes(504), variant=HEADER)
    assert tree(vanilla, HEADER)[1][2] == [
        ("control message", 1, (0, 3, 1)),
        ("zero", bytes(4), (0, 4, 4)),
        ("client token", 0xA1A2A3A4, (0, 8, 4)),
        ("padding", bytes(504), (0, 12, 504)),
    ]
    accept = encoder.control(2, b"\xb1\xb2\xb3\xb4", token=0xA1A2A3A4, variant=HEADER)
    assert tree(accept, HEADER)[1][2] == [("control message", 2, (0, 7, 1)), ("server token", 0xB1B2B3B4, (0, 8, 4))]


def body_of_seven(body: str) -> list[tuple[str, object, tuple[int, int]]]:
    """Name, value and place of what follows the number of a 0.7 control message."""
    trace = Trace()
    read_packet(bytes.fromhex("040000a1a2a3a4" + body), SEVEN, trace)
    assert not trace.notes
    found = trace.fields[1].children[1:]
    return [(node.name, node.value, (node.span.offset, node.span.length)) for node in found if node.span is not None]


def test_control_messages_of_seven() -> None:
    assert body_of_seven("05 b1b2b3b4" + "00" * 508) == [
        ("token", 0xB1B2B3B4, (8, 4)),
        ("padding", bytes(508), (12, 508)),
    ]
    assert body_of_seven("05 b1b2b3b4") == [("token", 0xB1B2B3B4, (8, 4))]
    assert body_of_seven("01 b1b2b3b4" + "00" * 508) == [
        ("client token", 0xB1B2B3B4, (8, 4)),
        ("padding", bytes(508), (12, 508)),
    ]
    assert body_of_seven("02") == []
    assert body_of_seven("02 b1b2b3b4") == [("server token", 0xB1B2B3B4, (8, 4))]
    assert body_of_seven("04") == []
    assert body_of_seven("04 62796500") == [("reason", "bye", (8, 4))]
    assert body_of_seven("00 ff") == [("surplus", b"\xff", (8, 1))]


def test_tokens_are_shown_as_people_write_them() -> None:
    trace = Trace()
    read_packet(bytes.fromhex("040000ffffffff05 000000b4"), SEVEN, trace)
    assert [field.text for field in (trace.fields[0].children[-1], trace.fields[1].children[1])] == [
        "ffffffff",
        "000000b4",
    ]


def test_connectionless_of_seven() -> None:
    datagram = bytes.fromhex("21 e402e4b5 6c78b56f ffffffff") + b"gie3\x05"
    for variant in (SEVEN, PLAIN):
        assert tree(datagram, variant) == [
            (
                "header",
                (0, 0, 9),
                [
                    ("connectionless", True, (0, 0, 1)),
                    ("version", 1, (0, 0, 1)),
                    ("token", 0xE402E4B5, (0, 1, 4)),
                    ("response token", 0x6C78B56F, (0, 5, 4)),
                ],
            ),
            (
                "connectionless message",
                (0, 9, 9),
                [
                    ("marker", b"\xff" * 4, (0, 9, 4)),
                    ("message", "gie3", (0, 13, 4)),
                    ("body", b"\x05", (0, 17, 1)),
                ],
            ),
        ]


def test_connectionless_and_stun() -> None:
    assert tree(encoder.connless("gie3", b"\x07"), PLAIN) == [
        ("header", (0, 0, 6), [("connectionless", b"\xff" * 6, (0, 0, 6))]),
        (
            "connectionless message",
            (0, 6, 9),
            [
                ("marker", b"\xff" * 4, (0, 6, 4)),
                ("message", "gie3", (0, 10, 4)),
                ("body", b"\x07", (0, 14, 1)),
            ],
        ),
    ]
    assert tree(encoder.connless("gie3", b"\x07", extra_token=0xABCD), PLAIN)[0][2] == [
        ("extended", "xe", (0, 0, 2)),
        ("extra token", 0xABCD, (0, 2, 2)),
        ("reserved", b"\0\0", (0, 4, 2)),
    ]
    stun = bytes.fromhex("000100002112a442") + bytes(12)
    fields = [
        ("type", 1, (0, 0, 2)),
        ("length", 0, (0, 2, 2)),
        ("magic cookie", b"\x21\x12\xa4\x42", (0, 4, 4)),
        ("transaction", bytes(12), (0, 8, 12)),
    ]
    assert tree(stun, PLAIN) == [("STUN", (0, 0, 20), fields)]
    assert tree(stun + b"ab", PLAIN) == [("STUN", (0, 0, 22), [*fields, ("attributes", b"ab", (0, 20, 2))])]


def test_what_is_odd_or_unreadable_is_told() -> None:
    trace = Trace()
    read_packet(bytes.fromhex("0c0001 0000 aabb".replace(" ", "")), PLAIN, trace)
    assert trace.notes == ["unknown flag bits 0c", "2 bytes after the last chunk"]
    assert flat(trace.fields[-1]) == ("surplus", b"\xaa\xbb", (0, 5, 2))
    assert ("unknown flags", 0x0C, (0, 0, 1)) in flat(trace.fields[0])[2]

    trace = Trace()
    read_packet(bytes.fromhex("000002 0001aa 0002bb".replace(" ", "")), PLAIN, trace)
    assert [node.name for node in trace.fields] == ["header", "chunk 0", "unreadable"]
    assert trace.fields[-1].span == Span(0, 6, 3)
    assert trace.fields[-1].note == "chunk 1: 2 bytes announced, 1 left"

    assert tree(b"\x01", PLAIN) == [("unreadable", None, (0, 0, 1))]
    assert tree(b"\xff\xff\xff", PLAIN) == [("unreadable", None, (0, 0, 3))]
