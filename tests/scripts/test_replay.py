"""scripts/replay: the payloads of a capture arrive on loopback, in their order, each flow with ends of its own."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from capture_files import ROOT

from analyzer.engine.capture import Capture
from tests.capture.builders import pcap_file, pcap_header, pcap_record
from tests.net.builders import ethernet, ipv4, udp

REPLAY = ROOT / "scripts" / "replay"
# Another process that runs these tests has other addresses.
NET = f"127.{200 + os.getpid() % 50}"
SERVER, CLIENT = "10.0.0.1:8303", "10.0.0.2:41000"

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all addresses of 127.0.0.0/8")


@pytest.fixture
def replay() -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(REPLAY)))


def frame(payload: bytes) -> bytes:
    return ethernet(ipv4(udp(payload, source=8303, destination=41000)))


@linux
def test_payloads_arrive_at_ends_of_their_own(replay: SimpleNamespace, tmp_path: Path) -> None:
    payloads = [b"one", b"", b"three" * 200]
    path = tmp_path / "three.pcap"
    path.write_bytes(pcap_file([(number, 0, frame(payload)) for number, payload in enumerate(payloads)]))
    ends = replay.Ends(NET)
    with Capture.open(path, protocols=()) as capture:
        capture.decode()
        assert replay.play(capture, 0, ends) == 3
    server, client = ends.socket(SERVER).getsockname(), ends.socket(CLIENT)
    assert server == (f"{NET}.0.2", 8303)
    assert client.getsockname() == (f"{NET}.0.3", 41000)
    client.settimeout(10)
    assert [client.recvfrom(2000) for _ in payloads] == [(payload, server) for payload in payloads]
    ends.close()


@linux
def test_what_the_capture_cut_is_left_out(replay: SimpleNamespace, tmp_path: Path) -> None:
    whole = frame(b"whole")
    path = tmp_path / "cut.pcap"
    path.write_bytes(
        pcap_header() + pcap_record(1, 0, frame(b"long")[:-2], original=len(frame(b"long"))) + pcap_record(2, 0, whole)
    )
    ends = replay.Ends(NET)
    with Capture.open(path, protocols=()) as capture:
        capture.decode()
        assert [packet[3] for packet in replay.packets(capture)] == [b"whole"]
    ends.close()


def test_a_port_that_is_taken(replay: SimpleNamespace) -> None:
    first, second = replay.Ends("127.0"), replay.Ends("127.0")
    taken = first.socket("[::1]:0").getsockname()[1]
    first.socket(f"[::1]:{taken}")
    assert second.socket(f"[::1]:{taken}").getsockname()[1] != taken
    first.close()
    second.close()


def test_pauses_are_those_of_the_capture(replay: SimpleNamespace, tmp_path: Path) -> None:
    """Never shorter; how much longer is up to the machine."""
    path = tmp_path / "slow.pcap"
    path.write_bytes(pcap_file([(0, 0, frame(b"1")), (1, 0, frame(b"2"))]))
    ends = replay.Ends(NET)
    with Capture.open(path, protocols=()) as capture:
        capture.decode()
        begin = time.monotonic()
        replay.play(capture, 10, ends)
        assert time.monotonic() - begin >= 0.1
    ends.close()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    command = [sys.executable, str(REPLAY), str(tmp_path / "absent.pcap")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "replay: absent.pcap does not exist.\n")
