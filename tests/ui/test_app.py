"""The `snapscope` command: its words, and that it opens what it is told to open."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import analyzer
from tests.ui.conftest import WAIT_MS, find_capture
from ui import app
from ui.settings import Settings


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        app.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"snapscope {analyzer.__version__}, Qt 6.")


@pytest.mark.parametrize("name", ["ddnet_dm6_snaplen220", None])
def test_the_window_opens_what_it_is_told_to(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, name: str | None
) -> None:
    settings = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    path = None if name is None else find_capture(name)
    window = app.start(qapp, None if path is None else str(path), settings)
    document = window.document
    assert (None if document is None else document.path) == path
    if document is not None:
        qtbot.waitUntil(lambda: document.is_decoded, timeout=WAIT_MS)
    window.close()
    window.deleteLater()
