"""Set-up recognises a finished environment, and what it cannot do it says with the command that helps."""

from __future__ import annotations

import ast
import ctypes.util
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
    assert setup.debian_package(found[1]) == "libstdc++6"


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libEGL.so.1", "libegl1"),
        ("libX11.so.6", "libx11-6"),
        ("libX11-xcb.so.1", "libx11-xcb1"),
        ("libdbus-1.so.3", "libdbus-1-3"),
        ("libgcc_s.so.1", "libgcc-s1"),
        ("libglib-2.0.so.0", "libglib2.0-0"),
        ("libxcb-cursor.so.0", "libxcb-cursor0"),
        ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
        ("libz.so.1", "zlib1g"),
    ],
)
def test_debian_package_of_a_library(setup: ModuleType, library: str, package: str) -> None:
    assert setup.debian_package(library) == package


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ldd is a program of Linux")
def test_libraries_that_this_system_lacks_are_named(setup: ModuleType) -> None:
    # `ldd` as it answers for the plugin of X11 on a minimal Debian.
    answer = (
        "\\tlinux-vdso.so.1 (0x00007ffd)\\n\\tlibxcb-cursor.so.0 => not found\\n"
        "\\tlibc.so.6 => /lib/libc.so.6 (0x00007f00)\\n\\tlibX11.so.6 => not found\\n"
    )
    programs = setup.ROOT / "programs"
    programs.mkdir()
    (programs / "ldd").write_text(f"#!/bin/sh\nprintf '{answer}'\n", encoding="utf-8")
    (programs / "ldd").chmod(0o755)
    plugin = setup.VENV / "lib" / "python3.11" / "site-packages" / "PySide6" / setup.QT_SCREEN
    plugin.parent.mkdir(parents=True)
    plugin.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(programs), prepend=os.pathsep)
        assert setup.missing_libraries(setup.QT_SCREEN) == ["libX11.so.6", "libxcb-cursor.so.0"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: 1000, raising=False)
        with pytest.raises(setup.SetupError, match="sudo apt-get install libx11-6 libxcb-cursor0"):
            setup.install_libraries(["libxcb-cursor.so.0", "libX11.so.6"])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a screen")
@pytest.mark.parametrize(
    ("variables", "arguments", "expected"),
    [
        ({}, [], ["snapscope-cli", "summary", "SAMPLE"]),
        ({}, ["game.pcap"], ["snapscope-cli", "summary", "game.pcap"]),
        ({"QT_QPA_PLATFORM": "offscreen"}, [], ["snapscope-cli", "summary", "SAMPLE"]),
        ({"DISPLAY": ":0"}, [], ["snapscope", "SAMPLE"]),
        ({"WAYLAND_DISPLAY": "wayland-0"}, ["game.pcap"], ["snapscope", "game.pcap"]),
        ({"QT_QPA_PLATFORM": "vnc"}, ["game.pcap"], ["snapscope", "game.pcap"]),
        ({}, ["--version"], ["snapscope", "--version"]),
    ],
)
def test_run_opens_the_window_where_there_is_a_screen(
    variables: dict[str, str],
    arguments: list[str],
    expected: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    run = runpy.run_path(str(ROOT / "scripts" / "run"))
    sample = str(ROOT / "resources" / "samples" / "ddnet_learntoplay.pcap.gz")
    assert run["command"](arguments) == [sample if word == "SAMPLE" else word for word in expected]
    assert ("no screen" in capsys.readouterr().err) == (expected[0] == "snapscope-cli")


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


@pytest.mark.parametrize("found", [None, "libpcap.so.0.8"])
def test_without_libpcap_the_command_that_brings_it_is_said(
    setup: ModuleType, found: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ctypes.util, "find_library", lambda _: found)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    setup.check_libpcap()
    said = capsys.readouterr().err
    assert bool(said) == (found is None)
    assert found is not None or said.endswith(
        "for live capture with a filter, libpcap is missing. On Debian and Ubuntu: sudo apt-get install libpcap0.8\n"
    )
