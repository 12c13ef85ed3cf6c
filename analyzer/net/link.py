"""Link layers: where in a frame the IP header begins.

Link types are those of the pcap registry (LINKTYPE_...); each is read by one function of the table at the end.
"""

from __future__ import annotations

from collections.abc import Callable

from analyzer.net.kinds import FrameKind, NoDatagram, short_of

MAX_TAGS = 8
"""VLAN tags in front of a packet; two are usual."""

ETHERTYPE_IPV4 = 0x0800
ETHERTYPE_IPV6 = 0x86DD
VLAN_ETHERTYPES = (0x8100, 0x88A8, 0x9100)

AF_INET = 2
# Linux, Windows, then NetBSD and OpenBSD, FreeBSD, Darwin.
AF_INET6 = (10, 23, 24, 28, 30)

SLL_BYTES = 16
SLL2_BYTES = 20
FAMILY_BYTES = 4

LinkReader = Callable[[bytes, int], tuple[int, int]]


def find_ip(link_type: int, data: bytes, original: int) -> tuple[int, int]:
    """IP version (4, 6; 0: something else) and the offset of its header, of a frame that had `original` bytes.

    Raises NoDatagram: UNKNOWN_LINK, MALFORMED_LINK, or CUT when the captured bytes end in the link header.
    """
    reader = _READERS.get(link_type)
    if reader is None:
        raise NoDatagram(FrameKind.UNKNOWN_LINK)
    return reader(data, original)


def _read_ethernet(data: bytes, original: int) -> tuple[int, int]:
    """destination 6, source 6, EtherType u16; or a length below 0x0600 in place of the EtherType."""
    return _read_ethertype(data, original, 12)


def _read_cooked(data: bytes, original: int) -> tuple[int, int]:
    """Linux "cooked" (SLL): packet type u16, device type u16, address length u16, address 8, EtherType u16."""
    return _read_ethertype(data, original, SLL_BYTES - 2)


def _read_cooked_2(data: bytes, original: int) -> tuple[int, int]:
    """SLL2: EtherType u16, reserved u16, interface u32, device type u16, packet type u8, length u8, address 8."""
    if len(data) < SLL2_BYTES:
        raise short_of(data, original, FrameKind.MALFORMED_LINK)
    ethertype = data[0] << 8 | data[1]
    if ethertype in VLAN_ETHERTYPES:
        return _read_ethertype(data, original, SLL2_BYTES + 2)
    return _version(ethertype), SLL2_BYTES


def _read_ethertype(data: bytes, original: int, at: int) -> tuple[int, int]:
    """The EtherType at `at`, behind any VLAN tags: EtherType u16, tag u16, next EtherType u16."""
    for _ in range(MAX_TAGS + 1):
        if len(data) < at + 2:
            raise short_of(data, original, FrameKind.MALFORMED_LINK)
        ethertype = data[at] << 8 | data[at + 1]
        if ethertype not in VLAN_ETHERTYPES:
            return _version(ethertype), at + 2
        at += 4
    raise NoDatagram(FrameKind.MALFORMED_LINK)


def _version(ethertype: int) -> int:
    if ethertype == ETHERTYPE_IPV4:
        return 4
    return 6 if ethertype == ETHERTYPE_IPV6 else 0


def _read_family(data: bytes, original: int) -> tuple[int, int]:
    """BSD loopback: address family u32, in the byte order of the capturing machine (NULL) or of the network (LOOP)."""
    if len(data) < FAMILY_BYTES:
        raise short_of(data, original, FrameKind.MALFORMED_LINK)
    # Families are below 256, so that one of the two orders gives a small number.
    family = min(int.from_bytes(data[:4], "little"), int.from_bytes(data[:4], "big"))
    if family == AF_INET:
        return 4, FAMILY_BYTES
    return (6 if family in AF_INET6 else 0), FAMILY_BYTES


def _read_raw(data: bytes, original: int) -> tuple[int, int]:
    """No link header: the IP header's first four bits tell."""
    if not data:
        raise short_of(data, original, FrameKind.MALFORMED_LINK)
    version = data[0] >> 4
    if version not in (4, 6):
        raise NoDatagram(FrameKind.MALFORMED_IP)
    return version, 0


def _read_raw_4(data: bytes, original: int) -> tuple[int, int]:
    return 4, 0


def _read_raw_6(data: bytes, original: int) -> tuple[int, int]:
    return 6, 0


_READERS: dict[int, LinkReader] = {
    0: _read_family,
    1: _read_ethernet,
    # DLT_RAW of OpenBSD and of the others, which some programs write instead of LINKTYPE_RAW.
    12: _read_raw,
    14: _read_raw,
    101: _read_raw,
    108: _read_family,
    113: _read_cooked,
    228: _read_raw_4,
    229: _read_raw_6,
    276: _read_cooked_2,
}
