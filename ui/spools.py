"""Names for captures that are kept: one that is free, and copying to it."""

from __future__ import annotations

from pathlib import Path

from analyzer.export.target import written

COPY_BYTES = 1 << 20


def free_name(path: Path) -> Path:
    """The path, or the same with the first number at the end of its name that no file has."""
    found, number = path, 1
    while found.exists():
        number += 1
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return found


def named(name: str, ending: str) -> Path:
    """The file that a person named, with `ending` if its name has none.

    The system's dialog asks before an older file goes, but knows only what was typed: with an ending the name is free.
    """
    path = Path(name)
    return path if path.suffix else ended(path, ending)


def ended(path: Path, ending: str) -> Path:
    """The path with an ending behind its name, and a number between them where there is such a file."""
    found, number = path.with_name(f"{path.name}{ending}"), 1
    while found.exists():
        number += 1
        found = path.with_name(f"{path.name}-{number}{ending}")
    return found


def copy(source: Path, target: Path) -> None:
    """Copy a file; until all is on the disk the target is what it was. Raises SaveError."""
    with written(target, source, packed=False) as file, source.open("rb") as reader:
        while data := reader.read(COPY_BYTES):
            file.write(data)
