"""With compiled kernels a capture has the rows it has without: every capture, in any batches, damaged, in fragments."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from capture_files import BUNDLED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.engine.capture import Capture
from tests.capture.builders import pcap_file
from tests.cli.cut_capture import first_records
from tests.engine.table_content import table_content
from tests.net.builders import ipv4, ipv6, udp

RAW = 101
HEAD_FRAMES = 400


def content(
    path: Path, *, compiled: bool, batch: int | None = None, threads: int | None = None
) -> tuple[dict[str, list[object]], object]:
    with Capture.open(path, strict=True, compiled=compiled, batch=batch, threads=threads) as opened:
        opened.decode()
        assert opened.compiled == compiled
        return table_content(opened.tables), opened.problems


def test_captures(capture: Path) -> None:
    """In batches of several sizes, with one thread and with several."""
    expected = content(capture, compiled=False)
    for batch in (None, 64):
        for threads in (1, 3):
            assert content(capture, compiled=True, batch=batch, threads=threads) == expected


@pytest.mark.parametrize("batch", [1, 7])
def test_the_smallest_batches(batch: int, head: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(head)
    expected = content(path, compiled=False)
    for threads in (1, 3):
        assert content(path, compiled=True, batch=batch, threads=threads) == expected


@pytest.mark.parametrize("batch", [1, 7, 100, 100_000])
def test_batches_do_not_matter(tmp_path: Path, batch: int) -> None:
    choose = random.Random(batch)
    frames = []
    for number in range(700):
        payload = bytes(choose.randrange(60))
        whole = udp(payload, source=choose.randrange(30), destination=choose.randrange(3))
        if choose.random() < 0.2 and len(whole) > 16:
            parts = [
                ipv4(whole[:16], more=True, identification=number),
                ipv4(whole[16:], offset=16, identification=number),
            ]
            frames += choose.sample(parts, 2)
        else:
            frames.append(choose.choice([ipv4, ipv6])(whole))
    order = sorted(range(len(frames)), key=lambda index: index + choose.randrange(20))
    path = tmp_path / "a.pcap"
    path.write_bytes(pcap_file([(choose.randrange(9), 0, frames[index]) for index in order], link_field=RAW))
    expected = content(path, compiled=False)
    assert len(expected[0]["fragments.packet"]) > 50
    assert content(path, compiled=True, batch=batch) == expected


@pytest.fixture(scope="module")
def head() -> bytes:
    return first_records(BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap", HEAD_FRAMES)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.lists(st.tuples(st.integers(24, 1 << 17), st.integers(0, 255)), max_size=6),
    cut=st.integers(0, 1 << 17),
    batch=st.sampled_from([None, 1, 50]),
)
def test_damaged_bytes(head: bytes, changes: list[tuple[int, int]], cut: int, batch: int | None) -> None:
    data = bytearray(head)
    for at, value in changes:
        data[24 + at % (len(data) - 24)] = value
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.pcap")
        path.write_bytes(data[: max(24, len(data) - cut % (2 * len(data)))] if cut % 3 == 0 else data)
        assert content(path, compiled=True, batch=batch) == content(path, compiled=False)
