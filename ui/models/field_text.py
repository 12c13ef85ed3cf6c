"""A field tree in words: values, places, what a packet's delta did, and copies as text, CSV and JSON. Knows no Qt."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import asdict

from analyzer.engine.packet_detail import PacketDetail, bare_text, begins_in_hex
from analyzer.snapshots.model import FieldChange
from analyzer.wire.reader import Field, Span, Value
from analyzer.wire.secrets import Secrets
from ui.words import MINUS, UNKNOWN, number, signed

MASKED = "\u2022" * 8
SHOWN_BYTES = 16
"""Bytes of a raw value in the tree; a copy has them all."""
TITLES = ("Field", "Value", "Bytes")
ARROW = " \u2192 "


def value_text(node: Field, detail: PacketDetail, secrets: Secrets) -> str:
    """What the Value column says. A password is masked, and so is what holds one."""
    if secrets.hides(node):
        return MASKED
    if node.wrong:
        return f"byte {node.span.offset}: {node.note}" if node.span is not None else node.note
    meaning = detail.meaning(node)
    if meaning is not None:
        return node.text if meaning.field is None else change_text(meaning.field)
    said = group_text(node) if node.children and not node.text else _plain_text(node)
    return f"{said}  [{node.note}]" if node.note and said else said or node.note


def group_text(node: Field) -> str:
    """A group without words of its own is called by its message's name."""
    names = (child.text for child in node.children if child.name == "id" and child.text)
    return next(names, "")


def _plain_text(node: Field) -> str:
    value = shown(node.value)
    if not node.text or (node.mask and isinstance(node.value, bool)):
        return value
    if isinstance(node.value, int):
        words = bare_text(node.value, node.text)
        if words != node.text:
            return f"{value}  {words}" if words else value
    # many texts name the number themselves: "337 bytes", "everyone (0)", "f2159e6e"
    if not value or value in re.findall(r"[-\u2212]?\w+", node.text) or begins_in_hex(node.value, node.text):
        return node.text
    return f"{value}  {node.text}"


def shown(value: Value) -> str:
    """A bare value."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        more = f"\u2026 ({len(value)} bytes)" if len(value) > SHOWN_BYTES else ""
        return value[:SHOWN_BYTES].hex(" ") + more
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return f'"{one_line(value)}"'
    return number(value) if isinstance(value, int) else f"{value}"


def one_line(text: str) -> str:
    """Control characters as escapes: a name from the network must not break a row or a copied table."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def change_text(part: FieldChange) -> str:
    """Old, new and difference; an unchanged or new field just has its value."""
    if part.new is None:
        return "" if part.difference is None else number(part.difference)
    words = bare_text(part.new, part.new_text)
    text = f"  {words}" if words else ""
    if part.old is None or not part.difference:
        return number(part.new) + text
    said = part.difference_said.replace(f"{part.difference:+}", signed(part.difference), 1).replace("-", MINUS)
    return f"{number(part.old)}{ARROW}{number(part.new)}  ({said}){text}"


def place_text(node: Field) -> str:
    """Bytes of the field's buffer, first to last; where it is part of a byte, its bits: `42, bits 2–7`."""
    span = node.span
    if span is None:
        return UNKNOWN
    if span.length <= 1 and not node.mask:
        return str(span.offset)
    if not node.mask:
        return f"{span.offset}{UNKNOWN}{span.offset + span.length - 1}"
    pieces = (_bits_text(span.offset + at, mask) for at, mask in enumerate(node.mask.to_bytes(span.length, "big")))
    return "; ".join(piece for piece in pieces if piece)


def _bits_text(offset: int, mask: int) -> str:
    if mask in (0, 0xFF):
        return str(offset) if mask else ""
    low, high = (mask & -mask).bit_length() - 1, mask.bit_length() - 1
    return f"{offset}, bit {low}" if low == high else f"{offset}, bits {low}{UNKNOWN}{high}"


def wire_bits(detail: PacketDetail, node: Field) -> int | None:
    """What the field cost on the wire; None for one that has no bytes."""
    span = node.span
    if span is None:
        return None
    if node.mask and span.buffer == 0:
        return node.mask.bit_count()
    bits = detail.tree.buffers[span.buffer].bits
    return sum(bits[span.offset : span.offset + span.length]) if bits else 8 * span.length


def row_text(node: Field, detail: PacketDetail, secrets: Secrets) -> str:
    """One row, its cells divided by tabs."""
    return "\t".join((one_line(node.name), value_text(node, detail, secrets), place_text(node)))


def as_text(node: Field, detail: PacketDetail, secrets: Secrets) -> str:
    """A field and all below it, indented."""
    return "\n".join("  " * depth + row_text(below, detail, secrets) for below, depth in walk(node))


def as_csv(node: Field, detail: PacketDetail, secrets: Secrets) -> str:
    """A field and all below it as CSV with a head."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("depth", *(title.lower() for title in TITLES)))
    for below, depth in walk(node):
        writer.writerow((depth, one_line(below.name), value_text(below, detail, secrets), place_text(below)))
    return out.getvalue()


def as_json(node: Field, detail: PacketDetail, secrets: Secrets) -> str:
    """A field and all below it as JSON, with spans."""
    return json.dumps(_record(node, detail, secrets), ensure_ascii=False, indent=2)


def _record(node: Field, detail: PacketDetail, secrets: Secrets) -> dict[str, object]:
    hidden = secrets.hides(node)
    value = MASKED if hidden else node.value
    return {
        "name": node.name,
        "value": value.hex() if isinstance(value, bytes) else value,
        "text": MASKED if hidden else node.text,
        "span": None if node.span is None else asdict(node.span),
        "note": node.note,
        "children": [_record(child, detail, secrets) for child in node.children],
    }


def walk(node: Field, depth: int = 0) -> Iterator[tuple[Field, int]]:
    """The field and all below it, with their depths."""
    yield node, depth
    for child in node.children:
        yield from walk(child, depth + 1)


def raw_text(detail: PacketDetail, span: Span, secrets: Secrets) -> str:
    """The bytes of a short field in hex; empty for a long or a hidden one."""
    if not 0 < span.length <= SHOWN_BYTES:
        return ""
    reach = range(span.offset, span.offset + span.length)
    if any(hidden.start < reach.stop and reach.start < hidden.stop for hidden in secrets.hidden(span.buffer)):
        return ""
    return detail.tree.buffers[span.buffer].data[reach.start : reach.stop].hex(" ")
