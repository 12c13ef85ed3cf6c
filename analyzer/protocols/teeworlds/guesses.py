"""Guesses as layouts of items and messages: to show them as guesses, and to write a schema file to start with."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analyzer.protocols.base import ItemSample, SessionFacts
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.infer import Guess, guess_body, guess_item
from analyzer.protocols.teeworlds.layout import ItemFieldType, ItemType, MessageField, MessageType
from analyzer.protocols.teeworlds.messages import message_id
from analyzer.protocols.teeworlds.schema import Schema
from analyzer.protocols.teeworlds.schema_file import FAMILIES, FORMAT
from analyzer.protocols.teeworlds.values import Kind
from analyzer.transports.teeworlds import read_packet

_UNKNOWN = re.compile(r"unknown (type \d+|item [0-9a-f-]{36}|(system|game) message \d+|[0-9a-f-]{36})")
_NUMBERED_ITEM = re.compile(r"unknown type (\d+)")
_NAMES = {
    "position x": "x",
    "position y": "y",
    "velocity x": "vel_x",
    "velocity y": "vel_y",
    "yes or no": "flag",
    "client id": "client_id",
    "flags": "flags",
    "enumeration": "choice",
}
"""What fields are called in a written file, with their number; the others after their kind."""


@dataclass(frozen=True, slots=True)
class Guesses:
    """What was guessed of what a capture holds."""

    items: Mapping[str, tuple[Guess, ...]] = field(default_factory=dict)
    """By what the schema calls a type that it does not know."""
    messages: Mapping[str, tuple[Guess, ...]] = field(default_factory=dict)
    """By `message_key`."""
    item_types: Mapping[str, ItemType] = field(default_factory=dict)
    message_types: Mapping[str, MessageType] = field(default_factory=dict)


NO_GUESSES = Guesses()


def is_unknown(name: str) -> bool:
    """Is that what an item or a message is called of which nothing is known?"""
    return _UNKNOWN.fullmatch(name) is not None


def guesses_of(facts: SessionFacts) -> Guesses:
    """Those that came with the facts."""
    return facts.guesses if isinstance(facts.guesses, Guesses) else NO_GUESSES


def schema_of(facts: SessionFacts) -> Schema:
    """The schema of a session's dialect, with what was guessed, and with the names of players that messages told."""
    dialect = DIALECTS[facts.dialect]
    schema = dialect.schema if dialect.names_in_snapshots else replace(dialect.schema, players=facts.players)
    guesses = guesses_of(facts)
    return replace(schema, guessed=guesses.item_types) if guesses.item_types else schema


def message_key(system: bool, number: int, identity: uuid.UUID | None) -> str:
    """What a message without a name is told apart by."""
    return f"{'system' if system else 'game'} {number if identity is None else identity}"


def body(payload: bytes, facts: SessionFacts, offset: int, size: int) -> tuple[str, bytes]:
    """Key and fields of a message in a packet. Raises DecodeError."""
    packet = read_packet(payload, DIALECTS[facts.dialect].variant)
    number, system, identity, start = message_id(packet.payload, offset, offset + size)
    return message_key(system, number, identity), packet.payload[start : offset + size]


def guess(items: Mapping[str, Sequence[ItemSample]], messages: Mapping[str, Sequence[bytes]]) -> Guesses:
    """Guess what items and messages look like."""
    of_items = {name: guess_item(samples) for name, samples in items.items()}
    of_messages = {key: guess_body(bodies) for key, bodies in messages.items()}
    return Guesses(
        of_items,
        of_messages,
        {name: _item_type(name, guesses) for name, guesses in of_items.items()},
        {key: _message_type(key, guesses) for key, guesses in of_messages.items() if guesses},
    )


def _shown_name(guess: Guess, stem: str) -> str:
    place = f"{guess.at}" if guess.ints == 1 else f"{guess.at}-{guess.at + guess.ints - 1}"
    return f"{stem}[{place}]{_mark(guess)}"


def _mark(guess: Guess) -> str:
    return f" (guess: {guess.what})" if guess.what else ""


def _kind(name: str) -> Kind:
    digits = re.fullmatch(r"str(\d+)", name)
    if digits is not None:
        return Kind(name, "str", ints=int(digits[1]))
    return Kind(name, name)


