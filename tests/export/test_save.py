"""Saving stops when asked, says what is wrong, and keeps little in memory."""

from __future__ import annotations

import os
import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from capture_files import SAMPLE
from hypothesis import given, settings
from hypothesis import strategies as st
from scapy.utils import RawPcapNgReader

from analyzer.capture.file import CaptureFile
from analyzer.capture.source import Source
from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.export import selection
from analyzer.export.excerpt import Excerpt, plan
from analyzer.export.formats import Format, format_of
from analyzer.export.save import SaveCancelled, save, stretches
from analyzer.export.target import SaveError
from tests.capture.builders import enhanced, interface, pcap_file, section
from tests.cli.cut_capture import first_records
from tests.file_limit import file_limit

HEAD = first_records(SAMPLE, 120)


@pytest.fixture(scope="module")
def sample() -> Iterator[tuple[Capture, Query]]:
    with Capture.open(SAMPLE) as capture:
        capture.decode()
        query = capture.query()
        yield capture, query
        query.close()


def middle(capture: Capture, form: Format = Format.PCAPNG) -> Excerpt:
    times = capture.tables.frames.array("time_ns")
    return plan(capture, selection.in_time(capture.tables, int(times[500]), int(times[1500])), form)


@pytest.mark.parametrize("name", ["part.pcapng", "part.pcapng.gz", "part.pcap"])
def test_it_stops_when_asked(sample: tuple[Capture, Query], tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    target.write_bytes(b"old")
    shares = []

    def go_on(share: float) -> bool:
        shares.append(share)
        return len(shares) < 2

    with pytest.raises(SaveCancelled):
        save(*sample, middle(sample[0], format_of(target)), target, go_on)
    assert len(shares) == 2
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [name]


def test_progress_rises(sample: tuple[Capture, Query], tmp_path: Path) -> None:
    for excerpt in (middle(sample[0]), plan(sample[0], selection.everything(sample[0].tables), Format.PCAP)):
        shares: list[float] = []

        def note(share: float, shares: list[float] = shares) -> bool:
            shares.append(share)
            return True

        save(*sample, excerpt, tmp_path / "part", note)
        assert shares == sorted(shares)
        assert shares[0] == 0
        assert shares[-1] == 1
        # Snapshots that are made take the most time: no two of them at the same share.
        assert len(set(shares[: len(excerpt.bases)])) == len(excerpt.bases)


@pytest.mark.parametrize("form", list(Format))
def test_no_room(sample: tuple[Capture, Query], tmp_path: Path, form: Format) -> None:
    for excerpt in (middle(sample[0], form), plan(sample[0], selection.everything(sample[0].tables), form)):
        with file_limit(20_000), pytest.raises(SaveError, match="There is no room left for part; it was not written"):
            save(*sample, excerpt, tmp_path / "part")
        assert os.listdir(tmp_path) == []


def test_nothing_chosen(sample: tuple[Capture, Query], tmp_path: Path) -> None:
    nothing = np.zeros(len(sample[0].tables.frames), dtype=np.bool_)
    with pytest.raises(SaveError, match="No packet was chosen"):
        save(*sample, plan(sample[0], nothing, Format.PCAP), tmp_path / "part")
    assert os.listdir(tmp_path) == []


def test_another_program_reads_it(sample: tuple[Capture, Query], tmp_path: Path) -> None:
    excerpt = middle(sample[0])
    save(*sample, excerpt, tmp_path / "part.pcapng")
    with RawPcapNgReader(str(tmp_path / "part.pcapng")) as reader:
        packets = list(reader)
    assert len(packets) == len(excerpt.frames) + len(excerpt.bases)
    made = [(data, meta) for data, meta in packets if meta.linktype == 101]
    assert len(made) == len(excerpt.bases) > 0
    assert all(data[0] == 0x45 for data, _ in made)
    captured = [data for data, meta in packets if meta.linktype != 101]
    assert captured == [sample[1].frame(row) for row in excerpt.frames.tolist()]


def test_two_link_types_need_pcapng(tmp_path: Path) -> None:
    path = tmp_path / "two.pcapng"
    frame = bytes(14)
    path.write_bytes(
        section()
        + interface(link_type=1)
        + interface(link_type=101)
        + enhanced(1, frame, number=0)
        + enhanced(2, frame, number=1)
    )
    with Capture.open(path) as capture:
        capture.decode()
        query = capture.query()
        everything = plan(capture, selection.everything(capture.tables), Format.PCAP)
        with pytest.raises(SaveError, match=r"link types 1 and 101.*choose pcapng"):
            save(capture, query, everything, tmp_path / "two.pcap")
        one = plan(capture, selection.of_frames(capture.tables, np.array([1])), Format.PCAP)
        assert save(capture, query, one, tmp_path / "one.pcap").frames == 1
        query.close()
    source = Source.open(tmp_path / "one.pcap")
    assert source.interfaces[0].link_type == 101
    source.close()


def test_a_capture_that_was_cut_short_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "game.pcap"
    path.write_bytes(pcap_file([(1, 0, bytes(100))] * 50))
    with Capture.open(path) as capture:
        capture.decode()
        query = capture.query()
        excerpt = plan(capture, selection.of_frames(capture.tables, np.arange(10, 50)), Format.PCAPNG)
        os.truncate(path, 2000)
        with pytest.raises(SaveError, match="was cut short while it was open"):
            save(capture, query, excerpt, tmp_path / "part.pcapng")
        query.close()
    assert os.listdir(tmp_path) == ["game.pcap"]


@pytest.mark.parametrize("name", ["part.pcap", "part.pcapng"])
def test_memory_does_not_follow_the_capture(tmp_path: Path, name: str) -> None:
    path = tmp_path / "large.pcap"
    path.write_bytes(pcap_file([(second, 0, bytes(1400)) for second in range(15_000)]))
    with Capture.open(path) as capture:
        capture.decode()
        query = capture.query()
        excerpt = plan(capture, selection.of_frames(capture.tables, np.arange(1, 15_000)), format_of(Path(name)))
        tracemalloc.start()
        save(capture, query, excerpt, tmp_path / name)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        query.close()
    assert (tmp_path / name).stat().st_size > 20_900_000
    assert most < 16_000_000


@given(
    damage=st.lists(st.tuples(st.integers(24, len(HEAD) - 1), st.integers(0, 255)), max_size=40),
    length=st.integers(24, len(HEAD)),
    seed=st.integers(0, 1000),
)
@settings(max_examples=60)
def test_any_damage_can_be_saved(damage: list[tuple[int, int]], length: int, seed: int) -> None:
    """Whatever the capture is, its excerpts have the frames that were chosen, or a sentence says why not."""
    data = bytearray(HEAD)
    for offset, value in damage:
        data[offset] = value
    rng = Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "any.pcap"
        path.write_bytes(data[:length])
        with Capture.open(path, strict=True, compiled=False) as capture:
            capture.decode()
            query, frames = capture.query(), len(capture.tables.frames)
            rows = np.array(sorted(rng.sample(range(frames), rng.randint(0, frames))), dtype=np.int64)
            for form in Format:
                target = Path(folder) / f"part.{form.value}"
                excerpt = plan(capture, selection.of_frames(capture.tables, rows), form)
                assert set(rows.tolist()) <= set(excerpt.frames.tolist())
                try:
                    saved = save(capture, query, excerpt, target)
                except SaveError:
                    assert not target.exists()
                    assert not len(excerpt.frames) or form is Format.PCAP
                    continue
                with Capture.open(target, strict=True, compiled=False) as part:
                    part.decode()
                    assert len(part.tables.frames) >= saved.frames
            query.close()


def test_stretches_are_read_at_once_where_they_are_near(tmp_path: Path) -> None:
    path = tmp_path / "any"
    data = os.urandom(300_000)
    path.write_bytes(data)
    source_file = CaptureFile.open(path)
    begins = np.array([0, 10, 50, 250_000, 250_100])
    ends = np.array([10, 20, 90, 250_050, 300_000])
    found = list(stretches(source_file, begins, ends))
    source_file.close()
    assert [(start, len(pieces)) for start, pieces in found] == [(0, 3), (3, 2)]
    pieces = [bytes(piece) for _, some in found for piece in some]
    assert pieces == [data[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
