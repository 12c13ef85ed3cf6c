"""Explains messages by the schema, and reads at speed what tracking needs of them (spec sections 7.3, 8 and 14)."""

from __future__ import annotations

import ipaddress
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from analyzer.protocols.teeworlds.layout import ConnlessType, ItemType, MessageField, MessageType
from analyzer.protocols.teeworlds.schema import Schema, int_text
from analyzer.protocols.teeworlds.schema_messages import MAX_MESSAGE_NUMBER
from analyzer.protocols.teeworlds.values import INT_MIN, explained, kind_text, unless_plain
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Reader, Trace
from analyzer.wire.varint import unpack

T = TypeVar("T")

EXTENDED = 0
"""Message number after which a UUID says what the message is."""
MAX_PARTS = 64
MAX_PART_LENGTH = 900
MIN_INPUT_INTS = 10
MAX_INPUT_INTS = 128
DECIMAL = re.compile(r"-?\d{1,11}")
ADDRESS_BYTES = 18
NO_NAMES: Mapping[str, str] = {}
NO_PLAYERS: Mapping[int, str] = {}

SNAPEMPTY, SNAPSINGLE, SNAP = 0, 1, 2
"""Kinds of snapshot messages."""


@dataclass(frozen=True, slots=True)
class MessageHead:
    """How a message begins."""

    number: int
    """0: the UUID counts."""
    system: bool
    uuid: uuid.UUID | None
    name: str
    """For an unknown message a text that says so."""
    type: MessageType | None
    """None: not in the schema."""


@dataclass(frozen=True, slots=True)
class SnapFields:
    """A snapshot message without its data."""

    tick: int
    base_tick: int
    """Tick of the base; negative: the empty snapshot."""
    delta_tick: int
    """Tick less base tick, as on the wire."""
    kind: int
    """SNAPEMPTY, SNAPSINGLE or SNAP."""
    parts: int
    part: int
    crc: int
    """Of the whole snapshot, signed; 0 for SNAPEMPTY, which has none on the wire."""
    data_offset: int
    """Where the data begins in the payload."""
    length: int
    """Bytes of data."""


def message_id(payload: bytes, offset: int, end: int) -> tuple[int, bool, uuid.UUID | None, int]:
    """Number, system bit, UUID (for number 0 only) and where the body begins.

    Raises `DecodeError`: `id` for a number outside 0..65535, else that of a field that is cut off.
    """
    value, body = unpack(payload, offset, end)
    number = value >> 1
    if not 0 <= number <= MAX_MESSAGE_NUMBER:
        raise DecodeError("id", offset, f"message number {number} is not from 0 to {MAX_MESSAGE_NUMBER}")
    if number != EXTENDED:
        return number, bool(value & 1), None, body
    if end - body < 16:
        raise DecodeError("short", body, f"message UUID: 16 bytes wanted, {end - body} left")
    return number, bool(value & 1), uuid.UUID(bytes=bytes(payload[body : body + 16])), body + 16


def read_snap(data: bytes, kind: int, offset: int, end: int) -> SnapFields:
    """The fields of a snapshot message of some kind in `data[offset:end]`.

    Checks what the client checks (spec section 16, step 2). Raises `DecodeError` `F1`, which names the field.
    """
    parts, part, crc, length = 1, 0, 0, 0
    parts_at = part_at = length_at = offset
    name = "tick"
    try:
        tick, at = unpack(data, offset, end)
        name = "delta_tick"
        delta_tick, at = unpack(data, at, end)
        if kind == SNAP:
            name, parts_at = "parts", at
            parts, at = unpack(data, at, end)
            name, part_at = "part", at
            part, at = unpack(data, at, end)
        if kind != SNAPEMPTY:
            name = "crc"
            crc, at = unpack(data, at, end)
            name, length_at = "length", at
            length, at = unpack(data, at, end)
    except DecodeError as error:
        raise DecodeError("F1", error.offset, f"{name}: {error.text}") from None
    if not 1 <= parts <= MAX_PARTS:
        raise DecodeError("F1", parts_at, f"parts: {parts} is not from 1 to {MAX_PARTS}")
    if not 0 <= part < parts:
        raise DecodeError("F1", part_at, f"part: {part} is not from 0 to {parts - 1}")
    if not 0 <= length <= MAX_PART_LENGTH:
        raise DecodeError("F1", length_at, f"length: {length} is not from 0 to {MAX_PART_LENGTH}")
    if length > end - at:
        raise DecodeError("F1", at, f"data: {length} bytes wanted, {end - at} left")
    base_tick = (tick - delta_tick - INT_MIN & 0xFFFFFFFF) + INT_MIN
    return SnapFields(tick, base_tick, delta_tick, kind, parts, part, crc, at, length)


