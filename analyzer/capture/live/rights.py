"""What a user without the right to capture can do about it on this system; only the sniffer is ever to get it."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import sys
from dataclasses import dataclass
from enum import StrEnum

_WPCAP = (("Npcap", "wpcap.dll"), ("wpcap.dll",))
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
    command: str = ""
    """What an administrator runs to that end, where it is a command."""


def ways(system: str = sys.platform) -> Ways:
    """Look for what this system has. `system`: as in `sys.platform`."""
    if system == "win32":
        return Ways((), "Install Npcap, without restricting it to administrators; then no further right is needed.")
    if system == "darwin":
        return Ways(
            _found(Through.SUDO),
            "Wireshark's ChmodBPF lets the members of the group access_bpf capture; install it and log in again.",
        )
    ready = _found(Through.SUDO, Through.PKEXEC)
    dumpcap = next(filter(os.path.exists, _DUMPCAP_PLACES), None)
    if dumpcap is None:
        command = "sudo apt-get install wireshark-common && sudo dpkg-reconfigure wireshark-common"
        hint = f"Wireshark's dumpcap captures without root; on Debian and Ubuntu: {command}"
    elif not os.access(dumpcap, os.X_OK):
        command = "sudo usermod -aG wireshark $USER"
        hint = f"dumpcap captures for members of the group wireshark: {command}, then log in again."
    elif not _has_right(dumpcap):
        command = "sudo dpkg-reconfigure wireshark-common"
        hint = f"dumpcap has no right to capture yet; on Debian and Ubuntu: {command}"
    else:
        return Ways((Through.DUMPCAP, *ready), "")
    return Ways(ready, hint, command)


def may_capture(system: str = sys.platform) -> bool:
    """This user has the right, as far as can be seen without capturing."""
    if system == "win32":
        folder = os.environ.get("SYSTEMROOT", r"C:\Windows")
        return any(os.path.exists(os.path.join(folder, "System32", *path)) for path in _WPCAP)
    if system == "darwin":
        return any(os.access(f"/dev/bpf{number}", os.R_OK | os.W_OK) for number in range(4))
    if not system.startswith("linux"):
        return True
    try:
        # Of protocol 0 it receives nothing.
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).close()
    except OSError:
        return False
    return True


def _found(*names: Through) -> tuple[Through, ...]:
    return tuple(name for name in names if shutil.which(name))


def _has_right(program: str) -> bool:
    """Its own capabilities, or those of the user it runs as."""
    if os.stat(program).st_mode & stat.S_ISUID:
        return True
    try:
        return bool(os.getxattr(program, "security.capability"))
    except OSError:
        return False
