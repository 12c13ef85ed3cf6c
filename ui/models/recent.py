"""Captures that were opened before, as the welcome page lists them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from analyzer.stats.clients import OLD_BASE_MS, Clients, Severity, judged
from analyzer.store.tables import Tables
from ui.settings import RecentCapture
from ui.words import DOT, count, decimal

ROW_ROLE = Qt.ItemDataRole.UserRole + 1
"""The `RecentRow`."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


@dataclass(frozen=True, slots=True)
class RecentRow:
    """One capture, ready to paint."""

    path: str
    name: str
    text: str
    """What it holds, or that it is gone."""
    opened: str
    severity: str
    """`error`, `warn` or empty."""
    badge: str
    missing: bool


class RecentModel(QAbstractListModel):
    """The newest first, as given."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[RecentRow] = []

    def show(self, captures: Iterable[RecentCapture], now: datetime) -> None:
        """Show these captures; looks whether their files are still there. `now` has a time zone."""
        self.beginResetModel()
        self._rows = [self._row(capture, now) for capture in captures]
        self.endResetModel()

    def row_at(self, row: int) -> RecentRow:
        """A capture."""
        return self._rows[row]

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (row.name, row.badge, row.text, row.opened)))
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.path
        return None

    def _row(self, capture: RecentCapture, now: datetime) -> RecentRow:
        missing = not Path(capture.path).is_file()
        badges = {"error": self.tr("errors"), "warn": self.tr("warnings")}
        if capture.found:
            badges[capture.severity] = capture.found
        severity = capture.severity if capture.severity in ("error", "warn") and not missing else ""
        return RecentRow(
            path=capture.path,
            name=Path(capture.path).name,
            text=self.tr("Not found where it was") if missing else capture.summary,
            opened=self._opened(capture.opened, now),
            severity=severity,
            badge=badges.get(severity, ""),
            missing=missing,
        )

    def _opened(self, text: str, now: datetime) -> str:
        """today 10:42, yesterday, 27 Nov; empty for what is no time."""
        try:
            moment = datetime.fromisoformat(text).astimezone(now.tzinfo)
        except ValueError:
            return ""
        if moment.date() == now.date():
            return self.tr("today {0}").format(f"{moment:%H:%M}")
        if moment.date() == now.date() - timedelta(days=1):
            return self.tr("yesterday")
        day = f"{moment.day} {_MONTHS[moment.month - 1]}"
        return day if moment.year == now.year else f"{day} {moment.year}"


def capture_summary(tables: Tables, clients: Clients, dialects: dict[str, str]) -> str:
    """What a capture holds: 8 810 packets, 24 clients, 23 s, DDNet. `dialects` are names for people."""
    parts = [count(len(tables.packets), "packet")]
    ends = {client.flow for client in clients.stats}
    if ends:
        parts.append(count(len(ends), "client"))
    times = tables.frames.array("time_ns")
    if len(times):
        parts.append(f"{decimal(int(times.max() - times.min()) / 1e9, 0)} s")
    names = sorted({dialects.get(client.dialect, client.dialect) for client in clients.stats})
    return DOT.join([*parts, *([" and ".join(names)] if names else [])])


def worst_severity(clients: Clients, old_base_ms: float = OLD_BASE_MS) -> str:
    """`error`, `warn` or empty: the worst of the capture's clients, as `RecentCapture` has it.

    Baselines that are older than `old_base_ms` are late.
    """
    worst = min((judged(client, old_base_ms).severity for client in clients.stats), default=Severity.PROVED)
    return {Severity.ERROR: "error", Severity.WARNING: "warn"}.get(worst, "")
