"""Whom a sniffer with borrowed rights becomes, and that it does before it makes a file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_files import ROOT

from analyzer.capture.live.caller import caller
from analyzer.capture.live.control import Settings, Sniffer
from analyzer.capture.live.messages import Started, decode
from analyzer.capture.live.rights import Through
from tests.capture.live.network import needs_right, needs_tun, tap

NOBODY = 65534


@pytest.mark.parametrize(
    ("environment", "who"),
    [
        ({}, None),
        ({"SUDO_UID": "1000", "SUDO_GID": "100"}, (1000, 100)),
        ({"SUDO_UID": "1000"}, (1000, -1)),
        ({"SUDO_UID": "0", "SUDO_GID": "0"}, None),
        ({"SUDO_UID": "-1", "SUDO_GID": "0"}, None),
        ({"SUDO_UID": "root"}, None),
        ({"PKEXEC_UID": "1001"}, (1001, -1)),
    ],
)
def test_caller(environment: dict[str, str], who: tuple[int, int] | None) -> None:
    assert caller(environment) == who


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may write to; those of pytest are for one user."""
    folder = Path(tempfile.mkdtemp(prefix="snapscope-test-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


@needs_right
@needs_tun
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("variables", [("SUDO_UID", "SUDO_GID"), ("PKEXEC_UID",)], ids=["sudo", "pkexec"])
def test_the_right_is_given_back_before_the_file_is_made(open_folder: Path, variables: tuple[str, ...]) -> None:
    path = open_folder / "spool.pcapng"
    with tap() as network:
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "analyzer.capture.live", "--interface", network.name, "--write", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), **dict.fromkeys(variables, str(NOBODY))},
        )
        assert child.stdout is not None
        assert isinstance(decode(child.stdout.readline()), Started)
        status = Path(f"/proc/{child.pid}/status").read_text(encoding="ascii")
        facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        child.communicate("\n", timeout=30)
    assert child.returncode == 0
    assert facts["Uid"].split() == facts["Gid"].split() == [str(NOBODY)] * 4
    assert facts["Groups"].split() == [str(NOBODY)]
    assert int(facts["CapEff"], 16) == int(facts["CapPrm"], 16) == 0
    assert (path.stat().st_uid, path.stat().st_gid) == (NOBODY, NOBODY)


GIVING = {
    Through.SUDO: f'test "$1" = -- && shift && cd / && SUDO_UID={NOBODY} SUDO_GID={NOBODY} exec "$@"',
    Through.PKEXEC: f'cd / && PKEXEC_UID={NOBODY} exec "$@"',
}
"""What the programs do with their arguments, to a sniffer that is root already."""


@needs_right
@needs_tun
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("through", GIVING)
def test_only_the_sniffer_is_given_the_right(
    open_folder: Path, through: Through, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = open_folder / through.value
    program.write_text(f"#!/bin/sh\nunset PYTHONPATH\n{GIVING[through]}\n", encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(open_folder), prepend=os.pathsep)
    monkeypatch.chdir(open_folder)
    with tap() as network, Sniffer.start(Settings(network.name, Path("spool.pcapng")), through) as sniffer:
        sniffer.wait_started()
    path = open_folder / "spool.pcapng"
    assert sniffer.stopped is not None
    assert path.stat().st_uid == NOBODY
