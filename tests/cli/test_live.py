"""`live`: what is played onto loopback is decoded as it comes, the same as from the file, and nothing is lost."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from capture_files import BUNDLED, ROOT, SAMPLE

from analyzer import cli
from analyzer.capture.live.control import Settings
from analyzer.engine.capture import Capture
from tests.capture.live.network import (
    ethernet,
    give_up_right,
    needs_libpcap,
    needs_right,
    needs_tun,
    read_frames,
    started,
    tap,
)
from tests.engine.table_content import table_content

# Another process that runs these tests has other addresses.
NET = f"127.{100 + os.getpid() % 100}"
FILTER = f"udp and net {NET}.0.0/16"
REPLAY = [sys.executable, str(ROOT / "scripts" / "replay"), "--net", NET]
STATUS = re.compile(
    r"^\d+ s  [\d,]+ packets/s  [\d,]+ dropped  [\d,]+ snapshots/s  [\d,]+ failed  [\d,]+ clients?"
    r"(  [\d,]+ MB memory)?(  [\d,]+ packets not decoded yet)?(  the interface is down)?$"
)


@pytest.fixture(autouse=True)
def spool_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where captures without a name lie."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path / "snapscope" / "spools"


@contextmanager
def command(
    *arguments: str,
    before: Callable[[], None] | None = None,
    stderr: int = subprocess.PIPE,
    own_group: bool = False,
) -> Iterator[subprocess.Popen[str]]:
    """`snapscope-cli live`, ended with the test whatever happens."""
    process = subprocess.Popen(
        [sys.executable, "-c", "import sys; from analyzer.cli import main; sys.exit(main())", "live", *arguments],
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=before,
        start_new_session=own_group,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for(path: Path, size: int) -> None:
    """Wait until a file is larger than that."""
    end = time.monotonic() + 30
    while not path.exists() or path.stat().st_size <= size:
        assert time.monotonic() < end, f"{path} does not grow"
        time.sleep(0.01)


@needs_right
@needs_libpcap
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", ["ddnet_dm2_reconnect_mapchange.pcap", "ddnet_tsunami_badcrc_head.pcap"])
def test_live_and_offline_give_identical_tables(tmp_path: Path, name: str, compiled: bool) -> None:
    path = tmp_path / "spool.pcapng"
    with (
        started(Settings("lo", path, FILTER)) as sniffer,
        Capture.open(path, growing=True, strict=True, compiled=compiled) as live,
    ):
        assert live.step()
        playing = subprocess.Popen([*REPLAY, str(BUNDLED / name), "--speed", "40"], stdout=subprocess.DEVNULL)
        while playing.poll() is None:
            assert live.step()
            sniffer.next(0.01)
        assert playing.returncode == 0
        sniffer.stop()
        while not sniffer.ended:
            assert live.step()
            sniffer.next(0.1)
        live.source.finish()
        live.decode()
        found = table_content(live.tables)
        assert live.source.dropped == 0
    with Capture.open(path, strict=True, compiled=False) as offline:
        offline.decode()
        assert table_content(offline.tables) == found
        assert len(offline.tables.snapshots) > 100


@needs_right
@needs_libpcap
def test_what_is_played_is_summed_up(tmp_path: Path) -> None:
    path = tmp_path / "kept.pcapng"
    with command("lo", "-f", FILTER, "--write", str(path), "--json", "--packets", "1752") as live:
        wait_for(path, 0)
        assert subprocess.run([*REPLAY, str(SAMPLE), "--speed", "20"], stdout=subprocess.DEVNULL, check=True)
        out, errors = live.communicate(timeout=60)
    assert live.returncode == 0, errors
    record = json.loads(out)
    assert record["file"] == str(path)
    assert record["frames"] == 1752
    assert record["dropped"] == 0
    assert record["proved"] == 881
    assert [session["player"] for session in record["sessions"]] == ["bot0", "bot1", "bot2"]
    assert [line for line in errors.splitlines() if not STATUS.match(line)] == []
    assert len(read_frames(path)[0]) == 1752


@needs_right
@needs_tun
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_sums_up(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "kept.pcapng"
    with tap() as network, command(network.name, "--write", str(path)) as live:
        wait_for(path, 0)
        network.receive(ethernet(bytes(50)))
        wait_for(path, 300)
        assert live.stderr is not None
        assert STATUS.match(live.stderr.readline().rstrip("\n"))
        live.send_signal(number)
        out, errors = live.communicate(timeout=60)
    assert live.returncode == 0, errors
    assert out.startswith(f"{path}\n")
    assert "  frames    1 (64 bytes)\n" in out
    assert [line for line in errors.splitlines() if not STATUS.match(line)] == []


@needs_right
@needs_tun
def test_a_terminal_has_one_line(tmp_path: Path) -> None:
    controller, terminal = pty.openpty()
    told = b""
    with tap() as network, command(network.name, stderr=terminal) as live:
        while told.count(b"client") < 3:
            told += os.read(controller, 4096)
        live.send_signal(signal.SIGINT)
        out, _ = live.communicate(timeout=60)
        os.close(terminal)
        # Linux says with an error that the other side is closed.
        with suppress(OSError):
            while data := os.read(controller, 4096):
                told += data
        os.close(controller)
    assert live.returncode == 0
    assert out.startswith(f"{network.name}\n")
    pieces = told.decode().split("\r\x1b[K")
    assert pieces[0] == pieces[-1] == ""
    assert all(STATUS.match(piece) for piece in pieces[1:-1])


@needs_right
@needs_tun
@pytest.mark.parametrize("delay", [0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8])
def test_a_terminal_interrupts_both_at_any_moment(spool_folder: Path, delay: float) -> None:
    with tap() as network, command(network.name, own_group=True) as live:
        # Before that an interrupt ends the interpreter itself.
        sniffer_of(live.pid)
        time.sleep(delay)
        os.killpg(live.pid, signal.SIGINT)
        _, errors = live.communicate(timeout=60)
    assert live.returncode in (0, 130)
    assert [line for line in errors.splitlines() if not STATUS.match(line)] == []
    assert list(spool_folder.iterdir()) == []


def sniffer_of(process: int) -> int:
    """The child of the command."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
        if children:
            return int(children[0])
        time.sleep(0.01)
    raise AssertionError("there is no sniffer")


