"""Files that live captures are written to: temporary ones, which go with the capture, and names that are free."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from datetime import datetime
from pathlib import Path

from analyzer.store.spill import spill_folder

SUFFIX = ".pcapng"


class Spools:
    """Keeps account of the temporary files. A file that cannot be deleted yet is tried again."""

    def __init__(self) -> None:
        self._files: set[Path] = set()

    def make(self, interface: str, now: datetime) -> Path:
        """A name, in a folder of its own, for a file that does not exist yet. Raises OSError."""
        folder = Path(tempfile.mkdtemp(prefix="snapscope-", dir=spill_folder()))
        name = re.sub(r"[^\w.-]+", "_", interface)
        file = folder / f"{name}-{now:%Y%m%d-%H%M%S}{SUFFIX}"
        self._files.add(file)
        return file

    def drop_others(self, *kept: Path) -> None:
        """Delete all but these."""
        for file in self._files - set(kept):
            shutil.rmtree(file.parent, ignore_errors=True)
            if not file.parent.exists():
                self._files.discard(file)


def free_name(path: Path) -> Path:
    """The path, or the same with the first number at the end of its name that no file has."""
    found, number = path, 1
    while found.exists():
        number += 1
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return found


def copy(source: Path, target: Path) -> None:
    """Copy a file; until all is written the target is what it was. Raises OSError."""
    part = target.with_name(f"{target.name}.part")
    try:
        shutil.copyfile(source, part)
        os.replace(part, target)
    except OSError:
        part.unlink(missing_ok=True)
        raise
