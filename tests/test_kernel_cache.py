"""Where compiled kernels are kept: a folder for what decides them, marked when it is filled, and what replaces it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from capture_files import ROOT, SAMPLE

from analyzer import kernel_cache

IMPORTED = "import sys; from analyzer import cli; from analyzer.engine.capture import Capture; "
"""What the command line imports."""


def python(code: str, **environment: str) -> str:
    """What a new interpreter prints."""
    own = {**os.environ, **environment}
    if "SNAPSCOPE_KERNELS" not in environment:
        own.pop("SNAPSCOPE_KERNELS", None)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_module_with_kernels_is_known_by_its_name() -> None:
    using = {
        path
        for path in kernel_cache.PACKAGE.rglob("*.py")
        if re.search(r"^from analyzer\.kernel import .*\b(kernel|Compiled)$", path.read_text("utf-8"), re.MULTILINE)
    }
    assert using == set(kernel_cache.kernel_modules().values())
    assert "analyzer.net.kernels" in kernel_cache.kernel_modules()


def test_constants_of_other_modules_count() -> None:
    sources = {str(path.relative_to(kernel_cache.PACKAGE)) for path in kernel_cache.kernel_sources()}
    assert {"kernel.py", "net/kernels.py", "net/link.py", "net/kinds.py", "capture/pcap.py"} <= {
        source.replace(os.sep, "/") for source in sources
    }
    assert not any(source.startswith("cli") for source in sources)


def test_the_digest_follows_text_place_and_time(tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    found = set()
    for text, time_ns in (("a = 1", 5), ("a = 2", 5), ("a = 2", 6)):
        source.write_text(text)
        os.utime(source, ns=(time_ns, time_ns))
        found.add(kernel_cache.digest([source]))
    again = kernel_cache.digest([source])
    assert len(found) == 3
    assert again in found
    assert kernel_cache.digest([]) not in found


def test_numba_is_not_imported_before_it_is_needed() -> None:
    code = f"{IMPORTED}Capture.open({str(SAMPLE)!r}).decode(); print('numba' in sys.modules)"
    assert python(code, SNAPSCOPE_KERNELS=os.devnull) == "False"


def test_ready_once_it_is_marked(tmp_path: Path) -> None:
    code = "from analyzer import kernel_cache; print(kernel_cache.ready())"
    assert python(code, SNAPSCOPE_KERNELS=str(tmp_path)) == "False"
    (tmp_path / kernel_cache.MARK).touch()
    assert python(code, SNAPSCOPE_KERNELS=str(tmp_path)) == "True"
    assert python(code, SNAPSCOPE_KERNELS=str(tmp_path), NUMBA_DISABLE_JIT="1") == "False"


@pytest.mark.skipif(os.name == "nt", reason="the place of the user's cache folder is not taken from the environment")
def test_a_folder_that_cannot_be_made_is_replaced_and_said(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    code = (
        "from analyzer import kernel_cache; found = kernel_cache.folder();"
        "print(found.path.is_dir(), kernel_cache.ready()); print(found.trouble); print(found.path)"
    )
    flags, trouble, place = python(code, XDG_CACHE_HOME=str(blocked), HOME=str(blocked)).splitlines()
    assert flags == "True False"
    assert "cannot be written" in trouble
    assert not Path(place).exists()


@pytest.mark.skipif(os.name == "nt", reason="a folder cannot be made unwritable by its mode")
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_filled_folder_that_cannot_be_written_is_used_all_the_same(tmp_path: Path) -> None:
    code = (
        "from analyzer import kernel_cache; found = kernel_cache.folder();"
        "print(kernel_cache.ready(), bool(found.trouble), found.path)"
    )
    place = Path(python(code, XDG_CACHE_HOME=str(tmp_path)).split()[2])
    (place / kernel_cache.MARK).touch()
    place.chmod(0o500)
    try:
        assert python(code, XDG_CACHE_HOME=str(tmp_path)).split()[:2] == ["True", "True"]
    finally:
        place.chmod(0o700)


def test_filled_folders_are_kept_whichever_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNAPSCOPE_KERNELS", str(tmp_path / "kept"))
    (tmp_path / "kept").mkdir()
    kernel_cache.folder.cache_clear()
    try:
        for _ in range(2):
            assert kernel_cache.folder().trouble == ""
            with kernel_cache.scratch() as place:
                Path(place, "net_1").mkdir()
                for name in ("a.1.nbc", "a.nbi"):
                    Path(place, "net_1", name).write_text(name)
                kernel_cache.keep(Path(place))
            assert kernel_cache.ready()
            assert sorted(path.name for path in (tmp_path / "kept").rglob("*.nb?")) == ["a.1.nbc", "a.nbi"]
            assert [path.name for path in tmp_path.iterdir()] == ["kept"]
        (tmp_path / "kept" / "net_1" / "a.nbi").write_text("grown longer")
        assert kernel_cache.ready()
        (tmp_path / "kept" / "net_1" / "a.1.nbc").write_text("cut")
        assert not kernel_cache.ready()
    finally:
        kernel_cache.folder.cache_clear()


PRUNE = "from analyzer import kernel_cache; print(*(path.name for path in kernel_cache.prune()))"
DIGESTS = [f"{number:032x}" for number in range(kernel_cache.KEPT_FOLDERS + 4)]
DAY_S = 24 * 3600


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache with folders of other versions, the first used last, a day apart; all at least two days ago."""
    own = Path(
        python("from analyzer import kernel_cache; print(kernel_cache.folder().path)", XDG_CACHE_HOME=str(tmp_path))
    )
    for days, name in enumerate([*DIGESTS, "notes"], 2):
        (own.parent / name).mkdir()
        for file in (kernel_cache.MARK, kernel_cache.USE):
            (own.parent / name / file).touch()
        rest(own.parent / name, days)
    return own.parent


