"""Opening a capture for a command: decode it to its end, with a progress bar where a person watches."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from analyzer.capture.frames import CaptureError
from analyzer.cli.errors import CommandError
from analyzer.cli.output import note
from analyzer.cli.pipes import as_file
from analyzer.engine.capture import Capture
from analyzer.engine.pins import Pin, Pins
from analyzer.engine.query import Query
from analyzer.engine.schemas import use_schemas
from analyzer.protocols.base import SchemaError
from analyzer.stats.capture import PacketKinds
from analyzer.stats.snapshots import CodeNames

MIB = 1 << 20
MAX_WARNINGS = 20
"""Problems of a file that are told one by one."""


@contextmanager
def decoded(
    path: Path,
    memory_limit: int | None = None,
    decode_as: Sequence[Pin] | None = None,
    schemas: Sequence[Path] | None = None,
    *,
    warn: bool = True,
) -> Iterator[tuple[Capture, Query]]:
    """The decoded capture and its query side. `warn`: name the file's problems on standard error.

    `memory_limit`: MiB of tables that stay in memory, if not as many as suit the machine. `decode_as`: how flows are
    read, whatever they look like.

    `schemas`: files that name what a mod adds.

    Raises CommandError where the file cannot be read as a capture, or what a schema file says is wrong.
    """
    add_schemas(schemas)
    with ExitStack() as opened:
        with _sentences(path):
            file = opened.enter_context(as_file(path))
            limit = None if memory_limit is None else memory_limit * MIB
            capture = opened.enter_context(Capture.open(file, memory_limit=limit, pins=pins_of(decode_as)))
        with _sentences(path):
            _decode(capture, path)
        _refuse_headless(capture, path)
        if warn:
            _warn(capture, path)
        note_unmet(path, capture, decode_as)
        query = capture.query()
        try:
            yield capture, query
        finally:
            query.close()


def add_schemas(files: Sequence[Path] | None) -> None:
    """Let schema files count, and no others. Raises CommandError."""
    try:
        use_schemas(files or ())
    except SchemaError as error:
        raise CommandError(str(error)) from error


def pins_of(decode_as: Sequence[Pin] | None) -> Pins:
    """What the command line says; of two for the same flows the later one counts."""
    pins = Pins()
    for pin in decode_as or ():
        pins = pins.with_pin(pin)
    return pins


def note_unmet(path: Path, capture: Capture, decode_as: Sequence[Pin] | None) -> None:
    """Say which of `decode_as` no flow is meant by: a port may be mistyped."""
    flows = capture.tables.flows
    for pin in decode_as or ():
        ends = zip(flows.array("address_a").tolist(), flows.array("address_b").tolist(), strict=True)
        if all(pin.place.server_of(*both) < 0 for both in ends):
            note(f"warning: {path}: no flow is meant by --decode-as {pin}")


@contextmanager
def _sentences(path: Path) -> Iterator[None]:
    """What is wrong with the file, as one sentence that names it."""
    try:
        yield
    except CaptureError as error:
        text = str(error)
        raise CommandError(text if path.name in text else f"{path}: {text}") from error
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from error


def packet_kinds(capture: Capture) -> PacketKinds:
    """The kinds of packets of every protocol, as the statistics want them."""
    return {protocol.name: protocol.packet_kinds for protocol in capture.protocols}


def code_names(capture: Capture) -> CodeNames:
    """The names of the report codes of every protocol, as the statistics want them."""
    return {protocol.name: tuple(code.name for code in protocol.codes) for protocol in capture.protocols}


def code_legends(capture: Capture) -> dict[str, str]:
    """What each report code means, of the protocols of this program."""
    return {code.name: code.legend for protocol in capture.protocols for code in protocol.codes}


def _decode(capture: Capture, path: Path) -> None:
    if sys.stderr is None or not sys.stderr.isatty():
        capture.decode()
        return
    # Not loaded where nobody watches.
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), DownloadColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"Decoding {path.name}", markup=False, total=None)
        capture.decode(lambda done, total: progress.update(task, completed=done, total=total))


def _refuse_headless(capture: Capture, path: Path) -> None:
    """A file whose header cannot be read is no capture; an empty one, or one cut later, has just fewer frames."""
    source = capture.source
    if not len(capture.tables.frames) and source.format != "empty" and not source.interfaces and capture.problems:
        problem = capture.problems[0]
        raise CommandError(f"{path}: {problem.text} (at byte {problem.offset:,})")


def _warn(capture: Capture, path: Path) -> None:
    problems = capture.problems
    for problem in problems[:MAX_WARNINGS]:
        note(f"warning: {path}: {problem.text} (at byte {problem.offset:,})")
    if len(problems) > MAX_WARNINGS:
        note(f"warning: {path}: {len(problems) - MAX_WARNINGS:,} more problems (`summary` lists all)")
