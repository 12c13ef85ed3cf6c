"""Link layers: where IP begins in every link type, tags, cuts, and any bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.net.kinds import FrameKind, NoDatagram
from analyzer.net.link import find_ip
from tests.net.builders import ethernet

LINK_TYPES = [0, 1, 12, 14, 101, 108, 113, 228, 229, 276]


@pytest.mark.parametrize(
    ("link_type", "header", "version"),
    [
        (1, ethernet(b""), 4),
        (1, ethernet(b"", 0x86DD), 6),
        (1, ethernet(b"", 0x0806), 0),
        (1, ethernet(b"", 0x0026), 0),
        (1, ethernet(b"", tags=(0x8100,)), 4),
        (1, ethernet(b"", 0x86DD, tags=(0x88A8, 0x8100)), 6),
        (1, ethernet(b"", tags=(0x9100, 0x8100, 0x8100)), 4),
        (1, ethernet(b"", tags=(0x8100,) * 8), 4),
        (1, ethernet(b"", 0x0806, tags=(0x8100,)), 0),
        (113, bytes(14) + b"\x08\x00", 4),
        (113, bytes(14) + b"\x86\xdd", 6),
        (113, bytes(14) + b"\x81\x00\x00\x2a\x08\x00", 4),
        (113, bytes(14) + b"\x00\x04", 0),
        (276, b"\x08\x00" + bytes(18), 4),
        (276, b"\x86\xdd" + bytes(18), 6),
        (276, b"\x81\x00" + bytes(18) + b"\x00\x2a\x86\xdd", 6),
        (276, b"\x08\x06" + bytes(18), 0),
        (0, b"\x02\0\0\0", 4),
        (0, b"\0\0\0\x02", 4),
        (0, b"\x1e\0\0\0", 6),
        (0, b"\0\0\0\x18", 6),
        (0, b"\x1c\0\0\0", 6),
        (0, b"\x0a\0\0\0", 6),
        (0, b"\x17\0\0\0", 6),
        (0, b"\x07\0\0\0", 0),
        (108, b"\0\0\0\x02", 4),
        (108, b"\0\0\0\x1e", 6),
    ],
)
def test_where_ip_begins(link_type: int, header: bytes, version: int) -> None:
    frame = header + b"\x45"
    assert find_ip(link_type, frame, len(frame)) == (version, len(header))
    for length in range(len(header)):
        with pytest.raises(NoDatagram) as short:
            find_ip(link_type, frame[:length], length)
        assert short.value.kind == FrameKind.MALFORMED_LINK
        with pytest.raises(NoDatagram) as cut:
            find_ip(link_type, frame[:length], len(frame))
        assert cut.value.kind == FrameKind.CUT


@pytest.mark.parametrize("link_type", [12, 14, 101])
def test_raw_packets_tell_their_version(link_type: int) -> None:
    assert find_ip(link_type, b"\x45", 1) == (4, 0)
    assert find_ip(link_type, b"\x60", 1) == (6, 0)
    with pytest.raises(NoDatagram) as wrong:
        find_ip(link_type, b"\x50", 1)
    assert wrong.value.kind == FrameKind.MALFORMED_IP
    with pytest.raises(NoDatagram) as empty:
        find_ip(link_type, b"", 0)
    assert empty.value.kind == FrameKind.MALFORMED_LINK


def test_raw_packets_of_one_version() -> None:
    assert find_ip(228, b"", 0) == (4, 0)
    assert find_ip(229, b"", 0) == (6, 0)


def test_too_many_tags() -> None:
    frame = ethernet(b"", tags=(0x8100,) * 9)
    with pytest.raises(NoDatagram) as outcome:
        find_ip(1, frame, len(frame))
    assert outcome.value.kind == FrameKind.MALFORMED_LINK


def test_other_link_types_are_unknown() -> None:
    with pytest.raises(NoDatagram) as outcome:
        find_ip(195, bytes(50), 50)
    assert outcome.value.kind == FrameKind.UNKNOWN_LINK


@given(link_type=st.sampled_from(LINK_TYPES), data=st.binary(max_size=60), more=st.integers(0, 60))
def test_any_bytes(link_type: int, data: bytes, more: int) -> None:
    try:
        version, at = find_ip(link_type, data, len(data) + more)
    except NoDatagram as outcome:
        assert outcome.kind in (FrameKind.MALFORMED_LINK, FrameKind.MALFORMED_IP, FrameKind.CUT)  # noqa: PT017
    else:
        assert version in (0, 4, 6)
        assert 0 <= at <= len(data)
