"""`live`: captures on a network interface, decodes what comes as it comes, and sums it up at the end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from analyzer.capture.frames import CaptureError
from analyzer.capture.live.control import Settings, Sniffer, SnifferError, list_interfaces
from analyzer.capture.live.messages import Fault
from analyzer.capture.live.rights import Through, ways
from analyzer.capture.spools import Spools
from analyzer.cli.errors import CommandError
from analyzer.cli.live_status import StatusLine
from analyzer.cli.opening import MIB, add_schemas, code_legends, code_names, packet_kinds, pins_of
from analyzer.cli.options import AsJson, DecodeAs, MemoryLimit, SchemaFiles
from analyzer.cli.output import Column, json_text, note, table_lines, write_lines
from analyzer.cli.summary import summary_record
from analyzer.cli.summary_page import page_lines
from analyzer.engine.capture import Capture
from analyzer.stats.capture import capture_stats

WAIT_S = 0.05
"""So often the spool is looked at; the sniffer writes about as often."""
_FIRST_BYTES = 1024
"""A spool without a frame is smaller."""


def live(
    interface: Annotated[
        str | None, typer.Argument(metavar="IFACE", help="Network interface; without one, all are listed.")
    ] = None,
    capture_filter: Annotated[
        str, typer.Option("--filter", "-f", metavar="BPF", help='Capture filter, such as "udp port 8303".')
    ] = "",
    write: Annotated[
        Path | None, typer.Option("--write", metavar="FILE", help="Keep the capture in this pcapng file, a new one.")
    ] = None,
    duration: Annotated[
        float | None, typer.Option("--duration", metavar="S", min=0, help="Stop after so many seconds.")
    ] = None,
    packets: Annotated[
        int | None, typer.Option("--packets", metavar="N", min=1, help="Stop after so many packets.")
    ] = None,
    size: Annotated[
        int | None, typer.Option("--bytes", metavar="N", min=1, help="Stop when the file has so many bytes.")
    ] = None,
    snap_length: Annotated[
        int | None, typer.Option("--snap-length", metavar="BYTES", min=1, help="Keep no more of each packet.")
    ] = None,
    promiscuous: Annotated[
        bool, typer.Option("--promiscuous/--no-promiscuous", help="Also packets that are for other machines.")
    ] = True,
    through: Annotated[
        Through | None, typer.Option("--through", help="What gives the right to capture, to the sniffer only.")
    ] = None,
    as_json: AsJson = False,
    memory_limit: MemoryLimit = None,
    decode_as: DecodeAs = None,
    schema: SchemaFiles = None,
) -> None:
    """Capture on a network interface, and sum up at the end.

    Decodes what comes as it comes and tells on standard error how it goes. Ctrl-C stops.
    """
    if str(write) == "-":
        raise typer.BadParameter("a capture is kept in a file, not on the standard output", param_hint="'--write'")
    if interface is None:
        write_lines(_places())
        return
    add_schemas(schema)
    with _spool(interface, write) as file:
        settings = Settings(interface, file, capture_filter, snap_length, promiscuous, packets, size, duration)
        with _sentences(), _told_to_stop() as told, Sniffer.start(settings, through) as sniffer:
            _wait_started(sniffer, told)
            limit = None if memory_limit is None else memory_limit * MIB
            with Capture.open(file, growing=True, memory_limit=limit, pins=pins_of(decode_as)) as capture:
                _follow(capture, sniffer, told)
                stats = capture_stats(capture.tables, packet_kinds(capture), code_names(capture))
                record = summary_record(write or Path(interface), capture, stats)
                page = [json_text(record, indent=2)] if as_json else page_lines(record, stats, code_legends(capture))
                write_lines(page)
        if sniffer.failed is not None:
            raise CommandError(sniffer.failed.text)


def _wait_started(sniffer: Sniffer, told: list[int]) -> None:
    try:
        sniffer.wait_started()
    except SnifferError:
        if told:
            # The terminal interrupts both.
            raise KeyboardInterrupt from None
        raise


def _follow(capture: Capture, sniffer: Sniffer, told: list[int]) -> None:
    """Decode until the sniffer has ended and everything that it wrote is decoded."""
    with StatusLine(capture, sniffer) as status:
        while True:
            before = capture.tables.frames.appended
            more = capture.step()
            if not more:
                return
            idle = capture.tables.frames.appended == before
            if told:
                sniffer.stop()
            # What has been said meanwhile is taken at once; where nothing was decoded, one word is waited for.
            if sniffer.next(WAIT_S if idle and not sniffer.ended else 0.0) is not None:
                while sniffer.next(0.0) is not None:
                    pass
            if sniffer.ended:
                capture.source.finish()
            status.show()


@contextmanager
def _told_to_stop() -> Iterator[list[int]]:
    """Signals so far: the first stops the sniffer in good order, a second one ends the command."""
    told: list[int] = []

    def on_signal(number: int, frame: object) -> None:
        if told:
            raise KeyboardInterrupt
        told.append(number)

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _spool(interface: str, write: Path | None) -> Iterator[Path]:
    """The file to capture into: the one that was asked for, or one that is kept only where something goes wrong."""
    if write is not None:
        yield write
        return
    spools = Spools()
    _tell_abandoned(spools)
    try:
        file = spools.make(interface, datetime.now())
    except OSError as error:
        raise CommandError(f"there is no room for the capture: {error.strerror}") from error
    try:
        yield file
    except BaseException:
        if file.exists() and file.stat().st_size > _FIRST_BYTES:
            note(f"what was captured is kept in {file}")
        else:
            spools.drop_others()
        raise
    spools.drop_others()


def _tell_abandoned(spools: Spools) -> None:
    """What earlier captures left behind; the window offers to take it over."""
    for spool in spools.look().spools:
        note(f"an earlier capture was not saved: {spool.file}")


@contextmanager
def _sentences() -> Iterator[None]:
    try:
        yield
    except SnifferError as error:
        raise CommandError(f"{error} {_advice()}".rstrip() if error.fault is Fault.RIGHT else str(error)) from error
    except CaptureError as error:
        raise CommandError(str(error)) from error


def _advice() -> str:
    """What there is to get the right by; never to run this program as root."""
    found = ways()
    offered = " or ".join(f"--through {way}" for way in found.ready)
    return " ".join(filter(None, [f"To let only the sniffer capture, use {offered}." if offered else "", found.hint]))


def _places() -> Iterator[str]:
    try:
        places = list_interfaces()
    except SnifferError as error:
        raise CommandError(str(error)) from error
    rows = [
        (place.name, "up" if place.up else "down", ", ".join(place.addresses) or "-", place.description)
        for place in places
    ]
    yield from table_lines((Column("interface"), Column("state"), Column("addresses"), Column("description")), rows)
