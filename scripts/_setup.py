"""Makes `.venv` with the pinned dependencies and the project itself, for `scripts/run` and `scripts/test`.

Standard library only. A stamp written last says what was installed, so a finished set-up is recognised without the
network and a broken one is made again.
"""

from __future__ import annotations

import contextlib
import ctypes.util
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "snapscope-setup.json"
LOCK = ROOT / ".venv.lock"
CONSTRAINTS = ROOT / "constraints.txt"
PROJECT = ROOT / "pyproject.toml"

# The application also loads the plugin that draws without a screen. PySide6 comes first: it names the library that
# it misses, pyqtgraph and qtawesome only say that there is no Qt.
IMPORTS = """
from PySide6 import QtGui, QtSvg, QtTest, QtWidgets
QtWidgets.QApplication([])
import lark, numba, numpy, platformdirs, pyqtgraph, qtawesome, rich, typer, analyzer, ui
"""
MISSING_LIBRARY = re.compile(r"(lib[\w.+-]+\.so[\w.]*): cannot open shared object file")
QT_WINDOWS = "QtWidgets.abi3.so"
QT_SCREEN = "Qt/plugins/platforms/libqxcb.so"
ODD_DEBIAN_NAMES = {"libz": "zlib1g", "libglib-2.0": "libglib2.0-0", "libgthread-2.0": "libglib2.0-0"}


class SetupError(Exception):
    """Set-up cannot go on. The text says what to do."""


def say(text: str) -> None:
    print(f"snapscope: {text}", file=sys.stderr, flush=True)


def program(name: str) -> Path:
    """A program of the virtual environment."""
    if os.name == "nt":
        return VENV / "Scripts" / f"{name}.exe"
    return VENV / "bin" / name


def start(usage: str, extras: Sequence[str], command: Callable[[list[str]], list[str]]) -> int:
    """Sets up, then runs a program of `.venv`. Gives the exit code.

    `command` makes of this program's arguments the program's name and its arguments.
    """
    arguments = sys.argv[1:]
    if "-h" in arguments or "--help" in arguments:
        print(usage.strip())
        return 0
    try:
        set_up(extras)
    except SetupError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("set-up interrupted; the next run makes it whole")
        return 130
    if "--setup-only" in arguments:
        return 0
    name, *rest = command(arguments)
    full = [str(program(name)), *rest]
    if os.name == "posix":
        os.execv(full[0], full)
    return subprocess.call(full)


def set_up(extras: Sequence[str] = ()) -> None:
    """Leaves `.venv` with everything that `extras` of the project need. Raises SetupError."""
    try:
        if ready(extras):
            return
        with alone():
            if not ready(extras):
                bring_up(extras)
    except OSError as error:
        raise SetupError(f"set-up failed: {error}") from error
    say(f"{VENV.name} is set up")


def bring_up(extras: Sequence[str]) -> None:
    stamp = read_stamp()
    same_venv = stamp is not None and stamp["python"] == python_facts() and stamp["place"] == str(VENV)
    unchanged = stamp is not None and same_venv and stamp["fingerprint"] == fingerprint() and program("python").exists()
    STAMP.unlink(missing_ok=True)
    if not same_venv or not program("python").exists():
        make_venv()
    held = stamp["extras"] if stamp is not None and same_venv else []
    wanted = sorted({*held, *extras})
    install(wanted, project=not unchanged)
    check_imports()
    check_libpcap()
    warm_up()
    write_stamp(wanted)


def ready(extras: Sequence[str]) -> bool:
    """Whether a finished set-up of this checkout, by this Python, holds these extras."""
    stamp = read_stamp()
    return (
        stamp is not None
        and {**stamp, "extras": []} == facts([])
        and set(extras) <= set(stamp["extras"])
        and program("python").exists()
        and program("snapscope").exists()
    )


def facts(extras: Sequence[str]) -> dict[str, object]:
    return {"place": str(VENV), "python": python_facts(), "fingerprint": fingerprint(), "extras": list(extras)}


def python_facts() -> list[str]:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return [sys.implementation.name, version, platform.machine(), os.path.realpath(sys.base_prefix)]


def fingerprint() -> str:
    return hashlib.sha256(CONSTRAINTS.read_bytes() + b"\0" + PROJECT.read_bytes()).hexdigest()


def read_stamp() -> dict | None:
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return stamp if isinstance(stamp, dict) and stamp.keys() == facts([]).keys() else None


