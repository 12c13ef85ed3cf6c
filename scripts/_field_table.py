"""The tables of fields in `docs/filters.md`, made from the registry that filters use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from analyzer.engine import filtering
from analyzer.filters.fields import FIXED, FieldInfo
from analyzer.filters.kinds import Kind
from analyzer.filters.registry import Registry
from analyzer.filters.schema_fields import CHANGE_KINDS
from analyzer.protocols import PROTOCOLS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "filters.md"
BEGIN = "<!-- Made by scripts/field_table: run it after a field has changed. -->\n"
END = "<!-- /fields -->\n"
PER_ITEM = ("id", "owner")
MESSAGES = """\
Each behind the name of its message: `message.input.ack_game_tick`. A field that is repeated has a value for each
repetition; with an index in brackets only that one is meant: `message.sv_teamsstate.team[3]`.
"""
ITEMS = """\
`item.NAME`: the rebuilt snapshot has items of this type; `item.NAME.id`, the ids of them; `item.NAME.owner`, the names
of the players they belong to; and `item.NAME.FIELD`.

`change.NAME`: the delta says something of an item of this type; `change.NAME.id` and `change.NAME.bits`, ids and what
the changes took; `change.NAME.FIELD`, the new value where it differs from the base, with `.old` the value in the base
and with `.difference` the number on the wire; and by what became of the item:
"""


def renewed(page: str) -> str:
    """The page with the tables as they should be."""
    head, rest = page.split(BEGIN)
    return head + BEGIN + "\n" + "\n".join(_lines(filtering.registry(PROTOCOLS))) + "\n\n" + END + rest.split(END)[1]


def _lines(fields: Registry) -> Iterator[str]:
    yield "| field | values | is | example |"
    yield "| --- | --- | --- | --- |"
    for info in list(fields)[: len(FIXED)]:
        yield f"| `{info.name}` | {_values(info)} | {info.meaning} | {_code(info.example)} |"
    yield from _messages(fields)
    yield from _items(fields)


def _values(info: FieldInfo) -> str:
    if info.kind in (Kind.CHOICE, Kind.ORDERED) and info.closed and info.choices:
        return ", ".join(f"`{choice}`" for choice in info.choices)
    return "text" if info.kind is Kind.CHOICE else info.kind.value


def _code(text: str) -> str:
    escaped = text.replace("|", "\\|")
    return f"`{escaped}`" if text else ""


def _messages(fields: Registry) -> Iterator[str]:
    yield from ("", "## Fields of messages", "")
    yield MESSAGES
    yield from ("| message | fields |", "| --- | --- |")
    by_message: dict[str, list[str]] = {}
    for info in fields:
        if info.message is not None:
            message, _, name = info.name.removeprefix("message.").partition(".")
            by_message.setdefault(message, []).append(name)
    for message, names in sorted(by_message.items()):
        yield f"| `message.{message}` | {', '.join(f'`{name}`' for name in names)} |"


def _items(fields: Registry) -> Iterator[str]:
    yield from ("", "## Fields of items and changes", "")
    yield ITEMS
    yield from ("| change | are |", "| --- | --- |")
    yield from (f"| `change.NAME.{kind}` | {meaning} |" for kind, meaning in CHANGE_KINDS.items())
    yield from ("", "| item | fields |", "| --- | --- |")
    by_item: dict[str, list[str]] = {}
    for info in fields:
        if info.item is not None and not info.item.changes:
            item, _, name = info.name.removeprefix("item.").partition(".")
            own = by_item.setdefault(item, [])
            if name and name not in PER_ITEM:
                own.append(name)
    for item, names in sorted(by_item.items()):
        yield f"| `{item}` | {', '.join(f'`{name}`' for name in names)} |"
