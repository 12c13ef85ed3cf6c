"""IPv4 and IPv6 headers: samples, contradictions, cuts at every length, and any bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.net.ip import FragmentPosition, IpPacket, read_ip
from analyzer.net.kinds import FrameKind, NoDatagram
from tests.net.builders import (
    DESTINATION_4,
    DESTINATION_6,
    SOURCE_4,
    SOURCE_6,
    extension,
    fragment_header,
    ipv4,
    ipv6,
)


def packet_4(
    protocol: int, start: int, length: int, captured: int, fragment: FragmentPosition | None = None
) -> IpPacket:
    return IpPacket(SOURCE_4, DESTINATION_4, protocol, start, length, captured, fragment)


def packet_6(
    protocol: int, start: int, length: int, captured: int, fragment: FragmentPosition | None = None
) -> IpPacket:
    return IpPacket(SOURCE_6, DESTINATION_6, protocol, start, length, captured, fragment)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (ipv4(b"abcd"), packet_4(17, 20, 4, 4)),
        (ipv4(b"abcd", protocol=6), packet_4(6, 20, 4, 4)),
        (ipv4(b"abcd", options=bytes(8)), packet_4(17, 28, 4, 4)),
        (ipv4(b"abcd") + bytes(18), packet_4(17, 20, 4, 4)),
        (ipv4(b"abcd", total=30), packet_4(17, 20, 10, 4)),
        (ipv4(b"abcd", total=0), packet_4(17, 20, 4, 4)),
        (ipv4(b"", total=20), packet_4(17, 20, 0, 0)),
        (ipv4(bytes(8), more=True), packet_4(17, 20, 8, 8, FragmentPosition(7, 0, True))),
        (ipv4(b"abc", offset=16), packet_4(17, 20, 3, 3, FragmentPosition(7, 16, False))),
    ],
)
def test_ipv4(data: bytes, expected: IpPacket) -> None:
    assert read_ip(4, data, 0, len(data)) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (ipv6(b"abcd"), packet_6(17, 40, 4, 4)),
        (ipv6(b"abcd") + bytes(6), packet_6(17, 40, 4, 4)),
        (ipv6(b"abcd", length=9), packet_6(17, 40, 9, 4)),
        (ipv6(b"abcd", length=0), packet_6(17, 40, 4, 4)),
        (ipv6(extension(43) + extension(60, 16) + extension(17) + b"ab", protocol=0), packet_6(17, 72, 2, 2)),
        # Authentication headers count in units of 4 bytes.
        (ipv6(b"\x11\x04" + bytes(22) + b"ab", protocol=51), packet_6(17, 64, 2, 2)),
        (ipv6(fragment_header(17, 0, False) + b"ab", protocol=44), packet_6(17, 48, 2, 2)),
        (
            ipv6(fragment_header(17, 24, True) + bytes(8), protocol=44),
            packet_6(17, 48, 8, 8, FragmentPosition(7, 24, True)),
        ),
        (
            ipv6(extension(44) + fragment_header(60, 0, True) + bytes(8), protocol=0),
            packet_6(60, 56, 8, 8, FragmentPosition(7, 0, True)),
        ),
        (ipv6(b"", protocol=59), packet_6(59, 40, 0, 0)),
        (ipv6(extension(17) * 15 + b"", protocol=17), packet_6(17, 40, 120, 120)),
    ],
)
def test_ipv6(data: bytes, expected: IpPacket) -> None:
    assert read_ip(6, data, 0, len(data)) == expected


@pytest.mark.parametrize(
    ("version", "data"),
    [
        (4, ipv4(b"abcd", first=0x65)),
        (4, ipv4(b"abcd", first=0x44)),
        (4, ipv4(b"abcd", total=19)),
        (4, ipv4(b"abcd", first=0x4F, total=60)),
        (4, ipv4(bytes(9), more=True)),
        (4, ipv4(b"", offset=8)),
        (4, ipv4(bytes(16), offset=65528)),
        (6, ipv6(b"abcd", first=0x45)),
        (6, ipv6(extension(17)[:4], protocol=0)),
        (6, ipv6(b"\x11\x05" + bytes(6), protocol=0)),
        (6, ipv6(fragment_header(17, 0, True) + bytes(7), protocol=44)),
        (6, ipv6(fragment_header(17, 8, False), protocol=44)),
        (6, ipv6(extension(60) * 17, protocol=60)),
    ],
)
def test_contradictions_are_malformed(version: int, data: bytes) -> None:
    with pytest.raises(NoDatagram) as outcome:
        read_ip(version, data, 0, len(data))
    assert outcome.value.kind == FrameKind.MALFORMED_IP


@pytest.mark.parametrize(
    ("version", "data", "header"),
    [
        (4, ipv4(b"abcd"), 20),
        (4, ipv4(b"abcd", options=bytes(40)), 60),
        (6, ipv6(b"abcd"), 40),
    ],
)
def test_cut_at_every_length(version: int, data: bytes, header: int) -> None:
    for length in range(len(data)):
        if length < header:
            with pytest.raises(NoDatagram) as cut:
                read_ip(version, data[:length], 0, len(data))
            assert cut.value.kind == FrameKind.CUT
            with pytest.raises(NoDatagram) as short:
                read_ip(version, data[:length], 0, length)
            assert short.value.kind == FrameKind.MALFORMED_IP
        else:
            packet = read_ip(version, data[:length], 0, len(data))
            assert (packet.start, packet.length, packet.captured) == (header, 4, length - header)


def test_cut_in_the_extensions() -> None:
    data = ipv6(extension(60, 64) + extension(17) + b"abcd", protocol=0)
    for length in range(41, 112):
        with pytest.raises(NoDatagram) as cut:
            read_ip(6, data[:length], 0, len(data))
        assert cut.value.kind == FrameKind.CUT
    assert read_ip(6, data[:112], 0, len(data)) == packet_6(17, 112, 4, 0)
    # The payload's place is known although the capture ends before it.
    assert read_ip(6, ipv6(extension(17, 64) + b"abcd", protocol=0)[:50], 0, 108) == packet_6(17, 104, 4, 0)


@given(version=st.sampled_from([4, 6]), data=st.binary(max_size=120), at=st.integers(0, 20), more=st.integers(0, 60))
def test_any_bytes(version: int, data: bytes, at: int, more: int) -> None:
    try:
        packet = read_ip(version, data, at, len(data) + more)
    except NoDatagram as outcome:
        assert outcome.kind in (FrameKind.MALFORMED_IP, FrameKind.CUT)  # noqa: PT017
    else:
        assert 0 <= packet.captured <= packet.length
        assert packet.captured == 0 or packet.start + packet.captured <= len(data)
        assert len(packet.source) == len(packet.destination) == (4 if version == 4 else 16)
