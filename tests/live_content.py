"""What counts in the tables of a capture as plain values, whatever the numbers of its rows are: to compare two ways."""

from __future__ import annotations

from collections.abc import Callable

from analyzer.store.tables import Tables

Rows = list[dict[str, object]]


def live_content(tables: Tables) -> dict[str, Rows]:
    """By table: the rows of live readings, in the order of packets, references as what they refer to."""
    alive = [row for row in range(len(tables.readings)) if tables.readings.get("alive", row)]
    sessions = {
        row: (
            tables.readings.integer("flow", reading),
            tables.sessions.integer("number", row),
            tables.sessions.integer("epoch", row),
        )
        for row in range(len(tables.sessions))
        if (reading := tables.sessions.integer("reading", row)) in alive
    }
    messages = {
        row: (tables.messages.integer("packet", row), tables.messages.integer("offset", row))
        for row in range(len(tables.messages))
    }
    snapshots: dict[int, tuple[object, ...]] = {}
    for row in range(len(tables.snapshots)):
        get = tables.snapshots.integer
        if get("session", row) in sessions:
            first, count = max(0, get("first_part", row)), get("part_count", row)
            parts = [
                (messages[tables.parts.integer("message", part)], tables.parts.integer("number", part))
                for part in range(first, first + count)
            ]
            snapshots[row] = (
                sessions[get("session", row)],
                get("tick", row),
                get("packet", row),
                tuple(parts),
                get("status", row),
                get("code", row),
            )
    known: dict[str, Callable[[int], object]] = {
        "sessions": lambda row: sessions[row],
        "snapshots": lambda row: snapshots[row],
        "messages": lambda row: messages[row],
        "readings": lambda row: row in alive,
    }
    found: dict[str, Rows] = {}
    for table in (tables.packets, tables.flows, tables.sessions, tables.messages, tables.snapshots, tables.types):
        rows: Rows = []
        for row in range(len(table)):
            values = table.row(row)
            if table is tables.sessions and row not in sessions:
                continue
            if table is tables.snapshots and row not in snapshots:
                continue
            if table is tables.messages and values["reading"] not in alive:
                continue
            if table is tables.types and values["session"] not in sessions:
                continue
            for spec in table.specs:
                value = values[spec.name]
                if spec.ref in known and isinstance(value, int) and value >= 0:
                    values[spec.name] = known[spec.ref](value)
            if table is tables.messages:
                values["name"] = tables.names[int(values["name"])]
            if table is tables.snapshots:
                values.pop("first_part")
            rows.append(values)
        found[table.name] = rows
    found["sessions"].sort(key=lambda row: (row["first_packet"], row["number"]))
    found["messages"].sort(key=lambda row: (row["packet"], row["offset"]))
    found["snapshots"].sort(key=lambda row: (row["packet"], row["session"], row["tick"]))
    found["types"].sort(key=lambda row: (row["session"], row["name"]))
    return found
