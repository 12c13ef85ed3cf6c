"""The side that starts a sniffer: what can be asked without any right, and every way in which it does not begin."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from capture_files import ROOT

from analyzer.capture.live.control import Settings, Sniffer, SnifferError, check_filter, list_interfaces
from analyzer.capture.live.messages import Fault, Reason, Stopped
from tests.capture.live.network import (
    ethernet,
    give_up_right,
    needs_dumpcap,
    needs_libpcap,
    needs_right,
    needs_tun,
    read_frames,
    started,
    tap,
    wait_for_end,
)


def refusal(settings: Settings) -> SnifferError:
    with Sniffer.start(settings) as sniffer, pytest.raises(SnifferError) as caught:
        sniffer.wait_started()
    return caught.value


def test_interfaces_are_listed() -> None:
    loopback = [place for place in list_interfaces() if place.loopback]
    assert loopback
    assert any("127.0.0.1" in place.addresses for place in loopback)


@needs_libpcap
def test_filters_are_checked() -> None:
    check_filter("")
    check_filter("udp portrange 8303-8310 or ip[6:2] & 0x1fff != 0")
    for text, reason in (
        ("udp prt 8303", "can't parse filter expression: syntax error"),
        ("-h", "can't parse filter expression: syntax error"),
    ):
        with pytest.raises(SnifferError) as caught:
            check_filter(text)
        assert caught.value.fault is Fault.FILTER
        assert str(caught.value) == f"The capture filter cannot be used: {reason}."


@needs_right
def test_no_such_interface(tmp_path: Path) -> None:
    error = refusal(Settings("snapnone", tmp_path / "spool.pcapng"))
    assert (error.fault, str(error)) == (Fault.INTERFACE, "There is no network interface snapnone.")
    assert list(tmp_path.iterdir()) == []


@needs_right
@pytest.mark.parametrize("name", ["", "a" * 300, "lo\n"])
def test_names_that_no_interface_has(tmp_path: Path, name: str) -> None:
    assert refusal(Settings(name, tmp_path / "spool.pcapng")).fault in (Fault.INTERFACE, Fault.BUG)


@needs_right
def test_a_file_that_is_there_already(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    path.write_bytes(b"precious")
    error = refusal(Settings("lo", path))
    assert (error.fault, str(error)) == (Fault.FILE, "spool.pcapng exists already; it is not overwritten.")
    assert path.read_bytes() == b"precious"


WITHOUT_RIGHT = """
import sys
from pathlib import Path
from analyzer.capture.live.control import Settings, Sniffer, SnifferError, list_interfaces
assert list_interfaces()
for method in sys.argv[1:]:
    with Sniffer.start(Settings("lo", Path("/nowhere/spool.pcapng"), method=method)) as sniffer:
        try:
            sniffer.wait_started()
        except SnifferError as error:
            print(method, error.fault, error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="rights are taken away as Linux does it")
@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("ring", "This user may not capture on lo."),
        pytest.param("libpcap", "This user may not capture on lo.", marks=needs_libpcap),
        pytest.param("dumpcap", "dumpcap may not capture on lo for this user.", marks=needs_dumpcap),
    ],
)
def test_a_user_without_the_right(method: str, told: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_RIGHT, method],
        preexec_fn=give_up_right,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == f"{method} right {told}\n"


@needs_right
@needs_tun
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_stop_it_in_good_order(tmp_path: Path, number: signal.Signals) -> None:
    with tap() as network, started(Settings(network.name, tmp_path / "spool.pcapng")) as sniffer:
        os.kill(sniffer.process_id, number)
        stopped = wait_for_end(sniffer)
        assert isinstance(stopped, Stopped)
        assert stopped.reason is Reason.ASKED
        sniffer.stop()
        assert sniffer.next(0.0) is None


@needs_right
@needs_tun
def test_it_ends_with_who_started_it(tmp_path: Path) -> None:
    """Killed at once, the parent cannot stop it; the end of its input does, and in good order."""
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom analyzer.capture.live.control import Settings, Sniffer\n"
        "sniffer = Sniffer.start(Settings(sys.argv[1], Path(sys.argv[2])))\n"
        "print(sniffer.wait_started().process, flush=True)\ntime.sleep(60)\n"
    )
    path = tmp_path / "spool.pcapng"
    frames = [ethernet(bytes([number]) * 50) for number in range(50)]
    with tap() as network:
        parent = subprocess.Popen(
            [sys.executable, "-c", script, network.name, str(path)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        sniffer = os.pidfd_open(child)
        for frame in frames:
            network.receive(frame)
        parent.kill()
        parent.wait()
        parent.stdout.close()
        assert select.select([sniffer], [], [], 30)[0], "the sniffer goes on alone"
        os.close(sniffer)
    found, source = read_frames(path)
    assert [data for _, _, data in found] == frames
    assert (source.problems, source.dropped) == ([], 0)
