"""A mistake of ours in compiled code is a row marked as a bug, and the rest of the flow is read on.

And the same source runs uncompiled, with the same rows.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from capture_files import BUNDLED, ROOT

from analyzer.engine.capture import Capture
from analyzer.protocols.base import Protocol
from analyzer.protocols.flow import Reading, Verdict
from analyzer.protocols.teeworlds import PROTOCOL
from analyzer.protocols.teeworlds.bulk import BulkReading
from analyzer.protocols.teeworlds.codes import CODES, PACKET_CODES
from analyzer.protocols.teeworlds.dialects import DIALECTS, Dialect
from analyzer.protocols.teeworlds.schema import Schema
from analyzer.snapshots.status import Status
from analyzer.store.rows import Rows
from analyzer.store.tables import Tables
from tests.cli.cut_capture import first_records

CAPTURE = BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap"
FRAMES = 1200
BUG = next(number for number, text in enumerate(PACKET_CODES) if text.startswith("bug"))


class ShortDialect(Dialect):
    """The table of sizes ends before the types of events, which not every snapshot has."""

    @property
    def schema(self) -> Schema:
        whole = super().schema
        return replace(whole, sizes=whole.sizes[:12])


def open_short(rows: Rows, verdict: Verdict) -> Reading:
    known = DIALECTS[verdict.dialect]
    return BulkReading(rows, ShortDialect(known.variant, known.version, known.title), verdict.server)


SHORT: Protocol = replace(PROTOCOL, open_bulk_reading=open_short)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.pcap"
    path.write_bytes(first_records(CAPTURE, FRAMES))
    return path


def decoded(path: Path, protocol: Protocol, *, compiled: bool, batch: int | None = None) -> Tables:
    with Capture.open(path, protocols=[protocol], compiled=compiled, batch=batch) as capture:
        capture.decode()
        return capture.tables


@pytest.mark.parametrize("batch", [None, 1, 50])
def test_a_kernel_that_fails(path: Path, batch: int | None, caplog: pytest.LogCaptureFixture) -> None:
    """Snapshots with such items are struck, in bulk or plainly where their bases were; all the rest has its rows."""
    right = decoded(path, PROTOCOL, compiled=True)
    wrong = decoded(path, SHORT, compiled=True, batch=batch)
    assert "in _read_on" in caplog.text
    assert "IndexError" in caplog.text
    struck = wrong.packets.array("code") == BUG
    assert np.count_nonzero(struck) == 97
    for table in ("packets", "messages", "snapshots", "parts"):
        assert len(getattr(wrong, table)) == len(getattr(right, table)), table
    for column in ("kind", "flags", "ack", "chunks", "session"):
        same = wrong.packets.array(column) == right.packets.array(column)
        assert same[~struck].all(), column
    bugs = [row for row in map(wrong.snapshots.row, range(len(wrong.snapshots))) if row["status"] == Status.BUG]
    assert {CODES[int(str(row["code"]))].name for row in bugs} == {"BUG"}
    assert {row["packet"] for row in bugs} == set(np.flatnonzero(struck).tolist())
    assert "P1" not in {CODES[code].name for code in wrong.snapshots.integers("code").tolist()}


def test_a_kernel_that_fails_under_test(path: Path) -> None:
    with (
        Capture.open(path, protocols=[SHORT], compiled=True, strict=True) as capture,
        pytest.raises(IndexError),
    ):
        capture.decode()


def test_the_source_of_the_kernels_runs_as_it_is(path: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.pcap"
    small.write_bytes(first_records(CAPTURE, 120))
    code = f"""
import sys
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests")!r}]
from analyzer.engine.capture import Capture
from analyzer.kernel import kernel_signatures
from tests.engine.table_content import table_content
found = []
for compiled in (False, True):
    with Capture.open({str(small)!r}, strict=True, compiled=compiled, batch=50) as capture:
        capture.decode()
        found.append(table_content(capture.tables))
assert any(kernel_signatures()) and not any(kernel_signatures().values())
print(found[0] == found[1], len(found[0]["snapshots.tick"]) > 20)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["True", "True"], done.stderr
