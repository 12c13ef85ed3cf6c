"""How much memory the machine has, so that tables leave most of it to others, and how much this program takes."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from pathlib import Path

TABLES_SHARE = 4
"""Tables may take a quarter."""
UNKNOWN_BYTES = 4 << 30
"""Taken for the machine's memory where the system does not tell."""

_GROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""What a container may use, in cgroups of version 2 and 1."""


def default_memory_limit() -> int:
    """Bytes of tables that stay in memory unless somebody says how many."""
    return memory_bytes() // TABLES_SHARE


@cache
def memory_bytes() -> int:
    """Bytes of memory that this process may count on, as it was when somebody asked first."""
    physical = _windows_bytes() if sys.platform == "win32" else _posix_bytes()
    return min([physical, *filter(None, map(_limit_in, _GROUP_LIMITS))])


def resident_bytes() -> int | None:
    """Bytes of memory that this process has now, with what it sees of files; None where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None


def _posix_bytes() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return UNKNOWN_BYTES


def _windows_bytes() -> int:
    kilobytes = ctypes.c_ulonglong()
    kernel32 = ctypes.CDLL("kernel32")
    if not kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes)):
        return UNKNOWN_BYTES
    return kilobytes.value << 10


def _limit_in(path: Path) -> int | None:
    """The number in the file, None where there is none: no such file, or the word `max`."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
