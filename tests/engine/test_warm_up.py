"""A warm-up compiles every kernel in a child process; what it cannot do it says, and nothing else depends on it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_files import ROOT

from analyzer import kernel_cache
from analyzer.engine.warm_up import warm_up

COUNT = """
import sys
from analyzer.engine.warm_up import exercise
exercise()
from analyzer.kernel import _KERNELS
print(sum(sum(one.stats.cache_misses.values()) for one in _KERNELS))
"""
"""How many had to be compiled."""


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for compiled kernels that has none yet."""
    place = tmp_path / "kernels"
    place.mkdir()
    monkeypatch.setenv("SNAPSCOPE_KERNELS", str(place))
    kernel_cache.folder.cache_clear()
    yield place
    kernel_cache.folder.cache_clear()


def test_every_kernel_is_compiled_and_found_again() -> None:
    """In the folder of whoever runs the tests: those that set-up has compiled need not be compiled once more."""
    assert warm_up() == ""
    assert kernel_cache.ready()
    assert warm_up() == ""
    done = subprocess.run(
        [sys.executable, "-c", COUNT], cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "0"


def test_stopped(empty: Path) -> None:
    stop = threading.Event()
    stop.set()
    assert warm_up(stop) == "Compiling was stopped."
    assert not kernel_cache.ready()
    assert [path.name for path in empty.parent.iterdir()] == ["kernels"]


def test_what_keeps_the_child_from_compiling_is_said(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    told = warm_up()
    assert told.startswith("The kernels could not be compiled: not reached: ")
    assert "analyzer.net.kernels.read_frames" in told
    assert not kernel_cache.ready()
