"""Finding clients by what a person types: an address with or without its port."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from analyzer.cli.errors import CommandError
from analyzer.cli.output import counted
from analyzer.stats.flows import FlowEnds, flow_ends, session_flow
from analyzer.stats.live import live_sessions
from analyzer.store.tables import Tables

MAX_LISTED = 16
"""Clients named in an error."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def sessions_of(tables: Tables, wanted: str) -> set[int]:
    """Rows of the live sessions whose client is `wanted`. Raises CommandError naming the clients there are."""
    flows = flow_ends(tables)
    clients: dict[str, set[int]] = {}
    for session in live_sessions(tables).tolist():
        clients.setdefault(flows[session_flow(tables, session)].client, set()).add(session)
    found = [sessions for client, sessions in clients.items() if matches(client, wanted)]
    if not found:
        raise CommandError(f"no client {wanted} in this capture; {_known(clients, flows)}")
    return set().union(*found)


def matches(client: str, wanted: str) -> bool:
    """Is `wanted` (an address, or address:port, IPv6 in brackets or bare) the client `client` (address:port)?"""
    if client == wanted:
        return True
    address, port = _split(wanted)
    client_address, client_port = _split(client)
    return address is not None and address == client_address and port in (None, client_port)


def _split(text: str) -> tuple[Address | None, int | None]:
    """Address and port; a bare IPv6 address has colons of its own and no port."""
    host, port = text.strip(), None
    bracket = host.rfind("]:")
    if bracket > 0 or host.count(":") == 1:
        host, _, digits = host.rpartition(":")
        if not (digits.isascii() and digits.isdigit()):
            return None, None
        port = int(digits)
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    try:
        return ipaddress.ip_address(host), port
    except ValueError:
        return None, None


def _known(clients: Iterable[str], flows: list[FlowEnds]) -> str:
    names = sorted(clients)
    if not names:
        return f"nothing was decoded of its {counted(len(flows), 'flow')}" if flows else "it holds no UDP traffic"
    more = f" and {len(names) - MAX_LISTED:,} more" if len(names) > MAX_LISTED else ""
    return f"there are {', '.join(names[:MAX_LISTED])}{more}"
