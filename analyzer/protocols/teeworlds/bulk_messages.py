"""Messages of many packets at once, compiled: where they are, and numbers in them. Spec sections 4, 5, 7 and 8."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from analyzer.protocols.base import MessagePlace, SessionFacts
from analyzer.protocols.teeworlds.chain_kernels import Found, Packets, read_ints
from analyzer.protocols.teeworlds.dialects import DIALECTS, Dialect
from analyzer.protocols.teeworlds.flow_columns import FIELDS, MAX_CHUNKS, dialect_tables
from analyzer.protocols.teeworlds.layout import MessageField, MessageType
from analyzer.snapshots.layouts import is_named
from analyzer.transports.teeworlds_huffman import HUFFMAN
from analyzer.wire.kernels import huffman_tables, words_of

_HUFFMAN = huffman_tables(HUFFMAN)
_NO_NUMBERS = ("str", "text", "raw", "uuid", "address", "item", "group")
"""Kinds of fields that are no number each."""


def prepared(messages: Sequence[MessagePlace], dialect: Dialect) -> tuple[Packets, Found]:
    """What kernels need to look into messages of packets of one dialect."""
    payloads = [payload for payload, _, _ in messages]
    buffer = b"".join(payloads)
    plain = np.empty((len(messages), -(-dialect.variant.max_payload // 8)), dtype=np.uint64)
    plain_bytes = plain.view(np.uint8)
    plain_bytes.flags.writeable = False
    roles, flags = dialect_tables(dialect.name)
    packets = Packets(
        np.frombuffer(buffer, dtype=np.uint8),
        words_of(buffer),
        np.array([*accumulate(map(len, payloads))], dtype=np.int64),
        np.array([place[1:] for place in messages], dtype=np.int64).reshape(-1, 2),
        _HUFFMAN,
        flags,
        roles,
        dialect.variant.token_place,
        dialect.variant.size_shift,
        dialect.variant.max_payload,
    )
    found = Found(
        plain,
        plain_bytes,
        np.empty((MAX_CHUNKS, 4), dtype=np.int64),
        np.empty(FIELDS, dtype=np.int64),
        np.empty((len(messages), 4), dtype=np.int64),
    )
    return packets, found


def message_ints(
    messages: Sequence[MessagePlace], facts: SessionFacts, name: str, field: str
) -> NDArray[np.int64] | None:
    """As `protocols.base.MessageInts`."""
    dialect = DIALECTS[facts.dialect]
    layouts = [message for message in dialect.schema.messages if message.name == name]
    place = _place(layouts[0], field) if len(layouts) == 1 else None
    if place is None:
        return None
    values = np.empty((len(messages), 2), dtype=np.int64)
    packets, found = prepared(messages, dialect)
    read_ints(packets, found, *place, values)
    return values


def _place(layout: MessageType, name: str) -> tuple[int, int, int, int] | None:
    """The arguments of `read_ints` for a field; None if it is no number behind numbers alone, or may be a secret."""
    if layout.number is None or layout.replaces is not None:
        return None
    names: list[str] = []
    length = item = -1
    for field in layout.fields:
        if field.kind.base == "item" and field.item is not None and _stands_alone(field) and field.length in names:
            length, item = names.index(field.length), len(names)
            names += field.item.int_names
            break
        if field.kind.base in _NO_NUMBERS or field.encoding or not _stands_alone(field):
            break
        names.append(field.name)
    meant = [number for number, known in enumerate(names) if is_named(known, name)]
    head = layout.number << 1 | layout.system
    return (head, meant[0], length, max(item, 0)) if len(meant) == 1 else None


def _stands_alone(field: MessageField) -> bool:
    return not (field.count != 1 or field.rest or field.times or field.when or field.secret)
