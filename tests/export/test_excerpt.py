"""Excerpts of captures decode by themselves: each snapshot in them is what it is in the whole capture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from capture_files import BUNDLED, SAMPLE

from analyzer.capture.frames import MADE_INTERFACE, FrameBatch, join_batches
from analyzer.capture.source import Source
from analyzer.engine.capture import Capture
from analyzer.export import selection
from analyzer.export.excerpt import plan
from analyzer.export.formats import Format
from analyzer.export.save import save
from analyzer.export.selection import Bools
from analyzer.store.tables import Tables
from tests.export.excerpts import Decoded, assert_same, assert_same_frames, cut, decoded


@pytest.fixture(scope="module")
def sample() -> Iterator[Decoded]:
    with decoded(SAMPLE) as whole:
        yield whole


def time_range(tables: Tables, rng: Random) -> Bools:
    times = tables.frames.array("time_ns")
    start = rng.randrange(len(times))
    stop = min(len(times) - 1, start + rng.choice((0, 5, 60, 400)))
    return selection.in_time(tables, int(times[start]), int(times[stop]))


def session(tables: Tables, rng: Random) -> Bools:
    if not len(tables.sessions):
        return time_range(tables, rng)
    return selection.of_session(tables, rng.randrange(len(tables.sessions)))


def packets(tables: Tables, rng: Random) -> Bools:
    count = min(len(tables.packets), rng.choice((1, 1, 2, 30)))
    return selection.of_packets(tables, np.array(rng.sample(range(len(tables.packets)), count)))


def test_excerpts_of_every_capture(capture: Path, tmp_path: Path) -> None:
    with decoded(capture) as whole:
        for choose in (time_range, session, packets):
            rng, snapshots = Random(f"{capture.name} {choose.__name__}"), 0
            for _ in range(4):
                excerpt, saved = cut(whole, choose(whole.capture.tables, rng), tmp_path / "part.pcapng")
                with decoded(tmp_path / "part.pcapng") as part:
                    snapshots += assert_same(whole, excerpt, part)
                    assert_same_frames(whole, excerpt, part)
                    assert (saved.frames, saved.unmade) == (len(excerpt.frames), 0)
                    assert part.made() >= saved.made == len(excerpt.bases)
            assert snapshots or choose is not time_range or not whole.verdicts


def test_made_snapshots_go_first_on_an_interface_of_their_own(sample: Decoded, tmp_path: Path) -> None:
    times = sample.capture.tables.frames.array("time_ns")
    start, stop = int(times[600]), int(times[700])
    excerpt, saved = cut(sample, selection.in_time(sample.capture.tables, start, stop), tmp_path / "part.pcapng")
    # One base for each of the three clients.
    assert (saved.made, excerpt.added) == (3, 0)
    with decoded(tmp_path / "part.pcapng") as part:
        frames = part.capture.tables.frames
        made = frames.array("interface") == 1
        assert made.sum() == 3
        assert (np.diff(frames.array("time_ns")) >= 0).all()
        assert (frames.array("time_ns")[made] >= start - 1000).all()
        captured, own = part.capture.source.interfaces
        assert (own.name, own.link_type) == (MADE_INTERFACE, 101)
        assert "were not captured" in own.comment
        assert captured.link_type == sample.capture.source.interfaces[0].link_type
        data = (tmp_path / "part.pcapng").read_bytes()
        assert data.count(b"Made by Snapscope: the whole snapshot of tick ") == 3
        assert b"An excerpt. The packets of the interface" in data
        rows = [row for row in range(len(part.capture.tables.snapshots)) if made[_frame(part, row)]]
        assert {part.capture.tables.snapshots.integer("base_tick", row) for row in rows} == {-1}
        assert {part.capture.tables.snapshots.integer("status", row) for row in rows} == {0}
        lines = [part.query.info(packet) for packet in range(len(part.capture.tables.packets))]
        assert [line.startswith("made by snapscope · Snap ") for line in lines] == made.tolist()


def _frame(whole: Decoded, snapshot: int) -> int:
    tables = whole.capture.tables
    return tables.packets.integer("frame", tables.snapshots.integer("packet", snapshot))


def test_an_excerpt_of_an_excerpt(sample: Decoded, tmp_path: Path) -> None:
    times = sample.capture.tables.frames.array("time_ns")
    cut(sample, selection.in_time(sample.capture.tables, int(times[500]), int(times[900])), tmp_path / "one.pcapng")
    with decoded(tmp_path / "one.pcapng") as one:
        chosen = selection.in_time(one.capture.tables, int(times[600]), int(times[700]))
        excerpt, _ = cut(one, chosen, tmp_path / "two.pcapng")
        with decoded(tmp_path / "two.pcapng") as two:
            assert assert_same(one, excerpt, two) > 40
        # A pcap file has no place for what was made.
        excerpt, saved = cut(one, selection.everything(one.capture.tables), tmp_path / "two.pcap", Format.PCAP)
        assert (len(excerpt.frames), saved.made) == (401, 0)
        assert excerpt.baseless > 100


def test_pcap_says_what_will_not_decode(sample: Decoded, tmp_path: Path) -> None:
    times = sample.capture.tables.frames.array("time_ns")
    chosen = selection.in_time(sample.capture.tables, int(times[600]), int(times[700]))
    excerpt, saved = cut(sample, chosen, tmp_path / "part.pcap", Format.PCAP)
    assert (saved.frames, saved.made) == (101, 0)
    with decoded(tmp_path / "part.pcap") as part:
        assert_same_frames(sample, excerpt, part)
        failed = sum(verdict[0][0] == 3 for verdict in part.verdicts.values())
        assert failed == excerpt.baseless > 0


@pytest.mark.parametrize("name", ["one.pcap", "one.pcapng", "one.pcap.gz", "one.pcapng.gz"])
def test_the_beginning_decodes_in_every_format(sample: Decoded, tmp_path: Path, name: str) -> None:
    stop = int(sample.capture.tables.frames.array("time_ns")[800])
    form = Format.PCAP if ".pcap" in Path(name).suffixes else Format.PCAPNG
    excerpt, saved = cut(sample, selection.in_time(sample.capture.tables, None, stop), tmp_path / name, form)
    assert (saved.frames, saved.made, excerpt.baseless) == (801, 0, 0)
    assert ((tmp_path / name).read_bytes()[:2] == b"\x1f\x8b") == name.endswith(".gz")
    with decoded(tmp_path / name) as part:
        assert_same_frames(sample, excerpt, part)
        assert assert_same(sample, excerpt, part) > 300


def test_the_whole_in_every_format(capture: Path, tmp_path: Path) -> None:
    with Capture.open(capture) as whole:
        whole.decode()
        query, own = whole.query(), whole.source
        for name in ("whole.pcap", "whole.pcapng", "whole.pcap.gz", "whole.pcapng.gz"):
            form = Format.PCAP if ".pcap" in Path(name).suffixes else Format.PCAPNG
            excerpt = plan(whole, selection.everything(whole.tables), form)
            saved = save(whole, query, excerpt, tmp_path / name)
            assert (excerpt.added, saved.frames, saved.made) == (0, len(whole.tables.frames), 0)
            source, batch = frames_of_file(tmp_path / name)
            for column in ("time_ns", "captured", "original"):
                assert (getattr(batch, column) == whole.tables.frames.array(column)).all()
            data = source.data(0, source.file.size())
            for row in range(len(batch)):
                start = int(batch.offset[row])
                assert data[start : start + int(batch.captured[row])] == query.frame(row)
            assert source.problems == []
            if own.format.startswith(f"{form.value},"):
                # The file as it is, with its comments and statistics.
                assert data == own.data(0, own.whole_bytes) != b""
                assert source.dropped == own.dropped
            source.close()
        query.close()


def frames_of_file(path: Path) -> tuple[Source, FrameBatch]:
    source, batches = Source.open(path), list[FrameBatch]()
    while not source.at_end:
        batches.append(source.read(1 << 30))
    return source, join_batches(batches)


def test_all_fragments_of_a_chosen_datagram(tmp_path: Path) -> None:
    with decoded(BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz") as whole:
        tables = whole.capture.tables
        several = np.flatnonzero(tables.snapshots.array("part_count") > 2)
        packet = tables.snapshots.integer("packet", int(several[5]))
        excerpt, _ = cut(whole, selection.of_packets(tables, np.array([packet])), tmp_path / "part.pcapng")
        # The other parts of the snapshot, and the handshake.
        assert excerpt.added >= tables.snapshots.integer("part_count", int(several[5])) - 1
        with decoded(tmp_path / "part.pcapng") as part:
            assert assert_same(whole, excerpt, part) >= 1
