"""The measurements, each a function that gives rows; they run one after the other, what is compared in turns."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from scripts.benchmarks import peers
from scripts.benchmarks.children import Cost, run_program, run_task
from scripts.benchmarks.decoding import can_pin
from scripts.benchmarks.samples import payloads, prefix
from scripts.benchmarks.table import Row, ratios, rounds, spread

MIB = 1024 * 1024
SUMMARY = "import sys; from analyzer.cli import main; sys.exit(main(['summary', sys.argv[1]]))"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured and how often."""

    capture: Path
    folder: Path
    """For parts of the capture."""
    small: Path
    """Its first packets."""
    runs: int
    budget: float
    """Seconds for one measurement; it gets fewer runs rather than more time, but at least one."""
    sizes: tuple[int, ...]
    jumps: int
    peer_packets: int
    window_seconds: float


@dataclass(slots=True)
class Rounds:
    """What was measured side by side, a value a round."""

    all_cores: list[dict[str, Any]] = field(default_factory=list)
    one_core: list[dict[str, Any]] = field(default_factory=list)
    tshark: list[tuple[Cost, Cost]] = field(default_factory=list)
    """What it took, and what the tiny capture took it in the same round: its start-up."""
    bytes_cpu: list[float] = field(default_factory=list)
    parser_cpu: list[float] = field(default_factory=list)
    """Of one packet."""
    parser_failed: int = 0


def repeated(plan: Plan, measure: Callable[[], None]) -> int:
    """Measure again and again, as often as wanted and affordable; how often that was."""
    begin = time.perf_counter()
    measure()
    count = rounds(time.perf_counter() - begin, plan.budget, plan.runs)
    for _ in range(count - 1):
        measure()
    return count


def side_by_side(plan: Plan) -> Rounds:
    """Decode on all cores and on one, and let the peers have the same file, in turns."""
    found = Rounds()
    sample = payloads(plan.capture, plan.peer_packets) if peers.has_twnet_parser() else []

    def measure() -> None:
        found.all_cores.append(decode(plan, plan.capture, one_core=False))
        if can_pin():
            found.one_core.append(decode(plan, plan.capture, one_core=True))
        found.bytes_cpu.append(peers.sum_of_bytes(plan.capture))
        if peers.has_tshark():
            found.tshark.append((peers.tshark(plan.capture), peers.tshark(plan.small)))
        if sample:
            took, found.parser_failed = peers.twnet_parser(sample)
            found.parser_cpu.append(took / len(sample))

    repeated(plan, measure)
    return found


def decode(plan: Plan, path: Path, *, one_core: bool) -> dict[str, Any]:
    """One decode in a process of its own."""
    return run_task("decode", path=str(path), warm=str(plan.small), one_core=one_core, jumps=plan.jumps)


def decode_rows(found: Rounds) -> list[Row]:
    """Packets a second, on all cores by the clock on the wall, on one by its processor time."""
    packets, count = found.all_cores[0]["packets"], len(found.all_cores)
    whole = f"{found.all_cores[0]['rebuilt']:,} of {found.all_cores[0]['snapshots']:,} snapshots rebuilt; wall clock"
    rows = [Row("decode, all cores", packets / median(_of(found.all_cores, "wall")), "packets/s", count, remark=whole)]
    if found.one_core:
        rate = packets / median(_of(found.one_core, "cpu"))
        rows.append(Row("decode, one core", rate, "packets/s", count, 100_000, remark="pinned, processor time"))
    else:
        rows.append(Row("decode, one core", None, "packets/s", remark="a process cannot be pinned to a core here"))
    return rows


def peer_rows(found: Rounds) -> list[Row]:
    """Ours in ratio to each peer, as the median over the rounds."""
    return [*tshark_rows(found), *parser_rows(found), *limit_rows(found)]


def tshark_rows(found: Rounds) -> list[Row]:
    """tshark's rate without its start-up, and how many times as fast ours is."""
    packets, what = found.all_cores[0]["packets"], "all cores against tshark"
    if not found.tshark:
        return [Row(what, None, "x", reach=2, remark="tshark is not installed")]
    wall = [whole.wall - start.wall for whole, start in found.tshark]
    cpu = [whole.cpu - start.cpu for whole, start in found.tshark]
    if min(*wall, *cpu) <= max(start.cpu for _, start in found.tshark) / 2:
        return [Row(what, None, "x", reach=2, remark="the capture is too short to tell tshark from its start-up")]
    count, remark = len(wall), "-q -z io,stat,0; processor time, start-up left out"
    by_wall, by_cpu = ratios(wall, _of(found.all_cores, "wall")), ratios(cpu, _own_cpu(found))
    return [
        Row("tshark", packets / median(cpu), "packets/s", count, remark=remark),
        Row(what, median(by_wall), "x", count, 2, remark="wall clock of both"),
        Row("one core against tshark", median(by_cpu), "x", count, remark="processor time of both"),
    ]


def parser_rows(found: Rounds) -> list[Row]:
    """twnet-parser's rate on packets from all over the capture, and how many times as fast ours is on all of them."""
    packets, rows = found.all_cores[0]["packets"], []
    if found.parser_cpu:
        count = len(found.parser_cpu)
        remark = f"no state; {found.parser_failed} packets refused; processor time"
        rows.append(Row("twnet-parser", 1 / median(found.parser_cpu), "packets/s", count, remark=remark))
        value = median(ratios(found.parser_cpu, [cpu / packets for cpu in _own_cpu(found)]))
        rows.append(Row("one core against twnet-parser", value, "x", count, 50, remark="processor time of both"))
    else:
        remark = "twnet-parser is not installed"
        rows.append(Row("one core against twnet-parser", None, "x", reach=50, remark=remark))
    return rows


