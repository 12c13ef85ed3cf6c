"""Numbers the flows of a capture: a flow is what two UDP endpoints send each other, over whatever interface or tag."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

from analyzer.net.datagrams import Datagram

Flow = tuple[bytes, int, bytes, int]
"""Address and port of endpoint a, which sent the flow's first datagram, then of endpoint b."""


class FlowTable:
    """Flows in the order in which they begin.

    A flow takes about 600 bytes for as long as the table lives, so that a scan of a million ports takes 0.6 GB; there
    are never more flows than datagrams, which are kept as well.
    """

    def __init__(self) -> None:
        self.flows: list[Flow] = []
        self._places: dict[Flow, tuple[int, int]] = {}

    def assign(self, datagram: Datagram) -> tuple[int, int]:
        """Flow number, and direction: 0 from endpoint a, 1 from endpoint b."""
        ends = (datagram.source, datagram.source_port, datagram.destination, datagram.destination_port)
        place = self._places.get(ends)
        if place is None:
            place = (len(self.flows), 0)
            self.flows.append(ends)
            self._places[ends[2:] + ends[:2]] = (len(self.flows) - 1, 1)
            # Last, for a flow of an endpoint with itself: it sends in direction 0 only.
            self._places[ends] = place
        return place


def format_endpoint(address: bytes, port: int) -> str:
    """ "127.0.0.1:8303" or "[::1]:8303", of an address of 4 or 16 bytes."""
    if len(address) == 4:
        return f"{IPv4Address(address)}:{port}"
    return f"[{IPv6Address(address)}]:{port}"
