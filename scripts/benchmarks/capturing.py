"""Ours, live: one capture on loopback at one rate, by the real sniffer; everything is decoded meanwhile, or nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from analyzer import kernel_cache
from analyzer.capture.live.control import Settings, Sniffer, SnifferError
from analyzer.engine.warm_up import load_kernels
from analyzer.engine.worker import Worker

SETTLE_S = 0.3
"""After the last frame; what the kernel holds comes within 50 ms."""
DECODE_S = 120.0
"""The decoding of what came takes no longer."""


def task(path: str, warm: str, rate: float, count: int, decode: bool) -> dict[str, object]:
    """Send `count` frames of `path` at `rate` a second and capture them. Times in seconds.

    `warm`: a small capture; it is decoded first, so that start-up is left out. Where it is not possible, `failed` is a
    sentence that says why.
    """
    if decode:
        with_kernels(warm)
    try:
        return capture(path, rate, count, decode)
    except (SnifferError, NotSentError) as error:
        return {"failed": str(error)}


class NotSentError(Exception):
    """Nothing can be sent; the sender has said why."""


def capture(path: str, rate: float, count: int, decode: bool) -> dict[str, object]:
    """See `task`. Raises SnifferError and NotSentError."""
    source = b"\x02" + os.getpid().to_bytes(5, "big")
    command = [sys.executable, "-m", "scripts.benchmarks.sending", path, source.hex(), str(rate), str(count)]
    with tempfile.TemporaryDirectory(prefix="snapscope-live-") as folder:
        file = Path(folder) / "live.pcapng"
        settings = Settings("lo", file, f"ether src {source.hex(':')}", promiscuous=False)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as sender:
            assert sender.stdin is not None
            assert sender.stdout is not None
            if sender.stdout.readline() != "ready\n":
                raise NotSentError("the frames cannot be sent over the loopback interface")
            with Sniffer.start(settings) as sniffer:
                process = sniffer.wait_started().process
                worker = Worker.open(file, growing=True) if decode else None
                if worker is not None:
                    worker.start()
                begin, spent = time.perf_counter(), processor_s(process)
                sender.stdin.write("\n")
                sender.stdin.flush()
                told = json.loads(follow(sender, sniffer))
                time.sleep(SETTLE_S)
                spent, took = processor_s(process) - spent, time.perf_counter() - begin
                late = 0.0
                sniffer.stop()
                while not sniffer.ended:
                    sniffer.next(1.0)
                if worker is not None:
                    late = finish(worker) + SETTLE_S
                counts = sniffer.counts
    return {
        **told,
        "captured": counts.frames,
        "dropped": counts.lost,
        "share": spent / took,
        "late": late,
        "decoded": 0 if worker is None else len(worker.capture.tables.packets),
    }


def with_kernels(warm: str) -> None:
    """Have the kernels loaded."""
    if kernel_cache.ready():
        load_kernels()
    worker = Worker.open(warm)
    worker.start()
    worker.decoded.wait(DECODE_S)
    worker.close()
    worker.wait(DECODE_S)


def follow(sender: subprocess.Popen[str], sniffer: Sniffer) -> str:
    """What the sender says at its end; meanwhile somebody has to listen to the sniffer."""
    while sender.poll() is None:
        sniffer.next(0.05)
    assert sender.stdout is not None
    return sender.stdout.read()


def finish(worker: Worker) -> float:
    """Decode what is left; the seconds it took."""
    begin = time.perf_counter()
    worker.finish()
    if not worker.decoded.wait(DECODE_S):
        raise RuntimeError("the decoding does not end")
    took = time.perf_counter() - begin
    if worker.failure is not None:
        raise worker.failure
    worker.close()
    worker.wait(DECODE_S)
    return took


def processor_s(process: int) -> float:
    """Processor time that a process has taken so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
