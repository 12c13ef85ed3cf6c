"""What a frame without a datagram is, in words."""

from __future__ import annotations

from analyzer.net.kinds import FrameKind

SENTENCES = {
    FrameKind.UDP: "it is UDP",
    FrameKind.FRAGMENT: "it is a fragment of an IP packet that is whole with a later frame, or never",
    FrameKind.OTHER_IP: "it is IP, but neither UDP nor a part of it",
    FrameKind.NOT_IP: "it is not IP",
    FrameKind.UNKNOWN_LINK: "its link type is not one this program reads",
    FrameKind.MALFORMED_LINK: "its link header is malformed",
    FrameKind.MALFORMED_IP: "its IP header is malformed",
    FrameKind.MALFORMED_UDP: "its UDP header is malformed",
    FrameKind.CUT: "the capture kept too little of it to reach the end of its headers",
}


def word(kind: FrameKind) -> str:
    """The kind as it stands in JSON, such as `not-ip`."""
    return kind.name.lower().replace("_", "-")
