"""A charts pane on a real capture, without a screen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ui import fonts
from ui.charts.stack import ChartStack
from ui.document import Document
from ui.theme import LIGHT

OpenCharts = Callable[..., tuple[ChartStack, Document]]


@pytest.fixture
def pane(qtbot: QtBot, qapp: QApplication) -> ChartStack:
    """A shown pane without a document."""
    fonts.load()
    made = ChartStack(LIGHT)
    qtbot.addWidget(made)
    made.resize(600, 900)
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.fixture
def charts_of(qtbot: QtBot, pane: ChartStack) -> Iterator[OpenCharts]:
    """`charts_of(path)`: the pane on a capture that is decoded and drawn."""
    documents: list[Document] = []

    def show(path: Path) -> tuple[ChartStack, Document]:
        document = Document.open(path)
        documents.append(document)
        pane.show_document(document)
        with qtbot.waitSignal(document.decoded, timeout=120_000):
            document.start()
        qtbot.waitUntil(lambda: not pane.is_stale, timeout=10_000)
        return pane, document

    yield show
    pane.show_document(None)
    for document in documents:
        document.close()
        document.deleteLater()
