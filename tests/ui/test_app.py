"""The `snapscope` command: its words, and that it opens what it is told to open."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from capture_files import BUNDLED, ROOT

import analyzer
from ui import app

CAPTURE = BUNDLED / "ddnet_dm6_snaplen220.pcap"
# Opens the window, waits until its capture is decoded, says what it shows and closes it.
LOOK = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from ui import app
from ui.main_window import MainWindow

def look():
    (window,) = (widget for widget in application.topLevelWidgets() if isinstance(widget, MainWindow))
    document = window.document
    if document is not None and not document.is_decoded:
        QTimer.singleShot(20, look)
        return
    print("nothing" if document is None else document.path.name)
    window.close()

application = QApplication(["snapscope"])
QTimer.singleShot(0, look)
sys.exit(app.main(sys.argv[1:]))
"""


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


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="where settings are kept can be said only on Linux")
@pytest.mark.parametrize(("arguments", "shown"), [([], "nothing"), ([str(CAPTURE)], CAPTURE.name)])
def test_the_window_opens_what_it_is_told_to(arguments: list[str], shown: str, tmp_path: Path) -> None:
    # In a process of its own: once Qt's main loop was told to quit, no other event loop of the process runs any more.
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path)}
    command = [sys.executable, "-c", LOOK, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{shown}\n"), done.stderr
