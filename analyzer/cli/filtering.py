"""A display filter on the command line: what it chooses, and how one that is wrong is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from analyzer.cli.errors import WrongFilterError
from analyzer.cli.opening import add_schemas
from analyzer.cli.output import one_line
from analyzer.cli.progress import look_at_items, progress
from analyzer.engine import filtering
from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.filters.errors import FilterError
from analyzer.filters.kinds import Owner
from analyzer.filters.nodes import Needs
from analyzer.filters.on_demand import Progress
from analyzer.filters.parse import parse
from analyzer.filters.value_tests import Bools
from analyzer.filters.view import View
from analyzer.protocols import PROTOCOLS
from analyzer.stats.live import Ints

SHOWN = 100
"""Characters of a filter shown around what is wrong with it."""


class Filtered:
    """What a filter chooses."""

    def __init__(self, text: str, schemas: Sequence[Path] | None) -> None:
        """`schemas`: files that name what a mod adds, which filters may then have, too. Raises WrongFilterError."""
        add_schemas(schemas)
        self._fields = filtering.registry(PROTOCOLS)
        try:
            self._filter = parse(text, self._fields)
        except FilterError as error:
            raise WrongFilterError(_told(text, error)) from error

    def packets(self, capture: Capture, query: Query) -> Bools:
        """Which packets, shape (packets,)."""
        with self._progress() as progress:
            return self._filter.packets(self._view(capture, query), 0, len(capture.tables.packets), progress)

    def snapshots(self, capture: Capture, query: Query, rows: Ints) -> Ints:
        """Those of some rows of `snapshots`, in their order."""
        with self._progress() as progress:
            chosen: Ints = rows[self._filter.snapshots(self._view(capture, query), rows, progress)]
        return chosen

    def _view(self, capture: Capture, query: Query) -> View:
        if any(field.of is Owner.FINDING for field in self._filter.fields):
            # There are rules that look at the items of all snapshots.
            look_at_items(query)
        return filtering.view(capture.tables, query, self._fields)

    @contextmanager
    def _progress(self) -> Iterator[Progress | None]:
        """How far it is, where it may take a while."""
        if self._filter.needs is Needs.COLUMNS:
            yield None
            return
        with progress("Filtering") as show:
            yield show


def _told(text: str, error: FilterError) -> str:
    """The sentence, and below it the filter with carets under what is wrong."""
    first = max(0, min(error.start - SHOWN // 2, len(text) - SHOWN))
    shown = one_line(text[first : first + SHOWN])
    indent = len(one_line(text[first : error.start]))
    width = max(1, min(len(one_line(text[error.start : error.end])), len(shown) - indent))
    return f"{error}\n  {shown}\n  {' ' * indent}{'^' * width}"
