"""From frames to datagrams: samples of every outcome, padding, cuts, fragments; scapy dissects the same."""

from __future__ import annotations

import random
import socket
from pathlib import Path

import pytest
from capture_files import capture_paths
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.inet import IP, TCP, UDP, defragment, fragment
from scapy.layers.inet6 import (
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrRouting,
    defragment6,
    fragment6,
)
from scapy.layers.l2 import ARP, CookedLinux, CookedLinuxV2, Dot1AD, Dot1Q, Ether, Loopback
from scapy.packet import Packet, Raw

from analyzer.capture.frames import join_batches
from analyzer.capture.source import Source
from analyzer.net.datagrams import Datagram, Network
from analyzer.net.kinds import FrameKind
from tests.net.builders import (
    DESTINATION_4,
    DESTINATION_6,
    SOURCE_4,
    SOURCE_6,
    ethernet,
    extension,
    fragment_header,
    ipv4,
    ipv6,
    udp,
)

MAC = "02:00:00:00:00:01"
LINK_TYPES = {1: Ether, 113: CookedLinux, 276: CookedLinuxV2, 0: Loopback, 228: IP, 229: IPv6}


def read(data: bytes, *, link_type: int = 1, original: int | None = None) -> Datagram | FrameKind:
    return Network().read(3, 1000, link_type, data, len(data) if original is None else original)


def sent(payload: bytes, start: int, *, udp_length: int | None = None, six: bool = False) -> Datagram:
    """What is expected of a datagram that the builders made."""
    source, destination = (SOURCE_6, DESTINATION_6) if six else (SOURCE_4, DESTINATION_4)
    length = len(payload) if udp_length is None else udp_length
    return Datagram(3, 1000, source, 8303, destination, 50000, payload, start, length, length > len(payload))


@pytest.mark.parametrize(
    ("link_type", "data", "expected"),
    [
        (1, ethernet(ipv4(udp(b"hello"))), sent(b"hello", 42)),
        (1, ethernet(ipv4(udp(b"hello"))) + bytes(13), sent(b"hello", 42)),
        (1, ethernet(ipv4(udp(b""))), sent(b"", 42)),
        (1, ethernet(ipv4(udp(b"hello"), options=bytes(4))), sent(b"hello", 46)),
        (1, ethernet(ipv4(udp(b"hello"), total=0)), sent(b"hello", 42)),
        (1, ethernet(ipv4(udp(b"hello", length=0))), sent(b"hello", 42)),
        (1, ethernet(ipv4(udp(b"hello", length=10))), sent(b"he", 42)),
        (1, ethernet(ipv4(udp(b"hello", length=20))), sent(b"hello", 42, udp_length=12)),
        (1, ethernet(ipv4(udp(b"hello")), tags=(0x88A8, 0x8100)), sent(b"hello", 50)),
        (1, ethernet(ipv6(udp(b"hello")), 0x86DD), sent(b"hello", 62, six=True)),
        (1, ethernet(ipv6(udp(b"hello", length=0), length=0), 0x86DD), sent(b"hello", 62, six=True)),
        (229, ipv6(extension(17, 24) + udp(b"hello"), protocol=60), sent(b"hello", 72, six=True)),
        (229, ipv6(fragment_header(17, 0, False) + udp(b"hi"), protocol=44), sent(b"hi", 56, six=True)),
        (1, ethernet(ipv4(b"abcd", protocol=6)), FrameKind.OTHER_IP),
        (1, ethernet(ipv4(b"abcd", protocol=6, offset=8)), FrameKind.OTHER_IP),
        (1, ethernet(ipv6(b"", protocol=59), 0x86DD), FrameKind.OTHER_IP),
        (1, ethernet(bytes(28), 0x0806), FrameKind.NOT_IP),
        (195, ethernet(ipv4(udp(b"hello"))), FrameKind.UNKNOWN_LINK),
        (1, bytes(13), FrameKind.MALFORMED_LINK),
        (1, b"", FrameKind.MALFORMED_LINK),
        (1, ethernet(ipv4(udp(b""), first=0x55)), FrameKind.MALFORMED_IP),
        (1, ethernet(ipv6(udp(b""))), FrameKind.MALFORMED_IP),
        (1, ethernet(ipv4(udp(b"")[:7])), FrameKind.MALFORMED_UDP),
        (1, ethernet(ipv4(udp(b"hello", length=7))), FrameKind.MALFORMED_UDP),
        (1, ethernet(ipv4(udp(b"")[:7], total=28)), FrameKind.CUT),
        (1, ethernet(ipv4(udp(b"hello"), more=True)), FrameKind.MALFORMED_IP),
        (1, ethernet(ipv4(udp(bytes(8)), more=True)), FrameKind.FRAGMENT),
    ],
)
def test_every_outcome(link_type: int, data: bytes, expected: Datagram | FrameKind) -> None:
    assert read(data, link_type=link_type) == expected


