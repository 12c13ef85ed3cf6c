"""Ours: the full decode of a capture to all tables, what the tables take, and jumps to single snapshots."""

from __future__ import annotations

import os
import random
import resource
import sys
import time
from collections.abc import Iterable

import numpy as np

from analyzer.engine.capture import Capture
from analyzer.engine.change_tree import change_tree
from analyzer.engine.garbage import set_aside
from analyzer.engine.warm_up import load_kernels
from analyzer.snapshots.status import REBUILT

DEEPEST_SHARE = 4
"""One in so many jumps goes to the snapshots with the longest way back to a stored or full one."""


def can_pin() -> bool:
    """Whether a process can be kept on one core here."""
    return hasattr(os, "sched_setaffinity")


def task(path: str, warm: str, one_core: bool, jumps: int) -> dict[str, object]:
    """Decode `path`, then jump. Times in seconds.

    Start-up is left out: the small capture `warm` is decoded first, and the kernels are loaded where they are used.
    """
    if one_core:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with Capture.open(warm) as small:
        small.decode()
    with Capture.open(path) as capture:
        if capture.compiled:
            load_kernels()
        wall, cpu = time.perf_counter(), time.process_time()
        capture.decode()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        tables = capture.tables
        # As with a window's capture.
        set_aside()
        return {
            "packets": len(tables.packets),
            "snapshots": len(tables.snapshots),
            "rebuilt": int(np.isin(tables.snapshots.array("status"), REBUILT).sum()),
            "wall": wall,
            "cpu": cpu,
            "peak": peak_memory(),
            "tables": {name: size for name, (_, size) in tables.memory().items()},
            "jumps": [jump(capture, row) for row in jump_targets(capture, jumps)],
        }


def peak_memory() -> int:
    """The most that this process held so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def jump_targets(capture: Capture, count: int) -> Iterable[int]:
    """Rows of rebuilt snapshots anywhere, and of the deepest ones."""
    snapshots = capture.tables.snapshots
    rows = np.flatnonzero(np.isin(snapshots.array("status"), REBUILT))
    deepest = rows[np.argsort(snapshots.array("depth")[rows], kind="stable")][-(count // DEEPEST_SHARE) :]
    anywhere = random.Random(1).sample(rows.tolist(), min(count - count // DEEPEST_SHARE, len(rows)))
    return [*anywhere, *deepest.tolist()]


def jump(capture: Capture, snapshot: int) -> float:
    """Seconds of processor time to the delta tree of a snapshot, with nothing cached."""
    query = capture.query()
    begin = time.process_time()
    change_tree(query, capture.tables, snapshot)
    took = time.process_time() - begin
    query.close()
    return took
