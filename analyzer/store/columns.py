"""Append-only columns in numpy chunks of 64k rows. One writer appends; readers see the prefix that was published."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from analyzer.store.chunk_memory import ChunkMemory, in_file
from analyzer.store.journal import Journal
from analyzer.store.pieces import Pieces

CHUNK_ROWS = 65_536
"""Rows of a chunk: appending never moves old rows, so a reader needs no lock beyond the published row count."""

Array = NDArray[np.generic]
Ints = NDArray[np.int64]
Place: TypeAlias = tuple[int, "Ints | slice", Ints]
"""A chunk, which of some rows it holds, in their order, and where in it they are."""


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """One column of a table: its name, numpy type code (`O` for text and objects), meaning, and value while unset."""

    name: str
    dtype: str
    doc: str
    unset: int | bool | str | None = None
    """For a column that becomes known later than its row: what it holds until then."""
    ref: str = ""
    """Name of the table whose rows the values number; -1 is no row."""
    moves: bool = False
    """Of `O`: texts only, which move to the temporary file like numbers."""


class Column:
    """The values of one column, in chunks."""

    def __init__(self, spec: ColumnSpec, memory: ChunkMemory | None = None) -> None:
        """`memory`: that of the capture's tables."""
        self.spec = spec
        self._memory = memory or ChunkMemory()
        self._dtype = np.dtype(spec.dtype)
        self._chunks: list[Array] = []
        self._rows = 0

    def append(self, values: Array) -> None:
        """Add `values`, shape (n,), behind the last row."""
        taken = 0
        while taken < len(values):
            room = len(self._chunks) * CHUNK_ROWS - self._rows
            if room == 0:
                self._memory.add(self._chunks, CHUNK_ROWS, self._dtype)
                room = CHUNK_ROWS
            count = min(room, len(values) - taken)
            start = self._rows % CHUNK_ROWS
            self._chunks[-1][start : start + count] = values[taken : taken + count]
            self._rows += count
            taken += count

    def get(self, row: int) -> object:
        """The value of one row as a Python object."""
        return self._chunks[row // CHUNK_ROWS].item(row % CHUNK_ROWS)

    def slice(self, start: int, stop: int) -> Array:
        """Rows start to stop - 1, shape (stop - start,); a copy."""
        parts = []
        while start < stop:
            chunk, first = divmod(start, CHUNK_ROWS)
            count = min(stop - start, CHUNK_ROWS - first)
            parts.append(self._chunks[chunk][first : first + count])
            start += count
        return np.concatenate(parts) if parts else np.empty(0, self._dtype)

    def take(self, rows: Ints) -> Array:
        """The values of any rows, shape like `rows`."""
        result = np.empty(len(rows), self._dtype)
        for chunk, here, at in places_of(rows):
            result[here] = self._chunks[chunk][at]
        return result

    def put(self, places: Iterable[Place], values: Array) -> None:
        """Overwrite the rows whose `places_of` are given; for a column with an unset value.

        Of a row named twice the last value stays.
        """
        for chunk, here, at in places:
            self._chunks[chunk][at] = values[here]

    @property
    def nbytes(self) -> int:
        """Bytes of the rows in use, wherever they are; objects count as their pointers."""
        return self._rows * self._dtype.itemsize

    @property
    def in_file(self) -> int:
        """Bytes of chunks that moved to the temporary file."""
        return in_file(self._chunks)

    def object_bytes(self) -> int:
        """Bytes of the objects that are pointed to, each counted once, without what they themselves refer to."""
        if not self._dtype.hasobject:
            return 0
        return sum({id(value): sys.getsizeof(value) for value in self.slice(0, self._rows).tolist()}.values())


class TextColumn(Column):
    """Texts of a table that grows with the packets: they move like numbers, and what is asked for is made anew."""

    def __init__(self, spec: ColumnSpec, memory: ChunkMemory | None = None) -> None:
        memory = memory or ChunkMemory()
        super().__init__(replace(spec, dtype="i8"), memory)
        self.spec = spec
        self._texts = Pieces(memory)
        self._bytes = 0

    def append(self, values: Array) -> None:
        super().append(self._stored(values))

    def get(self, row: int) -> object:
        place = super().get(row)
        assert isinstance(place, int)
        return self._texts.get(place).decode("utf-8", "surrogatepass")

    def slice(self, start: int, stop: int) -> Array:
        return self._made(super().slice(start, stop))

    def take(self, rows: Ints) -> Array:
        return self._made(super().take(rows))

    def put(self, places: Iterable[Place], values: Array) -> None:
        """Overwrite rows. What they held keeps its room."""
        super().put(places, self._stored(values))

    @property
    def nbytes(self) -> int:
        """Bytes of the rows in use and of their texts, wherever they are."""
        return super().nbytes + self._bytes

    @property
    def in_file(self) -> int:
        """Bytes of chunks and texts that moved to the temporary file."""
        return super().in_file + self._texts.in_file

    def _stored(self, values: Array) -> Array:
        texts = [str(value).encode("utf-8", "surrogatepass") for value in values.tolist()]
        self._bytes += sum(map(len, texts))
        return np.array([self._texts.put(text) for text in texts], np.int64)

    def _made(self, places: Array) -> Array:
        return _objects([self._texts.get(place).decode("utf-8", "surrogatepass") for place in places.tolist()])


class Table:
    """Columns of equal length. `len()` is the number of published rows; `appended` counts those not yet visible too."""

    def __init__(
        self, name: str, specs: Sequence[ColumnSpec], journal: Journal, memory: ChunkMemory | None = None
    ) -> None:
        """`memory`: that of the capture's tables."""
        self.name = name
        self.specs = tuple(specs)
        memory = memory or ChunkMemory()
        self.columns = {spec.name: (TextColumn if spec.moves else Column)(spec, memory) for spec in specs}
        self.appended = 0
        self._published = 0
        self._journal = journal

    def __len__(self) -> int:
        return self._published

    def append(self, values: Mapping[str, Array | Sequence[object]], count: int) -> int:
        """Add `count` rows and return the number of the first. A column that is not named must have an unset value.

        Raises ValueError for a column that is missing, unknown or of another length, and OverflowError for a number
        that its column cannot hold; no column has changed then.
        """
        unknown = values.keys() - self.columns.keys()
        if unknown:
            raise ValueError(f"{self.name} has no column {', '.join(sorted(unknown))}")
        arrays = [self._array_for(spec, values.get(spec.name), count) for spec in self.specs]
        for column, array in zip(self.columns.values(), arrays, strict=True):
            column.append(array)
        first = self.appended
        self.appended += count
        return first

    def _array_for(self, spec: ColumnSpec, given: Array | Sequence[object] | None, count: int) -> Array:
        if given is None:
            if spec.unset is None:
                raise ValueError(f"{self.name}.{spec.name} needs a value for every row")
            return np.full(count, spec.unset, dtype=spec.dtype)
        array = _stored(given, spec.dtype)
        if array.shape != (count,):
            raise ValueError(f"{self.name}.{spec.name} has shape {array.shape} for {count} rows")
        return array

    def amend(self, column: str, rows: Iterable[int] | Ints, values: Iterable[object] | Array) -> None:
        """Set values that became known after their rows, and log the published ones in the journal.

        Raises OverflowError for a number that the column cannot hold; nothing has changed then.
        """
        numbers = rows if isinstance(rows, np.ndarray) else np.fromiter(rows, dtype=np.int64)
        self.amend_together(numbers, {column: values if isinstance(values, np.ndarray) else list(values)})

    def amend_together(self, rows: Ints, values: Mapping[str, Array | Sequence[object]]) -> None:
        """`amend` several columns of the same rows: where these lie is found once."""
        if not len(rows):
            return
        stored = {name: _stored(given, self.columns[name].spec.dtype) for name, given in values.items()}
        places = tuple(places_of(rows))
        for name, array in stored.items():
            self.columns[name].put(places, array)
        visible = rows[rows < self._published]
        if len(visible):
            start, stop = int(visible.min()), int(visible.max()) + 1
            for name in stored:
                self._journal.log(self.name, name, start, stop)

    def publish(self, rows: int | None = None) -> None:
        """Let readers see the first `rows` rows, every one appended so far if not said."""
        self._published = self.appended if rows is None else max(rows, self._published)

    def get(self, column: str, row: int) -> object:
        """One value as a Python object."""
        return self.columns[column].get(row)

    def integer(self, column: str, row: int) -> int:
        """One value of a number column."""
        value = self.columns[column].get(row)
        assert isinstance(value, int)
        return value

    def text(self, column: str, row: int) -> str:
        """One value of a text column."""
        value = self.columns[column].get(row)
        assert isinstance(value, str)
        return value

    def row(self, row: int) -> dict[str, object]:
        """Every column of one row."""
        return {name: column.get(row) for name, column in self.columns.items()}

    def array(self, column: str, start: int = 0, stop: int | None = None) -> Array:
        """Published rows start to stop - 1 of a column, shape (stop - start,)."""
        return self.columns[column].slice(start, self._published if stop is None else stop)

    def integers(self, column: str, start: int = 0, stop: int | None = None) -> Ints:
        """Like `array`, widened for arithmetic."""
        return self.array(column, start, stop).astype(np.int64)

    def take(self, column: str, rows: Ints) -> Array:
        """The column's values of any rows, shape like `rows`."""
        return self.columns[column].take(rows)

    @property
    def nbytes(self) -> int:
        """Bytes of all rows in use."""
        return sum(column.nbytes for column in self.columns.values())


def places_of(rows: Ints) -> Iterator[Place]:
    """The chunks that hold the rows; mostly it is one."""
    if not len(rows):
        return
    first, last = int(rows.min()) // CHUNK_ROWS, int(rows.max()) // CHUNK_ROWS
    if first == last:
        yield first, slice(None), rows - first * CHUNK_ROWS
        return
    chunks = rows // CHUNK_ROWS
    ascends = bool((chunks[1:] >= chunks[:-1]).all())
    # Sorting is what takes time, and most rows are asked for in their order.
    order = None if ascends else np.argsort(chunks, kind="stable")
    ordered = chunks if order is None else chunks[order]
    starts = [0, *(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1).tolist(), len(rows)]
    for start, stop in pairwise(starts):
        here = slice(start, stop) if order is None else order[start:stop]
        chunk = int(ordered[start])
        yield chunk, here, rows[here] - chunk * CHUNK_ROWS


def _stored(values: Array | Sequence[object], code: str) -> Array:
    """Values as a column with this type code keeps them. numpy alone would wrap integers round that are too large."""
    if code == "O":
        return _objects(values)
    stored = np.asarray(values, dtype=code)
    if (
        isinstance(values, np.ndarray)
        and values.dtype != stored.dtype
        and {values.dtype.kind, stored.dtype.kind} <= {*"iu"}
    ):
        lost = stored != values
        if lost.any():
            raise OverflowError(f"{values[lost][0]} does not fit into {stored.dtype}")
    return stored


def _objects(values: Array | Sequence[object]) -> Array:
    """An object array; numpy alone would turn equal-length sequences into a matrix."""
    result = np.empty(len(values), dtype="O")
    for index, value in enumerate(values):
        result[index] = value
    return result
