"""Where compiled kernels are kept, and whether they are there: looked at without importing numba.

numba does not notice a changed function in another file, and a processor may lack what another has, so the folder's
name is a digest of everything that the compiled code depends on. A mark in it says that a warm-up ended there.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, which refuses to move what is open
    fcntl = None  # type: ignore[assignment]

MARK = "warm"
"""File in the folder of compiled kernels, written last: a line for each other file, its size and path.

numba fails at a file that is cut short, as they are found after a power failure.
"""

USE = "in-use"
"""File in the folder that says when it was used last, and that whoever uses it holds locked."""

KEPT_FOLDERS = 4
"""Folders of other digests that stay, so that going back to an older version needs no compiling."""

_RESTING_S = 24 * 3600
"""A folder that was used within this time stays in any case."""

PACKAGE = Path(__file__).resolve().parent

_FOLDER = "SNAPSCOPE_KERNELS"
"""Environment variable: another folder to keep them in."""

_NUMBA_FOLDER = "NUMBA_CACHE_DIR"
_FOLDER_NAME = re.compile(r"[0-9a-f]{32}(-.*)?")
"""A digest, or one with what `scratch` or `prune` adds."""
_IMPORTS = re.compile(r"^from (analyzer[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Folder:
    """Where this process keeps compiled kernels."""

    path: Path
    trouble: str = ""
    """Why it is only a temporary one, as part of a sentence."""


def kernel_modules() -> dict[str, Path]:
    """The modules that have kernels, by their names: those in files called `kernels.py` or `..._kernels.py`."""
    files = sorted([*PACKAGE.rglob("kernels.py"), *PACKAGE.rglob("*_kernels.py")])
    return {".".join((PACKAGE.name, *file.relative_to(PACKAGE).with_suffix("").parts)): file for file in files}


def kernel_sources() -> list[Path]:
    """The files whose text decides what is compiled: those with kernels, and whatever they import of ours.

    A kernel takes in the constants that it uses, which another module may make of those of a third.
    """
    found = {PACKAGE / "kernel.py", *kernel_modules().values()}
    waiting = list(found)
    while waiting:
        text = waiting.pop().read_text(encoding="utf-8")
        for package, names in _IMPORTS.findall(text):
            place = PACKAGE.parent.joinpath(*package.split("."))
            choices = [place.with_suffix(".py"), *(place / f"{name}.py" for name in re.findall(r"\w+", names))]
            for choice in choices:
                if choice not in found and choice.is_file():
                    found.add(choice)
                    waiting.append(choice)
    return sorted(found)


def digest(sources: list[Path]) -> str:
    """Names what compiled code depends on: sources where they are, numba, Python, processor."""
    found = hashlib.sha256()
    for source in sources:
        status = source.stat()
        # numba finds its files by the source's place, and takes them by its time and size.
        found.update(f"{source}\0{status.st_mtime_ns}\0{status.st_size}\0".encode())
        found.update(source.read_bytes())
    for fact in (_version("numba"), _version("llvmlite"), _version("numpy"), sys.version, _processor()):
        found.update(fact.encode() + b"\0")
    return found.hexdigest()[:32]


@cache
def folder() -> Folder:
    """The user's cache folder where it can be written, else one that goes with this process.

    Raises OSError where neither can be made.
    """
    chosen = os.environ.get(_FOLDER)
    if chosen:
        return Folder(Path(chosen))
    from platformdirs import user_cache_path

    wanted = user_cache_path("snapscope", appauthor=False) / "kernels" / digest(kernel_sources())
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted) as probe:
            # A full disk may still have room for a name.
            probe.write(bytes(4096))
            probe.flush()
        return Folder(wanted)
    except OSError as error:
        trouble = f"{wanted} cannot be written: {error.strerror or error}"
        return _temporary(wanted, trouble)


def ready() -> bool:
    """Whether compiled kernels can be loaded here within a moment."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return False
    if not _has_numba():
        return False
    try:
        place = folder().path
        listed = [line.split(" ", 1) for line in (place / MARK).read_text(encoding="utf-8").splitlines()]
        # An index grows with whatever else is compiled. Hundreds of files: whoever opens a capture waits for it.
        return all(os.stat(f"{place}{os.sep}{name}").st_size >= int(size) for size, name in listed)
    except (OSError, ValueError):
        return False


@cache
def _has_numba() -> bool:
    """Without an import, which takes a noticeable time; looking takes a tenth of opening a capture."""
    try:
        metadata.version("numba")
    except metadata.PackageNotFoundError:
        return False
    return True


def prepare() -> None:
    """Tell numba, which is not imported yet, where to keep compiled code. Raises OSError."""
    place = folder().path
    _use(place)
    os.environ[_NUMBA_FOLDER] = str(place)


