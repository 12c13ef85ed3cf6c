"""The sniffer through dumpcap, for users whom only that may let capture."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from analyzer.capture.live.control import Settings, Sniffer
from analyzer.capture.live.messages import Fault
from analyzer.capture.live.rights import Through
from tests.capture.live.network import (
    ethernet,
    needs_dumpcap,
    needs_right,
    needs_tun,
    port_filter,
    read_frames,
    sockets,
    tap,
    wait_for_end,
    wait_for_frames,
)

pytestmark = [needs_right, needs_dumpcap]
UDP_AT = 14 + 20 + 8


def through_dumpcap(settings: Settings) -> Sniffer:
    return Sniffer.start(settings, Through.DUMPCAP)


def test_a_burst_of_384_arrives_complete_and_once(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    payloads = [struct.pack("<I", number) * 150 for number in range(384)]
    with sockets() as (sender, receiver):
        with through_dumpcap(Settings("lo", path, port_filter(receiver))) as sniffer:
            assert sniffer.wait_started().method == "dumpcap"
            for payload in payloads:
                sender.send(payload)
        assert sniffer.stopped is not None
        assert sniffer.stopped.counts.frames == len(payloads)
    frames, source = read_frames(path)
    assert [data[UDP_AT:] for _, _, data in frames] == payloads
    assert source.dropped == 0
    assert source.problems == []


@needs_tun
def test_an_interface_that_goes_away(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    frame = ethernet(bytes(50))
    with tap() as network, through_dumpcap(Settings(network.name, path)) as sniffer:
        sniffer.wait_started()
        network.receive(frame)
        wait_for_frames(sniffer, 1)
        network.close()
        assert wait_for_end(sniffer) is not None
        assert sniffer.failed is not None
        assert sniffer.failed.fault is Fault.GONE
        assert sniffer.failed.text.startswith("dumpcap has ended: ")
    frames, source = read_frames(path)
    assert [data for _, _, data in frames] == [frame]
    assert source.problems == []


@pytest.mark.parametrize(
    ("interface", "text", "fault", "told"),
    [
        ("snapnone", "", Fault.INTERFACE, "There is no network interface snapnone."),
        (
            "lo",
            "udp prt",
            Fault.FILTER,
            "The capture filter cannot be used: can't parse filter expression: syntax error.",
        ),
    ],
)
def test_what_it_refuses(tmp_path: Path, interface: str, text: str, fault: Fault, told: str) -> None:
    with through_dumpcap(Settings(interface, tmp_path / "spool.pcapng", text)) as sniffer:
        assert wait_for_end(sniffer) is None
        assert sniffer.failed is not None
        assert (sniffer.failed.fault, sniffer.failed.text) == (fault, told)
    assert list(tmp_path.iterdir()) == []