def _item_type(name: str, guesses: Sequence[Guess]) -> ItemType:
    fields = tuple(ItemFieldType(_shown_name(guess, "value"), _kind(guess.kind), guess.at) for guess in guesses)
    names = tuple(
        f"value[{number}]{_mark(guess)}" for guess in guesses for number in range(guess.at, guess.at + guess.ints)
    )
    return ItemType(
        name=name,
        type=None,
        uuid_name="",
        uuid=None,
        size=len(names),
        pre_agreed=False,
        ids="any",
        event=False,
        fields=fields,
        int_names=names,
        int_fields=tuple(field for field in fields for _ in range(field.end - field.at)),
    )


def _message_type(key: str, guesses: Sequence[Guess]) -> MessageType:
    fields = tuple(
        MessageField(_shown_name(guess, "value"), _kind(guess.kind), optional=guess.optional) for guess in guesses
    )
    return MessageType(key, key.startswith("system"), None, "", None, "both", False, False, fields)


def write(guesses: object, title: str, dialects: Iterable[str]) -> str:
    """A schema file to start with, for some dialects; what was seen stands in notes."""
    assert isinstance(guesses, Guesses)
    families = {DIALECTS[dialect].base[1] for dialect in dialects}
    items = [_written_item(name, fields) for name, fields in sorted(guesses.items.items())]
    messages = [_written_message(key, fields) for key, fields in sorted(guesses.messages.items())]
    named = [family for family in FAMILIES if family in families]
    lines = ["{", f'  "format": {FORMAT},', f'  "title": {json.dumps(title)},']
    if named:
        lines.append(f'  "dialects": {json.dumps(named)},')
    lines += [*_entries("items", items), *_entries("messages", messages)]
    lines[-1] = lines[-1].rstrip(",")
    return "\n".join([*lines, "}", ""])


def _entries(name: str, entries: Sequence[tuple[dict[str, object], list[dict[str, object]]]]) -> list[str]:
    """A list, one field a line as a person would write it."""
    lines = [f'  "{name}": [']
    for number, (head, fields) in enumerate(entries):
        lines.append(f'    {json.dumps(head, ensure_ascii=False)[:-1]}, "fields": [')
        written = [f"      {json.dumps(field, ensure_ascii=False)}" for field in fields]
        lines += [line + "," for line in written[:-1]] + written[-1:]
        lines.append("    ]}" + ("," if number + 1 < len(entries) else ""))
    return [*lines, "  ],"]


def _written_item(name: str, guesses: Sequence[Guess]) -> tuple[dict[str, object], list[dict[str, object]]]:
    number = _NUMBERED_ITEM.fullmatch(name)
    head: dict[str, object] = {"name": name.removeprefix("unknown ").replace(" ", "_")}
    if number is not None:
        head["type"] = int(number[1])
    else:
        head["uuid"] = name.rpartition(" ")[2]
    head["note"] = "guessed from a capture"
    return head, [_written_field(guess) for guess in guesses]


def _written_message(key: str, guesses: Sequence[Guess]) -> tuple[dict[str, object], list[dict[str, object]]]:
    side, _, number = key.partition(" ")
    head: dict[str, object] = {"name": f"{side}_message_{number}", "system": side == "system"}
    head["number" if number.isdecimal() else "uuid"] = int(number) if number.isdecimal() else number
    head["note"] = "guessed from a capture"
    if not guesses:
        return head, [{"name": "data", "kind": "raw", "rest": True, "note": "no layout fits all messages"}]
    return head, [_written_field(guess) for guess in guesses]


def _written_field(guess: Guess) -> dict[str, object]:
    name = f"{_NAMES.get(guess.what, guess.kind.rstrip('0123456789'))}_{guess.at}"
    seen = [f"guess: {guess.what}"] if guess.what else []
    if guess.distinct == 1:
        seen.append(f"always {guess.low}")
    elif not guess.kind.startswith("str"):
        seen.append(f"{guess.distinct} different values from {guess.low} to {guess.high}")
    written: dict[str, object] = {"name": name, "kind": guess.kind, "note": ", ".join(seen)}
    if guess.optional:
        written["optional"] = True
    return written
