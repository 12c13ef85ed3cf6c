"""Arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from analyzer.cli.output import Format

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
Client = Annotated[
    str | None,
    typer.Option("--client", metavar="ADDR", help="Only this client: address or address:port, IPv6 as [::1]:8303."),
]
