"""The `snapscope` command: its words, and that it opens what it is told to open."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import analyzer
from tests.ui.conftest import WAIT_MS, find_capture
from ui import app
from ui.main_window import MainWindow


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        app.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"snapscope {analyzer.__version__}, Qt 6.")


def test_unknown_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        app.main(["--unheard-of"])
    assert ended.value.code == 2
    assert "--unheard-of" in capsys.readouterr().err


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a screen")
def test_without_a_screen(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert app.main([]) == 1
    assert capsys.readouterr().err == (
        "snapscope: there is no screen here to open a window on; snapscope-cli works without one\n"
    )


def test_the_window_opens_what_it_is_told_to(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path))
    seen: list[str] = []

    def look() -> None:
        window = next(widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow))
        document = window.document
        if document is not None and document.is_decoded:
            seen.append(document.path.name)
            timer.stop()
            window.close()
            window.deleteLater()
            QApplication.quit()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(20)
    limit = QTimer()
    limit.timeout.connect(QApplication.quit)
    limit.start(WAIT_MS)
    path = find_capture("ddnet_dm6_snaplen220")
    assert app.main([str(path)]) == 0
    limit.stop()
    assert seen == [path.name]
