"""Arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from analyzer.cli.output import Format
from analyzer.engine.pins import Pin, parse_pin
from analyzer.protocols import PROTOCOLS

File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="Capture file: pcap or pcapng, also gzip-compressed; - is standard input."),
]
Records = Annotated[Format, typer.Option("--format", help="How records are written.", case_sensitive=False)]
AsJson = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]
MemoryLimit = Annotated[
    int | None,
    typer.Option(
        "--memory-limit",
        metavar="MIB",
        min=0,
        help="MiB of tables kept in memory, others in a temporary file; by default a quarter of the machine's memory.",
    ),
]
SchemaFiles = Annotated[
    list[Path] | None,
    typer.Option("--schema", metavar="JSON", help="Items and messages of a mod; may be repeated. See docs/schemas.md."),
]


def _read_pin(text: str) -> Pin:
    try:
        return parse_pin(text, PROTOCOLS)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


DecodeAs = Annotated[
    list[Pin] | None,
    typer.Option(
        "--decode-as",
        metavar="PORT=DIALECT",
        parser=_read_pin,
        help="Read the flows of a server so, whatever they look like: 8303=ddnet, 10.0.0.2:8303=0.6.5, or "
        "CLIENT:PORT-SERVER:PORT=none for one flow that is not decoded. May be repeated.",
    ),
]
Client = Annotated[
    str | None,
    typer.Option("--client", metavar="ADDR", help="Only this client: address or address:port, IPv6 as [::1]:8303."),
]
DisplayFilter = Annotated[
    str | None,
    typer.Option("-Y", "--filter", metavar="FILTER", help="Only what this display filter is true of: docs/filters.md."),
]
