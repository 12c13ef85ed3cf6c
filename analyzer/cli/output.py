"""Ways out: lines, JSON, CSV and aligned tables on standard output, notes on standard error."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import json
import math
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice
from numbers import Integral

from analyzer.cli.errors import CommandError, OutputClosed

PROGRAM = "snapscope-cli"
COMPACT = (",", ":")
WIDTH_ROWS = 400
"""Rows looked at before a streamed table fixes the widths of its columns."""
FLUSH_CHARACTERS = 1 << 16


class Format(StrEnum):
    """How records are written."""

    jsonl = "jsonl"
    csv = "csv"
    text = "text"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a text table."""

    title: str
    right: bool = False
    """Numbers stand flush right."""


def prepare_streams() -> None:
    """Make both streams take any text: capture files hold names in every script, and bytes that are no text."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def write_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output in large pieces. Raises OutputClosed, CommandError."""
    pending: list[str] = []
    size = 0
    for line in lines:
        pending.append(line)
        size += len(line)
        if size > FLUSH_CHARACTERS:
            _write("\n".join(pending) + "\n")
            pending.clear()
            size = 0
    if pending:
        _write("\n".join(pending) + "\n")
    flush()


def bracketed(text: str) -> str:
    """A number and its meaning, which a text keeps two spaces apart, as they stand in a sentence: 5 (grabbed)."""
    number, gap, meaning = text.partition("  ")
    return f"{number} ({meaning})" if gap and not number.startswith('"') else text


def flush() -> None:
    """Hand over what is buffered. Raises OutputClosed, CommandError."""
    _write("")


def note(text: str) -> None:
    """One line on standard error; lost where nobody reads it."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"{PROGRAM}: {one_line(text)}", file=sys.stderr, flush=True)


def note_lines(text: str) -> None:
    """Lines on standard error, the first of which says who speaks."""
    first, *others = text.splitlines() or [""]
    note(first)
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            for line in others:
                print(one_line(line), file=sys.stderr, flush=True)


def abandon_stdout() -> None:
    """Point standard output at nothing, so that the interpreter's last flush neither fails nor waits."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def json_text(value: object, *, indent: int | None = None) -> str:
    """JSON that every reader takes: UTF-8, no NaN; bytes as hex, numbers JSON has no word for as text."""
    separators = COMPACT if indent is None else None
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=separators, indent=indent)
    except (TypeError, ValueError):
        return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, separators=separators, indent=indent)


def csv_lines(columns: Sequence[str], records: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """A header, then exactly one line a record: control characters become escapes."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="")
    for row in chain([list(columns)], ([one_line(_cell(record[name])) for name in columns] for record in records)):
        writer.writerow(row)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def table_lines(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Aligned columns under their titles. Widths come from the first rows; a later, wider cell pushes its line."""
    stream = iter(rows)
    first = [[one_line(cell) for cell in row] for row in islice(stream, WIDTH_ROWS)]
    widths = [max([len(column.title), *(len(row[at]) for row in first)]) for at, column in enumerate(columns)]
    later = ([one_line(cell) for cell in row] for row in stream)
    for row in chain([[column.title for column in columns]], first, later):
        cells = [
            cell.rjust(width) if column.right else cell.ljust(width)
            for cell, width, column in zip(row, widths, columns, strict=True)
        ]
        yield "  ".join(cells).rstrip()


def counted(number: int, noun: str) -> str:
    """A number and its noun, in the plural where it is not one."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def one_line(text: str) -> str:
    """The text without characters that move the cursor or speak to the terminal; those become escapes."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _write(text: str) -> None:
    if sys.stdout is None:
        raise CommandError("cannot write the output: it is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        abandon_stdout()
        # Windows reports a closed pipe as EINVAL.
        if error.errno in (errno.EPIPE, errno.ESHUTDOWN) or (os.name == "nt" and error.errno == errno.EINVAL):
            raise OutputClosed from error
        raise CommandError(f"cannot write the output: {error.strerror or error}") from error


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return " ".join(_cell(part) for part in value)
    return str(value)


def _plain(value: object) -> object:
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(entry) for entry in value]
    if value is None or isinstance(value, str | int | float):
        return value
    return int(value) if isinstance(value, Integral) else str(value)
