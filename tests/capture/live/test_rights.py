"""What is offered to a user who may not capture is what the system has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from capture_files import ROOT

from analyzer.capture.live.control import Settings, Sniffer, SnifferError
from analyzer.capture.live.rights import Through, may_capture, ways
from tests.capture.live.network import give_up_right, needs_right

pytestmark = pytest.mark.skipif(os.name != "posix", reason="programs are made executable here")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder with programs."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def install(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text("#!/bin/sh\n", encoding="ascii")
        (folder / name).chmod(0o755)


def test_nothing_there(programs: Path) -> None:
    found = ways("linux")
    assert found.ready == ()
    assert "dumpcap" in found.hint


def test_what_gives_the_sniffer_the_right(programs: Path) -> None:
    install(programs, "pkexec", "sudo")
    assert ways("linux").ready == (Through.SUDO, Through.PKEXEC)


def test_other_systems(programs: Path) -> None:
    install(programs, "sudo")
    assert "Npcap" in ways("win32").hint
    assert ways("win32").ready == ()
    assert "ChmodBPF" in ways("darwin").hint
    assert ways("darwin").ready == (Through.SUDO,)


def test_a_program_that_is_not_there(programs: Path) -> None:
    with pytest.raises(SnifferError, match=r"^sudo cannot be started: No such file or directory\.$"):
        Sniffer.start(Settings("lo", programs / "spool.pcapng"), Through.SUDO)


def test_the_command_that_gives_the_right_is_part_of_the_advice(programs: Path) -> None:
    found = ways("linux")
    assert found.command in found.hint
    assert bool(found.command) == bool(found.hint)


@needs_right
def test_who_may_capture() -> None:
    assert may_capture()
    code = "from analyzer.capture.live.rights import may_capture; print(may_capture())"
    done = subprocess.run(
        [sys.executable, "-c", code], preexec_fn=give_up_right, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
