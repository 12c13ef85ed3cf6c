"""The list of findings as rows: groups, openness, growth, names that outlive rows, and a hundred thousand findings."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from capture_files import BUNDLED
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from analyzer.engine.expertise import Description
from analyzer.expert.rule import FIRST, HIT_COLUMNS, PACKET, ROW, SESSION, SEVERITY, SNAPSHOT, Hits, Severity
from ui.document import Document
from ui.models.finding_groups import EVERY, Arranged, Group, Grouping, Wanted, arrange
from ui.models.finding_rows import HEAD, FindingRows, grown
from ui.models.finding_text import as_csv, as_filter, as_text
from ui.models.findings import FindingModel
from ui.theme import LIGHT
from ui.views.finding_table import FindingTable

BAD = BUNDLED / "ddnet_tsunami_badcrc_head.pcap"
OpenDocument = Callable[..., Document]


def hits(count: int, severity: Severity = Severity.ERROR, session: int = 0) -> Hits:
    """One after the other, on packets and snapshots that are there."""
    made = np.zeros((count, HIT_COLUMNS), np.int32)
    made[:, ROW] = made[:, FIRST] = np.arange(count)
    made[:, PACKET] = 100
    made[:, SNAPSHOT], made[:, SESSION], made[:, SEVERITY] = 10, session, severity
    return made


def group(rule: str, count: int, severity: Severity = Severity.ERROR, session: int = EVERY, depth: int = 0) -> Group:
    made = hits(count, severity)
    if not rule:
        return Group((rule, session), depth, severity, count, 0, 0, 0)
    return Group((rule, session), depth, severity, count, 0, 0, 0, made, np.zeros(count, np.int64))


def all_found(qtbot: QtBot, document: Document, wanted: Wanted) -> Arranged:
    """What the query thread arranges."""
    got: list[Arranged] = []

    def question(query: object) -> Arranged:
        findings = query.findings  # type: ignore[attr-defined]
        findings.update()
        return arrange(findings, document.tables, wanted)

    document.ask("test", question, got.append)
    qtbot.waitUntil(lambda: bool(got))
    return got[0]


def test_groups_open_and_close() -> None:
    rows = FindingRows()
    rows.replace([group("snap.crc", 3), group("base.stuck", 2, Severity.WARNING)])
    assert rows.count == 5, "few errors are open from the beginning, warnings are not"
    assert [rows.place(row) for row in range(5)] == [(0, HEAD), (0, 0), (0, 1), (0, 2), (1, HEAD)]
    rows.set_open(1, True)
    assert rows.count == 7
    assert rows.row_of(1, 1) == 6
    rows.set_open(0, False)
    assert [rows.row_of(0, 2), rows.row_of(0, HEAD), rows.row_of(1, HEAD), rows.row_of(1, 0)] == [-1, 0, 1, 2]


def test_groups_of_a_client_are_below_it() -> None:
    rows = FindingRows()
    rows.replace(
        [
            group("", 3, session=4),
            group("snap.crc", 2, session=4, depth=1),
            group("base.stuck", 1, Severity.WARNING, session=4, depth=1),
            group("", 1, Severity.NOTE, session=7),
            group("rate.init", 1, Severity.NOTE, session=7, depth=1),
        ]
    )
    assert rows.count == 6, "client 4 with its two rules, the errors of one, and client 7"
    assert rows.parent(2) == 0
    assert rows.row_of(4, HEAD) == -1
    rows.set_open(3, True)
    rows.set_open(4, True)
    assert rows.row_of(4, 0) == 7
    rows.set_open(0, False)
    assert [rows.row_of(number, HEAD) for number in range(5)] == [0, -1, -1, 1, 2]


def test_steps_lead_through_closed_groups_and_end() -> None:
    rows = FindingRows()
    rows.replace([group("snap.crc", 2), group("base.stuck", 1, Severity.WARNING), group("rate.init", 2, Severity.NOTE)])
    found, place = [], rows.beside(-1, 1)
    while place is not None:
        found.append(place)
        rows.set_open(place[0], True)
        place = rows.beside(rows.row_of(*place), 1)
    assert found == [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)]
    assert rows.beside(-1, -1) == (2, 1)
    assert rows.beside(rows.row_of(1, 0), -1) == (0, 1)
    assert rows.beside(rows.row_of(0, 0), -1) is None
    assert FindingRows().beside(-1, 1) is None


def test_what_has_only_grown_is_told_from_what_has_changed() -> None:
    crc, more = group("snap.crc", 2), group("snap.crc", 5)
    stuck = group("base.stuck", 1, Severity.WARNING)
    assert grown([crc], [crc]) == []
    assert grown([crc], [more, stuck]) == [(0, 2), (1, -1)]
    assert grown([stuck], [crc, stuck]) == [(0, -1)]
    assert grown([more], [crc]) is None
    assert grown([crc, stuck], [stuck]) is None
    other = replace(more, hits=more.hits[1:])
    assert grown([crc], [other]) is None, "its first finding is gone"


def test_rows_are_put_in_while_groups_grow(qtbot: QtBot, document: OpenDocument, qtmodeltester: ModelTester) -> None:
    opened = document(BAD)
    model = FindingModel()
    model.show_document(opened)
    qtmodeltester.check(model, force_py=True)
    watch = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    resets: list[int] = []
    model.modelReset.connect(lambda: resets.append(1))
    stuck = group("base.stuck", 3, Severity.WARNING)
    model.show(Arranged((group("snap.crc", 2), stuck)))
    assert model.rowCount() == 4
    model.set_open(1, True)
    name = model.name_at(5)
    model.show(Arranged((group("snap.crc", 4), group("base.unknown", 1), stuck)))
    assert model.rowCount() == 11
    assert model.row_named(name) == 9, "its second finding, further below now"
    assert not resets
    model.show(Arranged((stuck,)))
    assert resets == [1]
    assert model.row_named(name) == 2
    watch.deleteLater()


def test_a_hundred_thousand_findings_are_made_as_they_are_looked_at(
    qtbot: QtBot, document: OpenDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = document(BAD)
    model = FindingModel()
    model.show_document(opened)
    table = FindingTable(LIGHT, model)
    qtbot.addWidget(table)
    table.resize(900, 400)
    table.show()
    made: list[int] = []
    plain = Group.finding
    monkeypatch.setattr(
        Group, "finding", lambda self, offset, tables: made.append(offset) or plain(self, offset, tables)
    )
    model.show(Arranged((group("snap.crc", 100_000),)))
    assert model.rowCount() == 1, "so many are not open from the beginning"
    model.set_open(0, True)
    assert model.rowCount() == 100_001
    table.go_to(60_000)
    qtbot.waitUntil(lambda: 59_999 in made)
    table.grab()
    assert len(set(made)) < 200
    model.show(Arranged((group("snap.crc", 100_500),)))
    assert model.rowCount() == 100_501
    table.grab()
    assert len(set(made)) < 200
    model.show_document(None)


def test_the_order_is_worst_first_by_rule_and_by_client(qtbot: QtBot, document: OpenDocument) -> None:
    opened = document(BAD)
    found = all_found(qtbot, opened, Wanted())
    assert next((one.key[0], one.severity.word, one.count, one.followers) for one in found.groups) == (
        "snap.crc",
        "error",
        3,
        95,
    )
    ranks = [one.severity for one in found.groups]
    assert ranks == sorted(ranks, reverse=True)
    assert found.counts[Severity.ERROR] == 3
    by_client = all_found(qtbot, opened, Wanted(Grouping.CLIENT))
    heads = [one for one in by_client.groups if one.rule is None]
    assert [head.severity for head in heads] == sorted((head.severity for head in heads), reverse=True)
    assert sum(head.count for head in heads) == sum(one.count for one in found.groups)
    errors = all_found(qtbot, opened, Wanted(severities=frozenset({Severity.ERROR})))
    assert [one.key for one in errors.groups] == [("snap.crc", EVERY)]
    assert errors.counts == found.counts, "counts are of all, shown or not"
    assert list(errors.packets) == sorted(errors.groups[0].hits[:, PACKET])
    own = all_found(qtbot, opened, Wanted(session=int(errors.groups[0].hits[0, SESSION])))
    assert 0 < sum(one.count for one in own.groups) < sum(one.count for one in found.groups)


def test_copies(qtbot: QtBot, document: OpenDocument) -> None:
    opened = document(BAD)
    found = all_found(qtbot, opened, Wanted())
    crc = found.groups[0]
    rows = list(csv.DictReader(io.StringIO(as_csv([crc], opened.tables))))
    assert [row["Rule"] for row in rows] == ["snap.crc"] * 3
    assert rows[0]["Severity"] == "error"
    assert rows[0]["Packet"] == "334"
    assert rows[0]["Tick"] == "164"
    assert rows[0]["Client"] == "bot0"
    words = Description("Checksum differs", "it is wrong", "It means so.", "", "Bits.", "Look.")
    text = as_text(crc.finding(0, opened.tables), words, opened.tables, "bad.pcap", ["- one value"])
    assert text.splitlines() == [
        "Checksum differs (snap.crc, error)",
        "bad.pcap: bot0 · tick 164 · packet 334 · 1.197487 s",
        "it is wrong",
        "It means so.",
        "May be: Bits.",
        "What to do: Look.",
        "- one value",
    ]
    assert as_filter("snap.crc") == 'finding.rule == "snap.crc"'
    assert as_filter("", Severity.WARNING) == 'finding.severity == "warn"'
