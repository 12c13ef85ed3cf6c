"""Where a field's value comes from, in words: difference, bytes, part, packet, chunk and message. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.engine.packet_detail import Origin, PacketDetail, item_name
from analyzer.engine.packet_detail import change_text as item_text
from analyzer.wire.reader import Field
from analyzer.wire.secrets import Secrets
from ui.models.field_text import change_text, one_line, raw_text, value_text, wire_bits
from ui.words import DOT, count, number, signed


@dataclass(frozen=True, slots=True)
class Step:
    """One step back towards the wire."""

    text: str
    origin: Origin | None = None
    """The part and packet that a link leads to."""


def title(node: Field, names: tuple[str, ...], detail: PacketDetail) -> str:
    """What the field is called together with what it is in."""
    meaning = detail.meaning(node)
    if meaning is None:
        words = one_line(DOT.join(names[-2:]))
        return words[:1].upper() + words[1:]
    item = item_name(meaning.change)
    return one_line(item if meaning.field is None else f"{item}{DOT}{meaning.field.name}")


def meaning(node: Field, detail: PacketDetail, secrets: Secrets) -> str:
    """What the value means."""
    known = detail.meaning(node)
    if known is None:
        return value_text(node, detail, secrets)
    if known.field is None:
        return item_text(known.change)
    return change_text(known.field)


def cost(node: Field, detail: PacketDetail) -> str:
    """Bytes, and bits on the wire."""
    bits = wire_bits(detail, node)
    if node.span is None or bits is None:
        return ""
    return f"{count(node.span.length, 'byte')}, {count(bits, 'bit')} on the wire"


def steps(node: Field, names: tuple[str, ...], detail: PacketDetail, secrets: Secrets) -> list[Step]:
    """From the value back to the packet that carried it."""
    found: list[Step] = []
    known = detail.meaning(node)
    raw = "" if node.span is None or node.children else raw_text(detail, node.span, secrets)
    origins = [] if node.span is None else detail.origins_of(node.span)
    if known is not None and known.field is not None and known.field.difference is not None:
        found.append(Step(_wire_text(known.field.difference, known.field.old, known.field.new)))
    if raw:
        found.append(Step(f"varint {raw}" if origins and not detail.missing else f"read from {raw}"))
    for origin in origins:
        found.append(Step(f"part {origin.part.number + 1} of {detail.parts}"))
        found.append(Step(f"packet {origin.frame}", origin))
    if not origins and len(names) > 1:
        found.append(Step(one_line(f"in {names[0]}{_message(names[0], detail)}")))
    if not origins:
        found.append(Step(f"packet {detail.frame}"))
    return found


def _wire_text(difference: int, old: int | None, new: int | None) -> str:
    if new is None:
        return f"{number(difference)} on the wire: a difference or a new value"
    return f"new value {number(difference)}" if old is None else f"difference {signed(difference)}"


def _message(group: str, detail: PacketDetail) -> str:
    """What message a chunk holds."""
    for node in detail.tree.fields:
        if node.name == group:
            for child in node.children:
                if child.name == "id" and child.text:
                    return f": {child.text}"
    return ""
