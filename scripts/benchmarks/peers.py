"""What ours is held against on the same bytes: tshark, twnet-parser, and reading the bytes at all."""

from __future__ import annotations

import importlib.util
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from scripts.benchmarks.children import Cost, run_program

BLOCK = 8 * 1024 * 1024


def has_tshark() -> bool:
    """Whether tshark is installed."""
    return shutil.which("tshark") is not None


def has_twnet_parser() -> bool:
    """Whether twnet-parser is installed."""
    return importlib.util.find_spec("twnet_parser") is not None


def tshark(path: Path) -> Cost:
    """tshark dissects Ethernet, IP and UDP and counts."""
    return run_program(["tshark", "-r", str(path), "-q", "-z", "io,stat,0"])


def twnet_parser(payloads: Sequence[bytes]) -> tuple[float, int]:
    """Processor seconds in which twnet-parser parsed the payloads, and how many it could not."""
    from twnet_parser.packet import parse6

    failed, begin = 0, time.process_time()
    for payload in payloads:
        try:
            parse6(payload)
        except Exception:
            failed += 1
    return time.process_time() - begin, failed


def sum_of_bytes(path: Path) -> float:
    """Processor seconds in which numpy adds up every byte of the file, read block by block."""
    buffer = bytearray(BLOCK)
    view, total, begin = memoryview(buffer), 0, time.process_time()
    with path.open("rb", buffering=0) as file:
        while size := file.readinto(view):
            total += int(np.frombuffer(buffer, np.uint8, size).sum(dtype=np.uint64))
    return time.process_time() - begin
