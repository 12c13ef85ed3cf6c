"""Finds the packaged data (schemas, samples) from a checkout, an installed wheel and a frozen build alike."""

from __future__ import annotations

import sys
from pathlib import Path


def resource(name: str) -> Path:
    """Path of a file or folder of `resources/`, for example `resource("schemas/teeworlds.json")`.

    Raises FileNotFoundError if this installation does not hold it.
    """
    package = Path(__file__).resolve().parent
    if getattr(sys, "frozen", False):
        # Unpacked one-file builds name their folder; others keep the data beside the program.
        package = Path(getattr(sys, "_MEIPASS", Path(sys.executable).parent)) / "analyzer"
    packaged = package / "_resources"
    # Only a checkout lacks the packaged folder: its copy would go stale.
    root = packaged if packaged.is_dir() else package.parent / "resources"
    path = root / name
    if not path.exists():
        raise FileNotFoundError(f"this installation of Snapscope lacks its data file {name} (looked in {root})")
    return path