def limit_rows(found: Rounds) -> list[Row]:
    """How many times as long as only touching every byte the decode takes."""
    value = median(ratios(_own_cpu(found), found.bytes_cpu))
    remark = f"sum of all bytes by numpy: {median(found.bytes_cpu) * 1000:.0f} ms of processor time"
    return [Row("one core, in times of the lower limit", value, "x", len(found.bytes_cpu), remark=remark)]


def growth_rows(plan: Plan) -> list[Row]:
    """Time a packet and memory a packet of captures of several lengths, all beginnings of the same."""
    paths = [plan.folder / f"first-{size}{plan.small.suffix}" for size in plan.sizes]
    held = [prefix(plan.capture, size, path) for size, path in zip(plan.sizes, paths, strict=True)]
    sizes = dict(zip(held, paths, strict=True))
    found: dict[int, list[dict[str, Any]]] = {count: [] for count in sizes}

    def measure() -> None:
        for count, path in sizes.items():
            found[count].append(decode(plan, path, one_core=can_pin()))

    runs = repeated(plan, measure)
    for path in paths:
        path.unlink()
    rows, times, peaks, tables = [], [], [], []
    for count, answers in found.items():
        times.append(median(_of(answers, "cpu")) / answers[0]["packets"] * 1e6)
        peaks.append(median(_of(answers, "peak")))
        tables.append(sum(answers[0]["tables"].values()) / answers[0]["packets"])
        remark = f"tables {tables[-1]:.0f} bytes a packet; peak of the process {peaks[-1] / MIB:.0f} MiB"
        rows.append(Row(f"time a packet, {count:,} packets", times[-1], "us", runs, remark=remark))
    if len(times) > 1:
        slope = (peaks[-1] - peaks[0]) / (max(sizes) - min(sizes))
        remark = f"peak memory grows by {slope:.0f} bytes a packet"
        rows.append(Row("time a packet, longest over shortest", spread(times), "%", runs, 10, True, remark))
        remark = "of all sizes, the most over the least"
        rows.append(Row("memory of the tables a packet, spread", spread(tables), "%", runs, 10, True, remark))
    return rows


def memory_rows(found: Rounds) -> list[Row]:
    """What the tables take once everything is decoded, and the process's peak."""
    answer, count = found.all_cores[0], len(found.all_cores)
    tables = {name: size / answer["packets"] for name, size in answer["tables"].items()}
    remark = ", ".join(f"{name} {size:.1f}" for name, size in tables.items() if size >= 0.1)
    return [
        Row("memory of the tables, a packet", sum(tables.values()), "bytes", count, remark=remark),
        Row("peak memory of the decoding process", median(_of(found.all_cores, "peak")) / MIB, "MiB", count),
    ]


def jump_rows(found: Rounds) -> list[Row]:
    """Jumps to any snapshot and its delta tree, of all rounds together."""
    jumps = [seconds * 1000 for answer in found.all_cores for seconds in answer["jumps"]]
    if not jumps:
        return [Row("jump to a snapshot, worst", None, "ms", remark="no snapshot was rebuilt")]
    runs, remark = len(found.all_cores), f"{len(jumps)} jumps with nothing cached, a quarter to the deepest"
    return [
        Row("jump to a snapshot and its delta tree, median", median(jumps), "ms", runs, remark=remark),
        Row("jump to a snapshot and its delta tree, worst", max(jumps), "ms", runs, 50, True, remark),
    ]


def window_rows(plan: Plan) -> list[Row]:
    """First rows on screen, and the event loop's lateness while the window decodes."""
    found: list[dict[str, Any]] = []
    seconds = plan.window_seconds
    runs = repeated(plan, lambda: found.append(run_task("window", path=str(plan.capture), seconds=seconds)))
    firsts = [answer["first_rows"] for answer in found if answer["first_rows"]]
    first = median(firsts) if len(firsts) == runs else None
    rows = [Row("first rows on screen", first, "s", runs, 1, True, "after the window shows; offscreen")]
    decoding = (
        "until decoded" if all(answer["decoded"] for answer in found) else f"the first {seconds:.0f} s of decoding"
    )
    for place, name, reach in ((0, "median", None), (1, "99 %", 16), (2, "worst", None)):
        value = median([answer["late"][place] * 1000 for answer in found])
        remark = f"5 ms timer, {decoding}, {found[0]['beats']:,} beats"
        rows.append(Row(f"lateness of the event loop, {name}", value, "ms", runs, reach, True, remark))
    return rows


def start_rows(plan: Plan) -> list[Row]:
    """`snapscope-cli summary` of a tiny capture, from nothing to its end, with its modules compiled by a run before."""
    found: list[Cost] = []
    command = [sys.executable, "-c", SUMMARY, str(plan.small)]
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(plan.folder / "modules")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    run_program(command, environment)
    runs = repeated(plan, lambda: found.append(run_program(command, environment)))
    remark = f"wall clock; processor time {median([cost.cpu for cost in found]):.2f} s"
    value = median([cost.wall for cost in found])
    return [Row("start of snapscope-cli summary, tiny file", value, "s", runs, 0.7, True, remark)]


def all_rows(plan: Plan, say: Callable[[str], None]) -> list[Row]:
    """Every measurement; `say` is told which comes next."""
    say("start")
    rows = start_rows(plan)
    say("window")
    rows += window_rows(plan)
    say("decode and peers")
    found = side_by_side(plan)
    say("growth")
    growth = growth_rows(plan)
    return [*decode_rows(found), *peer_rows(found), *growth, *memory_rows(found), *jump_rows(found), *rows]


def _own_cpu(found: Rounds) -> list[float]:
    return _of(found.one_core or found.all_cores, "cpu")


def _of(answers: list[dict[str, Any]], name: str) -> list[float]:
    return [answer[name] for answer in answers]
