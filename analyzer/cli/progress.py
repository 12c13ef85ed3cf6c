"""How far something is, on the standard error stream, where a person watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from analyzer.engine.query import Query

LOOK_S = 0.2
"""Between two looks at how far it is."""


@contextmanager
def progress(what: str) -> Iterator[Callable[[float], bool]]:
    """Yields what is to be told the share that is done, 0 to 1, and says to go on. At the end nothing is left of it."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda share: True
        return
    # Not loaded where nobody watches.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, markup=False, total=1.0)

        def show(share: float) -> bool:
            bar.update(task, completed=share)
            return True

        yield show


def look_at_items(query: Query) -> None:
    """Have the items of all snapshots looked at, for the rules about them."""
    with progress("Looking at items") as show:
        while query.look_at_items(LOOK_S):
            passed, every = query.items_looked_at
            show(passed / max(1, every))
