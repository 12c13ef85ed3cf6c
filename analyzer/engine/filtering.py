"""What filters need of a capture beyond its tables: words of its protocols, bytes of messages, items of snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from analyzer.engine.item_reading import BulkItemReader
from analyzer.engine.query import Query
from analyzer.filters.registry import Registry
from analyzer.filters.terms import MessageTerm, Value
from analyzer.filters.values import Ints
from analyzer.filters.view import View
from analyzer.filters.vocabulary import Vocabulary, Words
from analyzer.protocols.base import Protocol
from analyzer.snapshots.layouts import Layouts, is_named
from analyzer.store.tables import Tables
from analyzer.wire.reader import Field


def vocabulary(protocols: Sequence[Protocol]) -> Vocabulary:
    """The words of some protocols, with what the schemas in use name now."""
    return Vocabulary({protocol.name: _words(protocol) for protocol in protocols})


def registry(protocols: Sequence[Protocol]) -> Registry:
    """The fields that filters may have, with what the schemas in use name now. Make it anew when others are used."""
    return Registry(vocabulary(protocols))


def view(tables: Tables, query: Query, fields: Registry) -> View:
    """A capture for filters of all kinds, for the thread that the query is for."""
    return View(tables, fields.vocabulary, messages=MessageReader(tables, query), items=BulkItemReader(tables, query))


def _words(protocol: Protocol) -> Words:
    return Words(
        packet_kinds=protocol.packet_kinds,
        packet_codes=tuple(text.partition(":")[0] for text in protocol.packet_codes),
        snapshot_kinds=protocol.snapshot_kinds,
        codes=tuple(code.name for code in protocol.codes),
        dialects=tuple(protocol.dialects),
        layouts=protocol.layouts() if protocol.layouts is not None else Layouts(),
    )


class MessageReader:
    """Reads fields of messages from the file."""

    def __init__(self, tables: Tables, query: Query) -> None:
        self._tables = tables
        self._query = query

    def read(self, term: MessageTerm, messages: Ints) -> tuple[Ints, list[Value]]:
        """The values of a term in rows of `messages`, and the index of the message of each."""
        owners: list[int] = []
        values: list[Value] = []
        for index, fields in enumerate(self._query.message_fields(messages)):
            for value in _values_in(fields, term.field):
                owners.append(index)
                values.append(value)
        return np.array(owners, np.int64), values


def _values_in(fields: Iterable[Field], name: str) -> Iterator[Value]:
    """Values of the fields of a name at any depth, in the order of the wire; what is secret is left out."""
    for field in fields:
        if is_named(field.name, name) and field.value is not None and not field.secret:
            yield int(field.value) if isinstance(field.value, bool) else field.value
        yield from _values_in(field.children, name)