def rest(folder: Path, days: float) -> None:
    then = time.time() - days * DAY_S
    for path in (folder / kernel_cache.USE, folder):
        os.utime(path, (then, then))


@pytest.mark.skipif(os.name == "nt", reason="the place of the user's cache folder is not taken from the environment")
class TestPruning:
    def test_the_oldest_go(self, cache: Path) -> None:
        before = set(cache.iterdir())
        gone = DIGESTS[kernel_cache.KEPT_FOLDERS :]
        assert python(PRUNE, XDG_CACHE_HOME=str(cache.parents[1])).split() == gone
        assert before - set(cache.iterdir()) == {cache / name for name in gone}
        assert python(PRUNE, XDG_CACHE_HOME=str(cache.parents[1])) == ""

    def test_what_is_in_use_or_was_lately_stays(self, cache: Path) -> None:
        import fcntl

        used = cache / DIGESTS[-1] / kernel_cache.USE
        for name in DIGESTS:
            rest(cache / name, 0.5)
        rest(used.parent, 9)
        with used.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            assert python(PRUNE, XDG_CACHE_HOME=str(cache.parents[1])) == ""
        assert python(PRUNE, XDG_CACHE_HOME=str(cache.parents[1])) == DIGESTS[-1]

    def test_a_process_holds_the_folder_that_it_loads_from(self, cache: Path) -> None:
        held = cache / DIGESTS[-1]
        code = "from analyzer import kernel_cache; kernel_cache.prepare(); print(flush=True); input()"
        with subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "SNAPSCOPE_KERNELS": str(held)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"\n"
            rest(held, 30)
            assert held.name not in python(PRUNE, XDG_CACHE_HOME=str(cache.parents[1]))
            process.communicate(b"\n")
        assert python(PRUNE, XDG_CACHE_HOME=str(cache.parents[1])) == held.name

    def test_what_was_left_half_done_goes(self, cache: Path) -> None:
        for name in (f"{DIGESTS[0]}-abc", f"{DIGESTS[1]}-12-old"):
            (cache / name).mkdir()
            os.utime(cache / name, (0, 0))
        fresh = cache / f"{DIGESTS[0]}-new"
        fresh.mkdir()
        python(PRUNE, XDG_CACHE_HOME=str(cache.parents[1]))
        assert [path.name for path in cache.iterdir() if "-" in path.name] == [fresh.name]

    def test_two_at_once(self, cache: Path) -> None:
        environment = {**os.environ, "XDG_CACHE_HOME": str(cache.parents[1])}
        environment.pop("SNAPSCOPE_KERNELS", None)
        command = [sys.executable, "-c", PRUNE]
        both = [
            subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)
        ]
        told = [process.communicate()[0].split() for process in both]
        assert [process.returncode for process in both] == [0, 0]
        assert sorted(told[0] + told[1]) == DIGESTS[kernel_cache.KEPT_FOLDERS :]
        assert not any("-" in path.name for path in cache.iterdir())

    def test_nothing_beside_a_folder_that_was_chosen(self, cache: Path) -> None:
        before = set(cache.iterdir())
        assert python(PRUNE, SNAPSCOPE_KERNELS=str(cache / DIGESTS[0])) == ""
        assert set(cache.iterdir()) == before
