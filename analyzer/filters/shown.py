"""Fields as a person reads them in a column: texts of some packets, and numbers that all packets are sorted by."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from analyzer.filters.chosen import ChosenScope
from analyzer.filters.columns import READERS
from analyzer.filters.fields import FieldInfo
from analyzer.filters.kinds import Kind
from analyzer.filters.on_demand import Asked
from analyzer.filters.value_tests import text_of
from analyzer.filters.values import Array, Ints, Values
from analyzer.filters.view import PacketScope, Scope, View

MOST_VALUES = 8
"""Of a packet in one cell."""
SOME = 1 << 16
"""Packets whose values are read at a time."""
RIGHT = (Kind.NUMBER, Kind.DURATION, Kind.TIME)
"""Kinds that are read down a column."""
UNSET = np.iinfo(np.int64).min
"""Sorts what has no value before all that has one."""
MS = 1_000_000
SECOND = 1_000_000_000


def texts(info: FieldInfo, view: View, packets: Ints) -> list[str]:
    """What a column of the field says of some packets, ascending, each once; empty where there is no value."""
    values = _values(info, ChosenScope(view, packets)).only_there()
    assert values.owner is not None
    said: list[dict[str, None]] = [{} for _ in range(len(packets))]
    for owner, value in zip(values.owner.tolist(), values.values.tolist(), strict=True):
        known = said[owner]
        if len(known) <= MOST_VALUES:
            known[_said(info, value if values.table is None else values.table[int(value)])] = None
    return [_joined(list(known)) for known in said]


def sort_keys(info: FieldInfo, view: View, stop: int) -> Ints:
    """A number for each of the first `stop` packets, shape (stop,): they rise as the first value of the field does."""
    # One for each packet of hours: it lies where the tables have room.
    found: Ints = view.tables.chunks.room(stop, np.dtype(np.int64)).view(np.int64)
    found[:] = UNSET
    texts_at: list[Ints] = []
    said: list[object] = []
    for start in range(0, stop, SOME):
        scope = PacketScope(view, start, min(start + SOME, stop))
        values = _values(info, scope).only_there()
        assert values.owner is not None
        # The first of each: a later one is overwritten by it.
        owners, numbers = values.owner[::-1] + start, values.values[::-1]
        if values.table is None:
            found[owners] = numbers if numbers.dtype.kind != "f" else _ordered(numbers)
            continue
        found[owners] = numbers.astype(np.int64) + len(said)
        texts_at.append(np.unique(owners))
        said += list(values.table)
    if said:
        places = np.concatenate(texts_at)
        found[places] = _ranks(said)[found[places]]
    return found


def unit(info: FieldInfo) -> str:
    """What a head says behind the name."""
    return {Kind.DURATION: "ms", Kind.TIME: "UTC"}.get(info.kind, "")


def _values(info: FieldInfo, scope: Scope) -> Values:
    everything = np.ones(scope.rows, np.bool_)
    if info.message is not None:
        return Asked().of_messages(scope, info.message, everything)
    if info.item is not None:
        return Asked([info.item]).of_items(scope, info.item, everything)
    return READERS[info.name](scope)


def _said(info: FieldInfo, value: object) -> str:
    if info.kind is Kind.FLAG:
        return "yes" if value else "no"
    if isinstance(value, bytes):
        return value.hex(" ")
    if isinstance(value, int | float):
        if info.kind is Kind.DURATION:
            return f"{value / MS:.3f}"
        if info.kind is Kind.TIME:
            moment = datetime.fromtimestamp(int(value) // SECOND, UTC)
            return f"{moment:%H:%M:%S}.{int(value) % SECOND // 1000:06d}"
        return f"{value:g}" if isinstance(value, float) else str(value)
    return text_of(value)


def _joined(said: list[str]) -> str:
    shown = ", ".join(said[:MOST_VALUES])
    return f"{shown}, ..." if len(said) > MOST_VALUES else shown


def _ordered(numbers: Array) -> Ints:
    """Floating point numbers as whole ones that rise with them."""
    bits = numbers.astype(np.float64).view(np.int64)
    return np.where(bits < 0, ~bits ^ np.int64(-(1 << 63)), bits)


def _ranks(values: Sequence[object]) -> Ints:
    """The place of each value among the different ones in order: numbers first, then texts."""
    keys = [
        (0, float(value), "")
        if isinstance(value, int | float)
        else (1, 0.0, value.hex() if isinstance(value, bytes) else text_of(value).casefold())
        for value in values
    ]
    places = {key: place for place, key in enumerate(sorted(set(keys)))}
    return np.array([places[key] for key in keys], np.int64)
