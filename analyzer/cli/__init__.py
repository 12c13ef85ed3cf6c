"""The headless tool `snapscope-cli`: what is in a capture, as text a person likes to read, as CSV or as JSON."""

from __future__ import annotations

import signal
import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command line and return its exit status (app.py).

    The modules are loaded here, where an interrupt ends the process at once: raised inside a module that is half loaded
    it comes out as a traceback, or as another exception.
    """
    arguments = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    raises = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if raises:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        from analyzer.cli.app import commands_for, run

        app = commands_for(arguments)
    finally:
        if raises:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    return run(app, arguments)


__all__ = ["main"]
