"""Tables of a small capture laid down by hand: two clients of one server, one reading retired, one flow unread."""

from __future__ import annotations

from analyzer.protocols.base import SessionFacts
from analyzer.snapshots.status import ClientHas, LostBy, Proof, Status
from analyzer.store.tables import Tables

CODES = {"toy": ("OK", "OK-E", "B1", "P1", "C1")}
KINDS = {"toy": ("undecided", "control", "data")}
START_NS = 1_700_000_000_000_000_000


def tables() -> Tables:
    """Six frames, five packets (frame 3 holds none), three flows, three sessions of which the first is retired."""
    made = Tables()
    _frames_and_packets(made)
    _flows(made)
    _sessions(made)
    _messages(made)
    _snapshots(made)
    made.types.append(
        {
            "session": [0, 1, 2, 1],
            "name": ["Laser", "Pickup", "Pickup", "Character"],
            "updates": [99, 2, 30, 20],
            "values": [99, 8, 120, 440],
        },
        4,
    )
    made.publish()
    return made


def _frames_and_packets(made: Tables) -> None:
    made.frames.append(
        {
            "time_ns": [START_NS + step * 500_000_000 for step in range(6)],
            "offset": range(6),
            "captured": [100] * 6,
            "original": [100, 100, 100, 100, 200, 100],
            "interface": [0] * 6,
            "kind": [0, 0, 1, 0, 0, 0],
        },
        6,
    )
    made.packets.append(
        {
            "frame": [0, 1, 3, 4, 5],
            "flow": [0, 0, 1, 0, 2],
            "direction": [0, 1, 1, 1, 0],
            "start": [42] * 5,
            "length": [10, 20, 30, 40, 5],
            "udp_length": [10, 20, 30, 140, 5],
            "pieces": [1] * 5,
            "session": [1, 1, 2, 1, -1],
            "kind": [1, 2, 2, 2, 0],
            "first_message": [-1, 2, 3, 4, -1],
        },
        5,
    )


def _flows(made: Tables) -> None:
    made.flows.append(
        {
            "address_a": ["10.0.0.2:5000", "[::1]:8303", "10.0.0.9:53"],
            "address_b": ["10.0.0.1:8303", "[::1]:6000", "10.0.0.8:53"],
            "first_packet": [0, 2, 4],
            "packets": [3, 1, 1],
            "server": [1, 0, -1],
            "reading": [1, 2, -1],
            "recognised": ["", "", "a foreign one"],
        },
        3,
    )
    made.readings.append(
        {
            "flow": [0, 0, 1],
            "protocol": ["toy"] * 3,
            "dialect": ["old", "new", "new"],
            "number": [0, 1, 0],
            "alive": [False, True, True],
        },
        3,
    )


def _sessions(made: Tables) -> None:
    made.sessions.append(
        {
            "reading": [0, 1, 2],
            "number": [0, 0, 0],
            "dialect": ["old", "new", "new"],
            "facts": [SessionFacts("old"), SessionFacts("new"), SessionFacts("new")],
            "player": ["", "nameless tee", ""],
            "map": ["", "dm1", ""],
            "first_packet": [0, 0, 2],
            "last_packet": [3, 3, 2],
        },
        3,
    )


def _messages(made: Tables) -> None:
    name = made.names.number("SNAP")
    count = 6
    made.messages.append(
        {
            "packet": [1, 3, 1, 2, 3, 3],
            "reading": [0, 0, 1, 2, 1, 1],
            "name": [name] * count,
            "id": [5] * count,
            "flags": [1] * count,
            "sequence": [65535] * count,
            "size": [9] * count,
            "offset": [0] * count,
        },
        count,
    )
    made.parts.append({"message": [0, 2, 4, 3, 5], "number": [0, 0, 1, 0, 0]}, 5)


def _snapshots(made: Tables) -> None:
    """Rows: 0 of the retired reading; 1 in two parts; 2 the other client's; 3 whose checksum failed; 4 without base."""
    rows = 5
    made.snapshots.append(
        {
            "session": [0, 1, 2, 1, 1],
            "tick": [10, 10, 50, 12, 14],
            "base_tick": [-1, -1, -1, 10, 3],
            "base": [-1, -1, -1, 1, -1],
            "packet": [1, 3, 2, 3, 3],
            "first_part": [0, 1, 3, 4, -1],
            "part_count": [1, 2, 1, 1, 0],
            "parts": [1, 2, 1, 1, 1],
            "kind": [0] * rows,
            "wire_bytes": [1, 160, 30, 140, 140],
            "delta_bytes": [1, 100, 20, 40, 40],
            "state_bytes": [1, 1000, 200, 1000, 0],
            "items": [1, 30, 5, 30, 0],
            "added": [0] * rows,
            "changed": [0] * rows,
            "removed": [0] * rows,
            "deleted": [0] * rows,
            "updated": [0] * rows,
            "crc_wire": [0] * rows,
            "crc_computed": [0] * rows,
            "status": [Status.OK, Status.OK, Status.OK, Status.CRC, Status.NO_BASE],
            "code": [0, 0, 1, 4, 2],
            "depth": [0, 0, 0, 1, -1],
            "client_kept": [True, True, True, False, True],
            "client_has": [ClientHas.ACKED, ClientHas.ACKED, ClientHas.LATER, ClientHas.NEVER, ClientHas.NEVER],
            "lost_by": [0, 0, 0, 0, LostBy.CAPTURE],
            "proof": [Proof.OWN, Proof.OWN, Proof.NONE, Proof.NONE, Proof.NONE],
        },
        rows,
    )