@pytest.mark.parametrize("data", [ethernet(ipv4(udp(b"hello"))), ethernet(ipv6(udp(b"hello")), 0x86DD, (0x8100,))])
def test_cut_at_every_length(data: bytes) -> None:
    whole = read(data)
    assert isinstance(whole, Datagram)
    for length in range(len(data)):
        found = read(data[:length], original=len(data))
        if length < whole.start:
            assert found == FrameKind.CUT
        else:
            assert isinstance(found, Datagram)
            assert (found.payload, found.udp_length, found.cut) == (b"hello"[: length - whole.start], 5, True)


def test_fragments_give_one_datagram_with_its_pieces() -> None:
    packet = udp(b"abcdefghijklmnop")
    first = ethernet(ipv4(packet[:16], more=True)) + bytes(10)
    second = ethernet(ipv4(packet[16:], offset=16), tags=(0x8100,))
    network = Network()
    assert network.read(4, 10, 1, second, len(second)) == FrameKind.FRAGMENT
    found = network.read(5, 20, 1, first, len(first))
    pieces = ((5, 42, 8), (4, 38, 8))
    assert found == Datagram(5, 20, SOURCE_4, 8303, DESTINATION_4, 50000, b"abcdefghijklmnop", 42, 16, False, pieces)


def test_cut_fragments_give_a_cut_datagram() -> None:
    packet = udp(bytes(range(40)))
    network = Network()
    frames = [ethernet(ipv4(packet[at : at + 16], offset=at, more=at < 32)) for at in (0, 16, 32)]
    outcomes = [network.read(number, number, 1, frame[:45], len(frame)) for number, frame in enumerate(frames)]
    assert outcomes[:2] == [FrameKind.FRAGMENT, FrameKind.FRAGMENT]
    pieces = ((0, 42, 3), (1, 34, 0), (2, 34, 0))
    assert outcomes[2] == Datagram(2, 2, SOURCE_4, 8303, DESTINATION_4, 50000, b"\0\1\2", 42, 40, True, pieces)
    outcomes = [network.read(number, number, 1, frame[:38], len(frame)) for number, frame in enumerate(frames)]
    assert outcomes == [FrameKind.FRAGMENT, FrameKind.FRAGMENT, FrameKind.CUT]


def test_fragments_of_ipv6_with_options_behind_the_fragment_header() -> None:
    inner = extension(17) + udp(b"abcdefgh")
    parts = [ipv6(fragment_header(60, at, at < 16) + inner[at : at + 16], protocol=44, length=None) for at in (0, 16)]
    network = Network()
    assert network.read(0, 0, 229, parts[0], len(parts[0])) == FrameKind.FRAGMENT
    found = network.read(1, 1, 229, parts[1], len(parts[1]))
    assert found == Datagram(
        1, 1, SOURCE_6, 8303, DESTINATION_6, 50000, b"abcdefgh", 64, 8, False, ((0, 64, 0), (1, 48, 8))
    )


@pytest.mark.parametrize(
    ("following", "inner", "kind"),
    [
        (60, extension(6) + bytes(8), FrameKind.OTHER_IP),
        (60, fragment_header(44, 0, False) + bytes(8), FrameKind.MALFORMED_IP),
        (44, fragment_header(17, 8, False) + bytes(8), FrameKind.MALFORMED_IP),
        (17, udp(b"", length=3) + bytes(8), FrameKind.MALFORMED_UDP),
    ],
)
def test_joined_packets_that_are_no_datagram(following: int, inner: bytes, kind: FrameKind) -> None:
    parts = [ipv6(fragment_header(following, at, at == 0) + inner[at : at + 8], protocol=44) for at in (0, 8)]
    network = Network()
    assert [network.read(0, 0, 229, part, len(part)) for part in parts] == [FrameKind.FRAGMENT, kind]


