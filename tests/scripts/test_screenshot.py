"""Pictures of the window: made without a screen, of the size that was asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_a_picture_of_each_theme(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "screenshot"), str(tmp_path), "--only", "main-"]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    made = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert made.returncode == 0, made.stderr
    names = sorted(path.name for path in tmp_path.glob("*.png"))
    assert {name.split("-")[1] for name in names} == {"light", "dark"}
    assert all((tmp_path / name).read_bytes().startswith(b"\x89PNG") for name in names)
