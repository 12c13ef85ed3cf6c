"""What is searched for in packets: a text that the list shows, a message, a value, bytes. Knows no Qt.

All of it is asked on the query thread, of which each match has rows and caches of its own.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from enum import Enum
from typing import Protocol

import numpy as np

from analyzer.engine.query import Query
from analyzer.filters.nodes import Needs
from analyzer.filters.parse import parse
from analyzer.store.columns import CHUNK_ROWS
from analyzer.store.tables import Tables
from analyzer.wire.reader import Field
from analyzer.wire.secrets import Secrets
from ui.marks import Bools, PacketSet
from ui.models.added_columns import FieldView
from ui.models.field_text import shown
from ui.models.packet_cells import Column, PacketCells, Rows

SLICE_S = 0.05
"""So long other questions wait at most."""
SHARED = (Column.SOURCE, Column.DESTINATION, Column.CLIENT, Column.PROTOCOL)
NUMBERS = (Column.NUMBER, Column.TIME, Column.LENGTH)
NUMERIC = frozenset("0123456789.:-\u2212 ")
"""What numbers and times consist of."""
_HEX = re.compile(r"(?:0x)?[0-9a-f]{2}(?:[\s:,-]*(?:0x)?[0-9a-f]{2})*", re.IGNORECASE)


class FindBy(Enum):
    """What a search looks at."""

    TEXT = "text"
    """Any column of the list."""
    MESSAGE = "message"
    """Names of messages."""
    VALUE = "value"
    """Names and values of fields, in the packet and in its snapshot's changes."""
    BYTES = "bytes"
    """The payload as it was captured."""
    PLAIN = "plain"
    """The payload as it was unpacked."""
    FILTER = "filter"
    """A display filter is true of them."""


class Match(Protocol):
    """Whether packets are what is searched for."""

    @property
    def batch(self) -> int:
        """So many packets are asked about at a time."""

    def fits(self, query: Query, packets: Rows) -> Bools:
        """Of some packets, in any order."""


def search(match: Match, query: Query, packets: Rows, ignored: PacketSet) -> tuple[int, int]:
    """The place of the first packet that fits, -1: none does; and of how many that is known."""
    end = time.monotonic() + SLICE_S
    for start in range(0, len(packets), match.batch):
        some = packets[start : start + match.batch]
        asked = np.flatnonzero(~ignored.has(some))
        found = np.flatnonzero(match.fits(query, some[asked])) if len(asked) else asked
        if len(found):
            place = start + int(asked[found[0]])
            return place, place + 1
        if time.monotonic() > end:
            return -1, start + len(some)
    return -1, len(packets)


class TextMatch:
    """Does a packet show a text? Columns that all packets of a client share are looked at once."""

    batch = 16

    def __init__(self, cells: PacketCells, text: str) -> None:
        """`cells`: nobody else's."""
        self._cells = cells
        self._text = text.casefold()
        self._numeric = set(text) <= NUMERIC
        self._known: dict[tuple[int, int, int], bool] = {}

    def fits(self, query: Query, packets: Rows) -> Bools:
        return np.array([self._fits(query, packet) for packet in packets.tolist()], np.bool_)

    def _fits(self, query: Query, packet: int) -> bool:
        packets = self._cells.tables.packets
        key = (
            packets.integer("flow", packet),
            packets.integer("direction", packet),
            packets.integer("session", packet),
        )
        shared = self._known.get(key)
        if shared is None:
            shared = self._known[key] = self._in(packet, SHARED)
        if shared or (self._numeric and self._in(packet, NUMBERS)):
            return True
        return self._text in query.info(packet).casefold()

    def _in(self, packet: int, columns: tuple[Column, ...]) -> bool:
        return any(self._text in text.casefold() for text in self._cells.some_texts(packet, columns))


class SetMatch:
    """Which packets fit is found for all at once, when it is asked first."""

    batch = CHUNK_ROWS

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._found: PacketSet | None = None

    def fits(self, query: Query, packets: Rows) -> Bools:
        if self._found is None:
            self._found = PacketSet()
            self._found.change(self.mask(query), True)
        return self._found.has(packets)

    def mask(self, query: Query) -> Bools:
        """Of all packets, shape (packets,)."""
        raise NotImplementedError


