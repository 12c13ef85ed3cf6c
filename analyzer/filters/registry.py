"""The one list of fields: what filters, columns, completion and `docs/filters.md` are made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from analyzer.filters.errors import near
from analyzer.filters.fields import FIXED, FieldInfo
from analyzer.filters.schema_fields import item_fields, message_fields, spelled
from analyzer.filters.terms import ItemTerm, MessageTerm
from analyzer.filters.vocabulary import NO_PROTOCOL, Vocabulary
from analyzer.snapshots.layouts import Layout

BY_PROTOCOL = {
    "packet.kind": "packet_kinds",
    "packet.code": "packet_codes",
    "message.code": "packet_codes",
    "snapshot.kind": "snapshot_kinds",
    "snapshot.code": "codes",
    "session.dialect": "dialects",
}
"""Fields whose texts protocols name, and where in `Words`."""


class Registry:
    """All fields there are, with those that schemas name."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._schema = [*message_fields(vocabulary.messages), *item_fields(vocabulary.items)]

    def __iter__(self) -> Iterator[FieldInfo]:
        yield from self.every

    def __len__(self) -> int:
        return len(self.every)

    def get(self, name: str) -> FieldInfo | None:
        """The field of a name; None: there is none. A field of a schema may have an index: `name[3]`."""
        lower = name.lower()
        found = self._by_name.get(lower) or self._by_name.get(self._short(lower))
        if found is not None or "[" not in lower:
            return found
        stem, _, index = lower.partition("[")
        index, _, rest = index.partition("]")
        if not (index.isascii() and index.isdigit()):
            return None
        return self._indexed(self._by_name.get(self._short(stem + rest)), f"[{index}]", name)

    def near(self, name: str) -> tuple[str, ...]:
        """Fields that `name` may be a misspelling of."""
        stem, _, last = name.rpartition(".")
        inside = [info.name for info in self if info.name.lower().startswith(f"{stem.lower()}.")] if stem else []
        found = near(name, inside) or near(name, (info.name for info in self))
        also = [info.name for info in FIXED if last and info.name.endswith(f".{last.lower()}")]
        return tuple(dict.fromkeys([*also, *found]))[:3]

    @cached_property
    def every(self) -> tuple[FieldInfo, ...]:
        """All of them; those of every capture come first."""
        return (*(self._filled(info) for info in FIXED), *self._schema)

    @cached_property
    def ranks(self) -> list[tuple[str, int]]:
        """Of each its name in small letters, and the dots in it: what completion goes by at every key."""
        return [(info.name.lower(), info.name.count(".")) for info in self.every]

    @cached_property
    def _by_name(self) -> dict[str, FieldInfo]:
        return {info.name.lower(): info for info in reversed(self.every)}

    def _short(self, name: str) -> str:
        """A field of a message that is named in full, by the short name of the message."""
        stem, _, rest = name.partition(".")
        full, _, field_name = rest.partition(".")
        return f"message.{self._shorts.get(full, full)}.{field_name}" if stem == "message" else name

    @cached_property
    def _shorts(self) -> dict[str, str]:
        return {message.name.lower(): spelled(message.short).lower() for message in self.vocabulary.messages}

    def _indexed(self, found: FieldInfo | None, index: str, name: str) -> FieldInfo | None:
        """One repetition of a field."""
        if found is None:
            return None
        if found.message is not None:
            term = MessageTerm(found.message.names, found.message.field + index)
            return replace(found, name=name, message=term)
        if found.item is not None and found.item.field:
            own = found.item
            return replace(found, name=name, item=ItemTerm(own.changes, own.name, own.field + index, own.part))
        return None

    def _filled(self, info: FieldInfo) -> FieldInfo:
        """With the texts that protocols name."""
        words = self.vocabulary
        if info.name in BY_PROTOCOL:
            return replace(info, choices=words.all_of(BY_PROTOCOL[info.name]))
        if info.name == "flow.protocol":
            return replace(info, choices=(*words.protocols, NO_PROTOCOL))
        if info.name == "flow.dialect":
            return replace(info, choices=words.all_of("dialects"), closed=False)
        if info.name == "finding.rule":
            return replace(info, choices=words.rules, closed=False)
        if info.name == "message.name":
            return replace(
                info,
                choices=tuple(dict.fromkeys(message.name for message in words.messages)),
                closed=False,
                aliases=_short_names(words.messages),
            )
        return info


def _short_names(messages: Iterable[Layout]) -> dict[str, tuple[str, ...]]:
    names: dict[str, tuple[str, ...]] = {}
    for message in messages:
        if message.short != message.name:
            known = names.get(message.short.lower(), ())
            names[message.short.lower()] = tuple(dict.fromkeys((*known, message.name)))
    return names
