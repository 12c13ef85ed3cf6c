"""Addresses with or without a port, as they stand in tables and in filters."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One end of a flow."""

    address: Address | None
    """None: the text is none that we know."""
    port: int | None
    text: str


def endpoint_of(text: str) -> Endpoint:
    """An address with or without its port, of IPv6 in brackets if with it."""
    host, port = text, None
    bracket = text.rfind("]:")
    if bracket > 0 or text.count(":") == 1:
        host, _, digits = text.rpartition(":")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 6):
            return Endpoint(None, None, text)
        port = int(digits)
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    try:
        return Endpoint(ipaddress.ip_address(host), port, text)
    except ValueError:
        return Endpoint(None, port, text)
