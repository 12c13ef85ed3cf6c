"""The rows of a benchmark: figures, what they should reach, and how they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

HEAD = ("what", "measured", "reach", "", "runs", "remark")


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. `value` None: it could not be measured, `remark` says why."""

    what: str
    value: float | None
    unit: str
    runs: int = 0
    """Runs of which `value` is the median."""
    reach: float | None = None
    """What it should reach."""
    at_most: bool = False
    """Smaller is better."""
    remark: str = ""

    @property
    def met(self) -> bool | None:
        """Whether it reaches what it should; None where nothing is asked or nothing was measured."""
        if self.value is None or self.reach is None:
            return None
        return self.value <= self.reach if self.at_most else self.value >= self.reach


def text(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    cells = [HEAD, *map(_cells, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEAD))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    return "\n".join([lines[0], "| " + " | ".join("-" * max(1, width) for width in widths) + " |", *lines[1:]])


def records(rows: Sequence[Row]) -> list[dict[str, object]]:
    """The rows for JSON."""
    return [{**asdict(row), "met": row.met} for row in rows]


def _cells(row: Row) -> tuple[str, ...]:
    reach = "" if row.reach is None else f"{'at most ' if row.at_most else ''}{number(row.reach)} {row.unit}"
    met = {None: "", True: "met", False: "missed"}[row.met]
    measured = "not measured" if row.value is None else f"{number(row.value)} {row.unit}"
    return row.what, measured, reach, met, str(row.runs or ""), row.remark


def number(value: float) -> str:
    """Three significant digits, thousands grouped."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Ours in units of theirs, round by round."""
    return [our / their for our, their in zip(ours, theirs, strict=True)]


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-round(share * 1000) * len(ordered) // 1000) - 1)]


def spread(values: Sequence[float]) -> float:
    """By how many percent the largest exceeds the smallest."""
    return (max(values) / min(values) - 1) * 100


def rounds(first_s: float, budget_s: float, wanted: int) -> int:
    """How many rounds fit into the budget, the first one, which is over, included."""
    return max(1, min(wanted, int(budget_s // max(first_s, 1e-9))))
