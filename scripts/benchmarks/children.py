"""Processes of their own for what is measured: nothing is warm or left over from another measurement.

`python -m scripts.benchmarks.children TASK ARGUMENTS` runs a task with keyword arguments in JSON and prints its answer.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
TASKS = {
    "decode": "scripts.benchmarks.decoding",
    "window": "scripts.benchmarks.window",
    "live": "scripts.benchmarks.capturing",
}
"""Modules with a function `task`."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds that a program took."""

    wall: float
    cpu: float


def run_task(name: str, **arguments: object) -> dict[str, Any]:
    """The answer of a task. Raises CalledProcessError; its messages are on our own error output."""
    command = [sys.executable, "-m", "scripts.benchmarks.children", name, json.dumps(arguments)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def run_program(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Cost:
    """What a program took, its output thrown away. Raises CalledProcessError."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    nowhere = subprocess.DEVNULL
    subprocess.run(command, cwd=ROOT, env=environment, stdout=nowhere, stderr=nowhere, check=True)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def main() -> int:
    """0; a mistake in the task ends with its traceback."""
    task = importlib.import_module(TASKS[sys.argv[1]]).task
    print(json.dumps(task(**json.loads(sys.argv[2]))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
