"""What the operating system counts at each network interface, and which game ports are open: no right is needed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

GAME_PORTS = range(8303, 8311)
"""Where servers of this family listen unless told otherwise."""
EVERYWHERE = {"0.0.0.0", "::"}


@dataclass(frozen=True, slots=True)
class OpenPort:
    """A UDP port of this machine that a program has open."""

    address: str
    """Where it listens; one of `EVERYWHERE`: at every address."""
    port: int


@dataclass(frozen=True, slots=True)
class PacketCount:
    """Packets since the interface is there."""

    received: int
    sent: int

    def passing(self, *, loopback: bool) -> int:
        """What a capture would see; on loopback all that is sent is received, and captured once."""
        return self.received if loopback else self.received + self.sent


def packet_counts() -> dict[str, PacketCount]:
    """By interface, as far as the system counts; the names are those of the sniffer."""
    # Here: loading it takes longer than a window should wait that nobody asks for traffic.
    import psutil

    return {
        name: PacketCount(count.packets_recv, count.packets_sent)
        for name, count in psutil.net_io_counters(pernic=True).items()
    }


def open_game_ports() -> list[OpenPort]:
    """UDP ports among `GAME_PORTS` that are open; none where the system does not tell this user."""
    import psutil

    try:
        sockets = psutil.net_connections(kind="udp")
    except psutil.AccessDenied:
        return []
    return [OpenPort(one.laddr.ip, one.laddr.port) for one in sockets if one.laddr and one.laddr.port in GAME_PORTS]


def ports_at(open_ports: Collection[OpenPort], addresses: Collection[str]) -> list[int]:
    """Ports that can be reached at these addresses of the machine, ascending."""
    return sorted({one.port for one in open_ports if one.address in EVERYWHERE or one.address in addresses})
