"""Unpacking gzip files: members, damage, cuts, growth, limits, and any bytes."""

from __future__ import annotations

import gzip
import random
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.capture.file import CaptureFile
from analyzer.capture.gz import Unpacker


def text(length: int, seed: int = 1) -> bytes:
    """Bytes that pack to about a third."""
    choose = random.Random(seed)
    return bytes(choose.choice(b"abcd") for _ in range(length))


def unpack(path: Path, packed: bytes, *, limit: int = 1 << 20, max_unpacked: int = 1 << 30) -> tuple[bytes, list[str]]:
    path.write_bytes(packed)
    file = CaptureFile.open(path)
    unpacker = Unpacker(file, max_unpacked=max_unpacked)
    while not unpacker.done:
        added = unpacker.pump(limit)
        assert added <= limit
        assert added or unpacker.done
    assert unpacker.consumed <= len(packed)
    assert unpacker.pump(limit) == 0
    found = unpacker.file.read(0, unpacker.file.size())
    assert len(found) == unpacker.unpacked
    problems = [problem.text for problem in unpacker.problems]
    assert all(problem.offset == len(found) for problem in unpacker.problems)
    unpacker.close()
    file.close()
    return found, problems


@pytest.mark.parametrize("limit", [1, 7, 1000, 1 << 20])
def test_members_are_joined(tmp_path: Path, limit: int) -> None:
    first, second = text(3000), text(500, 2)
    packed = gzip.compress(first) + gzip.compress(b"") + bytes(700) + gzip.compress(second) + bytes(3)
    assert unpack(tmp_path / "a.gz", packed, limit=limit) == (first + second, [])


def test_more_than_one_input_block(tmp_path: Path) -> None:
    plain = random.Random(1).randbytes(200_000)
    assert unpack(tmp_path / "a.gz", gzip.compress(plain) + gzip.compress(plain)) == (plain * 2, [])


def test_cut_at_every_length(tmp_path: Path) -> None:
    plain = text(300)
    packed = gzip.compress(plain)
    lengths = []
    for length in range(2, len(packed)):
        found, problems = unpack(tmp_path / "a.gz", packed[:length])
        assert plain.startswith(found)
        assert len(problems) == 1
        assert "ends too early" in problems[0]
        lengths.append(len(found))
    assert lengths == sorted(lengths)
    assert lengths[-1] == len(plain)


def test_damage_keeps_what_was_before_it(tmp_path: Path) -> None:
    plain = text(100_000)
    packed = gzip.compress(plain)
    undamaged, _ = unpack(tmp_path / "a.gz", packed[: len(packed) // 2])
    broken = packed[: len(packed) // 2] + b"\xff" * 40 + packed[len(packed) // 2 + 40 :]
    found, problems = unpack(tmp_path / "a.gz", broken)
    assert found.startswith(undamaged[:-300])
    assert len(undamaged) > 40_000
    assert len(problems) == 1
    assert "damaged" in problems[0]


def test_a_wrong_checksum_keeps_everything(tmp_path: Path) -> None:
    plain = text(5000)
    found, problems = unpack(tmp_path / "a.gz", gzip.compress(plain)[:-8] + bytes(8))
    assert found == plain
    assert len(problems) == 1


def test_something_else_after_the_members(tmp_path: Path) -> None:
    found, problems = unpack(tmp_path / "a.gz", gzip.compress(b"abc") + b"tail")
    assert found == b"abc"
    assert ["something else" in problem for problem in problems] == [True]


def test_a_bomb_is_stopped_at_the_limit(tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(3_000_000))
    found, problems = unpack(tmp_path / "a.gz", bomb, max_unpacked=2_500_000)
    assert found == bytes(2_500_000)
    assert problems == ["the gzip file unpacks to more than 2500000 bytes; the rest is left out"]
    assert unpack(tmp_path / "a.gz", bomb, max_unpacked=3_000_000) == (bytes(3_000_000), [])


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no limit on file sizes")
def test_a_full_disk_keeps_what_was_written(tmp_path: Path) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    packed = gzip.compress(bytes(5_000_000))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, hard))
    try:
        found, problems = unpack(tmp_path / "a.gz", packed, limit=300_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert found == bytes(2_000_000)
    assert ["cannot be written" in problem for problem in problems] == [True]


def test_a_growing_file_is_waited_for(tmp_path: Path) -> None:
    plain = text(2000)
    packed = gzip.compress(plain[:900]) + gzip.compress(plain[900:])
    path = tmp_path / "a.gz"
    path.write_bytes(b"")
    file = CaptureFile.open(path)
    unpacker = Unpacker(file)
    with path.open("ab", buffering=0) as writer:
        for at in range(len(packed)):
            writer.write(packed[at : at + 1])
            unpacker.pump(100, closed=False)
            assert not unpacker.done
    while not unpacker.done:
        unpacker.pump(100)
    assert unpacker.file.read(0, 9999) == plain
    assert unpacker.problems == []
    unpacker.close()
    file.close()


def test_the_spool_goes_and_duplicates_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spools = tmp_path / "spools"
    spools.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spools))
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"abc"))
    file = CaptureFile.open(tmp_path / "a.gz")
    unpacker = Unpacker(file)
    unpacker.pump(10)
    other = unpacker.file.duplicate()
    unpacker.close()
    file.close()
    assert list(spools.iterdir()) == []
    assert other.read(0, 9) == b"abc"
    other.close()


@given(packed=st.binary(max_size=200), begin=st.sampled_from([b"", gzip.compress(b"a"), gzip.compress(b"abc")[:14]]))
def test_any_bytes_end(packed: bytes, begin: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found, problems = unpack(Path(folder) / "a.gz", begin + packed, limit=50)
        assert len(found) < 300_000
        assert len(problems) <= 1


@given(plain=st.binary(max_size=400), flips=st.lists(st.tuples(st.integers(0, 500), st.integers(1, 255)), max_size=3))
def test_flipped_bytes_end(plain: bytes, flips: list[tuple[int, int]]) -> None:
    packed = bytearray(gzip.compress(plain))
    for at, mask in flips:
        packed[at % len(packed)] ^= mask
    with tempfile.TemporaryDirectory() as folder:
        found, problems = unpack(Path(folder) / "a.gz", bytes(packed))
        assert found == plain or problems
