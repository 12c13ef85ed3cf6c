"""The two ends of every flow, and what its traffic was recognised as."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from analyzer.store.tables import Tables


@dataclass(frozen=True, slots=True)
class Ends:
    """Who talks on a flow, as address:port."""

    client: str
    """The first sender while nobody knows which end is the server."""
    server: str


@dataclass(frozen=True, slots=True)
class FlowEnds:
    """One flow as a person sees it."""

    client: str
    """address:port; the first sender while nobody knows which end is the server."""
    server: str
    server_known: bool
    protocol: str
    """Name of the protocol that reads it; empty: none does."""
    dialect: str
    """Dialect of the reading, or what detection recognised where there is none; may be empty."""
    packets: int
    first_packet: int


def flow_ends(tables: Tables) -> list[FlowEnds]:
    """Every flow, by row."""
    return [_flow(tables, row) for row in range(len(tables.flows))]


def session_flow(tables: Tables, session: int) -> int:
    """Row of the flow a session belongs to."""
    return tables.readings.integer("flow", tables.sessions.integer("reading", session))


def undecoded_packets(flows: Iterable[FlowEnds]) -> dict[str, int]:
    """Packets of the flows that were recognised but have no reading, by what they were recognised as."""
    found: Counter[str] = Counter()
    for flow in flows:
        if not flow.protocol and flow.dialect:
            found[flow.dialect] += flow.packets
    return dict(found)


def ends_of(tables: Tables, flow: int) -> Ends:
    """The two ends of one flow."""
    ends = tables.flows.text("address_a", flow), tables.flows.text("address_b", flow)
    client_end = 1 if tables.flows.integer("server", flow) == 0 else 0
    return Ends(ends[client_end], ends[1 - client_end])


def _flow(tables: Tables, row: int) -> FlowEnds:
    flows = tables.flows
    ends = ends_of(tables, row)
    reading = flows.integer("reading", row)
    protocol = tables.readings.text("protocol", reading) if reading >= 0 else ""
    dialect = tables.readings.text("dialect", reading) if reading >= 0 else flows.text("recognised", row)
    return FlowEnds(
        client=ends.client,
        server=ends.server,
        server_known=flows.integer("server", row) >= 0,
        protocol=protocol,
        dialect=dialect,
        packets=flows.integer("packets", row),
        first_packet=flows.integer("first_packet", row),
    )
