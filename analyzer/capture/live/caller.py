"""A sniffer that sudo or pkexec started gives the right back as soon as its socket is open: it becomes its caller."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping


def caller(environment: Mapping[str, str]) -> tuple[int, int] | None:
    """User and group number of who called sudo or pkexec; None: nobody did, or it was root."""
    for user, group in (("SUDO_UID", "SUDO_GID"), ("PKEXEC_UID", "PKEXEC_UID")):
        number, group_number = environment.get(user, ""), environment.get(group, "")
        if number.isascii() and number.isdecimal() and int(number) != 0:
            return int(number), int(group_number) if group == "SUDO_GID" and group_number.isdecimal() else -1
    return None


def become_caller(environment: Mapping[str, str]) -> None:
    """Drop to the user who called, for good; nothing where this is not root or nobody did. Raises OSError."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return
    who = caller(environment)
    if who is None:
        return
    import pwd

    user, group = who
    try:
        entry = pwd.getpwuid(user)
        group = entry.pw_gid if group < 0 else group
        os.initgroups(entry.pw_name, group)
    except KeyError:
        # A user that no list has, as in containers.
        group = user if group < 0 else group
        os.setgroups([group])
    # Of root these set the saved numbers too, and macOS has no others that do.
    os.setgid(group)
    os.setuid(user)
