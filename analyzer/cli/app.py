"""The command line: commands, exit codes, and how every way of failing is told in one line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from analyzer.cli import bugs
from analyzer.cli.errors import CommandError, OutputClosed, WrongFilterError
from analyzer.cli.output import PROGRAM, abandon_stdout, flush, note, note_lines, prepare_streams

EXIT_OK = 0
EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
EXIT_OUTPUT_CLOSED = 141
"""Both as a shell tells that a signal ended the program: SIGINT, SIGPIPE."""
USAGE_ERROR = typer.BadParameter.__mro__[1]
"""Parent of every error in the arguments; typer exports it under no name of its own."""

COMMANDS = (
    "summary",
    "snapshots",
    "packets",
    "explain",
    "changes",
    "findings",
    "timeline",
    "save",
    "live",
    "schema",
    "warm-up",
)
"""Each is the function of its name, or the group of commands, in the module of its name."""

# Extensions of the library that checks arguments: none are meant for us, and looking for them takes a while.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def _show_version(wanted: bool) -> None:
    if not wanted:
        return
    # It takes longer to load than most of what a command needs.
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("snapscope")
    except PackageNotFoundError:
        number = "(not installed)"
    print(f"{PROGRAM} {number}")
    raise typer.Exit


def _top(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Only `--version` stands before a command."""


def commands_for(arguments: Sequence[str]) -> typer.Typer:
    """The commands that a command line is about: one alone if it begins with it, as loading all takes longer."""
    app = typer.Typer(
        help="Shows what a snapshot-based game server told each of its clients, from a pcap or pcapng file or live.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_top)
    for name in arguments[:1] if arguments[0] in COMMANDS else COMMANDS:
        function = name.replace("-", "_")
        command = getattr(import_module(f"analyzer.cli.{function}"), function)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


def run(app: typer.Typer, arguments: Sequence[str]) -> int:
    """Run one command line and return its exit status.

    0 done, 1 failed, 2 wrong usage, 130 interrupted, 141 whoever read the output has gone away.
    """
    try:
        prepare_streams()
        with bugs.told():
            answer = typer.main.get_command(app).main(args=list(arguments), prog_name=PROGRAM, standalone_mode=False)
        # A command returns nothing; a number is what typer makes of `typer.Exit`, and of Ctrl-C.
        if answer == EXIT_INTERRUPTED:
            raise KeyboardInterrupt
        flush()
        return answer if isinstance(answer, int) else EXIT_OK
    except (OutputClosed, SystemExit):
        # In this mode typer exits by itself only when the pipe closes while it prints its help.
        abandon_stdout()
        return EXIT_OUTPUT_CLOSED
    except (KeyboardInterrupt, typer.Abort):
        # What is left in the buffer must not block on a reader that is busy elsewhere.
        abandon_stdout()
        return EXIT_INTERRUPTED
    except CommandError as error:
        note(str(error))
        return EXIT_ERROR
    except WrongFilterError as error:
        note_lines(str(error))
        return EXIT_USAGE
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
