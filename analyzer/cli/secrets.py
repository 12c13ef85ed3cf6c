"""Passwords in a field tree: hidden in fields, and in the bytes that hold them."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.wire.reader import Buffer, Field, FieldTree, Span, Value

MASK = "********"
CAPTURED = 0
"""The buffer that all others were unpacked from."""


class Secrets:
    """Knows where the secrets of one tree lie. Asked about the fields of that tree only."""

    def __init__(self, tree: FieldTree) -> None:
        self._tree = tree
        secret = list(_secret_fields(tree.fields, False))
        self._fields = {id(field) for field in secret}
        self._spans = [field.span for field in secret if field.span is not None]
        elsewhere = any(span.buffer != CAPTURED for span in self._spans)
        self._withheld = elsewhere or (bool(secret) and not self._spans)

    def hides(self, field: Field) -> bool:
        """Must value and text be masked? Also those of raw bytes or text in which a secret lies."""
        if id(field) in self._fields:
            return True
        if field.span is None or not isinstance(field.value, bytes | str):
            return False
        packed = field.span.buffer == CAPTURED and isinstance(field.value, bytes) and self._withheld
        return packed or any(_overlap(field.span, span) for span in self._spans)

    def value(self, field: Field) -> Value:
        """The field's value, or the mask."""
        return MASK if self.hides(field) else field.value

    def text(self, field: Field) -> str:
        """The field's text, or the mask."""
        return MASK if self.hides(field) else field.text

    def buffer(self, number: int) -> bytes | None:
        """A buffer with secrets overwritten by asterisks; None where they cannot be found in it.

        A secret that was read from a decompressed buffer is also in the captured bytes, where no span points at it.
        """
        buffers: tuple[Buffer, ...] = self._tree.buffers
        spans = [span for span in self._spans if span.buffer == number]
        if number == CAPTURED and self._withheld:
            return None
        data = bytearray(buffers[number].data)
        for span in spans:
            length = len(data[span.offset : span.offset + span.length])
            data[span.offset : span.offset + length] = b"*" * length
        return bytes(data)


def _secret_fields(fields: tuple[Field, ...], inside: bool) -> Iterator[Field]:
    """What is inside a secret is secret too."""
    for field in fields:
        secret = inside or field.secret
        if secret:
            yield field
        yield from _secret_fields(field.children, secret)


def _overlap(one: Span, other: Span) -> bool:
    return (
        one.buffer == other.buffer
        and one.offset < other.offset + other.length
        and other.offset < one.offset + one.length
    )
