"""What goes from the charts to the clipboard: a picture, or the snapshots in view as CSV."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from analyzer.stats.series_csv import excerpt, write_csv
from ui.charts.data import ChartData
from ui.document import Document


def copy_picture(charts: QWidget) -> None:
    """The whole stack as it looks, also what is scrolled out of view."""
    QGuiApplication.clipboard().setPixmap(charts.grab())


def copy_csv(document: Document, data: ChartData, session: int, start_s: float, stop_s: float) -> None:
    """The snapshots of a session, or of all, in a stretch of time; written on the query thread."""
    track = data.track(session)
    start, stop = track.between(start_s, stop_s)
    numbers = excerpt(data.tables, data.series, track.rows[start:stop])
    document.ask("charts csv", lambda _query: write_csv(numbers, data.client), QGuiApplication.clipboard().setText)
