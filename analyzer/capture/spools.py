"""Temporary files that captures without a name are written to, and those of them whose owner was killed.

Each lies in a folder of its own with a lock that its owner's process holds. Where the lock is free the owner is gone,
whatever process has its number now, and the capture can be taken over.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from analyzer.capture.frames import CaptureError
from analyzer.capture.lock import Lock, is_written
from analyzer.capture.source import Source
from analyzer.store.spill import spill_folder

SUFFIX = ".pcapng"
LEAST_ROOM = 16 << 20
"""Of bytes on the disk, where there is another place."""
COUNTED_BYTES = 64 << 20
"""The packets of a larger spool are not counted: it would take seconds."""
_PREFIX = "snapscope-spool-"
_OWNER = "owner"
_SAVED = "saved"
_STEP = 4096
_NAME = re.compile(r"(.+)-\d{8}-\d{6}\.")


@dataclass(frozen=True, slots=True)
class Abandoned:
    """A spool whose owner is gone. While this is kept nobody else finds it."""

    file: Path
    name: str
    """The interface, or what else it came from."""
    time_ns: int
    """Of its first packet, in nanoseconds since 1970; of the last write where that is not known."""
    size: int
    packets: int | None
    """None: not counted, as it is large or cannot be read."""
    lock: Lock = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Found:
    """What was left behind."""

    spools: list[Abandoned]
    """The newest first."""
    written: int
    """So many more are still being written: their sniffers are about to end. Look again."""


class Spools:
    """Keeps account of the temporary files of this process. A file that cannot be deleted yet is tried again."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: where they lie, if not in `spool_folders()`."""
        self._folder = folder
        self._locks: dict[Path, Lock] = {}
        self._known: dict[Path, int] = {}

    def make(self, name: str, now: datetime, suffix: str = SUFFIX) -> Path:
        """A path, in a folder of its own, for a file that does not exist yet. Raises OSError."""
        plain = re.sub(r"[^\w.-]+", "_", name)
        name = f"{plain}-{now:%Y%m%d-%H%M%S}{suffix}"
        *first, last = self._places()
        for place in first:
            # A home in a network may have no locks, and a full disk has room for names.
            with contextlib.suppress(OSError):
                if shutil.disk_usage(place).free >= LEAST_ROOM:
                    return self._make(place, name)
        return self._make(last, name)

    def _places(self) -> list[Path]:
        return spool_folders() if self._folder is None else [self._folder]

    def _make(self, parent: Path, name: str) -> Path:
        while True:
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
            # Another process may have looked just now, and taken the empty folder for one without an owner.
            with contextlib.suppress(FileNotFoundError):
                lock = Lock.take(folder / _OWNER)
                if lock is not None:
                    self._locks[folder / name] = lock
                    return folder / name

    def owns(self, file: Path) -> bool:
        """It is one of them."""
        return file in self._locks

    def take_over(self, spool: Abandoned) -> None:
        """From now on it is this process's."""
        self._locks[spool.file] = spool.lock
        self._known[spool.file] = spool.packets or 1

    def give_back(self, spool: Abandoned) -> None:
        """It could not be taken over after all."""
        self._locks.pop(spool.file, None)

    def known_packets(self, file: Path) -> int:
        """At least so many packets are in it, before it was read."""
        return self._known.get(file, 0)

    def is_saved(self, file: Path) -> None:
        """There is a copy with a name: should this process be killed, the spool is not worth keeping."""
        if file in self._locks:
            with contextlib.suppress(OSError):
                (file.parent / _SAVED).touch()

    def drop_others(self, *kept: Path) -> None:
        """Delete all but these."""
        for file in self._locks.keys() - set(kept):
            if _remove(file.parent, self._locks[file]):
                del self._locks[file]

    def look(self) -> Found:
        """Look for spools without an owner; those without a packet are removed. May take a second for each.

        Any thread may call this.
        """
        found, written = [], 0
        for folder in (folder for place in self._places() for folder in place.glob(f"{_PREFIX}*")):
            with contextlib.suppress(OSError):
                spool = _claim(folder) if _is_ours(folder) else False
                found += [spool] if isinstance(spool, Abandoned) else []
                written += spool is True
        return Found(sorted(found, key=lambda spool: spool.time_ns, reverse=True), written)


def spool_folders() -> list[Path]:
    """Where temporary captures lie, the best first: not where a restart of the system cleans up."""
    from platformdirs import user_state_path

    last = Path(spill_folder())
    folder = user_state_path("snapscope", appauthor=False) / "spools"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return [last]
    return [folder, last]


def delete(spool: Abandoned) -> None:
    """Remove it for good."""
    _remove(spool.file.parent, spool.lock)


def _claim(folder: Path) -> Abandoned | bool:
    """The spool in a folder if it has no owner. False: it has one, or nothing to keep; True: it is still written."""
    lock = Lock.take(folder / _OWNER)
    if lock is None:
        return False
    files = [file for file in folder.iterdir() if file.name not in (_OWNER, _SAVED)]
    try:
        if files and is_written(files[0]):
            lock.release()
            return True
        if len(files) == 1 and not (folder / _SAVED).exists():
            spool = _describe(files[0], lock)
            if spool.packets != 0:
                return spool
    except OSError:
        lock.release()
        raise
    _remove(folder, lock)
    return False


def _describe(file: Path, lock: Lock) -> Abandoned:
    """What is in a spool. Raises OSError."""
    status = file.stat()
    match = _NAME.match(file.name)
    name, time_ns = match[1] if match else file.stem, status.st_mtime_ns
    packets: int | None = None
    try:
        source = Source.open(file)
    except CaptureError:
        # Killed while the first bytes were written; of anything else a person decides.
        packets = 0 if status.st_size < _STEP else None
    else:
        try:
            first = source.read(1)
            if source.interfaces and source.interfaces[0].name:
                name = source.interfaces[0].name
            time_ns = int(first.time_ns[0]) if len(first) else time_ns
            packets = _count(source, len(first)) if status.st_size <= COUNTED_BYTES or not len(first) else None
        except CaptureError:
            packets = None
        finally:
            source.close()
    return Abandoned(file, name, time_ns, status.st_size, packets, lock)


def _count(source: Source, packets: int) -> int:
    while batch := len(source.read(_STEP)):
        packets += batch
    return packets


def _is_ours(folder: Path) -> bool:
    """A real folder of this user: the place may be one where everybody writes. Raises OSError."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    return not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()


def _remove(folder: Path, lock: Lock) -> bool:
    """Delete a folder that is locked by us. False: something in it is still open, where that keeps it."""
    with contextlib.suppress(OSError):
        for file in folder.iterdir():
            if file.name != _OWNER:
                file.unlink()
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()
