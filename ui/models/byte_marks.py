"""What a byte view paints over the bytes of one buffer: items, parts, the first wrong byte. Knows no Qt."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from analyzer.engine.packet_detail import PacketDetail
from analyzer.wire.reader import Field
from analyzer.wire.secrets import Secrets


@dataclass(frozen=True, slots=True)
class PartMark:
    """A part of a delta, or the place of one that never came."""

    reach: range
    labels: tuple[str, ...]
    """What it is called, the longest first: the view takes what fits."""
    own: bool = False
    """The packet that is shown brought it."""


@dataclass(frozen=True, slots=True)
class ByteMarks:
    """Marks of one buffer, each in order of its bytes."""

    items: tuple[range, ...] = ()
    """The innermost groups: every other one is shaded."""
    parts: tuple[PartMark, ...] = ()
    """Parts, where there are several; what never came is empty."""
    wrong: tuple[int, ...] = ()
    """First bytes that could not be read."""
    hidden: tuple[range, ...] = ()
    """Bytes of secrets that nobody asked for."""
    secret: tuple[range, ...] = ()
    """Bytes of all secrets: they are never copied."""

    def item_at(self, offset: int) -> int:
        """Number of the item that a byte belongs to, -1 if none."""
        number = bisect_right(self.items, offset, key=lambda item: item.start) - 1
        return number if number >= 0 and offset in self.items[number] else -1

    def is_hidden(self, offset: int) -> bool:
        """Must the byte not be shown?"""
        return any(offset in hidden for hidden in self.hidden)

    def is_secret(self, offset: int) -> bool:
        """Must the byte not be copied?"""
        return any(offset in secret for secret in self.secret)


def byte_marks(detail: PacketDetail, secrets: Secrets, buffer: int) -> ByteMarks:
    """The marks of a buffer of a packet."""
    groups = sorted(_innermost(detail.tree.fields, buffer), key=lambda item: item.start)
    is_delta = detail.joined is not None and buffer == len(detail.tree.buffers) - 1
    parts = _parts(detail) if is_delta and detail.parts > 1 else ()
    wrong = tuple(sorted(_wrong(detail.tree.fields, buffer)))
    return ByteMarks(tuple(groups), parts, wrong, secrets.hidden(buffer), Secrets(detail.tree).hidden(buffer))


def _parts(detail: PacketDetail) -> tuple[PartMark, ...]:
    """The parts of the joined delta by number."""
    assert detail.joined is not None
    here = {origin.part.number: origin for origin in detail.origins if origin.part.length}
    found: list[PartMark] = []
    offset = 0
    for number in sorted({*here, *detail.missing}):
        name, short = f"part {number + 1}", f"p{number + 1}"
        if number in detail.missing:
            found.append(PartMark(range(offset, offset), (f"{name} never came", f"{short} missing", f"{short} \u2013")))
            continue
        part, frame = here[number].part, here[number].frame
        own = part.packet == detail.packet
        carrier = "this packet" if own else f"packet {frame}"
        offset = part.offset + part.length
        found.append(PartMark(range(part.offset, offset), (f"{name}, {carrier}", name, short), own))
    return tuple(found)


def _innermost(fields: tuple[Field, ...], buffer: int) -> Iterator[range]:
    for field in fields:
        if any(child.children for child in field.children):
            yield from _innermost(field.children, buffer)
        elif field.children and field.span is not None and field.span.buffer == buffer:
            yield range(field.span.offset, field.span.offset + field.span.length)


def _wrong(fields: tuple[Field, ...], buffer: int) -> Iterator[int]:
    for field in fields:
        if field.wrong and field.span is not None and field.span.buffer == buffer:
            yield field.span.offset
        yield from _wrong(field.children, buffer)
