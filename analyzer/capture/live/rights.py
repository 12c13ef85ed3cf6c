"""What a user without the right to capture can do about it on this system; only the sniffer is ever to get it."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_DUMPCAP_PLACES = ("/usr/bin/dumpcap", "/usr/sbin/dumpcap", "/usr/local/bin/dumpcap")


class Through(StrEnum):
    """A program that gives the sniffer, and nothing else, the right; or that captures in its place."""

    DUMPCAP = "dumpcap"
    SUDO = "sudo"
    PKEXEC = "pkexec"


@dataclass(frozen=True, slots=True)
class Ways:
    """What there is."""

    ready: tuple[Through, ...]
    """What can be used at once, the best first."""
    hint: str
    """A sentence about what has to be set up first; may be empty."""


def ways(system: str = sys.platform) -> Ways:
    """Look for what this system has. `system`: as in `sys.platform`."""
    if system == "win32":
        return Ways((), "Install Npcap, without restricting it to administrators; then no further right is needed.")
    if system == "darwin":
        return Ways(
            _found(Through.SUDO),
            "Wireshark's ChmodBPF lets the members of the group access_bpf capture; install it and log in again.",
        )
    ready = _found(Through.DUMPCAP, Through.SUDO, Through.PKEXEC)
    if Through.DUMPCAP in ready:
        return Ways(ready, "")
    if any(map(os.path.exists, _DUMPCAP_PLACES)):
        return Ways(
            ready, "dumpcap captures for members of the group wireshark: sudo usermod -aG wireshark $USER, then log in."
        )
    return Ways(
        ready,
        "Wireshark's dumpcap captures for members of a group (Debian: apt-get install wireshark-common,"
        " dpkg-reconfigure wireshark-common).",
    )


def _found(*names: Through) -> tuple[Through, ...]:
    return tuple(name for name in names if shutil.which(name, path=_search_path()))


def _search_path() -> str:
    """Programs of administrators are not always on an ordinary user's path."""
    return os.pathsep.join(
        [os.environ.get("PATH", os.defpath), *(str(Path(place).parent) for place in _DUMPCAP_PLACES)]
    )
