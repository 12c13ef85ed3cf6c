"""What one line about a packet calls messages, and says of their values (spec section 8)."""

from __future__ import annotations

from contextlib import suppress

from analyzer.protocols.base import MessageNote, SessionFacts
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.explain import find_connless
from analyzer.protocols.teeworlds.messages import message_id, read_input
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.protocols.teeworlds.values import readable
from analyzer.transports.teeworlds import read_packet
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Reader, Trace

DIALECT_NAMES = {"0.6": "0.6", "ddnet": "DDNet", "0.6.5": "0.6.5", "0.7": "0.7"}
_SHORT_NAMES = {
    "NETMSG_SNAP": "Snap",
    "NETMSG_SNAPEMPTY": "Snap",
    "NETMSG_SNAPSINGLE": "Snap",
    "NETMSG_INPUTTIMING": "InputTiming",
    "NETMSG_ENTERGAME": "EnterGame",
    "NETMSG_CLIENTVER": "ClientVer",
    "NETMSG_RCONTYPE": "RconType",
}
"""Those whose words are not told apart by underscores."""
_PREFIX = "NETMSG_"


def short_name(name: str) -> str:
    """InputTiming for NETMSG_INPUTTIMING; names of the game's own messages stay as they are."""
    known = _SHORT_NAMES.get(name)
    if known is not None:
        return known
    if not name.startswith(_PREFIX):
        return name
    return "".join(word.capitalize() for word in name.removeprefix(_PREFIX).split("_"))


def input_note(payload: bytes, facts: SessionFacts, offset: int, size: int) -> str:
    """The tick that an INPUT acknowledges and the one it is for. Raises DecodeError."""
    packet = read_packet(payload, DIALECTS[facts.dialect].variant)
    if packet.error is not None and not packet.chunks:
        raise packet.error
    end = min(offset + size, len(packet.payload))
    _, _, _, body = message_id(packet.payload, offset, end)
    acked, intended, _ = read_input(packet.payload, body, end)
    return f"acks {acked}, for tick {intended}" if acked >= 0 else f"acks nothing, for tick {intended}"


def close_note(payload: bytes, facts: SessionFacts, offset: int, size: int) -> str:
    """Why the peer hangs up."""
    packet = read_packet(payload, DIALECTS[facts.dialect].variant)
    reason = packet.body.partition(b"\0")[0]
    return f'"{readable(reason)}"' if reason else ""


def connless_note(payload: bytes, facts: SessionFacts, offset: int, size: int) -> str:
    """What the message is; of server info the server's name, its map, and how many clients it has."""
    packet = read_packet(payload, DIALECTS[facts.dialect].variant)
    title, read = find_connless(packet.connless, packet.kind)
    trace = Trace()
    start = packet.payload_offset + packet.body_offset
    with suppress(DecodeError):
        read(Reader(payload, start, len(payload), trace=trace))
    values = {field.name: field.value for field in trace.fields if isinstance(field.value, (str, int))}
    if "packet_number" in values:
        return f"{title}, packet {values['packet_number']}"
    if "max_clients" not in values:
        return title
    name, map = (readable(str(values[key]).encode()) for key in ("name", "map"))
    return f'{title}: "{name}", {map}, {values["num_clients"]} of {values["max_clients"]} clients'


_NOTES: dict[str, MessageNote] = {"NETMSG_INPUT": input_note, "CLOSE": close_note}


def message_note(name: str) -> MessageNote | None:
    """What one line says of the values of messages of this name; None: nothing."""
    # 0.6 has all the connectionless messages of 0.7.
    return connless_note if name in default_schema().connless else _NOTES.get(name)
