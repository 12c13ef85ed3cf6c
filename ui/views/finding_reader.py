"""Asks for the words of the chosen finding, shows them, and does what their buttons say."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication

from analyzer.engine.expertise import Description
from analyzer.engine.query import Query
from analyzer.expert.findings import Finding
from analyzer.snapshots.autopsy import Autopsy
from analyzer.snapshots.status import Status
from analyzer.store.tables import Tables
from ui.document import Document
from ui.models import finding_text, steps
from ui.models.finding_cells import SIGNS, group_title
from ui.models.finding_groups import Group
from ui.models.findings import FindingModel
from ui.theme import Theme
from ui.views.finding_detail import FindingDetail
from ui.words import DOT, decimal, number, quantity

DETAIL_TOPIC = "a finding"
AUTOPSY_TOPIC = "autopsy"


class FindingReader(QObject):
    """Of one document at a time."""

    told = Signal(str)

    def __init__(self, theme: Theme, findings: FindingModel, parent: QObject) -> None:
        super().__init__(parent)
        self._findings = findings
        self._document: Document | None = None
        self._row = -1
        self._read: tuple[Finding, Description] | None = None
        """What is shown."""
        self.detail = FindingDetail(theme)
        self.detail.go_wanted.connect(self._go)
        self.detail.cause_wanted.connect(self._go_to_cause)
        self.detail.copy_wanted.connect(self.copy_text)
        self.detail.autopsy_wanted.connect(self.ask_autopsy)
        self.detail.item_wanted.connect(self._go_to_item)

    def show_document(self, document: Document | None) -> None:
        """Nothing is chosen in another document."""
        self._document, self._row, self._read = document, -1, None
        self.detail.show_nothing()

    def choose(self, row: int) -> None:
        """Say what stands in a row of the list, -1: in none."""
        self._row = row
        self.read()

    def read(self) -> None:
        """Say it as it is now."""
        document, row = self._document, self._row
        if document is None or not 0 <= row < self._findings.rowCount():
            self._read = None
            self.detail.show_nothing()
            return
        group, finding = self._findings.group_at(row), self._findings.finding_at(row)
        if finding is None:
            self._read = None
            self._say_group(document, group)
        elif self._read is None or self._read[0] != finding:

            def question(query: Query) -> Description:
                return query.finding_words.describe(finding)

            document.ask(DETAIL_TOPIC, question, lambda words: self._take(document, finding, words))

    @Slot()
    def ask_autopsy(self) -> None:
        """Have the checksum explained."""
        document, read = self._document, self._read
        if document is None or read is None or read[0].snapshot < 0:
            return
        finding = read[0]

        def answer(found: Autopsy | None) -> None:
            if document is self._document and self._read is not None and self._read[0] == finding:
                self.detail.show_autopsy(found)

        document.ask(AUTOPSY_TOPIC, lambda query: query.autopsy(finding.snapshot), answer)

    @Slot()
    def copy_text(self) -> None:
        """All that is said of the finding into the clipboard."""
        document = self._document
        if document is not None and self._read is not None:
            finding, words = self._read
            text = finding_text.as_text(finding, words, document.tables, document.path.name, self.detail.autopsy_lines)
            QGuiApplication.clipboard().setText(text)

    def _take(self, document: Document, finding: Finding, words: Description) -> None:
        if document is not self._document:
            return
        row = self._row
        if not 0 <= row < self._findings.rowCount() or self._findings.finding_at(row) != finding:
            return
        self._read = finding, words
        tables = document.tables
        self.detail.show_finding(finding.rule, SIGNS[finding.severity], words, finding_text.place(finding, tables))
        self.detail.offer(
            go=self.tr("Go to packet {0}").format(number(finding_text.packet_number(tables, finding.packet))),
            cause=self._cause_text(document, finding),
            autopsy=finding.snapshot >= 0 and has_autopsy(document.tables, finding.snapshot),
        )

    def _cause_text(self, document: Document, finding: Finding) -> str:
        cause = steps.cause(document.tables, finding.snapshot)
        if cause < 0 or cause == finding.snapshot:
            return ""
        return self.tr("First cause: tick {0}").format(number(document.tables.snapshots.integer("tick", cause)))

    def _say_group(self, document: Document, group: Group) -> None:
        tables, sign = document.tables, SIGNS[group.severity]
        first, last = (finding_text.seconds(tables, time) for time in (group.first_ns, group.last_ns))
        when = f"{decimal(first, 2)} s"
        if group.count > 1:
            when = f"{decimal(first, 2)} \N{EN DASH} {decimal(last, 2)} s"
        parts = [self.tr("%n finding(s)", "", group.count).replace("(s)", "" if group.count == 1 else "s"), when]
        if group.followers:
            parts.append(self.tr("{0} snapshots failed because of them").format(quantity(group.followers)))
        rule = group.rule
        if rule is not None:
            self.detail.show_rule(rule, sign, DOT.join(parts))
        else:
            own = [one for one in self._findings.groups if one.session == group.session and one.rule is not None]
            rules = [(group_title(one, tables), quantity(one.count)) for one in own]
            self.detail.show_client(group_title(group, tables), sign, DOT.join(parts), rules)

    @Slot()
    def _go(self) -> None:
        if self._document is not None and self._read is not None:
            finding = self._read[0]
            self.told.emit("")
            self._document.selection.select(finding.packet, finding.snapshot)

    @Slot(int, int)
    def _go_to_item(self, kind: int, number: int) -> None:
        """The snapshot's item that an explanation is about."""
        self._go()
        if self._document is not None:
            self._document.selection.select_item((kind, number))

    @Slot()
    def _go_to_cause(self) -> None:
        document = self._document
        if document is not None and self._read is not None:
            cause = steps.cause(document.tables, self._read[0].snapshot)
            if cause >= 0:
                document.selection.select(steps.packet_of(document.tables, cause), cause)


def has_autopsy(tables: Tables, snapshot: int) -> bool:
    """Its checksum differs, so there is something to explain."""
    return tables.snapshots.integer("status", snapshot) == Status.CRC
