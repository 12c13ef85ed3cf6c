"""Passwords stay hidden where a mod's schema replaces a message that has one (`docs/schemas.md`, Passwords)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from analyzer.protocols.teeworlds.layout import MessageType, has_password
from analyzer.protocols.teeworlds.messages import MessageHead, trial
from analyzer.protocols.teeworlds.schema import Schema
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Field, Reader, Span, Trace


def may_hold_password(message: MessageType) -> bool:
    """Does the layout say so, or that of the dialect itself?"""
    return message.replaces is not None or has_password(message)


@contextmanager
def guarded(reader: Reader, head: MessageHead, schema: Schema) -> Iterator[None]:
    """What is read of a message's body inside becomes secret, where it is or may be a password of the dialect itself.

    A layout that says which fields are secret hides those, fields of the dialect's name for it, and what stands where
    the dialect has it. One that says of none hides all: nobody knows where the password went.
    """
    own = None if head.type is None else head.type.replaces
    if head.type is None or own is None:
        yield
        return
    names = {field.name for field in own.fields if field.secret}
    spans = _own_spans(reader, own, schema) if has_password(head.type) else None
    first = 0 if reader.trace is None else reader.trace.count
    try:
        yield
    except DecodeError as error:
        # Its text may tell a number that was read from the password.
        hidden = DecodeError(error.code, reader.offset, "the message does not fit its layout")
        hidden.secret = True
        raise hidden from error
    finally:
        if reader.trace is not None:
            reader.trace.change_from(first, lambda field: _hidden(field, names, spans))


def _own_spans(reader: Reader, own: MessageType, schema: Schema) -> list[Span]:
    """Where the dialect's own layout has passwords; what it cannot read counts as one."""
    trace = Trace()
    end, whole = trial(reader, own, schema, trace)
    spans = [] if whole else [Span(reader.buffer, end, reader.end - end)]
    return spans + [field.span for field in trace.fields if field.secret and field.span is not None]


def _hidden(field: Field, names: set[str], spans: list[Span] | None) -> Field:
    if spans is None or field.name.partition("[")[0] in names:
        return _secret(field)
    if field.span is not None and any(field.span.overlaps(span) for span in spans):
        return _secret(field)
    return field


def _secret(field: Field) -> Field:
    """A remark about a number tells the number."""
    note = "" if isinstance(field.value, int) else field.note
    return replace(field, secret=True, note=note, children=tuple(_secret(child) for child in field.children))
