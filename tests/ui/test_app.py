"""The `snapscope` command: its words, and that it opens what it is told to open."""

from __future__ import annotations

import sys
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
