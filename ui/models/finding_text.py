"""Findings as text to copy: one in plain words, a list as CSV, and as a display filter. Knows no Qt."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from analyzer.engine.expertise import Description
from analyzer.expert.findings import Finding
from analyzer.expert.rule import PACKET, ROW, SESSION, SEVERITY, SNAPSHOT, Severity
from analyzer.expert.rules import RULES
from analyzer.stats.flows import ends_of, session_flow
from analyzer.store.tables import Tables
from ui.models.finding_groups import Group
from ui.words import DOT, count, decimal, number

CSV_HEADS = ("Severity", "Rule", "Finding", "Packet", "Time [s]", "Client", "Tick", "Followers")
NOUNS = {
    Severity.ERROR: ("error", "errors"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.NOTE: ("note", "notes"),
}
WORST_FIRST = tuple(sorted(Severity, reverse=True))


def counted(severity: Severity, value: int) -> str:
    """7 errors."""
    one, many = NOUNS[severity]
    return count(value, one, many)


def client_name(tables: Tables, session: int) -> str:
    """The player's name, `:port` until it is known; empty for no session."""
    if session < 0:
        return ""
    player = tables.sessions.text("player", session)
    return player or ":" + ends_of(tables, session_flow(tables, session)).client.rpartition(":")[2]


def packet_number(tables: Tables, packet: int) -> int:
    """As the packet list counts."""
    return tables.packets.integer("frame", packet) + 1


def seconds(tables: Tables, time_ns: int) -> float:
    """Since the first frame."""
    return (time_ns - tables.frames.integer("time_ns", 0)) / 1e9


def place(finding: Finding, tables: Tables) -> str:
    """bot2 · tick 308 · packet 1175 · 4.077579 s."""
    parts = [client_name(tables, finding.session)]
    if finding.snapshot >= 0:
        parts.append(f"tick {number(tables.snapshots.integer('tick', finding.snapshot))}")
    parts += [
        f"packet {packet_number(tables, finding.packet)}",
        f"{decimal(seconds(tables, finding.time_ns), 6)} s",
    ]
    return DOT.join(filter(None, parts))


def as_text(finding: Finding, words: Description, tables: Tables, file: str, more: Iterable[str] = ()) -> str:
    """All there is to say of a finding; `file` is the name of the capture, `more` what else is known of it."""
    lines = (
        f"{words.title} ({finding.rule}, {NOUNS[finding.severity][0]})",
        f"{file}: {place(finding, tables)}",
        words.what,
        words.explanation,
        words.follows,
        f"May be: {words.causes}" if words.causes else "",
        f"What to do: {words.advice}" if words.advice else "",
        *more,
    )
    return "\n".join(filter(None, lines)) + "\n"


def as_csv(groups: Iterable[Group], tables: Tables) -> str:
    """All findings of some groups."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(CSV_HEADS)
    for group in groups:
        rows = zip(group.hits.tolist(), group.follow.tolist(), strict=True)
        writer.writerows(_csv_row(group.key[0], row, following, tables) for row, following in rows)
    return written.getvalue()


def _csv_row(rule: str, row: list[int], following: int, tables: Tables) -> list[object]:
    packet, snapshot = row[PACKET], row[SNAPSHOT]
    time_ns = tables.frames.integer("time_ns", tables.packets.integer("frame", packet))
    return [
        Severity(row[SEVERITY]).word,
        rule,
        RULES[rule].title,
        packet_number(tables, packet),
        f"{seconds(tables, time_ns):.6f}",
        client_name(tables, row[SESSION]),
        tables.snapshots.integer("tick", snapshot) if snapshot >= 0 else "",
        following,
    ]


def as_filter(rule: str = "", severity: Severity | None = None) -> str:
    """What shows the packets of a rule, or of a severity, as a display filter."""
    if rule:
        return f'finding.rule == "{rule}"'
    return "" if severity is None else f'finding.severity == "{severity.word}"'


def mark_of(group: Group, offset: int) -> tuple[str, int]:
    """The name of a finding: rule and row."""
    return group.key[0], int(group.hits[offset, ROW])
