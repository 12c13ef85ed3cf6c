"""How much memory tables may take."""

from __future__ import annotations

import sys

from analyzer.engine.machine import TABLES_SHARE, default_memory_limit, memory_bytes, resident_bytes


def test_a_share_of_what_there_is() -> None:
    assert 64 << 20 < memory_bytes() < 1 << 50
    assert default_memory_limit() == memory_bytes() // TABLES_SHARE


def test_what_this_program_has() -> None:
    resident = resident_bytes()
    assert (resident is not None) == (sys.platform == "linux")
    assert resident is None or 1 << 20 < resident < memory_bytes()