def spool_of(folder: Path) -> Path:
    """The file that a command without --write captures into."""
    end = time.monotonic() + 30
    while not (spools := list(folder.glob("*/snap*.pcapng"))):
        assert time.monotonic() < end, "there is no spool"
        time.sleep(0.01)
    wait_for(spools[0], 0)
    return spools[0]


@needs_right
@needs_tun
def test_what_was_captured_is_kept_when_the_sniffer_is_killed(spool_folder: Path) -> None:
    with tap() as network, command(network.name) as live:
        child = sniffer_of(live.pid)
        spool = spool_of(spool_folder)
        for _ in range(100):
            network.receive(ethernet(bytes(50)))
        wait_for(spool, 9600)
        os.kill(child, signal.SIGKILL)
        out, errors = live.communicate(timeout=60)
    assert live.returncode == 1
    assert "  frames    100 (6,400 bytes)\n" in out
    assert [line for line in errors.splitlines() if not STATUS.match(line)] == [
        f"snapscope-cli: what was captured is kept in {spool}",
        "snapscope-cli: The sniffer ended unexpectedly (signal 9).",
    ]
    assert len(read_frames(spool)[0]) == 100


@needs_right
@needs_tun
def test_killed_itself_the_next_one_says_what_is_left(spool_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tap() as network:
        with command(network.name) as live:
            sniffer = os.pidfd_open(sniffer_of(live.pid))
            spool = spool_of(spool_folder)
            for _ in range(100):
                network.receive(ethernet(bytes(50)))
            live.kill()
            assert select.select([sniffer], [], [], 30)[0], "the sniffer goes on alone"
            os.close(sniffer)
        assert len(read_frames(spool)[0]) == 100
        assert cli.main(["live", network.name, "--duration", "0.1"]) == 0
    assert f"snapscope-cli: an earlier capture was not saved: {spool}\n" in capsys.readouterr().err
    assert list(spool_folder.iterdir()) == [spool.parent]


@needs_right
@needs_tun
def test_nothing_is_left_where_all_went_well(spool_folder: Path) -> None:
    with tap() as network:
        assert cli.main(["live", network.name, "--duration", "0.1"]) == 0
    assert list(spool_folder.iterdir()) == []


def test_interfaces_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["live"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["interface", "state", "addresses", "description"]
    assert any("127.0.0.1" in line for line in lines)


@needs_right
def test_what_it_refuses_is_told_in_a_line(
    tmp_path: Path, spool_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "there.pcapng"
    there.write_bytes(b"")
    for arguments, told in (
        (["snapnone"], "There is no network interface snapnone."),
        (["lo", "--write", str(there)], "there.pcapng exists already; it is not overwritten."),
        (
            ["lo", "--write", str(tmp_path / "absent" / "a.pcapng")],
            "a.pcapng cannot be made: No such file or directory.",
        ),
    ):
        assert cli.main(["live", *arguments]) == 1
        assert capsys.readouterr().err == f"snapscope-cli: {told}\n"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [there]
    assert list(spool_folder.iterdir()) == []


def test_the_standard_output_is_no_place_for_a_capture(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["live", "lo", "--write", "-"]) == 2
    assert "kept in a file, not on the standard output" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="rights are taken away as Linux does it")
def test_without_the_right_it_says_what_there_is(tmp_path: Path) -> None:
    with command("lo", "--write", str(tmp_path / "kept.pcapng"), before=give_up_right) as live:
        out, errors = live.communicate(timeout=60)
    assert (live.returncode, out) == (1, "")
    assert errors.startswith("snapscope-cli: This user may not capture on lo. ")
    assert "dumpcap" in errors or "--through" in errors
    assert errors.count("\n") == 1