def read_input(data: bytes, offset: int, end: int) -> tuple[int, int, int]:
    """ack_game_tick, intended_tick and size in bytes, as they are. Raises `DecodeError` if one is cut off."""
    ack_game_tick, at = unpack(data, offset, end)
    intended_tick, at = unpack(data, at, end)
    size, _ = unpack(data, at, end)
    return ack_game_tick, intended_tick, size


def read_message(reader: Reader, schema: Schema, names: Mapping[str, str] = NO_NAMES) -> MessageHead:
    """The head of a message; `names` are those of UUIDs that the schema does not know, by canonical form.

    Raises `DecodeError`.
    """
    number, system, identity, _ = message_id(reader.data, reader.offset, reader.end)
    if identity is None:
        known = schema.by_message_number.get((system, number))
        name = message_name(known, system, number)
        _pull(reader, lambda: reader.varint("id"), lambda _: name)
    else:
        known = schema.by_message_uuid.get((system, identity))
        name = known.name if known is not None else names.get(str(identity), f"unknown message {identity}")
        _pull(reader, lambda: reader.varint("id"), lambda _: "a UUID follows")
        _pull(reader, lambda: reader.uuid("uuid"), lambda _: name)
    return MessageHead(number, system, identity, name, known)


def explain_body(
    reader: Reader,
    message: MessageHead,
    schema: Schema,
    names: Mapping[str, str] = NO_NAMES,
    players: Mapping[int, str] = NO_PLAYERS,
) -> None:
    """Pull everything after the head, by the message's layout; what no field takes is pulled as raw bytes.

    Raises `DecodeError` where a field is cut off; the trace then holds all fields before it.
    """
    if message.type is None or (message.type.unused and not message.type.fields):
        if reader.left:
            reader.rest("data")
        return
    _explain_fields(_Body(reader, schema, names, players), message.type.fields)


def explain_connless(reader: Reader, known: ConnlessType | None, schema: Schema) -> None:
    """Pull the body of a connectionless message. Raises `DecodeError` where a field is cut off."""
    if known is not None:
        _explain_fields(_Body(reader, schema, NO_NAMES, NO_PLAYERS), known.fields)
    elif reader.left:
        reader.rest("data")


def _explain_fields(body: _Body, fields: Sequence[MessageField]) -> None:
    body.pull_all(fields)
    reader = body.reader
    if reader.left:
        surplus = reader.left
        reader.rest("surplus")
        reader.note(f"{surplus} byte{'' if surplus == 1 else 's'} after the last field")


def fitting(reader: Reader, guessed: MessageType, schema: Schema) -> MessageType | None:
    """A guessed layout if it takes exactly the bytes of the message, which is not read by this; None otherwise."""
    return guessed if trial(reader, guessed, schema) == (reader.end, True) else None


def trial(reader: Reader, layout: MessageType, schema: Schema, trace: Trace | None = None) -> tuple[int, bool]:
    """Read a body by a layout, without pulling anything: where the reading ends, and whether all fields are there."""
    apart = Reader(reader.data, reader.offset, reader.end, buffer=reader.buffer, trace=trace)
    try:
        _Body(apart, schema, NO_NAMES, NO_PLAYERS).pull_all(layout.fields)
    except DecodeError:
        return apart.offset, False
    return apart.offset, True


