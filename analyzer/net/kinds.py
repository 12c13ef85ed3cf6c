"""What a captured frame turned out to be, and how the readers of its layers say that it is no datagram."""

from __future__ import annotations

from enum import IntEnum


class FrameKind(IntEnum):
    """Fits in 8 bits; every frame is exactly one."""

    UDP = 0
    """A UDP datagram; the last fragment to arrive of one, too."""
    FRAGMENT = 1
    """Part of an IP packet that completes with a later frame, or never."""
    OTHER_IP = 2
    """TCP, ICMP and all other protocols over IP."""
    NOT_IP = 3
    """ARP and all others beside IP."""
    UNKNOWN_LINK = 4
    """A link type that is not read here."""
    MALFORMED_LINK = 5
    """Too short for its link header, or too many tags."""
    MALFORMED_IP = 6
    """An IP header that contradicts itself or its frame."""
    MALFORMED_UDP = 7
    """An IP packet too short for a UDP header, or a UDP length below 8."""
    CUT = 8
    """The captured bytes end before the UDP header is whole."""


class NoDatagram(Exception):  # noqa: N818 (an outcome, not an error)
    """Raised by the reader of a layer where a frame goes no further towards a UDP datagram."""

    def __init__(self, kind: FrameKind) -> None:
        super().__init__(kind.name)
        self.kind = kind


def short_of(data: bytes, original: int, malformed: FrameKind) -> NoDatagram:
    """A header is not wholly there: because the capture cut the frame of `original` bytes, or because it never was."""
    return NoDatagram(FrameKind.CUT if len(data) < original else malformed)
