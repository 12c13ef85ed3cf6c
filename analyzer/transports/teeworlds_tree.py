"""The field tree of a Teeworlds packet: each header bit and control message. Spec sections 2, 4 and 7."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from analyzer.transports.teeworlds_packet import (
    CLOSE,
    CONNECT,
    CONNLESS,
    CONNLESS_HEADER,
    CONNLESS_HEADER_07,
    FLAGS_SIZE,
    SEVEN,
    TOKEN_EXCHANGE,
    TOKEN_SIZE,
    Chunk,
    Packet,
    PacketKind,
    TokenPlace,
    Variant,
)
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Field, Reader, Span, Trace

COMPRESSED_PAYLOAD = "compressed payload"
"""Name of the field that another buffer is unpacked from."""
SURPLUS = "surplus"
"""Name of the field of what no chunk holds."""
STUN_TYPES = {0x0001: "request", 0x0101: "response", 0x0111: "error response"}
ACK_MASK = 0x03FF
"""Ten bits of the first two bytes."""
ReadMessage = Callable[[Reader], object]
"""Reads the fields of one message, from its id to the end of its chunk."""
FindConnless = Callable[[str, PacketKind], tuple[str, ReadMessage]]
"""By its four characters and the kind of its packet: what a connectionless message is, and how to read its body."""


class PacketTree:
    """Adds the fields of a packet that was read to a trace."""

    def __init__(self, packet: Packet, datagram: bytes, variant: Variant, trace: Trace) -> None:
        self.packet = packet
        self.datagram = datagram
        self.variant = variant
        self.trace = trace

    def add(self, read_message: ReadMessage | None, find_connless: FindConnless | None = None) -> None:
        """Header, then what the kind of packet has, then what does not belong to anything."""
        packet = self.packet
        if packet.kind is PacketKind.STUN:
            self._add_stun()
        elif packet.flags & CONNLESS:
            self._add_connless(find_connless)
        elif len(self.datagram) >= FLAGS_SIZE:
            self._add_header()
            if packet.control >= 0:
                self._add_control()
            for number, chunk in enumerate(packet.chunks):
                self._add_chunk(number, chunk, read_message)
            self._add_end()
        for issue in packet.issues:
            self.trace.notes.append(issue)
        if packet.error is not None:
            rest = Span(packet.error_buffer, packet.error.offset, self._size(packet.error_buffer) - packet.error.offset)
            self.trace.add(Field("unreadable", span=rest, note=packet.error.text, wrong=True))

    def _size(self, buffer: int) -> int:
        return len(self.packet.payload) if buffer else len(self.datagram)

    def _span(self, offset: int, length: int) -> Span:
        """A span from an offset in the payload."""
        return Span(self.packet.payload_buffer, self.packet.payload_offset + offset, length)

    def _add_stun(self) -> None:
        reader = Reader(self.datagram, trace=self.trace)
        with reader.group("STUN", "binding message"):
            number = reader.big_endian("type", 2)
            self.trace.replace_last(replace(self.trace.last, text=STUN_TYPES.get(number, "")))
            reader.big_endian("length", 2)
            reader.raw("magic cookie", 4)
            reader.raw("transaction", 12)
            if reader.left:
                reader.rest("attributes")

    def _add_header(self) -> None:
        packet, add = self.packet, self.trace.add
        self.trace.begin()
        for name, bit, _ in self.variant.flag_bits:
            add(Field(name, bool(self.datagram[0] & bit), span=Span(0, 0, 1), mask=bit))
        unknown = self.datagram[0] & 0xFF & ~self.variant.known_bits
        if unknown:
            add(Field("unknown flags", unknown, f"0x{unknown:02x}", Span(0, 0, 1), note="not zero", mask=unknown))
        add(Field("ack", packet.ack, span=Span(0, 0, 2), mask=ACK_MASK))
        add(Field("chunks", packet.chunk_count, span=Span(0, 2, 1)))
        size = FLAGS_SIZE
        if packet.token is not None and self.variant.token_place is not TokenPlace.TAIL:
            add(Field("token", packet.token, f"{packet.token:08x}", Span(0, size, TOKEN_SIZE)))
            size += TOKEN_SIZE
        self.trace.end("header", Span(0, 0, size))
        if packet.payload_buffer:
            text = f"{len(self.datagram) - size} bytes, {len(packet.payload)} when decompressed"
            add(Field(COMPRESSED_PAYLOAD, len(packet.payload), text, Span(0, size, len(self.datagram) - size)))

    def _add_connless_header(self, size: int) -> None:
        packet, add = self.packet, self.trace.add
        self.trace.begin()
        if packet.token is not None and packet.response_token is not None:
            add(Field("connectionless", True, span=Span(0, 0, 1), mask=0x20))
            add(Field("version", self.datagram[0] & 3, span=Span(0, 0, 1), mask=3))
            add(Field("token", packet.token, f"{packet.token:08x}", Span(0, 1, TOKEN_SIZE)))
            add(Field("response token", packet.response_token, f"{packet.response_token:08x}", Span(0, 5, TOKEN_SIZE)))
        elif packet.extra_token is not None:
            add(Field("extended", "xe", span=Span(0, 0, 2)))
            add(Field("extra token", packet.extra_token, f"{packet.extra_token:04x}", Span(0, 2, 2)))
            add(Field("reserved", self.datagram[4:6], span=Span(0, 4, 2)))
        else:
            add(Field("connectionless", self.datagram[:size], span=Span(0, 0, size)))
        self.trace.end("header", Span(0, 0, size))

    def _add_connless(self, find_connless: FindConnless | None) -> None:
        packet, add = self.packet, self.trace.add
        size = CONNLESS_HEADER_07 if packet.kind is PacketKind.CONNLESS_07 else CONNLESS_HEADER
        if len(self.datagram) < size:
            return
        self._add_connless_header(size)
        if not packet.connless:
            add(Field("body", packet.body, span=self._span(packet.body_offset, len(packet.body))))
            return
        title, read_body = (
            ("connectionless message", lambda reader: reader.rest("body"))
            if find_connless is None
            else find_connless(packet.connless, packet.kind)
        )
        self.trace.begin()
        add(Field("marker", packet.payload[:4], span=self._span(0, 4)))
        add(Field("message", packet.connless, span=self._span(4, 4)))
        note = self._read(self._reader(packet.body_offset, packet.payload_end), read_body)
        self.trace.end(title, self._span(0, packet.payload_end), text=packet.connless, note=note)

    def _add_control(self) -> None:
        packet = self.packet
        name = self.variant.control_name(packet.control) or "unknown"
        self.trace.begin()
        self.trace.add(Field("control message", packet.control, name, self._span(0, 1)))
        note = self._read(self._reader(packet.body_offset, packet.payload_end), self._read_control_body)
        self.trace.end(name, self._span(0, packet.payload_end), note=note)

    def _read_control_body(self, reader: Reader) -> None:
        """A reason, or what peers tell each other of tokens (spec section 4.1)."""
        control = self.packet.control
        if control == CLOSE and reader.left:
            reader.text("reason")
        elif control in self.variant.handshake:
            name = "token"
            if self.packet.body.startswith(b"TKEN"):
                reader.raw("magic", 4)
            elif control != TOKEN_EXCHANGE:
                name = "client token" if control == CONNECT else "server token"
                if control == CONNECT and self.variant is not SEVEN and reader.left >= 2 * TOKEN_SIZE:
                    reader.raw("zero", 4)
            if reader.left >= TOKEN_SIZE:
                token = reader.big_endian(name, TOKEN_SIZE)
                self.trace.replace_last(replace(self.trace.last, text=f"{token:08x}"))
            if reader.left:
                reader.rest("padding")
        if reader.left:
            reader.rest("surplus" if self.variant.control_name(control) else "body")

    def _add_chunk(self, number: int, chunk: Chunk, read_message: ReadMessage | None) -> None:
        add, size = self.trace.add, chunk.offset - chunk.header_offset
        low = (1 << self.variant.size_shift) - 1
        self.trace.begin()
        add(Field("resend", chunk.resend, span=self._span(chunk.header_offset, 1), mask=0x80))
        add(Field("vital", chunk.vital, span=self._span(chunk.header_offset, 1), mask=0x40))
        text = f"{chunk.size} bytes"
        add(Field("size", chunk.size, text, self._span(chunk.header_offset, 2), mask=0x3F00 | low))
        if chunk.vital:
            mask = (0xFF ^ low) << 8 | 0xFF
            add(Field("sequence", chunk.sequence, span=self._span(chunk.header_offset + 1, 2), mask=mask))
        reader = self._reader(chunk.offset, chunk.offset + chunk.size)
        note = self._read(reader, read_message or (lambda reader: reader.rest("message")))
        self.trace.end(f"chunk {number}", self._span(chunk.header_offset, size + chunk.size), note=note)

    def _read(self, reader: Reader, read: ReadMessage) -> str:
        """Read a message as far as it can be read; why it ends there, empty if that is its end."""
        try:
            read(reader)
        except DecodeError as error:
            self._add_unreadable(reader, error)
            return error.text
        return ""

    def _add_unreadable(self, reader: Reader, error: DecodeError) -> None:
        """From the first wrong byte to the end of the message."""
        span = Span(reader.buffer, error.offset, reader.end - error.offset)
        self.trace.add(Field("unreadable", span=span, note=error.text, secret=error.secret, wrong=True))

    def _add_end(self) -> None:
        packet = self.packet
        if packet.surplus:
            start = packet.payload_end - packet.surplus
            raw = packet.payload[start : packet.payload_end]
            self.trace.add(Field(SURPLUS, raw, span=self._span(start, len(raw)), note="bytes after the last chunk"))
        if packet.token is not None and self.variant.token_place is TokenPlace.TAIL:
            text = f"{packet.token:08x}"
            self.trace.add(Field("token", packet.token, text, self._span(packet.payload_end, TOKEN_SIZE)))

    def _reader(self, start: int, end: int) -> Reader:
        packet = self.packet
        data = packet.payload if packet.payload_buffer else self.datagram
        base = packet.payload_offset
        return Reader(data, base + start, base + end, buffer=packet.payload_buffer, trace=self.trace)
