"""dumpcap ends with the sniffer, however that ends and whatever dumpcap is doing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.capture.live.control import Settings, Sniffer
from analyzer.capture.live.rights import Through
from analyzer.capture.live.watcher import Watcher
from analyzer.capture.spool import Spool, SpoolInterface
from tests.capture.live.network import install_dumpcap

WAIT_S = 60.0
pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the system has no handles of processes")


def wait_until(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + WAIT_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def state(process: int) -> str:
    """As in /proc: Z where it has ended and nobody asked for it yet, nothing where it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def children(process: int) -> list[int]:
    return [int(number) for number in Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()]


@pytest.mark.parametrize("stopped", [False, True])
def test_dumpcap_ends_with_a_sniffer_that_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    """It says that it captures and then nothing more: no packet comes."""
    given, number = tmp_path / "given.pcapng", tmp_path / "number"
    Spool.create(given, [SpoolInterface("lo", 1, 262144)], "tests").close()
    # It takes no notice of being told to end.
    install_dumpcap(tmp_path / "programs", f"trap '' INT TERM HUP\necho $$ >'{number}'\ncat '{given}'\nexec sleep 600")
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}")
    with Sniffer.start(Settings("lo", tmp_path / "spool.pcapng"), Through.DUMPCAP) as sniffer:
        begun = sniffer.wait_started()
        dumpcap = int(number.read_text(encoding="ascii"))
        assert state(dumpcap) not in ("", "Z")
        if stopped:
            os.kill(dumpcap, signal.SIGSTOP)
        os.kill(begun.process, signal.SIGKILL)
        assert wait_until(lambda: state(dumpcap) in ("", "Z"))


def test_nothing_is_left_of_a_sniffer_that_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = tmp_path / "given.pcapng"
    Spool.create(given, [SpoolInterface("lo", 1, 262144)], "tests").close()
    install_dumpcap(tmp_path / "programs", f"cat '{given}'\nexec sleep 600")
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}")
    with Sniffer.start(Settings("lo", tmp_path / "spool.pcapng"), Through.DUMPCAP) as sniffer:
        own = children(sniffer.wait_started().process)
        assert len(own) == 2
    assert [state(process) for process in own] == ["", ""]
    assert sniffer.failed is None


def test_what_is_not_watched_any_more_lives_on() -> None:
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as watched, subprocess.Popen(command, stdin=-1) as other:
        watcher = Watcher()
        watcher.watch(watched.pid)
        watcher.close()
        assert watched.wait(WAIT_S) == -signal.SIGKILL
        watcher.close()
        Watcher().close()
        other.communicate(b"\n", WAIT_S)
        assert other.returncode == 0


def test_what_has_ended_by_itself_is_let_go() -> None:
    watcher = Watcher()
    with subprocess.Popen([sys.executable, "-c", ""]) as watched:
        watched.wait(WAIT_S)
        watcher.watch(watched.pid)
    watcher.close()
    assert watched.returncode == 0
