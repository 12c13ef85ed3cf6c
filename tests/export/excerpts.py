"""What became of the snapshots of a capture, so that an excerpt can be compared with the capture it was cut from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from analyzer.capture.frames import MADE_INTERFACE
from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.export.excerpt import Excerpt, plan
from analyzer.export.formats import Format
from analyzer.export.save import Saved, save
from analyzer.export.selection import Bools
from analyzer.stats.flows import flow_ends, session_flow
from analyzer.stats.live import live_snapshots
from analyzer.stats.parts import part_packets

Key = tuple[str, str, int, tuple[int, ...]]
"""Client, server, tick, times of the frames that carried its parts."""
Verdict = tuple[int, bytes | None, int, int]
"""Status, items as they are stored, checksum on the wire, tick of the base."""


@dataclass(slots=True)
class Decoded:
    """A capture that was decoded, and what its captured snapshots are."""

    capture: Capture
    query: Query
    verdicts: dict[Key, list[Verdict]]
    frames: dict[Key, list[int]]
    """Rows of the frames that carried the parts."""

    def made(self) -> int:
        """Frames that were made."""
        return int(_made(self.capture).sum())


@contextmanager
def decoded(path: Path, *, strict: bool = True, compiled: bool | None = None) -> Iterator[Decoded]:
    """Open a capture, decode it and look at every snapshot that was not made."""
    with Capture.open(path, strict=strict, compiled=compiled) as capture:
        capture.decode()
        query = capture.query()
        yield _look(capture, query)
        query.close()


def cut(whole: Decoded, chosen: Bools, target: Path, form: Format = Format.PCAPNG) -> tuple[Excerpt, Saved]:
    """Save the chosen frames."""
    excerpt = plan(whole.capture, chosen, form)
    return excerpt, save(whole.capture, whole.query, excerpt, target)


def assert_same(whole: Decoded, excerpt: Excerpt, part: Decoded) -> int:
    """Every snapshot of the excerpt is what it is in the whole capture, and there is no other; how many there are."""
    inside = set(excerpt.frames.tolist())
    expected = {key: verdict for key, verdict in whole.verdicts.items() if inside.issuperset(whole.frames[key])}
    assert part.capture.problems == []
    assert part.verdicts.keys() == expected.keys()
    for key, verdict in expected.items():
        assert part.verdicts[key] == verdict, key
    return len(expected)


def assert_same_frames(whole: Decoded, excerpt: Excerpt, part: Decoded) -> None:
    """Every captured frame of the excerpt has its bytes, its time and its length."""
    tables, rows = part.capture.tables, np.flatnonzero(~_made(part.capture))
    assert len(rows) == len(excerpt.frames)
    for column in ("time_ns", "captured", "original", "interface", "kind"):
        before = whole.capture.tables.frames.take(column, excerpt.frames)
        assert (before == tables.frames.take(column, rows)).all(), column
    for before, after in zip(excerpt.frames.tolist(), rows.tolist(), strict=True):
        assert whole.query.frame(before) == part.query.frame(after)


def _made(capture: Capture) -> Bools:
    numbers = [number for number, one in enumerate(capture.source.interfaces) if one.name == MADE_INTERFACE]
    return np.isin(capture.tables.frames.array("interface"), numbers)


def _look(capture: Capture, query: Query) -> Decoded:
    tables, made = capture.tables, _made(capture)
    found = Decoded(capture, query, {}, {})
    flows = flow_ends(tables)
    for row in live_snapshots(tables).tolist():
        frames = tables.packets.take("frame", part_packets(tables, row)).astype(np.int64)
        if not len(frames) or made[frames].any():
            continue
        session, tick, status, crc, base = (
            tables.snapshots.integer(name, row) for name in ("session", "tick", "status", "crc_wire", "base_tick")
        )
        ends = flows[session_flow(tables, session)]
        times = tuple(sorted(tables.frames.take("time_ns", frames).tolist()))
        key = (ends.client, ends.server, tick, times)
        found.verdicts.setdefault(key, []).append((status, query.packed(row), crc, base))
        found.frames[key] = frames.tolist()
    return found