def build_packet(choose: random.Random, link_type: int) -> Packet:
    """A valid packet of any shape that scapy can build."""
    payload = Raw(choose.randbytes(choose.randrange(200)))
    ports = {"sport": choose.randrange(1, 65536), "dport": choose.randrange(1, 65536)}
    transport = (UDP(**ports) if choose.random() < 0.8 else TCP(**ports)) / payload
    if link_type != 228 and (link_type == 229 or choose.random() < 0.5):
        packet = IPv6(src="2001:db8::1", dst="fe80::2")
        for header in choose.sample([IPv6ExtHdrHopByHop, IPv6ExtHdrDestOpt, IPv6ExtHdrRouting], choose.randrange(4)):
            packet /= header()
    else:
        packet = IP(src="10.1.2.3", dst="10.3.2.1", options=bytes(4 * choose.randrange(4)))
    packet /= transport
    if link_type == 1:
        # All addresses are given: scapy would ask the network for them.
        tags = Ether(src=MAC, dst=MAC)
        for _ in range(choose.randrange(3)):
            tags /= choose.choice([Dot1Q, Dot1AD])(vlan=choose.randrange(4096))
        return (
            tags / packet
            if choose.random() < 0.95
            else Ether(src=MAC, dst=MAC) / ARP(hwsrc=MAC, psrc="10.0.0.1", hwdst=MAC, pdst="10.0.0.2")
        )
    if link_type == 0:
        return Loopback(type=2 if IP in packet else socket.AF_INET6) / packet
    return packet if link_type in (228, 229) else LINK_TYPES[link_type]() / packet


def compare(found: Datagram | FrameKind, packet: Packet) -> None:
    """What scapy dissected of the same bytes; it is our reading where the frame is whole."""
    layer = IP if IP in packet else IPv6
    if layer not in packet:
        assert found == FrameKind.NOT_IP
    elif UDP not in packet:
        assert found == FrameKind.OTHER_IP
    else:
        assert isinstance(found, Datagram)
        assert (found.source_port, found.destination_port) == (packet[UDP].sport, packet[UDP].dport)
        assert found.udp_length == packet[UDP].len - 8
        payload = bytes(packet[UDP].original)[8:][: found.udp_length]
        assert found.payload == payload
        assert found.cut == (len(payload) < found.udp_length)
        addresses = packet[layer].fields_desc[-3 if layer is IP else -2 :]
        assert addresses[0].i2m(packet, packet[layer].src) == found.source
        assert addresses[1].i2m(packet, packet[layer].dst) == found.destination


@pytest.mark.parametrize("link_type", LINK_TYPES)
def test_random_packets_are_as_scapy_dissects_them(link_type: int) -> None:
    choose = random.Random(link_type)
    for number in range(150):
        data = bytes(build_packet(choose, link_type))
        if link_type == 1 and len(data) < 60:
            data += bytes(60 - len(data))
        found = Network().read(number, 0, link_type, data, len(data))
        compare(found, LINK_TYPES[link_type](data))
        if isinstance(found, Datagram):
            assert data[found.start :][: len(found.payload)] == found.payload


@pytest.mark.parametrize("six", [False, True])
def test_fragments_that_scapy_makes(six: bool) -> None:
    choose = random.Random(six)
    for number in range(40):
        payload = choose.randbytes(choose.randrange(1500, 9000))
        if six:
            whole = IPv6(src="::1", dst="::2") / IPv6ExtHdrFragment(id=number) / UDP(sport=1, dport=2) / Raw(payload)
            parts = [bytes(part) for part in fragment6(whole, choose.randrange(100, 1400))]
        else:
            whole = IP(src="1.1.1.1", dst="1.1.1.2", id=number) / UDP(sport=1, dport=2) / Raw(payload)
            parts = [bytes(part) for part in fragment(whole, choose.randrange(100, 1400))]
        choose.shuffle(parts)
        network = Network()
        outcomes = [network.read(at, at, 101, part, len(part)) for at, part in enumerate(parts)]
        assert outcomes[:-1] == [FrameKind.FRAGMENT] * (len(parts) - 1)
        found = outcomes[-1]
        assert isinstance(found, Datagram)
        assert found.payload == payload
        assert not found.cut
        assert b"".join(parts[at][offset : offset + size] for at, offset, size in found.pieces) == payload


