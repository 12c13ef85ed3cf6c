"""Pipes are read as bytes come, to their end or until they are called off, and whoever writes is told."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.capture.pipe import Pipe, PipeError, is_pipe, write_all

pytestmark = pytest.mark.skipif(os.name != "posix", reason="named pipes as POSIX has them")


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@contextlib.contextmanager
def standard_input(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """What is written to this descriptor comes through the standard input."""
    reader, writer = os.pipe()
    with os.fdopen(reader) as stream, os.fdopen(writer, "wb", buffering=0) as ours:
        monkeypatch.setattr(sys, "stdin", stream)
        yield ours.fileno()


def test_what_is_a_pipe(fifo: Path, tmp_path: Path) -> None:
    assert is_pipe("-")
    assert is_pipe(fifo)
    assert not is_pipe(tmp_path)
    assert not is_pipe(tmp_path / "none")
    assert not is_pipe("a\0b")


def test_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    with standard_input(monkeypatch) as writer, Pipe("-") as pipe:
        assert pipe.name == "standard input"
        for part in (b"one", b"two"):
            os.write(writer, part)
            assert pipe.read() == part


def test_whoever_writes_may_come_later(fifo: Path) -> None:
    with Pipe(fifo) as pipe:
        got: list[bytes] = []

        def read() -> None:
            while data := pipe.read():
                got.append(data)

        thread = threading.Thread(target=read)
        thread.start()
        with fifo.open("wb", buffering=0) as writer:
            writer.write(b"bytes")
        thread.join(60)
        assert not thread.is_alive()
    assert b"".join(got) == b"bytes"


@pytest.mark.parametrize("written", [False, True])
def test_called_off_while_it_waits(fifo: Path, written: bool) -> None:
    with Pipe(fifo) as pipe, contextlib.ExitStack() as stack:
        if written:
            writer = stack.enter_context(fifo.open("wb", buffering=0))
            writer.write(b"bytes")
            assert pipe.read() == b"bytes"
        got: list[bytes] = []
        thread = threading.Thread(target=lambda: got.append(pipe.read()))
        thread.start()
        pipe.call_off()
        thread.join(60)
        assert got == [b""]
        assert pipe.read() == b"", "for good"


def test_whoever_writes_is_told_that_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    with standard_input(monkeypatch) as writer:
        pipe = Pipe("-")
        number = sys.stdin.fileno()
        pipe.close()
        pipe.close()
        pipe.call_off()
        with pytest.raises(BrokenPipeError):
            os.write(writer, b"bytes")
        assert os.read(number, 10) == b"", "the number is no other file's"


def test_a_file_as_the_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"bytes")
    with path.open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        with Pipe("-") as pipe:
            assert (pipe.read(), pipe.read()) == (b"bytes", b"")


def test_no_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    controller, terminal = os.openpty()
    with os.fdopen(terminal) as stream, os.fdopen(controller):
        for stdin in (None, stream):
            monkeypatch.setattr(sys, "stdin", stdin)
            with pytest.raises(PipeError, match=r"^no capture comes from the standard input"):
                Pipe("-")
    with pytest.raises(PipeError):
        Pipe("-")


def test_a_pipe_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Pipe(tmp_path / "none")


def test_all_is_written() -> None:
    reader, writer = os.pipe()
    data = bytes(1 << 20)
    got = 0

    def read() -> None:
        nonlocal got
        while chunk := os.read(reader, 1 << 16):
            got += len(chunk)
            time.sleep(0)

    thread = threading.Thread(target=read)
    thread.start()
    write_all(writer, data)
    os.close(writer)
    thread.join()
    os.close(reader)
    assert got == len(data)