def write_stamp(extras: Sequence[str]) -> None:
    fresh = STAMP.with_suffix(".new")
    fresh.write_text(json.dumps(facts(extras)), encoding="utf-8")
    fresh.replace(STAMP)


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Holds the set-up of this checkout, so that two at once do not write into one environment."""
    with LOCK.open("a+b") as file:
        if not try_lock(file):
            say("waiting for another set-up of this checkout")
            while not try_lock(file):
                time.sleep(0.2)
        yield


def try_lock(file: IO[bytes]) -> bool:
    """Takes the lock until the file is closed; False if another process has it."""
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def make_venv() -> None:
    require_venv_module()
    if VENV.is_symlink() or VENV.is_file():
        VENV.unlink()
    elif VENV.exists():
        say(f"{VENV.name} is unfinished, moved or of another Python: making it again")
        shutil.rmtree(VENV)
    else:
        say(f"making {VENV.name}")
    # The base interpreter: this one may itself have lain in the environment just removed.
    python = getattr(sys, "_base_executable", sys.executable)
    made = subprocess.run([python, "-I", "-m", "venv", str(VENV)], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise SetupError(f"{python} -m venv failed:\n{(made.stdout + made.stderr).strip()}")


def require_venv_module() -> None:
    python = getattr(sys, "_base_executable", sys.executable)
    probe = [python, "-I", "-c", "import venv, ensurepip"]
    if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
        return
    default = os.path.realpath("/usr/bin/python3") == os.path.realpath(python)
    package = "python3-venv" if default else f"python3.{sys.version_info.minor}-venv"
    install_debian([package], f"{python} lacks the venv module")
    if subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        raise SetupError(f"{python} lacks the venv module, also after installing {package}; use another Python")


def install_debian(packages: Sequence[str], reason: str) -> None:
    """Installs packages when this is root on Debian; raises SetupError with the command otherwise."""
    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    root = os.name == "posix" and os.geteuid() == 0
    if not (root and Path("/etc/debian_version").exists() and shutil.which("apt-get")):
        raise SetupError(f"{reason}. On Debian and Ubuntu: sudo apt-get install {' '.join(packages)}")
    say(f"{reason}: running {' '.join(command)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["apt-get", "update"], command):
        done = subprocess.run(step, stdout=subprocess.DEVNULL, env=environment, check=False)
        if done.returncode != 0:
            raise SetupError(f"{reason}, and `{' '.join(step)}` failed")


def install(extras: Sequence[str], project: bool) -> None:
    with PROJECT.open("rb") as file:
        settings = tomllib.load(file)
    requirements = [*settings["build-system"]["requires"], *settings["project"]["dependencies"]]
    for extra in extras:
        requirements += settings["project"]["optional-dependencies"][extra]
    say(f"installing the pinned dependencies{''.join(f', extra {extra}' for extra in extras)}")
    failure = "could not download the dependencies: set-up needs a network connection once"
    pip("--constraint", str(CONSTRAINTS), *requirements, failure=failure)
    if project:
        say("installing the project")
        failure = "could not install the project: pip's message is above"
        pip("--no-deps", "--no-build-isolation", "--editable", str(ROOT), failure=failure)


def pip(*arguments: str, failure: str) -> None:
    """Runs pip, which says itself what is wrong. Raises SetupError with the sentence `failure`."""
    quiet = [] if sys.stderr.isatty() else ["--quiet"]
    options = ["install", "--disable-pip-version-check", "--no-input", *quiet]
    command = [str(program("python")), "-I", "-m", "pip", *options, *arguments]
    if subprocess.run(command, stdout=sys.stderr, check=False).returncode != 0:
        raise SetupError(failure)


def check_imports() -> None:
    """Imports what is compiled, installing missing system libraries where that is possible."""
    tried: set[str] = set()
    message = failing_import()
    while (found := MISSING_LIBRARY.search(message)) and found[1] not in tried:
        tried.add(found[1])
        # Those of the screen too, so that one command brings all.
        install_libraries([found[1], *missing_libraries(QT_WINDOWS), *missing_libraries(QT_SCREEN)])
        message = failing_import()
    if message:
        raise SetupError(f"the installed packages do not work here: {message.splitlines()[-1]}")
    try:
        install_libraries(missing_libraries(QT_SCREEN))
    except SetupError as error:
        # Tests and the command line do without; and a screen of Wayland needs none of them.
        say(f"for a window on an X screen, {error}")


def check_libpcap() -> None:
    """Live capture needs it for filters, and for network interfaces that the system's own way does not know."""
    if not sys.platform.startswith("linux") or ctypes.util.find_library("pcap") is not None:
        return
    try:
        install_debian(["libpcap0.8"], "libpcap is missing")
    except SetupError as error:
        # Everything else does without.
        say(f"for live capture with a filter, {error}")


def warm_up() -> None:
    """Compiles what decodes in bulk, so that not the first capture has to wait for it. Everything works without."""
    say("compiling what decodes in bulk")
    done = subprocess.run([str(program("snapscope-cli")), "warm-up"], stdout=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        say("it could not be compiled, as said above; captures are decoded by plain Python, more slowly")


def failing_import() -> str:
    """What importing the dependencies says on its error output; empty if it works."""
    command = [str(program("python")), "-I", "-c", IMPORTS]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return "" if done.returncode == 0 else done.stderr.strip() or f"exit code {done.returncode}"


def missing_libraries(name: str) -> list[str]:
    """System libraries that a file of PySide6 needs and this system lacks; none where nobody can tell."""
    ldd = shutil.which("ldd")
    found = sorted(VENV.glob(f"lib*/python*/site-packages/PySide6/{name}"))
    if ldd is None or not found:
        return []
    listed = subprocess.run([ldd, str(found[0])], capture_output=True, text=True, check=False).stdout
    return sorted(set(re.findall(r"^\s*(\S+) => not found", listed, re.MULTILINE)))


def install_libraries(libraries: Sequence[str]) -> None:
    """Installs the Debian packages that hold these libraries, or raises SetupError with the command for it."""
    if libraries:
        names = sorted(set(libraries))
        what = "a system library is" if len(names) == 1 else "system libraries are"
        reason = f"{what} missing: {', '.join(names)}"
        install_debian(sorted({debian_package(name) for name in names}), reason)


def debian_package(library: str) -> str:
    """Debian names the package of a library after its file: libxcb-cursor.so.0 is in libxcb-cursor0."""
    name, _, version = library.partition(".so.")
    if name in ODD_DEBIAN_NAMES:
        return ODD_DEBIAN_NAMES[name]
    between = "-" if name[-1].isdigit() else ""
    return f"{name}{between}{version}".lower().replace("_", "-")