def prune() -> list[Path]:
    """Delete what older versions have left beside this process's folder, and say what; what is in use stays.

    The folders used last stay too. Nothing is deleted beside a folder that is only temporary, or that the user chose.
    """
    own = folder()
    if own.trouble or os.environ.get(_FOLDER):
        return []
    with contextlib.suppress(OSError):
        others = [path for path in own.path.parent.iterdir() if _FOLDER_NAME.fullmatch(path.name) and path != own.path]
        ages = sorted((_resting_s(path), path) for path in others)
        whole = [path for _, path in ages if "-" not in path.name]
        old = [path for age, path in ages if age > _RESTING_S and path not in whole[:KEPT_FOLDERS]]
        return [path for path in old if _delete(path)]
    return []


def keep(filled: Path) -> None:
    """Move what was compiled in another folder into this process's one, and mark it. Raises OSError.

    Two processes may do it at once: their files of one name say the same, and an index comes after what it names.
    """
    target = folder().path
    files = sorted((path for path in filled.rglob("*") if path.is_file()), key=lambda path: path.suffix == ".nbi")
    for file in files:
        place = target / file.relative_to(filled)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(file, place)
    places = [target / file.relative_to(filled) for file in files]
    lines = [f"{place.stat().st_size} {place.relative_to(target).as_posix()}\n" for place in places]
    mark = filled / MARK
    mark.write_text("".join(lines), encoding="utf-8")
    os.replace(mark, target / MARK)


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A new folder from which `keep` can move, deleted when its context ends. Raises OSError."""
    place = folder().path
    return tempfile.TemporaryDirectory(prefix=f"{place.name}-", dir=place.parent, ignore_cleanup_errors=True)


def environment(place: Path) -> dict[str, str]:
    """For a child process that compiles into `place`."""
    return {**os.environ, _FOLDER: str(place)}


_uses: list[int] = []
"""Descriptors of files that this process holds locked for as long as it lives."""


def _use(place: Path) -> None:
    """Note that the folder is used, and keep others from deleting it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(place / USE, os.O_RDWR | os.O_CREAT, 0o600)
        _uses.append(descriptor)
        os.utime(place / USE)
        if fcntl is not None:
            # Waits for somebody who is deleting the folder.
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        place.mkdir(parents=True, exist_ok=True)


def _resting_s(place: Path) -> float:
    """Seconds since the folder was used last; of one without a note of it, since it was changed."""
    for path in (place / USE, place):
        with contextlib.suppress(OSError):
            return time.time() - path.stat().st_mtime
    return 0.0


def _delete(place: Path) -> bool:
    """Delete a folder unless somebody uses it. Whoever wants it meanwhile finds either all of it or nothing."""
    descriptor = -1
    try:
        if (place / USE).exists():
            descriptor = os.open(place / USE, os.O_RDWR)
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            else:
                # Here a file that is open cannot be moved, and ours must not be the one.
                os.close(descriptor)
                descriptor = -1
        if _resting_s(place) <= _RESTING_S:
            return False
        gone = place.with_name(f"{place.name.partition('-')[0]}-{os.getpid()}-old")
        os.rename(place, gone)
        shutil.rmtree(gone, ignore_errors=True)
    except OSError:
        return False
    finally:
        if descriptor >= 0:
            os.close(descriptor)
    return True


def _temporary(wanted: Path, trouble: str) -> Folder:
    """A folder that is deleted when this process ends, with what may be read but not added to."""
    outer = Path(tempfile.mkdtemp(prefix="snapscope-kernels-"))
    atexit.register(shutil.rmtree, outer, ignore_errors=True)
    place = outer / wanted.name
    # numba passes over a folder that it cannot write.
    try:
        if (wanted / MARK).exists():
            shutil.copytree(wanted, place)
            for made in (place, *filter(Path.is_dir, place.rglob("*"))):
                made.chmod(0o700)
    except OSError:
        shutil.rmtree(place, ignore_errors=True)
    place.mkdir(exist_ok=True)
    return Folder(place, trouble)


def _version(name: str) -> str:
    try:
        return f"{name} {metadata.version(name)}"
    except metadata.PackageNotFoundError:
        return f"{name} is not installed"


def _processor() -> str:
    """Model and features of the processor, as the system tells them."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            first = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").partition("\n\n")[0]
            kept = ("vendor_id", "cpu family", "model", "flags", "CPU implementer", "CPU part", "Features", "isa")
            return "\n".join(line for line in first.splitlines() if line.startswith(kept))
    if sys.platform == "darwin":
        with contextlib.suppress(OSError):
            told = subprocess.run(["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, check=False)
            return told.stdout.decode("utf-8", "replace")
    return os.environ.get("PROCESSOR_IDENTIFIER", "")