@pytest.mark.parametrize("size", [8, 16, 24, 104])
@pytest.mark.parametrize("six", [False, True])
def test_small_fragments_that_scapy_joins(six: bool, size: int) -> None:
    """The first may hold the UDP header alone; every fragment has its piece."""
    choose = random.Random(size)
    for number in range(30):
        payload = choose.randbytes(choose.randrange(size + 1, 600))
        transport = UDP(sport=1, dport=2) / Raw(payload)
        if six:
            whole = IPv6(src="::1", dst="::2") / IPv6ExtHdrFragment(id=number) / transport
            # Of the size that scapy is given, 48 bytes are headers.
            parts = fragment6(whole, 48 + size)
            joined = IPv6(bytes(defragment6(parts)))
        else:
            parts = fragment(IP(src="1.1.1.1", dst="1.1.1.2", id=number) / transport, size)
            (joined,) = defragment([IP(bytes(part)) for part in parts])
        assert bytes(joined[UDP].payload) == payload
        frames = [bytes(part) for part in parts]
        assert len(frames[0]) == (48 if six else 20) + size
        network = Network()
        order = choose.sample(range(len(frames)), len(frames))
        *early, found = [network.read(at, at, 101, frames[at], len(frames[at])) for at in order]
        assert early == [FrameKind.FRAGMENT] * len(early)
        assert isinstance(found, Datagram)
        assert (found.payload, found.udp_length, found.cut) == (payload, len(payload), False)
        assert (found.source_port, found.destination_port) == (joined[UDP].sport, joined[UDP].dport)
        assert [frame for frame, _, _ in found.pieces] == list(range(len(frames)))
        assert found.start == (56 if six else 28)
        assert b"".join(frames[at][offset : offset + taken] for at, offset, taken in found.pieces) == payload


@pytest.mark.parametrize("path", capture_paths(), ids=lambda path: path.name)
def test_recorded_frames_are_as_scapy_dissects_them(path: Path) -> None:
    source = Source.open(path)
    batches = []
    while not source.at_end:
        batches.append(source.read(10_000))
    batch = join_batches(batches)
    assert len(batch) > 0
    network = Network()
    for row in range(0, len(batch), max(1, len(batch) // 150)):
        data = source.data(int(batch.offset[row]), int(batch.captured[row]))
        link_type = source.interfaces[batch.interface[row]].link_type
        compare(network.read(row, 0, link_type, data, int(batch.original[row])), LINK_TYPES[link_type](data))
    source.close()


@given(
    data=st.one_of(
        st.binary(max_size=100),
        st.binary(max_size=60).map(ipv4),
        st.binary(max_size=60).map(lambda tail: ethernet(ipv4(tail))),
        st.binary(max_size=60).map(lambda tail: ethernet(ipv6(tail, protocol=tail[0] if tail else 0), 0x86DD)),
        st.binary(max_size=60).map(lambda tail: ipv6(tail, protocol=44)),
    ),
    link_type=st.sampled_from([0, 1, 12, 14, 101, 108, 113, 228, 229, 276, 999]),
    more=st.integers(0, 60),
    keep=st.integers(0, 100),
)
def test_any_bytes_are_one_kind(data: bytes, link_type: int, more: int, keep: int) -> None:
    data = data[:keep]
    network = Network()
    for number in range(2):
        found = network.read(number, number, link_type, data, len(data) + more)
        if isinstance(found, Datagram):
            assert found.cut == (found.udp_length > len(found.payload))
            assert len(found.payload) <= found.udp_length
            if not found.pieces:
                assert data[found.start :][: len(found.payload)] == found.payload
        else:
            assert FrameKind(found) != FrameKind.UDP
