"""A file that is still being written: followed in pieces of any size it gives the tables of the whole file."""

from __future__ import annotations

from pathlib import Path

import pytest
from capture_files import BUNDLED

from analyzer.engine.capture import Capture
from tests.engine.table_content import table_content

PCAP = BUNDLED / "ddnet_tsunami_badcrc_head.pcap"
PCAPNG = BUNDLED / "ddnet_tsunami_head.pcapng"


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("piece", [997, 65_536, 1 << 20])
@pytest.mark.parametrize("original", [PCAP, PCAPNG], ids=["pcap", "pcapng"])
def test_pieces_give_the_whole(tmp_path: Path, original: Path, piece: int, compiled: bool) -> None:
    data = original.read_bytes()
    path = tmp_path / "growing"
    path.touch()
    with (
        Capture.open(path, growing=True, strict=True, compiled=compiled) as followed,
        path.open("ab", buffering=0) as writer,
    ):
        assert followed.step()
        for start in range(0, len(data), piece):
            writer.write(data[start : start + piece])
            assert followed.step()
        while followed.tables.frames.appended != len(followed.tables.frames):
            assert followed.step()
        assert len(followed.tables.packets) > 1000, "rows are published before the end"
        followed.source.finish()
        followed.decode()
        found = table_content(followed.tables)
        assert followed.problems == []
    with Capture.open(original, strict=True) as whole:
        whole.decode()
        assert table_content(whole.tables) == found


def test_a_cut_end_is_waited_for_and_then_told(tmp_path: Path) -> None:
    path = tmp_path / "growing.pcapng"
    path.write_bytes(PCAPNG.read_bytes()[:-30])
    with Capture.open(path, growing=True, strict=True) as followed:
        for _ in range(50):
            assert followed.step()
        assert followed.problems == []
        before = followed.tables.frames.appended
        followed.source.finish()
        followed.decode()
        assert followed.tables.frames.appended == before
        assert [problem.text[:30] for problem in followed.problems] == ["the file stops in the middle o"]
