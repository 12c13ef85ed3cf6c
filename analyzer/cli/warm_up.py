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
    if kernel_cache.ready():
        write_lines([f"Nothing to compile: it is in {kernel_cache.folder().path}."])
        return
    trouble = kernel_cache.folder().trouble
    if trouble:
        raise CommandError(f"compiled code cannot be kept: {trouble}")
    begin = time.monotonic()
    told = compile_all()
    if told:
        raise CommandError(told)
    write_lines([f"Compiled in {time.monotonic() - begin:.0f} s, kept in {kernel_cache.folder().path}."])
