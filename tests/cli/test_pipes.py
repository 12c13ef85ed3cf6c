"""A capture that comes through a pipe is read like a file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from capture_files import ROOT

from analyzer import cli
from tests.file_limit import file_limit

RUN = [sys.executable, "-c", "import sys; from analyzer.cli import main; sys.exit(main())"]

posix = pytest.mark.skipif(os.name != "posix", reason="named pipes and signals as POSIX has them")


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def environment(temporary: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}


def printed(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert cli.main(["packets", str(path), "--format", "jsonl"]) == 0
    return capsys.readouterr().out


def test_standard_input(head: Path, temporary: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with head.open("rb") as file:
        done = subprocess.run(
            [*RUN, "packets", "-", "--format", "jsonl"],
            stdin=file,
            capture_output=True,
            text=True,
            env=environment(temporary),
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == printed(head, capsys)
    assert list(temporary.iterdir()) == []


@posix
def test_a_named_pipe(head: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = printed(head, capsys)
    pipe = tmp_path / "pipe.pcap"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(head.read_bytes()))
    writer.start()
    found = printed(pipe, capsys)
    writer.join()
    assert found == expected


@posix
def test_no_room_for_what_comes(
    head: Path, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "pipe.pcap"
    os.mkfifo(pipe)
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    writer = subprocess.Popen(["cp", str(head), str(pipe)], stderr=subprocess.DEVNULL)
    with file_limit(1000):
        assert cli.main(["summary", str(pipe)]) == 1
    writer.wait()
    told = capsys.readouterr().err
    assert told == "snapscope-cli: what comes through the pipe.pcap cannot be kept: File too large\n"
    assert list(temporary.iterdir()) == []


def test_what_is_no_capture(temporary: Path) -> None:
    done = subprocess.run(
        [*RUN, "summary", "-"],
        input=b"these are not the packets\n",
        capture_output=True,
        env=environment(temporary),
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.decode().startswith("snapscope-cli: -: standard input is not a capture file: it begins with")
    assert list(temporary.iterdir()) == []


@posix
def test_interrupted_it_decodes_what_has_come(head: Path, temporary: Path) -> None:
    reader = subprocess.Popen(
        [*RUN, "summary", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(temporary),
        # Whatever runs in the background of a script ignores it, and so do its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert reader.stdin is not None
    assert reader.stdout is not None
    assert reader.stderr is not None
    data = head.read_bytes()
    reader.stdin.write(data)
    reader.stdin.flush()
    end = time.monotonic() + 30
    while not (found := list(temporary.glob("snapscope-*/*"))) or found[0].stat().st_size < len(data):
        assert time.monotonic() < end
        time.sleep(0.01)
    reader.send_signal(signal.SIGINT)
    out, errors = reader.stdout.read().decode(), reader.stderr.read().decode()
    assert reader.wait() == 0, errors
    reader.stdin.close()
    reader.stdout.close()
    reader.stderr.close()
    assert out.startswith("-\n")
    assert "  frames    300 (" in out
    assert list(temporary.iterdir()) == []