class MessageMatch(SetMatch):
    """Does a packet carry a message with a text in its name?"""

    def __init__(self, tables: Tables, text: str) -> None:
        super().__init__(tables)
        self._text = text.casefold()

    def mask(self, query: Query) -> Bools:
        tables = self._tables
        found = np.zeros(len(tables.packets), np.bool_)
        names = [number for number in range(len(tables.names)) if self._text in tables.names[number].casefold()]
        if not names:
            return found
        alive = tables.readings.array("alive").astype(np.bool_)
        messages, count = tables.messages, len(tables.messages)
        for start in range(0, count, CHUNK_ROWS):
            stop = min(start + CHUNK_ROWS, count)
            wanted = np.isin(messages.array("name", start, stop), names)
            wanted &= alive[messages.integers("reading", start, stop)]
            packets = messages.integers("packet", start, stop)[wanted]
            found[packets[packets < len(found)]] = True
        return found


class FilterMatch(SetMatch):
    """Is a display filter true of a packet? One that has to read bytes or items is asked about few at a time."""

    def __init__(self, tables: Tables, view: FieldView, text: str) -> None:
        """Raises FilterError."""
        super().__init__(tables)
        self._view = view
        self._filter = parse(text, view.fields)
        if self._filter.needs is not Needs.COLUMNS:
            self.batch = 128 if self._filter.needs is Needs.BYTES else 16

    def fits(self, query: Query, packets: Rows) -> Bools:
        if self._filter.needs is Needs.COLUMNS:
            return super().fits(query, packets)
        order = np.argsort(packets)
        found = np.zeros(len(packets), np.bool_)
        found[order] = self._filter.chosen(self._view.of(query), packets[order])
        return found

    def mask(self, query: Query) -> Bools:
        return self._filter.packets(self._view.of(query), 0, len(self._tables.packets))


class ValueMatch:
    """Has a field of the packet a text in its name or value? Passwords are not looked at."""

    batch = 1

    def __init__(self, text: str) -> None:
        self._text = text.casefold()

    def fits(self, query: Query, packets: Rows) -> Bools:
        return np.array([self._fits(query, packet) for packet in packets.tolist()], np.bool_)

    def _fits(self, query: Query, packet: int) -> bool:
        tree = query.explain(packet)
        secrets = Secrets(tree)
        return any(self._text in _said(node, secrets).casefold() for node in _walk(tree.fields))


def _walk(fields: tuple[Field, ...]) -> Iterator[Field]:
    for node in fields:
        yield node
        yield from _walk(node.children)


def _said(node: Field, secrets: Secrets) -> str:
    if secrets.hides(node):
        return node.name
    return f"{node.name}\n{shown(node.value)}\n{node.text}"


class BytesMatch:
    """Are some bytes in the captured payload, or with `plain` in what it was unpacked to?"""

    def __init__(self, wanted: bytes, *, plain: bool) -> None:
        self._wanted = wanted
        self._plain = plain
        self.batch = 1 if plain else 256

    def fits(self, query: Query, packets: Rows) -> Bools:
        if not self._plain:
            return np.array([self._wanted in data for data in query.payloads(packets.tolist())], np.bool_)
        trees = (query.explain(packet) for packet in packets.tolist())
        return np.array([any(self._wanted in one.data for one in tree.buffers[1:]) for tree in trees], np.bool_)


def read_bytes(text: str) -> bytes:
    """Bytes written in hex: `0aff31`, `0a ff 31`, `0x0a, 0xff`, `0a:ff`. Raises ValueError with a sentence."""
    if not _HEX.fullmatch(text.strip()):
        raise ValueError("Bytes are written in hex, two digits each: 0a ff 31")
    return bytes.fromhex(re.sub(r"0x|[\s:,-]", "", text, flags=re.IGNORECASE))
