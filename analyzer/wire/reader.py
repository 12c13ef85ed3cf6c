"""A cursor over bytes with named pulls. Run plain it decodes; with a trace it also yields the tree of what it read."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from analyzer.wire import varint
from analyzer.wire.errors import DecodeError

Value = int | float | str | bytes | bool | None


@dataclass(frozen=True, slots=True)
class Span:
    """Where a field lies: an index into `FieldTree.buffers`, and bytes of that buffer."""

    buffer: int
    offset: int
    length: int

    def overlaps(self, other: Span) -> bool:
        """Have the two a byte in common?"""
        return (
            self.buffer == other.buffer
            and self.offset < other.offset + other.length
            and other.offset < self.offset + self.length
        )


@dataclass(frozen=True, slots=True)
class Field:
    """One node of the tree a person reads: a value, or a group of fields."""

    name: str
    value: Value = None
    text: str = ""
    """The value as a person reads it (unit, enumeration name); empty: the value says enough."""
    span: Span | None = None
    children: tuple[Field, ...] = ()
    note: str = ""
    """Odd but readable, or where and why reading stopped; empty: nothing to remark."""
    secret: bool = False
    """A password: masked until a person asks for it, never copied."""
    mask: int = 0
    """Which bits of the span belong to it, most significant byte first; 0: all of them."""
    wrong: bool = False
    """Bytes that could not be read: reading stopped at the first of them."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """Bytes that spans point into: the captured payload, the decompressed payload, or a delta joined from its parts."""

    name: str
    data: bytes
    bits: bytes = b""
    """What each byte cost on the wire, in bits; empty: 8 each."""
    source: Span | None = None
    """The bytes of another buffer that these were unpacked from."""


@dataclass(frozen=True, slots=True)
class FieldTree:
    """What one packet holds. `error` says where reading stopped; everything before it is in `fields`."""

    buffers: tuple[Buffer, ...]
    fields: tuple[Field, ...]
    error: str = ""


@dataclass(slots=True)
class Trace:
    """Collects fields while a `Reader` pulls them."""

    _open: list[list[Field]] = field(default_factory=lambda: [[]])
    notes: list[str] = field(default_factory=list)

    def add(self, node: Field) -> None:
        """Append a finished field to the innermost open group."""
        self._open[-1].append(node)

    @property
    def last(self) -> Field:
        """The field added last."""
        return self._open[-1][-1]

    def replace_last(self, node: Field) -> None:
        """Replace the field added last, for a reader that learns more about it."""
        self._open[-1][-1] = node

    @property
    def count(self) -> int:
        """Fields of the innermost open group so far."""
        return len(self._open[-1])

    def change_from(self, first: int, change: Callable[[Field], Field]) -> None:
        """Replace fields of the innermost open group, from one on, by what `change` makes of them."""
        fields = self._open[-1]
        fields[first:] = [change(field) for field in fields[first:]]

    def note(self, text: str) -> None:
        """Keep a remark, and hang it on the field added last, if there is one."""
        self.notes.append(text)
        if self._open[-1]:
            last = self._open[-1][-1]
            self.replace_last(replace(last, note=f"{last.note}; {text}" if last.note else text))

    def begin(self) -> None:
        """Open a group."""
        self._open.append([])

    def end(self, name: str, span: Span | None, *, value: Value = None, text: str = "", note: str = "") -> None:
        """Close the innermost group and add it as one field."""
        children = tuple(self._open.pop())
        self.add(Field(name, value, text, span, children, note))

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields at the outermost level."""
        return tuple(self._open[0])


class Reader:
    """Pulls named values out of `data[offset:end]`; every pull checks bounds and raises `DecodeError` past the end."""

    __slots__ = ("buffer", "data", "end", "offset", "short_code", "trace")

    def __init__(
        self,
        data: bytes,
        offset: int = 0,
        end: int | None = None,
        *,
        buffer: int = 0,
        trace: Trace | None = None,
        short_code: str = "short",
    ) -> None:
        self.data = data
        self.offset = offset
        self.end = len(data) if end is None else end
        self.buffer = buffer
        self.trace = trace
        self.short_code = short_code

    @property
    def left(self) -> int:
        """Bytes not read yet."""
        return self.end - self.offset

    def raw(self, name: str, length: int) -> bytes:
        """`length` bytes as they are."""
        start = self._advance(name, length)
        value = bytes(self.data[start : start + length])
        if self.trace is not None:
            self._record(name, value, start)
        return value

    def rest(self, name: str) -> bytes:
        """Everything up to the end."""
        return self.raw(name, self.end - self.offset)

    def u8(self, name: str) -> int:
        """One byte."""
        start = self._advance(name, 1)
        value = self.data[start]
        if self.trace is not None:
            self._record(name, value, start)
        return value

    def big_endian(self, name: str, length: int, *, signed: bool = False) -> int:
        """A number of `length` bytes, most significant first; `signed`: in two's complement."""
        start = self._advance(name, length)
        value = int.from_bytes(self.data[start : start + length], "big", signed=signed)
        if self.trace is not None:
            self._record(name, value, start)
        return value

    def varint(self, name: str) -> int:
        """A signed 32-bit number in one to five bytes (spec section 6.1)."""
        start = self.offset
        try:
            value, self.offset = varint.unpack(self.data, start, self.end)
        except DecodeError as error:
            raise DecodeError(self.short_code, error.offset, f"{name}: {error.text}") from None
        if self.trace is not None:
            self._record(name, value, start)
            if not varint.is_canonical(self.data[start : self.offset]):
                self.trace.note("not in shortest form")
        return value

    def uuid(self, name: str) -> uuid.UUID:
        """Sixteen bytes, in network order."""
        start = self._advance(name, 16)
        value = uuid.UUID(bytes=bytes(self.data[start : start + 16]))
        if self.trace is not None:
            self._record(name, str(value), start)
        return value

    def text(self, name: str, *, secret: bool = False) -> str:
        """A zero-terminated UTF-8 string; bytes that are not UTF-8 stay visible as backslash escapes."""
        start = self.offset
        stop = self.data.find(b"\0", start, self.end)
        if stop < 0:
            error = DecodeError(self.short_code, start, f"{name}: no terminating zero byte")
            error.secret = secret
            raise error
        self.offset = stop + 1
        value = bytes(self.data[start:stop]).decode("utf-8", "backslashreplace")
        if self.trace is not None:
            self.trace.add(Field(name, value, span=Span(self.buffer, start, stop + 1 - start), secret=secret))
        return value

    def note(self, text: str) -> None:
        """Remark something odd but readable; it hangs on the field read last."""
        if self.trace is not None:
            self.trace.note(text)

    @contextmanager
    def group(self, name: str, text: str = "") -> Iterator[None]:
        """Fields pulled inside become children of one field, also when reading breaks off."""
        if self.trace is None:
            yield
            return
        start = self.offset
        note = ""
        self.trace.begin()
        try:
            yield
        except DecodeError as error:
            note = error.text
            raise
        finally:
            self.trace.end(name, Span(self.buffer, start, self.offset - start), text=text, note=note)

    def _advance(self, name: str, length: int) -> int:
        start = self.offset
        if length < 0:
            raise DecodeError(self.short_code, start, f"{name}: a length of {length} bytes")
        if start + length > self.end:
            raise DecodeError(self.short_code, start, f"{name}: {length} bytes wanted, {max(0, self.end - start)} left")
        self.offset = start + length
        return start

    def _record(self, name: str, value: Value, start: int) -> None:
        assert self.trace is not None
        self.trace.add(Field(name, value, span=Span(self.buffer, start, self.offset - start)))