def message_name(known: MessageType | None, system: bool, number: int) -> str:
    """Name of a numbered message; for one that the schema does not know a text that says so."""
    if known is not None:
        return known.name
    return f"unknown {'system' if system else 'game'} message {number}"


def _pull(reader: Reader, pull: Callable[[], T], text: Callable[[T], str]) -> T:
    """Pull one value and give its field a text."""
    trace = reader.trace
    if trace is None:
        return pull()
    own = Trace()
    reader.trace = own
    try:
        value = pull()
    finally:
        reader.trace = trace
    trace.add(replace(own.fields[0], text=text(value), note=""))
    for note in own.notes:
        reader.note(note)
    return value


class _Body:
    """Reads the fields of one message, with the values that later fields depend on."""

    def __init__(self, reader: Reader, schema: Schema, names: Mapping[str, str], players: Mapping[int, str]) -> None:
        self.reader = reader
        self._players = players
        self._schema = schema
        self._names = names
        self._ints: dict[str, int] = {}
        self._by_base = {
            "str": self._string,
            "text": self._text,
            "raw": self._raw,
            "uuid": self._uuid,
            "address": self._address,
            "item": self._item,
            "group": self._group,
        }

    def pull_all(self, fields: Sequence[MessageField]) -> None:
        """Read fields up to the first optional one that is absent."""
        for field in fields:
            if field.optional and not self.reader.left:
                return
            self.pull(field)

    def pull(self, field: MessageField) -> None:
        """Read a field with all its repetitions."""
        if field.when is not None and self._ints[field.when.field] not in field.when.values:
            return
        read = self._by_base.get(field.kind.base, self._int)
        if (field.count == 1 and not field.rest and not field.times) or field.kind.base == "raw":
            read(field, field.name)
            return
        times = self._ints[field.times] if field.times else field.count
        number = 0
        while self.reader.left if field.rest else number < times:
            start = self.reader.offset
            read(field, _label(field, number))
            number += 1
            if self.reader.offset == start:
                return  # What takes no bytes can be repeated for ever.

    def _int(self, field: MessageField, name: str) -> None:
        reader = self.reader
        if field.encoding == "decimal":
            value = self._decimal(field, name)
            if value is None:
                return
        else:
            pull = {
                "": lambda: reader.varint(name),
                "byte": lambda: reader.u8(name),
                "big16": lambda: reader.big_endian(name, 2),
            }[field.encoding]
            value = _pull(reader, pull, lambda value: self._int_text(field, value))
        self._ints[name] = value
        bounds = (0, 1) if field.kind.base == "bool" else field.range
        if bounds is not None and not bounds[0] <= value <= bounds[1]:
            self.reader.note(f"{name}: {value} is not from {bounds[0]} to {bounds[1]}, receivers drop the message")

    def _decimal(self, field: MessageField, name: str) -> int | None:
        """A number written as text; None if the text is something else."""
        reader, trace = self.reader, self.reader.trace
        text = reader.text(name)
        if DECIMAL.fullmatch(text) is None:
            reader.note(f"{name}: not a number")
            return None
        value = int(text)
        if trace is not None:
            trace.replace_last(replace(trace.last, value=value, text=self._int_text(field, value)))
        return value

    def _text(self, field: MessageField, name: str) -> None:
        """Text up to a zero byte, or to the end if there is none."""
        reader = self.reader
        stop = reader.data.find(b"\0", reader.offset, reader.end)
        size = reader.left if stop < 0 else stop + 1 - reader.offset
        self._raw_as(name, size, lambda raw: raw.removesuffix(b"\0").decode("utf-8", "backslashreplace"))

    def _address(self, field: MessageField, name: str) -> None:
        self._raw_as(name, ADDRESS_BYTES, _address_text)

    def _raw_as(self, name: str, size: int, text: Callable[[bytes], str]) -> None:
        """Bytes that stand for a text."""
        value = text(self.reader.raw(name, size))
        trace = self.reader.trace
        if trace is not None:
            trace.replace_last(replace(trace.last, value=value))

    def _group(self, field: MessageField, name: str) -> None:
        """A few fields under one name, which shows the first text among them."""
        with self.reader.group(name):
            self.pull_all(field.fields)
        trace = self.reader.trace
        if trace is not None:
            texts = [child.value for child in trace.last.children if isinstance(child.value, str)]
            trace.replace_last(replace(trace.last, text=f'"{texts[0]}"' if texts else ""))

    def _int_text(self, field: MessageField, value: int) -> str:
        if field.named is not None and value in field.named:
            return explained(str(value), field.named[value])
        if field.kind.base == "cid" and value in self._players:
            return explained(str(value), self._players[value])
        return unless_plain(kind_text(field.kind, value), value)

    def _string(self, field: MessageField, name: str) -> None:
        reader = self.reader
        start = reader.offset
        _pull(
            reader,
            lambda: reader.text(name, secret=field.secret),
            lambda value: "" if field.secret else _received(field.kind.name, value),
        )
        try:
            reader.data[start : reader.offset].decode("utf-8")
        except UnicodeDecodeError:
            reader.note(f"{name}: not UTF-8, DDNet drops the message")

    def _raw(self, field: MessageField, name: str) -> None:
        if field.rest:
            self.reader.rest(name)
            return
        digits = field.kind.name.removeprefix("raw")
        self.reader.raw(name, int(digits) if digits else self._ints[field.length])

    def _uuid(self, field: MessageField, name: str) -> None:
        _pull(
            self.reader,
            lambda: self.reader.uuid(name),
            lambda value: self._schema.uuid_names.get(value) or self._names.get(str(value), ""),
        )

    def _item(self, field: MessageField, name: str) -> None:
        """The ints of an item, all of them or as many as the size in bytes says."""
        assert field.item is not None
        ints = field.item.size
        if field.length:
            size = self._ints[field.length]
            ints = size >> 2
            if size & 3 or not MIN_INPUT_INTS <= ints <= MAX_INPUT_INTS:
                self.reader.note(
                    f"{field.length}: {size} is not 4 times {MIN_INPUT_INTS} to {MAX_INPUT_INTS} ints, DDNet ignores it"
                )
        with self.reader.group(name, field.item.name):
            for number in range(min(ints, MAX_INPUT_INTS)):
                self._item_int(field.item, number)

    def _item_int(self, item: ItemType, number: int) -> None:
        if number >= item.size:
            self.reader.varint(f"extra[{number - item.size}]")
            return
        field = item.int_fields[number]
        _pull(
            self.reader,
            lambda: self.reader.varint(item.int_names[number]),
            lambda value: unless_plain(int_text(field, field.shown, value, None), value),
        )


def _address_text(raw: bytes) -> str:
    """An IPv6 address, or an IPv4 one in IPv6's clothes, and a port."""
    address = ipaddress.IPv6Address(raw[:16])
    port = int.from_bytes(raw[16:], "big")
    return f"{address.ipv4_mapped}:{port}" if address.ipv4_mapped else f"[{address}]:{port}"


def _label(field: MessageField, number: int) -> str:
    """Name of one repetition of a field."""
    if number < len(field.labels):
        return field.labels[number]
    return f"{field.name}[{field.keys[number] if number < len(field.keys) else number}]"


def _received(kind: str, sent: str) -> str:
    """What a receiver makes of a string, empty if that is what was sent."""
    kept = "\t\r\n" if kind == "str" else ""
    text = "".join(" " if character < " " and character not in kept else character for character in sent)
    if kind == "str!!":
        text = text.lstrip(" ")
    return text if text != sent else ""
