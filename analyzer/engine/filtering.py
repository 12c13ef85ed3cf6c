"""What filters need of a capture beyond its tables: words of its protocols, bytes of messages, items of snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from analyzer.engine.item_reading import BulkItemReader
from analyzer.engine.query import Query
from analyzer.expert.rules import RULES
from analyzer.filters.registry import Registry
from analyzer.filters.terms import MessageTerm, Value
from analyzer.filters.values import Ints
from analyzer.filters.view import Findings, View
from analyzer.filters.vocabulary import Vocabulary, Words
from analyzer.protocols.base import Protocol
from analyzer.snapshots.layouts import Layouts, is_named
from analyzer.store.tables import Tables
from analyzer.wire.reader import Field


def vocabulary(protocols: Sequence[Protocol]) -> Vocabulary:
    """The words of some protocols, with what the schemas in use name now."""
    return Vocabulary({protocol.name: _words(protocol) for protocol in protocols}, tuple(RULES))


def registry(protocols: Sequence[Protocol]) -> Registry:
    """The fields that filters may have, with what the schemas in use name now. Make it anew when others are used."""
    return Registry(vocabulary(protocols))


def view(tables: Tables, query: Query, fields: Registry) -> View:
    """A capture for filters of all kinds, for the thread that the query is for."""
    return View(
        tables,
        fields.vocabulary,
        messages=MessageReader(tables, query),
        items=BulkItemReader(tables, query),
        findings=FindingsReader(query),
    )


def _words(protocol: Protocol) -> Words:
    return Words(
        packet_kinds=protocol.packet_kinds,
        packet_codes=tuple(text.partition(":")[0] for text in protocol.packet_codes),
        snapshot_kinds=protocol.snapshot_kinds,
        codes=tuple(code.name for code in protocol.codes),
        dialects=tuple(protocol.dialects),
        layouts=protocol.layouts() if protocol.layouts is not None else Layouts(),
    )


class FindingsReader:
    """What expert rules found so far, of those that look at items what whoever has the query made them look at."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._known: tuple[int, Findings] | None = None
        """What there was in which version."""

    def __call__(self) -> Findings:
        """All of them."""
        findings = self._query.findings
        findings.update()
        if self._known is None or self._known[0] != findings.version:
            names = tuple(RULES)
            found = [findings.places(name) for name in names]
            rule = np.repeat(np.arange(len(names)), [len(packet) for packet, _, _ in found])
            packet, snapshot, severity = (np.concatenate(columns) for columns in zip(*found, strict=True))
            self._known = findings.version, Findings(packet, snapshot, rule, severity, names)
        return self._known[1]


class MessageReader:
    """Reads fields of messages from the file."""

    def __init__(self, tables: Tables, query: Query) -> None:
        self._tables = tables
        self._query = query

    def read(self, term: MessageTerm, messages: Ints) -> tuple[Ints, list[Value]]:
        """The values of a term in rows of `messages`, and the index of the message of each."""
        columns = self._tables.messages
        packets = columns.take("packet", messages).astype(np.int64)
        kinds, kind = np.unique(
            np.column_stack([self._dialects(packets), columns.take("name", messages)]), axis=0, return_inverse=True
        )
        owners, values = [np.empty(0, np.int64)], list[Value]()
        for number in range(len(kinds)):
            own = np.flatnonzero(kind.ravel() == number)
            told = self._query.message_ints(messages[own], term.field)
            if told is not None:
                owners.append(own[told[:, 1] == 1])
                values += told[told[:, 1] == 1, 0].tolist()
                own = own[told[:, 1] < 0]
            for index, fields in zip(own.tolist(), self._query.message_fields(messages[own]), strict=True):
                found = list(_values_in(fields, term.field))
                owners.append(np.full(len(found), index))
                values += found
        owner = np.concatenate(owners)
        order = np.argsort(owner, kind="stable")
        return owner[order], [values[at] for at in order.tolist()]

    def _dialects(self, packets: Ints) -> Ints:
        """A number for the protocol and dialect that each packet is read as, shape (n,)."""
        tables = self._tables
        reading = tables.flows.take("reading", tables.packets.take("flow", packets).astype(np.int64)).astype(np.int64)
        different, place = np.unique(reading, return_inverse=True)
        numbers: dict[object, int] = {}
        names = [
            None if row < 0 else (tables.readings.get("protocol", row), tables.readings.get("dialect", row))
            for row in different.tolist()
        ]
        known = np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)
        return known[place.ravel()]


def _values_in(fields: Iterable[Field], name: str) -> Iterator[Value]:
    """Values of the fields of a name at any depth, in the order of the wire; what is secret is left out."""
    for field in fields:
        if is_named(field.name, name) and field.value is not None and not field.secret:
            yield int(field.value) if isinstance(field.value, bool) else field.value
        yield from _values_in(field.children, name)
