"""The sniffer through libpcap, as on systems other than Linux."""

from __future__ import annotations

import struct
from pathlib import Path

from analyzer.capture.live.control import Settings, Sniffer
from analyzer.capture.live.messages import Fault
from tests.capture.live.network import (
    ethernet,
    needs_libpcap,
    needs_right,
    needs_tun,
    port_filter,
    read_frames,
    sockets,
    started,
    tap,
    wait_for_end,
    wait_for_frames,
)

pytestmark = [needs_right, needs_libpcap]
UDP_AT = 14 + 20 + 8


def test_a_burst_of_384_arrives_complete_and_once(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    payloads = [struct.pack("<I", number) * 150 for number in range(384)]
    with sockets() as (sender, receiver):
        with started(Settings("lo", path, port_filter(receiver), method="libpcap")) as sniffer:
            assert sniffer.started is not None
            assert sniffer.started.method == "libpcap"
            for payload in payloads:
                sender.send(payload)
        assert sniffer.stopped is not None
        assert sniffer.stopped.counts.frames == len(payloads)
    frames, source = read_frames(path)
    assert [(original, data[UDP_AT:]) for _, original, data in frames] == [(UDP_AT + 600, one) for one in payloads]
    assert source.dropped == 0
    assert source.problems == []


@needs_tun
def test_snap_length(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    with tap() as network, started(Settings(network.name, path, snap_length=20, method="libpcap")) as sniffer:
        network.receive(ethernet(bytes(50)))
        wait_for_frames(sniffer, 1)
    assert [(original, data) for _, original, data in read_frames(path)[0]] == [(64, ethernet(bytes(6)))]


@needs_tun
def test_an_interface_that_goes_away(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    frame = ethernet(bytes(50))
    with tap() as network, started(Settings(network.name, path, method="libpcap")) as sniffer:
        network.receive(frame)
        wait_for_frames(sniffer, 1)
        network.close()
        assert wait_for_end(sniffer) is not None
        assert sniffer.failed is not None
        assert sniffer.failed.fault is Fault.GONE
    frames, source = read_frames(path)
    assert [data for _, _, data in frames] == [frame]
    assert source.problems == []


def test_all_interfaces_at_once(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    with sockets() as (sender, receiver), started(Settings("any", path, port_filter(receiver))) as sniffer:
        sender.send(b"here")
        wait_for_frames(sniffer, 1)
    frames, _ = read_frames(path)
    assert [data[-4:] for _, _, data in frames] == [b"here"]


def test_a_filter_that_is_wrong(tmp_path: Path) -> None:
    with Sniffer.start(Settings("lo", tmp_path / "spool.pcapng", "udp prt 1", method="libpcap")) as sniffer:
        assert wait_for_end(sniffer) is None
        assert sniffer.failed is not None
        assert sniffer.failed.fault is Fault.FILTER
        assert sniffer.failed.text == (
            "The capture filter cannot be used: can't parse filter expression: syntax error."
        )
    assert list(tmp_path.iterdir()) == []
