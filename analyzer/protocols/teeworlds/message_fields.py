"""The fields of single messages, read without the rest of their packets (spec sections 4 and 8)."""

from __future__ import annotations

from functools import lru_cache

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.explain import find_connless
from analyzer.protocols.teeworlds.messages import explain_body, read_message
from analyzer.protocols.teeworlds.passwords import guarded
from analyzer.transports.teeworlds import read_packet
from analyzer.transports.teeworlds_packet import CONNLESS, Packet
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Field, Reader, Trace


def message_fields(payload: bytes, facts: SessionFacts, offset: int, size: int) -> tuple[Field, ...]:
    """What stands in a message behind its id, up to a fault; `offset` and `size` in the plain payload.

    Of control messages and messages outside of a connection, of which a packet has one, also what is beside it.
    """
    packet = _packet(payload, facts.dialect)
    trace = Trace()
    if packet.flags & CONNLESS or packet.control >= 0:
        read_packet(payload, DIALECTS[facts.dialect].variant, trace, None, find_connless)
        return trace.fields
    schema = DIALECTS[facts.dialect].schema
    reader = Reader(packet.payload, offset, min(offset + size, len(packet.payload)))
    try:
        head = read_message(reader, schema, facts.names)
        reader.trace = trace
        with guarded(reader, head, schema):
            explain_body(reader, head, schema, facts.names)
    except DecodeError:
        pass
    return trace.fields


@lru_cache(maxsize=1)
def _packet(payload: bytes, dialect: str) -> Packet:
    """Mostly the next message that is asked for is in the same packet."""
    return read_packet(payload, DIALECTS[dialect].variant)
