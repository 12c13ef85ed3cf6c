"""What the system counts at the interfaces, without any right."""

from __future__ import annotations

import socket

import pytest

from analyzer.capture.live.control import list_interfaces
from analyzer.capture.live.counters import GAME_PORTS, OpenPort, PacketCount, open_game_ports, packet_counts, ports_at
from tests.capture.live.network import needs_right, sockets


@needs_right
def test_loopback_counts_what_is_sent() -> None:
    (name,) = (place.name for place in list_interfaces() if place.loopback)
    before = packet_counts()[name]
    with sockets() as (one, _):
        for _ in range(100):
            one.send(b"x")
    after = packet_counts()[name]
    assert after.passing(loopback=True) >= before.passing(loopback=True) + 100


def test_what_passes_is_counted_once() -> None:
    count = PacketCount(received=10, sent=3)
    assert (count.passing(loopback=False), count.passing(loopback=True)) == (13, 10)


def test_open_game_ports() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as game:
        for port in GAME_PORTS:
            try:
                game.bind(("127.0.0.1", port))
            except OSError:
                continue
            break
        else:
            pytest.skip("every game port of this machine is taken")
        assert OpenPort("127.0.0.1", port) in open_game_ports()


def test_ports_are_reached_at_the_address_they_are_open_at() -> None:
    found = [OpenPort("192.0.2.1", 8304), OpenPort("::", 8303), OpenPort("192.0.2.1", 8303)]
    assert ports_at(found, ["192.0.2.1"]) == [8303, 8304]
    assert ports_at(found, ["127.0.0.1"]) == [8303]
    assert ports_at([], ["127.0.0.1"]) == []
