"""`warm-up`: compiles what decodes in bulk once, so that the next captures open at full speed."""

from __future__ import annotations

import time

from analyzer import kernel_cache
from analyzer.cli.errors import CommandError
from analyzer.cli.output import write_lines
from analyzer.engine.warm_up import warm_up as compile_all


def warm_up() -> None:
    """Compile what decodes in bulk, once for each version of Snapscope.

    Takes some ten seconds. Until it is done captures are decoded by plain Python: the same rows, more slowly.
    """
    try:
        folder = kernel_cache.folder()
    except OSError as error:
        raise CommandError(f"compiled code cannot be kept: {error}") from error
    if folder.trouble:
        raise CommandError(f"compiled code cannot be kept: {folder.trouble}")
    if kernel_cache.ready():
        write_lines([f"Nothing to compile: it is in {folder.path}."])
        return
    begin = time.monotonic()
    told = compile_all()
    if told:
        raise CommandError(told)
    write_lines([f"Compiled in {time.monotonic() - begin:.0f} s, kept in {folder.path}."])
