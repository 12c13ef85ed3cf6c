"""Explains messages by the schema, and reads at speed what tracking needs of them (spec sections 7.3, 8 and 14)."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from analyzer.protocols.teeworlds.layout import ItemType, MessageField, MessageType
from analyzer.protocols.teeworlds.schema import Schema, int_text
from analyzer.protocols.teeworlds.schema_file import MAX_MESSAGE_NUMBER
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
NO_NAMES: Mapping[str, str] = {}
NO_PLAYERS: Mapping[int, str] = {}

SNAPEMPTY, SNAPSINGLE, SNAP = 0, 1, 2
SNAP_KINDS = {5: SNAP, 6: SNAPEMPTY, 7: SNAPSINGLE}
"""Number of the system message -> kind of snapshot message."""


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


def read_snap(data: bytes, number: int, offset: int, end: int) -> SnapFields:
    """The fields of a snapshot message in `data[offset:end]`; `number` is a key of `SNAP_KINDS`.

    Checks what the client checks (spec section 16, step 2). Raises `DecodeError` `F1`, which names the field.
    """
    kind = SNAP_KINDS[number]
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
    if message.type is None or message.type.unused:
        if reader.left:
            reader.rest("data")
        return
    body = _Body(reader, schema, names, players)
    for field in message.type.fields:
        if field.optional and not reader.left:
            return
        body.pull(field)
    if reader.left:
        surplus = reader.left
        reader.rest("surplus")
        reader.note(f"{surplus} byte{'' if surplus == 1 else 's'} after the last field")


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
        self._reader = reader
        self._players = players
        self._schema = schema
        self._names = names
        self._lengths: dict[str, int] = {}
        self._by_base = {"str": self._string, "raw": self._raw, "uuid": self._uuid, "item": self._item}

    def pull(self, field: MessageField) -> None:
        """Read a field with all its repetitions."""
        read = self._by_base.get(field.kind.base, self._int)
        if field.count == 1 and not field.rest:
            read(field, field.name)
            return
        number = 0
        while self._reader.left if field.rest else number < field.count:
            label = field.labels[number] if number < len(field.labels) else f"{field.name}[{number}]"
            read(field, label)
            number += 1

    def _int(self, field: MessageField, name: str) -> None:
        value = _pull(self._reader, lambda: self._reader.varint(name), lambda value: self._int_text(field, value))
        self._lengths[name] = value
        bounds = (0, 1) if field.kind.base == "bool" else field.range
        if bounds is not None and not bounds[0] <= value <= bounds[1]:
            self._reader.note(f"{name}: {value} is not from {bounds[0]} to {bounds[1]}, receivers drop the message")

    def _int_text(self, field: MessageField, value: int) -> str:
        if field.named is not None and value in field.named:
            return explained(str(value), field.named[value])
        if field.kind.base == "cid" and value in self._players:
            return explained(str(value), self._players[value])
        return unless_plain(kind_text(field.kind, value), value)

    def _string(self, field: MessageField, name: str) -> None:
        reader = self._reader
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
        digits = field.kind.name.removeprefix("raw")
        self._reader.raw(name, int(digits) if digits else self._lengths[field.length])

    def _uuid(self, field: MessageField, name: str) -> None:
        _pull(
            self._reader,
            lambda: self._reader.uuid(name),
            lambda value: self._schema.uuid_names.get(value) or self._names.get(str(value), ""),
        )

    def _item(self, field: MessageField, name: str) -> None:
        """The ints of an item, as many as the size in bytes says."""
        assert field.item is not None
        size = self._lengths[field.length]
        ints = size >> 2
        if size & 3 or not MIN_INPUT_INTS <= ints <= MAX_INPUT_INTS:
            self._reader.note(
                f"{field.length}: {size} is not 4 times {MIN_INPUT_INTS} to {MAX_INPUT_INTS} ints, DDNet ignores it"
            )
        with self._reader.group(name, field.item.name):
            for number in range(min(ints, MAX_INPUT_INTS)):
                self._item_int(field.item, number)

    def _item_int(self, item: ItemType, number: int) -> None:
        if number >= item.size:
            self._reader.varint(f"extra[{number - item.size}]")
            return
        field = item.int_fields[number]
        _pull(
            self._reader,
            lambda: self._reader.varint(item.int_names[number]),
            lambda value: unless_plain(int_text(field, field.shown, value, None), value),
        )


def _received(kind: str, sent: str) -> str:
    """What a receiver makes of a string, empty if that is what was sent."""
    kept = "\t\r\n" if kind == "str" else ""
    text = "".join(" " if character < " " and character not in kept else character for character in sent)
    if kind == "str!!":
        text = text.lstrip(" ")
    return text if text != sent else ""
