"""Refuses a Python that is too old for Snapscope in one clear message; any Python since 2.7 can read this file."""

import os
import subprocess
import sys

OLDEST = (3, 11)
PROBE = "import sys; sys.exit(sys.version_info < (%d, %d))" % OLDEST


def newer_python():
    """Name of a Python on the search path that is new enough, or None."""
    for minor in range(OLDEST[1] + 8, OLDEST[1] - 1, -1):
        name = "python3.%d" % minor
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            program = os.path.join(folder, name)
            if os.access(program, os.X_OK) and subprocess.call([program, "-c", PROBE], stderr=subprocess.PIPE) == 0:
                return name
    return None


def refuse_old_python():
    """Ends the program with exit code 1 and a message if this Python cannot run Snapscope."""
    if sys.version_info >= OLDEST:
        return
    newer = newer_python()
    if newer:
        advice = "This machine has %s: run %s %s" % (newer, newer, " ".join(sys.argv))
    else:
        advice = "Install a newer Python (Debian 12: apt-get install python3 python3-venv) and run this again with it."
    message = "Snapscope needs Python %d.%d or newer; this is Python %d.%d (%s).\n%s"
    sys.exit(message % (OLDEST + sys.version_info[:2] + (sys.executable, advice)))
