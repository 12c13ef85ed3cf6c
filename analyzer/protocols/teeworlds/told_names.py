"""Who is who where snapshots do not say it: messages of the server that tell the names of players (spec section 8)."""

from __future__ import annotations

from analyzer.protocols.base import NameMessages, SessionFacts
from analyzer.protocols.teeworlds.dialects import DIALECTS, Dialect
from analyzer.protocols.teeworlds.messages import message_id
from analyzer.protocols.teeworlds.players import read_client_info
from analyzer.protocols.teeworlds.roles import Role
from analyzer.protocols.teeworlds.vital import in_order
from analyzer.transports.teeworlds import read_packet
from analyzer.wire.errors import DecodeError
from analyzer.wire.varint import unpack

CLIENT_DROP = 20
"""Number of Sv_ClientDrop in 0.7."""


def told_by(dialect: Dialect, system: bool, number: int, payload: bytes, body: int, end: int) -> tuple[int, str] | None:
    """Client id and name that a message tells, the name empty: gone; None if it is no such. Raises `DecodeError`."""
    if system or dialect.names_in_snapshots:
        return None
    if number == dialect.roles.number(Role.CLIENT_INFO):
        return read_client_info(payload, body, end)
    return (unpack(payload, body, end)[0], "") if number == CLIENT_DROP else None


def _names(dialect: str) -> frozenset[str]:
    known = DIALECTS[dialect]
    if known.names_in_snapshots:
        return frozenset()
    messages = known.schema.by_message_number
    return frozenset(messages[False, number].name for number in (known.roles.number(Role.CLIENT_INFO), CLIENT_DROP))


def _read(payload: bytes, facts: SessionFacts, offset: int, size: int) -> tuple[int, str]:
    dialect = DIALECTS[facts.dialect]
    packet = read_packet(payload, dialect.variant)
    end = min(offset + size, len(packet.payload))
    number, system, _, body = message_id(packet.payload, offset, end)
    told = told_by(dialect, system, number, packet.payload, body, end)
    if told is None:
        raise DecodeError("id", offset, f"message {number} tells no name")
    return told


NAME_MESSAGES = NameMessages(_names, _read, in_order)
