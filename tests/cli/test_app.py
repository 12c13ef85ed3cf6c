"""Exit codes, and that every way of failing is one line without a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from capture_files import ROOT, SAMPLE

from analyzer.cli import main

RUN = [sys.executable, "-c", "import sys; from analyzer.cli import main; sys.exit(main())"]


def failure(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Exit code and the one line on stderr of a command that prints nothing else."""
    code = main(list(arguments))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("snapscope-cli: ")
    assert err.endswith("\n")
    assert len(err.splitlines()) == 1
    return code, err


@pytest.mark.parametrize("command", ["summary", "snapshots", "packets"])
def test_a_missing_file(capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str) -> None:
    code, err = failure(capsys, command, str(tmp_path / "missing.pcap"))
    assert code == 1
    assert "missing.pcap" in err


def test_a_directory(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert failure(capsys, "summary", str(tmp_path))[0] == 1


def test_not_a_capture(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are not the packets\n" * 9)
    code, err = failure(capsys, "snapshots", str(path), "--format", "jsonl")
    assert code == 1
    assert "internal error" not in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["summary"],
        ["summary", "a", "b"],
        ["snapshots", "a", "--format", "xml"],
        ["snapshots", "a", "--items"],
        ["explain", "a"],
        ["explain", "a", "--frame", "one"],
        ["changes", "a"],
        ["changes", "a", "--client", "::1"],
        ["changes", "a", "--tick", "5"],
        ["changes", "a", "--frame", "5", "--tick", "5"],
        ["changes", "a", "--frame", "5", "--session", "0"],
        ["--what"],
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert failure(capsys, *arguments)[0] == 2


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_help(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert all(command in out for command in ("summary", "snapshots", "packets", "explain", "changes"))


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("snapscope-cli ")


def test_an_empty_file_has_no_frames_and_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "empty.pcap"
    path.touch()
    code = main(["snapshots", str(path), "--format", "jsonl"])
    out, err = capsys.readouterr()
    assert (code, out) == (0, "")
    assert err.startswith(f"snapscope-cli: warning: {path}: ")


def test_problems_of_a_file_are_warnings(capsys: pytest.CaptureFixture[str], cut: Path) -> None:
    assert main(["packets", str(cut), "--format", "jsonl"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 59
    assert err.startswith("snapscope-cli: warning: ")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("number", [0, -1, 301, 10**12])
def test_a_frame_out_of_range(capsys: pytest.CaptureFixture[str], head: Path, number: int) -> None:
    code, err = failure(capsys, "explain", str(head), "--frame", str(number))
    assert code == 1
    assert "300 frames" in err


def test_an_unknown_client(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    code, err = failure(capsys, "snapshots", str(head), "--client", "10.9.8.7")
    assert code == 1
    assert "127.0.0.1:40072" in err


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*RUN, *arguments],
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        check=False,
    )


def test_as_a_program() -> None:
    done = run("summary", "no/such/file")
    assert done.returncode == 1
    assert done.stdout == b""
    assert len(done.stderr.splitlines()) == 1
    assert b"Traceback" not in done.stderr


def test_as_a_program_in_an_ascii_world(head: Path) -> None:
    done = run("packets", str(head), PYTHONIOENCODING="ascii:strict", LC_ALL="C")
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(done.stdout.decode("utf-8").splitlines()) == 301


@pytest.mark.skipif(os.name == "nt", reason="needs a shell with a pipe")
@pytest.mark.parametrize("command", ["packets", "snapshots", "summary"])
def test_a_reader_that_leaves_early_is_no_error(command: str) -> None:
    with subprocess.Popen(
        [*RUN, command, str(SAMPLE)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
@pytest.mark.parametrize("arguments", [["summary"], ["packets", "--format", "csv"]])
def test_no_output_at_all(head: Path, arguments: list[str]) -> None:
    shell = ["sh", "-c", '"$@" >&-', "sh", *RUN, *arguments, str(head)]
    done = subprocess.run(shell, stderr=subprocess.PIPE, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert done.stderr == b"snapscope-cli: cannot write the output: it is closed\n"


INTERRUPT_AT_IMPORT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
"""


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
@pytest.mark.parametrize("name", ["typer", "numpy._core._multiarray_umath", "analyzer.engine.capture", "pydantic"])
def test_an_interrupt_while_modules_are_loaded_is_quiet(head: Path, name: str) -> None:
    code = INTERRUPT_AT_IMPORT.format(name=name) + RUN[-1]
    done = subprocess.run(
        [sys.executable, "-c", code, "summary", str(head)], capture_output=True, cwd=ROOT, check=False
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    # As a shell tells both: 130.
    assert done.returncode in (130, -signal.SIGINT)


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_an_interrupt_is_quiet() -> None:
    """The program is surely still at work: its output does not fit into the pipe."""
    handler = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [sys.executable, "-c", f"{handler}; {RUN[-1]}", "packets", str(SAMPLE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stderr.read() == b""


def test_help_into_a_closed_pipe() -> None:
    with subprocess.Popen([*RUN, "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_told_in_one_line(head: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*RUN, "packets", str(head)], stdout=full, stderr=subprocess.PIPE, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert done.stderr == b"snapscope-cli: cannot write the output: No space left on device\n"


def test_a_wrong_choice_names_the_right_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert failure(capsys, "snapshots", "a", "--format", "xml")[1] == (
        "snapscope-cli: Invalid value for '--format': 'xml' is not one of 'jsonl', 'csv', 'text'"
        " (see snapscope-cli --help)\n"
    )


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ("d4c3b2a1 0200 0400 0000", "10 of 24 bytes are there"),
        ("d4c3b2a1 0900 0900 0000000000000000 00000400 01000000", "pcap version 9.9 is not known"),
        ("0a0d0d0a 1c000000", "8 bytes of it are there"),
    ],
)
@pytest.mark.parametrize("command", ["summary", "snapshots", "packets"])
def test_a_broken_header(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str, data: str, what: str
) -> None:
    path = tmp_path / "broken.pcap"
    path.write_bytes(bytes.fromhex(data))
    code, err = failure(capsys, command, str(path))
    assert code == 1
    assert what in err


@pytest.mark.parametrize("command", ["summary", "snapshots", "packets"])
def test_filters_and_rules_are_loaded_where_a_filter_is_given_only(head: Path, command: str) -> None:
    """They take longer to load than a small file to decode."""
    code = (
        "import sys; from analyzer.cli import main; main(sys.argv[1:]); "
        "print('lark' in sys.modules, 'analyzer.expert.rules' in sys.modules, file=sys.stderr)"
    )
    for option, loaded in ([], "False False"), (["-Y", "snapshot.code"], "True True"):
        run = [sys.executable, "-c", code, command, str(head), *option]
        assert (
            subprocess.run(run, cwd=ROOT, capture_output=True, check=True, text=True).stderr.split("\n")[-2] == loaded
        )
