"""Passwords in a field tree: hidden in fields, and in the bytes that hold them, until a person asks for one."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from analyzer.wire.reader import Field, FieldTree, Span, Value

MASK = "********"
CAPTURED = 0
"""The buffer that all others were unpacked from."""


class Secrets:
    """Knows where the secrets of one tree lie. Asked about the fields of that tree only."""

    def __init__(self, tree: FieldTree, revealed: Collection[Span] = ()) -> None:
        """`revealed`: spans of secret fields that are not to be hidden."""
        self._tree = tree
        secret = list(_secret_fields(tree.fields, False, revealed))
        self._fields = {id(field) for field in secret}
        self._spans = [field.span for field in secret if field.span is not None]
        elsewhere = any(span.buffer != CAPTURED for span in self._spans)
        self._withheld = elsewhere or (bool(secret) and not self._spans)

    def is_secret(self, field: Field) -> bool:
        """Is the field itself one, and hidden?"""
        return id(field) in self._fields

    def hides(self, field: Field) -> bool:
        """Must value and text be masked? Also those of raw bytes or text in which a secret lies."""
        if id(field) in self._fields:
            return True
        if field.span is None or not isinstance(field.value, bytes | str):
            return False
        packed = field.span.buffer == CAPTURED and isinstance(field.value, bytes) and self._withheld
        return packed or any(field.span.overlaps(span) for span in self._spans)

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
        if number == CAPTURED and self._withheld:
            return None
        data = bytearray(self._tree.buffers[number].data)
        for hidden in self.hidden(number):
            data[hidden.start : hidden.stop] = b"*" * len(hidden)
        return bytes(data)

    def hidden(self, number: int) -> tuple[range, ...]:
        """Bytes of a buffer that must not be shown: those of secrets, and what they were unpacked from."""
        end = len(self._tree.buffers[number].data)
        if number == CAPTURED and self._withheld:
            return (range(end),)
        spans = (span for span in self._spans if span.buffer == number)
        return tuple(range(min(span.offset, end), min(span.offset + span.length, end)) for span in spans)


def _secret_fields(fields: tuple[Field, ...], inside: bool, revealed: Collection[Span]) -> Iterator[Field]:
    """What is inside a secret is secret too."""
    for field in fields:
        secret = inside or (field.secret and field.span not in revealed)
        if secret:
            yield field
        yield from _secret_fields(field.children, secret, revealed)
