"""The sniffer through the kernel's ring: everything that is sent is captured or reported as dropped, and once."""

from __future__ import annotations

import os
import signal
import struct
import time
from dataclasses import replace
from pathlib import Path

import pytest

from analyzer.capture.live.control import Settings
from analyzer.capture.live.messages import Fault, Reason
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
from tests.net.builders import ipv4, udp

pytestmark = needs_right
UDP_AT = 14 + 20 + 8


@needs_libpcap
def test_a_burst_of_384_arrives_complete_and_once(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    before = time.time_ns()
    payloads = [struct.pack("<I", number) * 150 for number in range(384)]
    with sockets() as (sender, receiver), started(Settings("lo", path, port_filter(receiver))) as sniffer:
        assert sniffer.started is not None
        assert (sniffer.started.method, sniffer.started.file) == ("ring", str(path))
        for payload in payloads:
            sender.send(payload)
        sniffer.stop()
        stopped = wait_for_end(sniffer)
    assert stopped is not None
    assert stopped.reason is Reason.ASKED
    assert (stopped.counts.frames, stopped.counts.received, stopped.counts.lost) == (384, 384, 0)
    assert stopped.counts.size == path.stat().st_size
    frames, source = read_frames(path)
    assert [data[UDP_AT:] for _, _, data in frames] == payloads
    times = [time_ns for time_ns, _, _ in frames]
    assert times == sorted(times)
    assert before <= times[0] <= times[-1] <= time.time_ns()
    assert len({time_ns % 1000 for time_ns in times}) > 100, "times have nanoseconds"
    assert source.problems == []
    assert source.dropped == 0
    assert [(one.name, one.link_type, one.snap_length) for one in source.interfaces] == [("lo", 1, 262144)]


@needs_libpcap
def test_the_largest_datagram_and_the_snap_length(tmp_path: Path) -> None:
    largest = 65507
    for snap_length, kept in ((None, UDP_AT + largest), (100, 100)):
        path = tmp_path / f"{snap_length}.pcapng"
        with sockets() as (sender, receiver):
            settings = Settings("lo", path, port_filter(receiver), snap_length=snap_length)
            with started(settings):
                sender.send(bytes(largest))
        frames, _ = read_frames(path)
        assert [(original, len(data)) for _, original, data in frames] == [(UDP_AT + largest, kept)]


@needs_libpcap
def test_sent_is_captured_and_reported_drops(tmp_path: Path) -> None:
    """The sniffer stands still until the kernel's ring is full: what was lost is counted, also in the file."""
    path = tmp_path / "spool.pcapng"
    sent, size = 1500, 60_000
    with sockets() as (sender, receiver), started(Settings("lo", path, port_filter(receiver))) as sniffer:
        assert sniffer.started is not None
        os.kill(sniffer.started.process, signal.SIGSTOP)
        for number in range(sent):
            sender.send(struct.pack("<I", number) + bytes(size))
        os.kill(sniffer.started.process, signal.SIGCONT)
        wait_for_frames(sniffer, sent)
        more = 10
        for number in range(sent, sent + more):
            sender.send(struct.pack("<I", number))
        sniffer.stop()
        stopped = wait_for_end(sniffer)
    assert stopped is not None
    counts = stopped.counts
    assert counts.dropped > 0
    assert counts.frames + counts.dropped == counts.received == sent + more
    frames, source = read_frames(path)
    assert source.dropped == counts.lost
    numbers = [struct.unpack_from("<I", data, UDP_AT)[0] for _, _, data in frames]
    assert len(numbers) == counts.frames
    assert numbers == sorted(set(numbers))
    for drop in source.take_drops():
        assert drop.since == drop.frame, "between which frames it was is known"
        assert numbers[drop.frame] - numbers[drop.frame - 1] == drop.lost + 1
    assert numbers[-more:] == list(range(sent, sent + more))


@needs_tun
@pytest.mark.parametrize("reason", [Reason.PACKETS, Reason.BYTES])
def test_stop_conditions(tmp_path: Path, reason: Reason) -> None:
    path = tmp_path / "spool.pcapng"
    with tap() as network:
        settings = Settings(network.name, path)
        settings = replace(settings, packets=100) if reason is Reason.PACKETS else replace(settings, bytes=20_000)
        with started(settings) as sniffer:
            for _ in range(250):
                network.receive(ethernet(bytes(100)))
            stopped = wait_for_end(sniffer)
    assert stopped is not None
    assert stopped.reason is reason
    frames, source = read_frames(path)
    assert len(frames) == stopped.counts.frames
    if reason is Reason.PACKETS:
        assert len(frames) == 100
    else:
        assert path.stat().st_size >= 20_000
    assert source.dropped == 0


@needs_tun
def test_stops_after_its_time(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    with tap() as network, started(Settings(network.name, path, seconds=0.3)) as sniffer:
        stopped = wait_for_end(sniffer)
    assert stopped is not None
    assert stopped.reason is Reason.SECONDS
    assert stopped.seconds >= 0.3
    assert read_frames(path)[0] == []


@needs_tun
def test_without_a_filter_everything_comes(tmp_path: Path) -> None:
    """No libpcap is needed for it."""
    path = tmp_path / "spool.pcapng"
    sent = [ethernet(struct.pack("<I", number) + bytes(46)) for number in range(20_000)]
    with tap() as network:
        with started(Settings(network.name, path)) as sniffer:
            for frame in sent:
                network.receive(frame)
            wait_for_frames(sniffer, len(sent))
        assert sniffer.stopped is not None
        assert sniffer.stopped.counts.received == len(sent)
    frames, source = read_frames(path)
    assert len(frames) + (source.dropped or 0) == len(sent)
    assert [data for _, _, data in frames] == sent


@needs_tun
@pytest.mark.parametrize("kind", [0x8100, 0x88A8])
def test_vlan_tags_stand_where_they_were(tmp_path: Path, kind: int) -> None:
    """The kernel takes them out of the frame, and has them in the ring's header."""
    path = tmp_path / "spool.pcapng"
    addresses, payload = ethernet(b"")[:12], struct.pack("!H", 0x88B5) + bytes(range(50))
    sent = [
        addresses + struct.pack("!HH", kind, 0x6123) + payload,
        addresses + payload,
        # Tag 0 is one too: priority only.
        addresses + struct.pack("!HH", kind, 0) + payload,
    ]
    with tap() as network, started(Settings(network.name, path)) as sniffer:
        for frame in sent:
            network.receive(frame)
        wait_for_frames(sniffer, len(sent))
    frames, _ = read_frames(path)
    assert [(original, data) for _, original, data in frames] == [(len(frame), frame) for frame in sent]


@needs_tun
def test_an_interface_without_ethernet(tmp_path: Path) -> None:
    """As of a tunnel: the frames are IP packets."""
    path = tmp_path / "spool.pcapng"
    packet = ipv4(udp(b"here"))
    with tap(raw_ip=True) as network, started(Settings(network.name, path)) as sniffer:
        assert sniffer.started is not None
        assert (sniffer.started.method, sniffer.started.link_type) == ("ring", 101)
        network.receive(packet)
        wait_for_frames(sniffer, 1)
    assert [(original, data) for _, original, data in read_frames(path)[0]] == [(len(packet), packet)]


@needs_tun
def test_an_interface_that_goes_away(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    frame = ethernet(bytes(50))
    with tap() as network, started(Settings(network.name, path)) as sniffer:
        network.receive(frame)
        wait_for_frames(sniffer, 1)
        network.close()
        stopped = wait_for_end(sniffer)
        assert sniffer.failed is not None
        assert sniffer.failed.fault is Fault.GONE
        assert sniffer.failed.text == "The network interface has gone away."
    assert stopped is not None
    assert stopped.reason is Reason.FAILED
    frames, source = read_frames(path)
    assert [data for _, _, data in frames] == [frame]
    assert source.problems == []
    assert source.dropped == 0


@needs_tun
def test_an_interface_that_goes_down_and_up_again(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    frames = [ethernet(bytes([number]) * 50) for number in range(2)]
    with tap() as network, started(Settings(network.name, path)) as sniffer:
        network.receive(frames[0])
        wait_for_frames(sniffer, 1)
        network.set_up(False)
        while sniffer.up:
            assert not sniffer.ended
            sniffer.next(1.0)
        network.set_up(True)
        while not sniffer.up:
            assert not sniffer.ended
            sniffer.next(1.0)
        network.receive(frames[1])
        wait_for_frames(sniffer, 2)
    assert [data for _, _, data in read_frames(path)[0]] == frames


@needs_tun
@pytest.mark.parametrize("moment", range(20))
def test_killed_at_any_moment(tmp_path: Path, moment: int) -> None:
    """The file opens, and all but the last block are whole."""
    path = tmp_path / "spool.pcapng"
    with tap() as network, started(Settings(network.name, path)) as sniffer:
        assert sniffer.started is not None
        # Each moment lies further on in the traffic than the one before.
        for number in range(2000 + 1100 * moment):
            network.receive(ethernet(struct.pack("<I", number) * 100))
        os.kill(sniffer.started.process, signal.SIGKILL)
        assert wait_for_end(sniffer) is None
        assert sniffer.failed is not None
        assert sniffer.failed.fault is Fault.ENDED
        assert sniffer.failed.text == "The sniffer ended unexpectedly (signal 9)."
    frames, source = read_frames(path)
    assert [struct.unpack_from("<I", data, 14)[0] for _, _, data in frames] == list(range(len(frames)))
    assert all(len(data) == 414 for _, _, data in frames)
    assert [one.text for one in source.problems if "the file stops in the middle of" not in one.text] == []


@needs_tun
def test_no_room_left(tmp_path: Path) -> None:
    """A clear word, everything that was written, and how much was not."""
    resource = pytest.importorskip("resource")
    path = tmp_path / "spool.pcapng"
    sent = 4000
    with tap() as network, started(Settings(network.name, path)) as sniffer:
        assert sniffer.started is not None
        resource.prlimit(sniffer.started.process, resource.RLIMIT_FSIZE, (300_000, 300_000))
        for number in range(sent):
            network.receive(ethernet(struct.pack("<I", number) * 25))
        stopped = wait_for_end(sniffer)
        assert sniffer.failed is not None
        assert sniffer.failed.fault is Fault.FULL
        assert sniffer.failed.text.startswith(
            "spool.pcapng cannot be written any further: there is no room left for it"
        )
    assert stopped is not None
    assert stopped.reason is Reason.FAILED
    frames, source = read_frames(path)
    assert source.problems == []
    assert 300_000 - 148 < path.stat().st_size <= 300_000
    counts = stopped.counts
    assert counts.frames == len(frames)
    assert counts.frames + counts.unwritten + counts.dropped == counts.received <= sent
    assert [struct.unpack_from("<I", data, 14)[0] for _, _, data in frames] == list(range(len(frames)))
