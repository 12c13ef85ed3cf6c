"""A capture whose tables may not stay in memory has the same rows, and says where they could not move."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from analyzer.engine.capture import Capture
from analyzer.store.columns import CHUNK_ROWS
from tests.capture.builders import pcap_header, pcap_record

FRAMES = CHUNK_ROWS + 10


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More frames than a chunk has rows; none of them is of a link that is known."""
    path = tmp_path_factory.mktemp("many") / "many.pcap"
    path.write_bytes(pcap_header(link_field=147) + pcap_record(0, 0, b"") * FRAMES)
    return path


def opened(path: Path, limit: int | None) -> Capture:
    capture = Capture.open(path, compiled=False, memory_limit=limit)
    capture.decode()
    return capture


def test_the_rows_are_the_same_wherever_they_are(many: Path) -> None:
    with opened(many, None) as whole, opened(many, 0) as moved:
        assert whole.tables.chunks.moved == 0
        assert moved.tables.chunks.moved == 27 * CHUNK_ROWS
        assert not moved.problems
        for name in whole.tables.frames.columns:
            assert moved.tables.frames.array(name).tolist() == whole.tables.frames.array(name).tolist()


def test_where_no_file_can_be_made_nothing_is_lost(many: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with opened(many, 0) as capture:
        assert len(capture.tables.frames) == FRAMES
        assert int(capture.tables.frames.integers("offset")[-1]) == many.stat().st_size
        (problem,) = capture.problems
        assert problem.text == (
            "the tables stay in memory past their limit, the temporary file cannot be written:"
            " No such file or directory"
        )
