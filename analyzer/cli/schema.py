"""`schema`: checks a schema file of a mod, and writes one to start with from what a capture holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from analyzer.cli.errors import CommandError
from analyzer.cli.opening import decoded
from analyzer.cli.options import DecodeAs, File, MemoryLimit, SchemaFiles
from analyzer.cli.output import counted, note, one_line, write_lines
from analyzer.engine.inferring import infer_schema
from analyzer.engine.schemas import check_schemas
from analyzer.protocols.base import SchemaError

schema = typer.Typer(help="Check a schema file of a mod, or write one to start with.", no_args_is_help=False)


@schema.command("check")
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Schema file: JSON, as docs/schemas.md describes.")],
) -> None:
    """Check a schema file: say what it holds, or what is wrong and in which line."""
    try:
        write_lines([one_line(text) for text in check_schemas([file])])
    except SchemaError as error:
        raise CommandError(str(error)) from error


@schema.command("infer")
def infer(
    file: File,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="JSON", help="Write to this file, a new one; else standard output.")
    ] = None,
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="What the mod is called.")] = "My mod",
    memory_limit: MemoryLimit = None,
    decode_as: DecodeAs = None,
    known: SchemaFiles = None,
) -> None:
    """Write a schema file with a guess for each field of the items and messages that nobody named.

    What is in a file of --schema is known. The guesses are to be corrected by whoever knows the mod.
    """
    if not title.strip():
        raise typer.BadParameter("a schema needs a title", param_hint="'--title'")
    with decoded(file, memory_limit, decode_as, known) as (capture, query):
        inferred = infer_schema(capture.tables, query, capture.protocols, title)
        if not inferred.count:
            note(f"{file}: every item and message in it is known")
        if out is None:
            write_lines([inferred.text.rstrip("\n")])
            return
        try:
            with out.open("x", encoding="utf-8", newline="\n") as target:
                target.write(inferred.text)
        except FileExistsError as error:
            raise CommandError(f"{out}: there is such a file already") from error
        except OSError as error:
            raise CommandError(f"{out}: {error.strerror or error}") from error
        note(f"{out}: {counted(inferred.count, 'layout')} written")
