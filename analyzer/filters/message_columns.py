"""How fields of messages are read that tables hold."""

from __future__ import annotations

import numpy as np

from analyzer.filters.stretches import NUMBERS, Read, word_table
from analyzer.filters.values import Values
from analyzer.filters.view import Scope

NO_NUMBER = 65535
MESSAGE_FLAGS = {
    "system": 1,
    "vital": 2,
    "resent": 4,
    "repeated": 8,
    "ahead": 16,
    "control": 32,
    "connless": 64,
}
"""Bits of messages.flags."""


def _message_name(scope: Scope) -> Values:
    carried, names = scope.messages, scope.view.tables.names
    return Values(carried.column("name"), [names[number] for number in range(len(names))], owner=carried.owner)


def _message(column: str, unset: int | None = None) -> Read:
    def read(scope: Scope) -> Values:
        carried = scope.messages
        values, owner = carried.column(column), carried.owner
        if unset is not None:
            known = np.asarray(values != unset)
            values, owner = values[known], owner[known]
        return Values(values, owner=owner)

    return read


def _message_flag(bit: int) -> Read:
    def read(scope: Scope) -> Values:
        carried = scope.messages
        return Values(np.asarray(carried.column("flags") & bit != 0), owner=carried.owner)  # type: ignore[operator]

    return read


def _message_code(scope: Scope) -> Values:
    carried = scope.messages
    names, places = scope.view.protocol_of_flow()
    tables = scope.view.tables
    flows = tables.readings.integers("flow")[carried.column("reading").astype(np.int64)]
    keys = places[flows] * NUMBERS + carried.column("code").astype(np.int64)
    table, said = word_table(scope.view, names, "packet_codes")
    there = said[keys]
    return Values(keys[there], table, owner=carried.owner[there])


READERS: dict[str, Read] = {
    "message.name": _message_name,
    "message.id": _message("id", NO_NUMBER),
    "message.sequence": _message("sequence", NO_NUMBER),
    "message.size": _message("size"),
    "message.code": _message_code,
    **{f"message.{name}": _message_flag(bit) for name, bit in MESSAGE_FLAGS.items()},
}
"""By name of the field."""
