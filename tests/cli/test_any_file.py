"""Whatever the file holds, every command ends with 0 or 1, valid output, and no mistake of ours."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from pathlib import Path

from capture_files import SAMPLE
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.cli import main
from tests.cli.cut_capture import first_records

HEAD = first_records(SAMPLE, 50)
DAMAGE = st.lists(st.tuples(st.integers(0, len(HEAD) - 1), st.integers(0, 255)), max_size=30)
COMMANDS = (
    ["summary", "--json"],
    ["summary", "--memory"],
    ["snapshots", "--format", "jsonl", "--all", "--items"],
    ["snapshots", "--all"],
    ["packets", "--format", "csv"],
    ["explain", "--frame", "44"],
    ["explain", "--frame", "29", "--json"],
    ["changes", "--frame", "44"],
    ["findings", "--json", "--autopsy"],
    ["timeline", "--json"],
    ["timeline", "--bin", "2ms"],
)


def answer(command: list[str], data: bytes) -> tuple[int, str, str]:
    """Exit code, output and errors of a command on a file of these bytes."""
    out, err = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "any.pcap"
        path.write_bytes(data)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([command[0], str(path), *command[1:]])
    return code, out.getvalue(), err.getvalue()


def check(command: list[str], data: bytes) -> None:
    code, out, err = answer(command, data)
    assert code in (0, 1)
    assert "internal error" not in err
    assert "Traceback" not in err
    if code == 1:
        assert out == ""
        assert sum(not line.startswith("snapscope-cli: warning: ") for line in err.splitlines()) == 1
    elif "--json" in command:
        json.loads(out)
    elif "jsonl" in command:
        assert all(json.loads(line) for line in out.splitlines())


@given(DAMAGE, st.sampled_from(COMMANDS))
@settings(max_examples=40)
def test_a_damaged_capture(damage: list[tuple[int, int]], command: list[str]) -> None:
    data = bytearray(HEAD)
    for offset, value in damage:
        data[offset] = value
    check(command, bytes(data))


@given(st.integers(0, len(HEAD)), st.sampled_from(COMMANDS))
@settings(max_examples=25)
def test_a_capture_cut_anywhere(length: int, command: list[str]) -> None:
    check(command, HEAD[:length])


@given(st.binary(max_size=300), st.sampled_from(COMMANDS))
@settings(max_examples=25)
def test_any_bytes(data: bytes, command: list[str]) -> None:
    check(command, data)
