"""Where the capture says that it lost packets, what is missing is put down to it: the same however it is read."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
from world.capture import EPOCH_NS, ethernet
from world.datagram import Datagram, Sent, Snap
from world.formats import PCAPNG, SECOND
from world.network import Weather
from world.world import World

from analyzer.engine.capture import Capture
from analyzer.snapshots.status import LostBy, Status
from analyzer.stats.snapshots import failed_mask, root_statuses
from analyzer.store.tables import Tables
from tests.capture import builders
from tests.capture.builders import lost_before, option, statistics
from tests.engine.table_content import table_content

Element = tuple[int, bytes] | int
"""Time and bytes of a frame, or frames lost."""


def told(lost: int, interface: int) -> bytes:
    """A block of statistics."""
    return statistics(
        interface, option(5, struct.pack("<Q", lost // 2)) + option(7, struct.pack("<Q", lost - lost // 2))
    )


def written(elements: Sequence[Element], *, every: int = 0, interface: int = 0) -> bytes:
    """A capture file of two interfaces, all frames of the first.

    It says exactly where frames were lost, or, with `every`, only after so many frames.
    """
    parts, lost, frames = [PCAPNG.header(65535), builders.interface()], 0, 0
    for element in elements:
        if isinstance(element, int):
            if not every:
                parts += [told(lost, interface), told(lost + element, interface)]
            lost += element
            continue
        parts.append(PCAPNG.record(EPOCH_NS + element[0], element[1], len(element[1])))
        frames += 1
        if every and frames % every == 0:
            parts.append(told(lost, interface))
    return b"".join([*parts, told(lost, interface)])


def written_by_frames(elements: Sequence[Element]) -> bytes:
    """The same where the frame behind says what was lost, and statistics count it all together at the end."""
    parts, lost, before = [PCAPNG.header(65535), builders.interface()], 0, 0
    for element in elements:
        if isinstance(element, int):
            lost, before = lost + element, element
            continue
        options = lost_before(before) if before else b""
        parts.append(builders.enhanced(EPOCH_NS + element[0], element[1], options=options))
        before = 0
    return b"".join([*parts, told(lost - before, 0), told(lost, 0)])


def elements_of(world: World) -> list[Element]:
    """What the tap kept, and how much it lost in between."""
    found: list[Element] = []
    for seen in world.tap.passes:
        if seen.frame is not None:
            found.append((seen.time, ethernet(seen.datagram)))
        elif found and isinstance(found[-1], int):
            found[-1] += 1
        else:
            found.append(1)
    return found


def decode(path: Path, *, compiled: bool = False, batch: int = 4096, threads: int = 1) -> Tables:
    with Capture.open(path, strict=True, compiled=compiled, batch=batch, threads=threads) as capture:
        capture.decode()
        return capture.tables


def decode_bytes(path: Path, data: bytes) -> Tables:
    path.write_bytes(data)
    return decode(path)


def followed(path: Path, data: bytes, piece: int) -> Tables:
    """Read while it grows."""
    path.touch()
    with (
        Capture.open(path, growing=True, strict=True, compiled=False) as capture,
        path.open("ab", buffering=0) as writer,
    ):
        for start in range(0, len(data), piece):
            writer.write(data[start : start + piece])
            assert capture.step()
        capture.source.finish()
        capture.decode()
        return capture.tables


def lossy_world(seed: int, bursts: float, *, jitter_ms: int = 0) -> World:
    """Snapshots of several parts; the network loses single datagrams, the tap, behind it, some in a row."""
    world = World(seed, clients=2, tap_at_server=False)
    world.server.game.crowd = 150
    world.network.weather = Weather(loss=0.02, delay_ms=10, jitter_ms=jitter_ms)
    world.play(60)
    choose, left = Random(seed), 0

    def loses(_: object) -> bool:
        nonlocal left
        if not left and choose.random() < bursts:
            left = choose.randrange(1, 6)
        left = max(left - 1, 0)
        return left > 0

    world.tap.loses = loses
    world.play(200)
    world.tap.loses = lambda _: False
    world.play(40)
    return world


def lost_parts(world: World) -> tuple[set[int], set[int]]:
    """By tick of snapshots: of which the tap lost a part, and of which the network did."""
    by_tap: set[int] = set()
    passed: dict[Sent, set[int]] = {}
    for seen in world.tap.passes:
        for chunk in seen.datagram.chunks:
            if isinstance(chunk.message, Snap):
                passed.setdefault(chunk.message.sent, set()).add(chunk.message.part)
                if seen.frame is None:
                    by_tap.add(chunk.message.sent.tick)
    return by_tap, {sent.tick for sent, parts in passed.items() if len(parts) < sent.parts}


def is_interrupted(tables: Tables, row: dict[str, object]) -> bool:
    """Does the capture have a hole between the messages of the ticks before and behind those of a snapshot?"""
    snapshots, parts = tables.snapshots, tables.parts
    came = []
    for other in np.flatnonzero(snapshots.array("session") == row["session"]).tolist():
        first = snapshots.integer("first_part", other)
        carriers = parts.integers("message", first, first + snapshots.integer("part_count", other))
        tick = snapshots.integer("tick", other)
        came += [(packet, tick) for packet in tables.messages.take("packet", carriers).tolist()]
    own = [packet for packet, tick in came if tick == row["tick"]]
    before = max((packet for packet, tick in came if tick != row["tick"] and packet < min(own)), default=-1)
    behind = min((packet for packet, tick in came if tick != row["tick"] and packet > max(own)), default=1 << 40)
    return any(before < packet <= behind for packet in tables.drops.array("packet").tolist())


def rows(tables: Tables, status: Status) -> list[dict[str, object]]:
    found = [tables.snapshots.row(row) for row in range(len(tables.snapshots))]
    return [row for row in found if row["status"] == status]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_missing_parts_are_put_down_to_who_lost_them(tmp_path: Path, seed: int) -> None:
    world = lossy_world(seed, 0.03)
    path = tmp_path / "world.pcapng"
    path.write_bytes(written(elements_of(world)))
    tables = decode(path)
    by_tap, by_network = lost_parts(world)
    incomplete = rows(tables, Status.INCOMPLETE)
    ours = [row for row in incomplete if row["tick"] in by_tap]
    theirs = [row for row in incomplete if row["tick"] in by_network - by_tap]
    assert ours
    assert theirs
    for row in ours:
        assert (row["lost_by"], bool(row["detail"])) == (LostBy.CAPTURE, True), row
    assert any(row["lost_by"] == LostBy.NETWORK for row in theirs)
    for row in theirs:
        # Where the network and the capture lost something of one moment, nobody can tell them apart.
        assert bool(row["detail"]) == is_interrupted(tables, row), row
    status, lost_by = tables.snapshots.integers("status"), tables.snapshots.integers("lost_by")
    failed = failed_mask(status, root_statuses(tables, np.arange(len(status))))
    assert not failed[lost_by == LostBy.CAPTURE].any(), "drawn as unknown, not as failed"
    assert failed[lost_by == LostBy.NETWORK].all()
    assert sum(element for element in elements_of(world) if isinstance(element, int)) == int(
        tables.drops.array("lost").sum()
    )


@pytest.mark.parametrize("jitter_ms", [0, 60])
@pytest.mark.parametrize("every", [0, 7])
def test_the_same_however_it_is_read(tmp_path: Path, every: int, jitter_ms: int) -> None:
    data = written(elements_of(lossy_world(4, 0.05, jitter_ms=jitter_ms)), every=every)
    path = tmp_path / "world.pcapng"
    path.write_bytes(data)
    expected = table_content(decode(path))
    assert len(expected["drops.lost"]) > 5
    for batch in (1, 7, 64):
        assert table_content(decode(path, batch=batch)) == expected
    for batch, threads in ((5, 1), (4096, 1), (300, 2)):
        assert table_content(decode(path, batch=batch, compiled=True, threads=threads)) == expected
    for piece in (1000, 64 << 10):
        assert table_content(followed(tmp_path / f"{piece}.pcapng", data, piece)) == expected


def test_the_same_whether_frames_or_statistics_tell(tmp_path: Path) -> None:
    elements = elements_of(lossy_world(4, 0.05))
    assert isinstance(elements[-1], tuple)
    expected = table_content(decode_bytes(tmp_path / "statistics.pcapng", written(elements)))
    path = tmp_path / "frames.pcapng"
    path.write_bytes(written_by_frames(elements))
    assert len(expected["drops.lost"]) > 5
    for options in ({}, {"batch": 1}, {"compiled": True}, {"compiled": True, "batch": 5}):
        found = table_content(decode(path, **options))
        assert found["drops.frame"] == found["drops.since"]
        assert {name for name in expected if found[name] != expected[name]} == {"frames.offset"}


def test_a_base_that_the_capture_lost(tmp_path: Path) -> None:
    """What follows names it as its first cause, and who lost it."""
    world = World(5, tap_at_server=True)
    world.play(100)
    world.tap.recording = False
    world.play(20)
    world.tap.recording = True
    world.play(40)
    path = tmp_path / "world.pcapng"
    elements = elements_of(world)
    lost = sum(element for element in elements if isinstance(element, int))
    path.write_bytes(written(elements))
    with Capture.open(path, strict=True, compiled=False) as capture:
        capture.decode()
        tables, query = capture.tables, capture.query()
        failed = np.flatnonzero(tables.snapshots.array("status") == Status.NO_BASE).tolist()
        first, *following = failed
        base = tables.snapshots.integer("base_tick", first)
        assert query.reason(first).partition("; deltas alone tell")[0] == (
            f"base tick {base} was never seen: the capture has a gap; the capture lost {lost} packets here"
        )
        query.close()
        assert following
        assert {tables.snapshots.integer("lost_by", row) for row in failed} == {LostBy.CAPTURE}
        assert {tables.snapshots.integer("cause", row) for row in following} == {first}
        drop = tables.drops.row(0)
        assert (drop["since"], drop["lost"], drop["vague"]) == (drop["frame"], lost, False)
        assert tables.packets.integer("frame", int(str(drop["packet"]))) == drop["frame"]


def test_what_was_lost_on_another_interface_matters_to_none(tmp_path: Path) -> None:
    path = tmp_path / "world.pcapng"
    elements = elements_of(lossy_world(1, 0.03))
    own, other = (decode_bytes(path, written(elements, interface=number)) for number in range(2))
    assert own.drops.array("lost").tolist() == other.drops.array("lost").tolist()
    assert set(other.drops.array("interface").tolist()) == {1}
    assert own.snapshots.array("detail").any()
    assert not other.snapshots.array("detail").any()


def test_a_count_of_the_whole_capture_leaves_open_who_lost_it(tmp_path: Path) -> None:
    """Five seconds and more are not the moment of a snapshot: nothing is put down to anybody who may not have it."""
    world = lossy_world(1, 0.03)
    path = tmp_path / "world.pcapng"
    elements = elements_of(world)
    silent = decode_bytes(path, written([element for element in elements if not isinstance(element, int)]))
    vague = decode_bytes(path, written(elements, every=len(elements) + 1))
    assert vague.drops.array("vague").tolist() == [True]
    expected = silent.snapshots.array("lost_by")
    assert (expected == LostBy.NETWORK).any()
    expected[expected == LostBy.NETWORK] = LostBy.UNKNOWN
    assert vague.snapshots.array("lost_by").tolist() == expected.tolist()
    assert not vague.snapshots.array("detail").any()


@pytest.mark.parametrize(("later_ms", "loser"), [(100, LostBy.CAPTURE), (5000, LostBy.UNKNOWN)])
def test_what_is_lost_long_after_a_flow_is_none_of_it(tmp_path: Path, later_ms: int, loser: LostBy) -> None:
    """The last snapshot is incomplete; another flow, or the end, comes behind what was lost."""
    world = World(6, tap_at_server=True)
    world.server.game.crowd = 150
    world.play(60)
    elements = elements_of(world)
    last = max(
        index
        for index, seen in enumerate(world.tap.passes)
        if any(isinstance(chunk.message, Snap) and chunk.message.part == 0 for chunk in seen.datagram.chunks)
        if any(isinstance(chunk.message, Snap) and chunk.message.sent.parts > 1 for chunk in seen.datagram.chunks)
    )
    element = elements[last]
    assert not isinstance(element, int)
    later = element[0] + later_ms * SECOND // 1000
    stranger = ethernet(Datagram(("10.0.0.9", 9), ("10.0.0.8", 8), b"stranger"))
    path = tmp_path / "world.pcapng"
    tables = decode_bytes(path, written([*elements[: last + 1], (later, stranger), 3, (later, stranger)]))
    (row,) = rows(tables, Status.INCOMPLETE)
    assert (row["lost_by"], row["detail"]) == (loser, 3 if loser == LostBy.CAPTURE else 0)
