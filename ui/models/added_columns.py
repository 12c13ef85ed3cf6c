"""Columns that a person added to the packet list: fields of filters. Their texts are asked on the query thread."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.engine import filtering
from analyzer.engine.query import Query
from analyzer.filters import shown
from analyzer.filters.complete import complete
from analyzer.filters.fields import FieldInfo
from analyzer.filters.kinds import Kind
from analyzer.filters.registry import Registry
from analyzer.filters.view import View
from ui.document import Document
from ui.marks import Ints

MOST_KEPT = 1 << 14
"""Packets whose texts are kept."""
Texts = dict[int, tuple[str, ...]]
"""By packet, a text for each column."""


@dataclass(frozen=True, slots=True)
class AddedColumn:
    """One of them."""

    name: str
    """Of the field."""
    info: FieldInfo | None
    """None: no schema in use names it."""

    @property
    def title(self) -> str:
        """Its head."""
        unit = "" if self.info is None else shown.unit(self.info)
        return f"{self.name} [{unit}]" if unit else self.name

    @property
    def right(self) -> bool:
        """It is read down."""
        return self.info is not None and self.info.kind in shown.RIGHT


class FieldView:
    """The fields of a document's capture, and its tables as filters read them on the query thread."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._fields: Registry | None = None
        self._view: tuple[Query, View] | None = None
        # The first key that is typed need not wait for the schemas and the grammar to be read.
        document.ask("fields", lambda _query: complete(" ", 0, self.fields), lambda _found: None)

    @property
    def fields(self) -> Registry:
        """All there are."""
        if self._fields is None:
            self._fields = filtering.registry(self._document.worker.capture.protocols)
        return self._fields

    def of(self, query: Query) -> View:
        """For the query thread only."""
        if self._view is None or self._view[0] is not query:
            self._view = query, filtering.view(self._document.tables, query, self.fields)
        return self._view[1]


def offered(fields: Registry) -> list[FieldInfo]:
    """Fields that make a column: those that have values."""
    return [info for info in fields if info.kind is not Kind.PRESENCE]


class AddedColumns:
    """Those of one document."""

    def __init__(self, view: FieldView, names: Sequence[str]) -> None:
        self._view = view
        self._texts: OrderedDict[int, tuple[str, ...]] = OrderedDict()
        self.columns = tuple(AddedColumn(name, view.fields.get(name)) for name in names)

    def __len__(self) -> int:
        return len(self.columns)

    def texts(self, packet: int) -> tuple[str, ...] | None:
        """What they say of a packet; None: it was not asked yet."""
        return self._texts.get(packet)

    def take(self, texts: Texts) -> None:
        """An answer came."""
        for packet, said in texts.items():
            self._texts[packet] = said
            self._texts.move_to_end(packet)
        while len(self._texts) > MOST_KEPT:
            self._texts.popitem(last=False)

    def forget(self, start: int, stop: int) -> None:
        """Of packets start to stop - 1 something else may be known now."""
        for packet in [packet for packet in self._texts if start <= packet < stop]:
            del self._texts[packet]

    def clear(self) -> None:
        """Something else may be known of all."""
        self._texts.clear()

    def question(self, packets: Iterable[int]) -> Callable[[Query], Texts]:
        """What to ask the query thread about some packets."""
        asked = np.unique(np.fromiter(packets, np.int64))
        columns, view = self.columns, self._view

        def texts(query: Query) -> Texts:
            said = [
                [""] * len(asked) if column.info is None else shown.texts(column.info, view.of(query), asked)
                for column in columns
            ]
            return dict(zip(asked.tolist(), zip(*said, strict=True), strict=True))

        return texts

    def sort_keys(self, column: AddedColumn, query: Query, stop: int) -> Ints:
        """Numbers of the first `stop` packets that rise as the column does; on the query thread."""
        if column.info is None:
            return np.zeros(stop, np.int64)
        return shown.sort_keys(column.info, self._view.of(query), stop)
