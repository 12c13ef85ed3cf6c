"""Our own mistakes, told in one line; the traceback only for those who ask for it."""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from analyzer.cli.output import note

TRACEBACK_VARIABLE = "SNAPSCOPE_TRACEBACK"
MAX_TOLD = 5
"""The same mistake often strikes many packets."""


def tell(error: BaseException) -> None:
    """Report an exception that should not have happened."""
    if os.environ.get(TRACEBACK_VARIABLE):
        traceback.print_exception(error)
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    note(f"internal error: {what} (please report; set {TRACEBACK_VARIABLE}=1 for details)")


@contextmanager
def told() -> Iterator[None]:
    """While this is open, what the engine logs about its mistakes is told the same way."""
    handler = _Teller(logging.WARNING)
    logger = logging.getLogger("analyzer")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


class _Teller(logging.Handler):
    """Says what went wrong in a line, without a traceback."""

    _told = 0

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self._told += 1
        if self._told > MAX_TOLD:
            return
        if error is None:
            note(record.getMessage())
        else:
            tell(error)
