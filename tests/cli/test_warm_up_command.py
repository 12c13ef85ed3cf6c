"""`warm-up`: one line, also where there is nothing to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer import kernel_cache
from analyzer.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("SNAPSCOPE_KERNELS", str(tmp_path))
    kernel_cache.folder.cache_clear()
    yield tmp_path
    kernel_cache.folder.cache_clear()


def test_nothing_to_compile(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / kernel_cache.MARK).touch()
    assert main(["warm-up"]) == 0
    assert capsys.readouterr().out == f"Nothing to compile: it is in {folder}.\n"


def test_what_cannot_be_compiled_is_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert main(["warm-up"]) == 1
    assert capsys.readouterr().err.startswith("snapscope-cli: The kernels could not be compiled: ")
