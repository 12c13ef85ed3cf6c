"""The Qt model of a baseline store: the snapshots that one could be based on, the newest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from analyzer.stats.baselines import Baseline, Role
from ui import fonts
from ui.models.column_model import Column, ColumnModel
from ui.views.cells import Cell
from ui.words import UNKNOWN, number, quantity


class BaselineModel(ColumnModel[Baseline]):
    """Shows what `show` gives it."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._number: Callable[[int], int] = int
        self._selected = True
        self._limit_ms = float("inf")
        super().__init__((), parent)
        self.columns = (
            Column("tick", self.tr("Tick"), self.tr("Tick of the snapshot"), 52, _tick, lambda row: row.tick),
            Column(
                "age",
                self.tr("Age [ms]"),
                self.tr("How long before the selected time it was complete"),
                66,
                _age,
                lambda row: row.age_ms,
                signed=True,
            ),
            Column("items", self.tr("Items"), self.tr("Items of the snapshot"), 50, _items, lambda row: row.items),
            Column(
                "acked",
                self.tr("Acked in"),
                self.tr("Number of the packet that had acknowledged it by then"),
                64,
                self._acked_in,
                self._acked,
            ),
            Column(
                "used",
                self.tr("Used by"),
                self.tr("Snapshots that had it as their baseline until then"),
                62,
                lambda row: quantity(row.used) if row.used else UNKNOWN,
                lambda row: row.used,
            ),
            Column(
                "remark",
                self.tr("Remark"),
                self.tr("What it is to the selected snapshot"),
                0,
                self._remark,
                self._remark,
                right=False,
            ),
        )

    def show(self, rows: Sequence[Baseline], packet_number: Callable[[int], int], *, selected: bool = True) -> None:
        """Show a store; `packet_number` says what number the packet list gives a packet.

        `selected`: it is of the snapshot that is selected, else of the newest one then.
        """
        if rows == self._rows and selected == self._selected:
            return
        self.beginResetModel()
        self._rows, self._number, self._selected = list(rows), packet_number, selected
        self.endResetModel()

    def set_base_age_limit(self, limit_ms: float) -> None:
        """Warn of a baseline in use that is older."""
        self._limit_ms = limit_ms
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self.columns) - 1))

    def cell(self, row: Baseline, column: Column[Baseline]) -> Cell:
        text = column.text(row)
        tone = "text3" if text == UNKNOWN else "text"
        if not column.right:
            tone = "accent" if row.role is Role.BASE else "text2"
        late = column.name == "age" and self._is_late(row)
        strong = column.name == "tick" and row.role in (Role.ITSELF, Role.BASE)
        return Cell(
            text,
            "warn" if late else tone,
            right=column.right,
            use=fonts.Use.GROUP_ROW if strong else fonts.Use.TABLE,
            tint="changed_bg" if row.role is Role.BASE else "",
            sign="warn" if late else "",
        )

    def tool_tip(self, row: Baseline) -> str:
        acked = self.tr("acknowledged in packet {0}").format(self._acked_in(row))
        parts = [
            self.tr("Tick {0}").format(number(row.tick)),
            self._remark(row),
            acked if row.acked_packet >= 0 else self.tr("not acknowledged by then"),
            self.tr("older than {0} ms").format(number(round(self._limit_ms))) if self._is_late(row) else "",
        ]
        return ", ".join(filter(None, parts))

    def _is_late(self, row: Baseline) -> bool:
        return row.role is Role.BASE and row.age_ms is not None and row.age_ms > self._limit_ms

    def _acked(self, row: Baseline) -> int | None:
        return self._number(row.acked_packet) if row.acked_packet >= 0 else None

    def _acked_in(self, row: Baseline) -> str:
        packet = self._acked(row)
        return UNKNOWN if packet is None else number(packet)

    def _remark(self, row: Baseline) -> str:
        if row.role is Role.ITSELF:
            text = self.tr("this snapshot") if self._selected else self.tr("the newest then")
            return self.tr("{0}, not rebuilt").format(text) if row.items is None else text
        if row.role is Role.BASE:
            text = self.tr("this baseline") if self._selected else self.tr("its baseline")
            if row.snapshot < 0:
                return self.tr("{0}, not captured").format(text)
            return self.tr("{0}, not rebuilt").format(text) if row.items is None else text
        return self.tr("waits for its ack") if row.role is Role.WAITS else ""


def _tick(row: Baseline) -> str:
    return number(row.tick)


def _age(row: Baseline) -> str:
    return UNKNOWN if row.age_ms is None else number(round(row.age_ms))


def _items(row: Baseline) -> str:
    return UNKNOWN if row.items is None else quantity(row.items)
