"""The field tree of a Teeworlds packet: each header bit and control message. Spec sections 2, 4 and 7."""

from __future__ import annotations

from collections.abc import Callable

from analyzer.transports.teeworlds_packet import (
    CLOSE,
    CONNECT,
    CONNECTACCEPT,
    CONNLESS,
    CONNLESS_HEADER,
    TOKEN,
    TOKEN_SIZE,
    Chunk,
    Packet,
    PacketKind,
    Variant,
)
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Field, Reader, Span, Trace

COMPRESSED_PAYLOAD = "compressed payload"
"""Name of the field that another buffer is unpacked from."""
ACK_MASK = 0x03FF
"""Ten bits of the first two bytes."""
ReadMessage = Callable[[Reader], None]
"""Reads the fields of one message, from its id to the end of its chunk."""


class PacketTree:
    """Adds the fields of a packet that was read to a trace."""

    def __init__(self, packet: Packet, datagram: bytes, variant: Variant, trace: Trace) -> None:
        self.packet = packet
        self.datagram = datagram
        self.variant = variant
        self.trace = trace

    def add(self, read_message: ReadMessage | None) -> None:
        """Header, then what the kind of packet has, then what does not belong to anything."""
        packet = self.packet
        if packet.kind is PacketKind.STUN:
            self.trace.add(Field("STUN", text="binding message", span=Span(0, 0, len(self.datagram))))
        elif packet.flags & CONNLESS:
            self._add_connless()
        elif len(self.datagram) >= 3:
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
        size = 3
        if packet.token is not None and packet.flags & TOKEN:
            add(Field("token", packet.token, f"{packet.token:08x}", Span(0, 3, TOKEN_SIZE)))
            size += TOKEN_SIZE
        self.trace.end("header", Span(0, 0, size))
        if packet.payload_buffer:
            text = f"{len(self.datagram) - size} bytes, {len(packet.payload)} when decompressed"
            add(Field(COMPRESSED_PAYLOAD, len(packet.payload), text, Span(0, size, len(self.datagram) - size)))

    def _add_connless(self) -> None:
        packet, add = self.packet, self.trace.add
        if len(self.datagram) < CONNLESS_HEADER:
            return
        if packet.extra_token is not None:
            add(Field("extended header", "xe", span=Span(0, 0, 2)))
            add(Field("extra token", packet.extra_token, f"{packet.extra_token:04x}", Span(0, 2, 2)))
            add(Field("reserved", self.datagram[4:6], span=Span(0, 4, 2)))
        else:
            add(Field("connectionless header", self.datagram[:6], span=Span(0, 0, 6)))
        if packet.connless:
            add(Field("name", packet.connless, span=self._span(4, 4)))
        add(Field("body", packet.body, span=self._span(packet.body_offset, len(packet.body))))

    def _add_control(self) -> None:
        packet, names = self.packet, self.variant.control_names
        name = names[packet.control] if packet.control < len(names) else "unknown"
        self.trace.begin()
        self.trace.add(Field("control message", packet.control, name, self._span(0, 1)))
        reader = self._reader(packet.body_offset, packet.payload_end)
        note = ""
        try:
            if packet.control == CLOSE and reader.left:
                reader.text("reason")
            elif packet.control in (CONNECT, CONNECTACCEPT):
                _read_connect_body(reader, packet.body, packet.control)
            if reader.left:
                reader.rest("body")
        except DecodeError as error:
            note = error.text
            self._add_unreadable(reader, error)
        self.trace.end(name, self._span(0, packet.payload_end), note=note)

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
        note = ""
        try:
            if read_message is None:
                reader.rest("message")
            else:
                read_message(reader)
        except DecodeError as error:
            note = error.text
            self._add_unreadable(reader, error)
        self.trace.end(f"chunk {number}", self._span(chunk.header_offset, size + chunk.size), note=note)

    def _add_unreadable(self, reader: Reader, error: DecodeError) -> None:
        """From the first wrong byte to the end of the message."""
        span = Span(reader.buffer, error.offset, reader.end - error.offset)
        self.trace.add(Field("unreadable", span=span, note=error.text, secret=error.secret, wrong=True))

    def _add_end(self) -> None:
        packet = self.packet
        if packet.surplus:
            start = packet.payload_end - packet.surplus
            raw = packet.payload[start : packet.payload_end]
            self.trace.add(Field("surplus", raw, span=self._span(start, len(raw)), note="bytes after the last chunk"))
        if packet.token is not None and not packet.flags & TOKEN:
            text = f"{packet.token:08x}"
            self.trace.add(Field("token", packet.token, text, self._span(packet.payload_end, TOKEN_SIZE)))

    def _reader(self, start: int, end: int) -> Reader:
        packet = self.packet
        data = packet.payload if packet.payload_buffer else self.datagram
        base = packet.payload_offset
        return Reader(data, base + start, base + end, buffer=packet.payload_buffer, trace=self.trace)


def _read_connect_body(reader: Reader, body: bytes, control: int) -> None:
    """DDNet: TKEN, then the token if the variant left it on. 0.6.5: tokens in the body (spec section 4.1)."""
    if body.startswith(b"TKEN"):
        reader.raw("magic", 4)
    elif control == CONNECT and len(body) >= 8:
        reader.raw("zero", 4)
    if reader.left >= TOKEN_SIZE:
        reader.big_endian("token", TOKEN_SIZE)
    if reader.left:
        reader.rest("padding")
