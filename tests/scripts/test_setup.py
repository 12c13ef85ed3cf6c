"""Set-up recognises a finished environment, and what it cannot do it says with the command that helps."""

from __future__ import annotations

import ast
import os
import runpy
import shutil
import subprocess
import sys
from importlib import util
from pathlib import Path
from types import ModuleType

import pytest
from capture_files import ROOT


@pytest.fixture
def setup(tmp_path: Path) -> ModuleType:
    """The set-up module of a checkout in a folder of its own, with an environment that only looks finished."""
    return checkout(tmp_path / "checkout")


def checkout(folder: Path) -> ModuleType:
    (folder / "scripts").mkdir(parents=True, exist_ok=True)
    for name in ("constraints.txt", "pyproject.toml", "scripts/_setup.py"):
        shutil.copy(ROOT / name, folder / name)
    spec = util.spec_from_file_location("checkout_setup", folder / "scripts" / "_setup.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("python", "snapscope"):
        program = module.program(name)
        program.parent.mkdir(parents=True, exist_ok=True)
        program.touch()
    return module


def test_finished_environment_is_recognised(setup: ModuleType) -> None:
    assert not setup.ready([])
    setup.write_stamp(["test"])
    assert setup.ready([])
    assert setup.ready(["test"])
    assert not setup.ready(["window"])


@pytest.mark.parametrize("name", ["constraints.txt", "pyproject.toml"])
def test_changed_settings_are_installed_again(setup: ModuleType, name: str) -> None:
    setup.write_stamp([])
    with (setup.ROOT / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert not setup.ready([])


def test_moved_environment_is_not_ready(setup: ModuleType, tmp_path: Path) -> None:
    setup.write_stamp([])
    setup.ROOT.rename(tmp_path / "elsewhere")
    assert not checkout(tmp_path / "elsewhere").ready([])


def test_environment_of_another_python_is_not_ready(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    setup.write_stamp([])
    monkeypatch.setattr(sys, "base_prefix", "/another")
    assert not setup.ready([])


@pytest.mark.parametrize("text", ["", "{", "[]", '{"place": 1}'])
def test_damaged_stamp_is_not_ready(setup: ModuleType, text: str) -> None:
    setup.STAMP.write_text(text, encoding="utf-8")
    assert not setup.ready([])


def test_one_set_up_at_a_time(setup: ModuleType) -> None:
    with setup.alone(), setup.LOCK.open("a+b") as second:
        assert not setup.try_lock(second)
    with setup.LOCK.open("a+b") as second:
        assert setup.try_lock(second)


def test_missing_debian_package_is_named(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    with pytest.raises(setup.SetupError, match="sudo apt-get install python3-venv"):
        setup.install_debian(["python3-venv"], "this Python lacks the venv module")


def test_missing_library_is_found_in_the_import_error(setup: ModuleType) -> None:
    error = "ImportError: libstdc++.so.6: cannot open shared object file: No such file or directory"
    found = setup.MISSING_LIBRARY.search(error)
    assert setup.DEBIAN_LIBRARIES[found.group(1)] == "libstdc++6"


@pytest.mark.parametrize("name", ["run", "test", "_python_version.py"])
def test_old_python_can_read_what_starts(name: str) -> None:
    ast.parse((ROOT / "scripts" / name).read_text(encoding="utf-8"), feature_version=(3, 4))


@pytest.mark.parametrize("name", ["run", "test"])
def test_old_python_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = ROOT / "scripts" / name
    monkeypatch.syspath_prepend(str(script.parent))
    monkeypatch.setattr(sys, "argv", [str(script)])
    monkeypatch.setattr(sys, "version_info", (3, 9, 2, "final", 0))
    with pytest.raises(SystemExit, match=r"Snapscope needs Python 3\.11 or newer; this is Python 3\.9"):
        runpy.run_path(str(script), run_name="__main__")


@pytest.mark.parametrize("name", ["run", "test"])
def test_help(name: str) -> None:
    script = ROOT / "scripts" / name
    done = subprocess.run([sys.executable, script, "--help"], capture_output=True, text=True, check=True)
    assert f"python3 scripts/{name} [--setup-only]" in done.stdout


def test_a_finished_set_up_says_nothing(setup: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    setup.write_stamp([])
    setup.set_up()
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(os.name == "nt", reason="needs a script that can be run")
def test_without_a_network_the_last_line_says_what_is_needed(setup: ModuleType) -> None:
    """An interpreter that fails as pip does."""
    python = setup.program("python")
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(setup.SetupError, match=r"^could not download .* set-up needs a network connection once$"):
        setup.install([], project=True)
