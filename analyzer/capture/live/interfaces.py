"""The network interfaces of this machine, as scapy knows them."""

from __future__ import annotations

import scapy.arch  # noqa: F401 - fills `conf.ifaces`
from scapy.config import conf
from scapy.interfaces import NetworkInterface

from analyzer.capture.live.messages import NetworkPlace


def list_interfaces() -> list[NetworkPlace]:
    """Every interface; those that are up first, then by name."""
    found = [_place(interface) for interface in conf.ifaces.values()]
    return sorted(found, key=lambda place: (not place.up, not place.addresses, place.name))


def _place(interface: NetworkInterface) -> NetworkPlace:
    flags = str(interface.flags)
    description = interface.description or ""
    return NetworkPlace(
        name=interface.name,
        description="" if description == interface.name else description,
        addresses=tuple(address for family in sorted(interface.ips) for address in interface.ips[family]),
        up="UP" in flags.split("+"),
        loopback="LOOPBACK" in flags,
    )
