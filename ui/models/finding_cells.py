"""What rows of the list of findings show: heads of groups, and single findings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QCoreApplication

from analyzer.expert.findings import Finding
from analyzer.expert.rule import Severity
from analyzer.store.tables import Tables
from ui import fonts
from ui.models.finding_groups import EVERY, Group
from ui.models.finding_text import client_name, packet_number, seconds
from ui.views.cells import Cell, Row
from ui.words import decimal, number, quantity

SIGNS = {Severity.ERROR: "error", Severity.WARNING: "warn", Severity.NOTE: "note"}


class Column(IntEnum):
    """Columns from left to right."""

    FINDING = 0
    COUNT = 1
    FOLLOW = 2
    FIRST = 3
    LAST = 4
    PACKET = 5
    DETAIL = 6


NUMBERS = (Column.COUNT, Column.FOLLOW, Column.FIRST, Column.LAST, Column.PACKET)


def tr(text: str) -> str:
    """Strings of the list."""
    return QCoreApplication.translate("Findings", text)


@dataclass(frozen=True, slots=True)
class Heads:
    """Titles of the columns, and what they mean."""

    titles: tuple[str, ...]
    tips: tuple[str, ...]


def heads() -> Heads:
    """By column."""
    return Heads(
        (
            tr("Finding"),
            tr("Count"),
            tr("Follow"),
            tr("First [s]"),
            tr("Last [s]"),
            tr("Packet"),
            tr("Detail"),
        ),
        (
            tr("What was found, the worst first"),
            tr("Findings; what follows from one is not counted beside it"),
            tr("Snapshots that failed because of these"),
            tr("When its packet was captured, of several the first"),
            tr("When the packet of the last was captured"),
            tr("The packet that it rests on"),
            tr("What it is, with its numbers"),
        ),
    )


def group_title(group: Group, tables: Tables) -> str:
    """The rule's title, or the client's name."""
    rule = group.rule
    if rule is not None:
        return rule.title
    return client_name(tables, group.session) or tr("No client")


def head_row(group: Group, tables: Tables) -> Row:
    """The head of a group."""
    bold = fonts.Use.GROUP_ROW
    rule = group.rule
    texts = (
        Cell(group_title(group, tables), use=bold, tint="sunken", sign=SIGNS[group.severity]),
        _number(quantity(group.count), bold),
        _number(quantity(group.followers) if group.followers else "", bold),
        _number(decimal(seconds(tables, group.first_ns), 2)),
        _number(decimal(seconds(tables, group.last_ns), 2) if group.count > 1 else ""),
        _number(""),
        Cell(rule.name if rule is not None else "", "text2", tint="sunken"),
    )
    return Row(texts, depth=group.depth, opens=True)


def finding_row(group: Group, finding: Finding, tables: Tables, sentence: str) -> Row:
    """One finding. `sentence`: what it is; empty while nobody has said it."""
    cells = (
        Cell(finding_title(group, finding, tables), sign=_sign(group, finding)),
        Cell(),
        Cell(quantity(finding.followers) if finding.followers else "", right=True),
        Cell(decimal(seconds(tables, finding.time_ns), 2), right=True),
        Cell(),
        Cell(number(packet_number(tables, finding.packet)), right=True),
        Cell(sentence, "text2"),
    )
    return Row(cells, depth=group.depth + 1, runs_on=True)


def finding_title(group: Group, finding: Finding, tables: Tables) -> str:
    """Whose it is, and of which tick; of one that has neither, the packet."""
    parts = [client_name(tables, finding.session)] if group.session == EVERY else []
    if finding.snapshot >= 0:
        parts.append(tr("tick {0}").format(number(tables.snapshots.integer("tick", finding.snapshot))))
    told = [part for part in parts if part]
    return " \N{MIDDLE DOT} ".join(told) or tr("packet {0}").format(number(packet_number(tables, finding.packet)))


def _sign(group: Group, finding: Finding) -> str:
    """Only where it is not as bad as its group."""
    return "" if finding.severity is group.severity else SIGNS[finding.severity]


def _number(text: str, use: fonts.Use = fonts.Use.TABLE) -> Cell:
    return Cell(text, use=use, right=True, tint="sunken")
