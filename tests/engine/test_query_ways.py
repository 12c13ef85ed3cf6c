"""With compiled kernels every answer is what it is without: on all captures, damaged ones, files changed meanwhile."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from capture_files import BUNDLED, ROOT, SAMPLE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from world.full import FullServer

from analyzer.capture.frames import CaptureError
from analyzer.engine.capture import Capture
from analyzer.engine.change_tree import change_tree
from analyzer.engine.packet_detail import packet_detail
from analyzer.engine.query import Query
from analyzer.protocols import PROTOCOLS
from analyzer.wire.errors import DecodeError
from tests.cli.cut_capture import first_records

MOST = 40
"""Snapshots of a capture that are asked about."""


def said(way: Callable[[], object]) -> object:
    """The answer, or what it raises."""
    try:
        return way()
    except (DecodeError, CaptureError) as error:
        return type(error), str(error)


def open_both(capture: Capture) -> tuple[Query, Query]:
    return Query(capture.tables, capture.source.file.duplicate(), PROTOCOLS), Query(
        capture.tables, capture.source.file.duplicate(), PROTOCOLS, compiled=True
    )


def assert_same(capture: Capture, rows: list[int]) -> None:
    """Tree, record and state of each snapshot, and everything about the packet that decided it."""
    tables = capture.tables
    plain, compiled = open_both(capture)
    for row in rows:
        packet = tables.snapshots.integer("packet", row)
        questions: tuple[Callable[[Query], object], ...] = (
            partial(change_tree, tables=tables, snapshot=row),
            partial(Query.record, snapshot=row, with_items=True),
            partial(Query.received, snapshot=row),
            partial(packet_detail, tables=tables, packet=packet),
        )
        for question in questions:
            assert said(partial(question, compiled)) == said(partial(question, plain)), row
    plain.close()
    compiled.close()


def test_captures(capture: Path) -> None:
    with Capture.open(capture, strict=True) as opened:
        opened.decode()
        rows = range(len(opened.tables.snapshots))
        assert_same(opened, random.Random(capture.name).sample(rows, min(MOST, len(rows))))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A server with many clients: snapshots of many items and of several parts."""
    path = tmp_path_factory.mktemp("world") / "full.pcap"
    server = FullServer(5, clients=24)
    server.play(250)
    server.world.tap.write(path)
    return path


def test_a_full_server(world: Path) -> None:
    with Capture.open(world, strict=True, compiled=True) as opened:
        opened.decode()
        snapshots = opened.tables.snapshots
        assert max(snapshots.integers("parts")) > 1
        rows = random.Random(1).sample(range(len(snapshots)), MOST)
        assert_same(opened, [*rows, int(snapshots.integers("depth").argmax())])


def test_a_capture_asks_in_its_own_way(world: Path) -> None:
    with Capture.open(SAMPLE, compiled=True) as opened:
        opened.decode()
        plain, compiled = open_both(opened)
        own = opened.query()
        assert type(own.state(0)) is type(compiled.state(0)) is not type(plain.state(0))
        for query in (own, plain, compiled):
            query.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.lists(st.tuples(st.integers(0, 1 << 17), st.integers(0, 255)), max_size=12),
    cut=st.integers(0, 3),
    early=st.booleans(),
)
def test_a_damaged_file(tmp_path: Path, changes: list[tuple[int, int]], cut: int, early: bool) -> None:
    """Damaged before it is decoded, or behind our back afterwards: then what was rebuilt cannot be read again."""
    whole = first_records(BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap", 150)
    data = bytearray(whole)
    for at, value in changes:
        data[24 + at % (len(data) - 24)] = value
    path = tmp_path / "a.pcap"
    path.write_bytes(data if early else whole)
    with Capture.open(path, strict=True) as opened:
        opened.decode()
        if not early:
            path.write_bytes(data if cut else data[: len(data) // 2])
        rows = range(len(opened.tables.snapshots))
        assert_same(opened, random.Random(cut).sample(rows, min(12, len(rows))))


def test_without_kernels_nothing_is_loaded_for_an_answer() -> None:
    code = (
        "import sys; from analyzer.engine.capture import Capture; from analyzer.engine.change_tree import change_tree;"
        f"opened = Capture.open({str(SAMPLE)!r}, compiled=False); opened.decode(); query = opened.query();"
        "tree = change_tree(query, opened.tables, 40); print(bool(tree.types), 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["True", "False"], "")
