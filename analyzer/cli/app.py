"""The command line: commands, exit codes, and how every way of failing is told in one line."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from analyzer.cli import bugs
from analyzer.cli.changes import changes
from analyzer.cli.errors import CommandError, OutputClosed
from analyzer.cli.explain import explain
from analyzer.cli.output import PROGRAM, abandon_stdout, flush, note, prepare_streams
from analyzer.cli.packets import packets
from analyzer.cli.snapshots import snapshots
from analyzer.cli.summary import summary
from analyzer.cli.warm_up import warm_up

EXIT_OK = 0
EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
USAGE_ERROR = typer.BadParameter.__mro__[1]
"""Parent of every error in the arguments; typer exports it under no name of its own."""

app = typer.Typer(
    help="Shows what a snapshot-based game server told each of its clients, from a pcap or pcapng file.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if not wanted:
        return
    try:
        number = version("snapscope")
    except PackageNotFoundError:
        number = "(not installed)"
    print(f"{PROGRAM} {number}")
    raise typer.Exit


@app.callback()
def _top(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Only `--version` stands before a command."""


for command in (summary, snapshots, packets, explain, changes):
    app.command()(command)
app.command("warm-up")(warm_up)


def main(argv: list[str] | None = None) -> int:
    """Run one command line and return its exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    prepare_streams()
    arguments = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    try:
        with bugs.told():
            answer = typer.main.get_command(app).main(args=arguments, prog_name=PROGRAM, standalone_mode=False)
        # A command returns nothing; a number is what typer makes of `typer.Exit`, and of Ctrl-C.
        if answer == EXIT_INTERRUPTED:
            raise KeyboardInterrupt
        flush()
        return answer if isinstance(answer, int) else EXIT_OK
    except (OutputClosed, SystemExit):
        # In this mode typer exits by itself only when the pipe closes while it prints its help.
        abandon_stdout()
        return EXIT_OK
    except (KeyboardInterrupt, typer.Abort):
        # What is left in the buffer must not block on a reader that is busy elsewhere.
        abandon_stdout()
        return EXIT_INTERRUPTED
    except CommandError as error:
        note(str(error))
        return EXIT_ERROR
    except Exception as error:
        return _other_error(error)


def _other_error(error: Exception) -> int:
    if isinstance(error, USAGE_ERROR):
        text = getattr(error, "format_message", error.__str__)()
        # The library that checks choices names its own exception.
        text = text.replace("Value error, ", "", 1)
        note(f"{text.rstrip('.')} (see {PROGRAM} --help)")
        return EXIT_USAGE
    bugs.tell(error)
    return EXIT_ERROR
