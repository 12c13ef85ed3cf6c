"""One opened capture: reads the file in batches, sends each flow through its reading, is the one writer of the tables.

Nothing here knows a protocol, and the rows do not depend on how the file was cut into batches.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import TracebackType

import numpy as np

from analyzer.capture.frames import FrameBatch, Problem
from analyzer.capture.source import Source
from analyzer.engine.clock import Clock
from analyzer.engine.drops import Drops
from analyzer.engine.flow_readings import FlowReadings
from analyzer.engine.intake import Intake, PlainIntake
from analyzer.engine.machine import default_memory_limit
from analyzer.engine.payloads import Payloads
from analyzer.engine.pins import NO_PINS, Pins
from analyzer.engine.query import Query
from analyzer.engine.rereading import Rereading
from analyzer.engine.right_of_way import RIGHT_OF_WAY, processors
from analyzer.engine.writer import merge
from analyzer.protocols import PROTOCOLS
from analyzer.protocols.base import Protocol
from analyzer.protocols.flow import DatagramBatch
from analyzer.store.rows import Handed
from analyzer.store.tables import Tables

BATCH_FRAMES = 1024
BULK_BATCH_FRAMES = 32768
"""With compiled kernels; the first batches are smaller, so that the first rows come at once."""
SMALLEST_BATCH = 128
"""A step with fewer takes hardly less."""
SMALL_FILE_BYTES = 512 * 1024
"""Plain Python has decoded a smaller file about when the kernels are loaded."""
MOST_THREADS = 8
WORTH_THREADS = 256
"""Datagrams of a batch that several threads read sooner than one."""
BATCH_BYTES = 16 * 1024 * 1024
"""Bounds the memory of a batch of jumbo or hostile frames."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """A batch that is being read."""

    flows: list[int]
    """Flows it has datagrams of, those that were claimed first."""
    readers: list[Future[None]]
    ends: dict[str, int]
    """Rows of the tables that are filled before the flows are read."""
    now_ns: int


class Capture:
    """An opened capture file and its tables. `step` decodes a batch; readers see what was published."""

    def __init__(
        self,
        source: Source,
        path: Path,
        protocols: Sequence[Protocol],
        batch: int | None,
        strict: bool,
        compiled: bool,
        threads: int | None,
        memory_limit: int,
        pins: Pins,
    ) -> None:
        """Use `Capture.open`."""
        self.compiled = compiled
        """Whether compiled kernels take part; the rows are the same."""
        self.source = source
        self.path = path
        self.protocols = tuple(protocols)
        self.pins = pins
        """How a person wants flows read."""
        self.tables = Tables(memory_limit)
        self.finished = False
        self._batch = batch or BATCH_FRAMES
        self._largest = batch or (BULK_BATCH_FRAMES if compiled else BATCH_FRAMES)
        self._clock = Clock()
        self._drops = Drops(self.tables, self._clock)
        self._intake: Intake | None = None
        self._threads = _open_threads(threads) if compiled else None
        self._reading: _Batch | None = None
        """What threads are reading while the next batch is taken in."""
        self._spill_problems: list[Problem] = []
        payloads = Payloads(self.tables, source.file)
        self._readings = FlowReadings(
            self.tables,
            payloads,
            self._clock,
            self._drops,
            self.protocols,
            pins,
            strict=strict,
            compiled=compiled,
        )
        self._rereading = Rereading(self.tables, payloads, self._clock, self._readings)
        self._requests: deque[Callable[[], Collection[int]]] = deque()
        """Of any thread: each says which flows have to be read anew."""

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        protocols: Sequence[Protocol] = PROTOCOLS,
        growing: bool = False,
        batch: int | None = None,
        strict: bool = False,
        compiled: bool | None = None,
        threads: int | None = None,
        memory_limit: int | None = None,
        pins: Pins = NO_PINS,
    ) -> Capture:
        """Open a capture file. `strict` lets an exception of ours through instead of marking the row.

        `growing`: it is still being written; a step that finds nothing new returns at once, and there is no end before
        `source.finish`. `batch`: frames of a step, if not as many as suit. `compiled`: whether to use compiled kernels,
        if not where they are at hand and the file is worth loading them. `threads`: how many read flows, if not one for
        each processor; only compiled kernels gain by it, and the rows are the same. `memory_limit`: bytes of tables
        that stay in memory, if not a quarter of the machine's; the others move to a temporary file. `pins`: how a
        person wants flows read. Raises `CaptureError` with a sentence for a person.
        """
        if compiled is None:
            compiled = (growing or _is_large(path)) and _kernels_ready()
        if memory_limit is None:
            memory_limit = default_memory_limit()
        source = Source.open(path, growing=growing, compiled=compiled)
        return cls(source, Path(path), protocols, batch, strict, compiled, threads, memory_limit, pins)

    def __enter__(self) -> Capture:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the file, and with the one that tables move to."""
        return self.source.problems + self._spill_problems

    def pin(self, pins: Pins) -> None:
        """A person wants flows read so from now on: the steps that follow read anew those that were read otherwise.

        Any thread may call it, also after the end.
        """
        self.pins = pins
        self._requests.append(lambda: self._readings.pin(pins))

    def reinterpret(self, flows: Collection[int] | None = None, dialects: Container[str] | None = None) -> None:
        """What readings rest on has changed: the steps that follow read flows anew, of all or these those of a dialect.

        Any thread may call it, also after the end.
        """
        self._requests.append(
            lambda: [flow for flow in self._readings.of_dialects(dialects) if flows is None or flow in flows]
        )

    @property
    def is_rereading(self) -> bool:
        """There is something to be read anew."""
        return bool(self._requests or self._rereading)

    @property
    def reread_share(self) -> float:
        """The share that has been read anew, 0 to 1; 1 where nothing is."""
        return 0.0 if self._requests else self._rereading.progress

    def step(self, seconds: float | None = None) -> bool:
        """Read and decode one batch and publish its rows. False: the end was reached and everything is settled.

        Where something is to be read anew, also a batch of that; then a later call may have more to do again.

        `seconds`: time that a step is to take, where throughput is not all; batches become as small as that needs, and
        large again without it.
        """
        if self.is_rereading:
            self.reread(seconds)
        if self.finished or (self._rereading and self.source.at_end):
            return self.is_rereading
        begin = time.perf_counter()
        more = self._step()
        self._suit(seconds, time.perf_counter() - begin)
        return more

    def _suit(self, seconds: float | None, took: float) -> None:
        """Make batches as large as suits what a step took."""
        if seconds is None or took < seconds / 2:
            self._batch = min(2 * self._batch, self._largest)
        elif took > seconds:
            self._batch = max(self._batch // 2, min(SMALLEST_BATCH, self._batch))

    def reread(self, seconds: float | None = None) -> None:
        """Read a batch of what is to be read anew; `step` does so too. `seconds` as there."""
        begin = time.perf_counter()
        self._reread()
        self._suit(seconds, time.perf_counter() - begin)

    def _reread(self) -> None:
        """As threads would read a new batch, but waiting for it."""
        self.settle()
        while self._requests:
            # Whoever asks meanwhile hears that there is something.
            self._rereading.begin(self._requests[0]())
            self._requests.popleft()
        if not self._rereading:
            return
        work = self._rereading.work(self._batch)
        flows = list(work)
        self._reading = _Batch(flows, self._feed_all(list(work.items())), {}, self._clock.now_ns)
        self.settle()
        with RIGHT_OF_WAY:
            merge(self.tables, self._rereading.end())
        if self.finished and not self._rereading:
            self._drops.doubt()
        self.tables.publish()

    def _step(self) -> bool:
        with RIGHT_OF_WAY:
            frames = self.source.read(self._batch)
        self._drops.note(self.source.take_drops())
        self.tables.made_interfaces.update(self.source.made_interfaces)
        for part in _by_bytes(frames) if len(frames) else ():
            self._decode(part)
        if not len(frames):
            self.settle()
            if self.source.at_end and not self._rereading:
                self._finish()
                self.tables.publish()
        self._note_spill_trouble()
        return not self.finished

    def decode(self, on_progress: Callable[[int, int], None] | None = None) -> None:
        """Decode to the end; `on_progress` gets bytes done and bytes in all after every batch."""
        while self.step():
            if on_progress is not None:
                on_progress(*self.source.progress())

    def query(self) -> Query:
        """Answers about single rows, with a file handle of its own so that another thread may ask."""
        return Query(self.tables, self.source.file.duplicate(), self.protocols, compiled=self.compiled)

    def close(self) -> None:
        """Let go of the file and the threads."""
        if self._threads is not None:
            self._threads.shutdown()
        self.source.close()

    def _note_spill_trouble(self) -> None:
        trouble = self.tables.chunks.trouble
        frames = self.tables.frames
        if trouble and not self._spill_problems:
            text = f"the tables stay in memory past their limit, the temporary file cannot be written: {trouble}"
            self._spill_problems = [Problem(frames.integer("offset", frames.appended - 1), text)]

    def _decode(self, frames: FrameBatch) -> None:
        """Take in a batch and begin to read it. Threads read it while the one before is merged."""
        if self._intake is None:
            # Not before: whoever opens a capture must not wait for the kernels.
            self._intake = _open_intake(self.source, self.tables, self._clock, self.compiled)
        first, tables = self.tables.packets.appended, self.tables
        with RIGHT_OF_WAY:
            by_flow = self._intake.add(frames)
        self._drops.place(first)
        known_now = (tables.frames, tables.packets, tables.fragments, tables.drops, tables.flows)
        ends = {table.name: table.appended for table in known_now}
        now_ns = self._clock.now_ns
        before = self._collect()
        touched = self._readings.detect(by_flow)
        begun = set(touched)
        known = [flow for flow in by_flow if flow in self._readings and flow not in begun]
        readers = self._feed_all([(flow, by_flow[flow]) for flow in known])
        self._reading = _Batch([*touched, *known], readers, ends, now_ns)
        if before is not None:
            self._merge(*before)
        if not readers:
            self.settle()

    def _collect(self) -> tuple[_Batch, list[Handed]] | None:
        """Wait for the batch that is being read, and take what its readings produced."""
        batch, self._reading = self._reading, None
        if batch is None:
            return None
        for reader in batch.readers:
            reader.result()
        # Now, as no thread has any of the readings.
        self._readings.rest(batch.flows, batch.now_ns)
        return batch, self._readings.hand_over(batch.flows)

    def _merge(self, batch: _Batch, handed: list[Handed]) -> None:
        with RIGHT_OF_WAY:
            merge(self.tables, handed)
        self.tables.publish(batch.ends)

    def settle(self) -> None:
        """Merge and publish what threads are reading yet, where no step follows."""
        last = self._collect()
        if last is not None:
            self._merge(*last)

    def _feed_all(self, work: list[tuple[int, DatagramBatch]]) -> list[Future[None]]:
        """Let readings have batches of their flows. They share nothing, so it does not matter which thread has which.

        Returns what to wait for: nothing where it is done.
        """
        if self._threads is None or sum(len(batch) for _, batch in work) < WORTH_THREADS:
            for flow, batch in work:
                self._readings.feed(flow, batch)
            return []
        # The longest first, so that none is left to one thread at the end.
        work.sort(key=lambda item: len(item[1]), reverse=True)
        return [self._threads.submit(self._feed_beside, flow, batch) for flow, batch in work]

    def _feed_beside(self, flow: int, batch: DatagramBatch) -> None:
        with RIGHT_OF_WAY:
            self._readings.feed(flow, batch)

    def _finish(self) -> None:
        """The file has ended: decide what is undecided and settle what is open."""
        self._drops.place(self.tables.packets.appended, ended=True)
        merge(self.tables, self._readings.finish())
        self._drops.doubt()
        self.finished = True


def _is_large(path: str | Path) -> bool:
    """False where that cannot be told: opening the file will say why."""
    try:
        return os.stat(path).st_size >= SMALL_FILE_BYTES
    except (OSError, ValueError):
        return False


def _open_threads(wanted: int | None) -> ThreadPoolExecutor | None:
    """None: one thread will do."""
    count = wanted or min(MOST_THREADS, processors())
    return ThreadPoolExecutor(count, thread_name_prefix="reading") if count > 1 else None


def _kernels_ready() -> bool:
    # Small files do without, and begin a little sooner.
    from analyzer import kernel_cache

    return kernel_cache.ready()


def _open_intake(source: Source, tables: Tables, clock: Clock, compiled: bool) -> Intake:
    if not compiled:
        return PlainIntake(source, tables, clock)
    from analyzer.engine.bulk_intake import BulkIntake

    return BulkIntake(source, tables, clock)


def _by_bytes(frames: FrameBatch) -> Iterator[FrameBatch]:
    """Cut a batch so that no part takes much more than `BATCH_BYTES` of the file."""
    blocks = (frames.offset - frames.offset[0]) // BATCH_BYTES
    edges = [0, *(np.flatnonzero(np.diff(blocks)) + 1).tolist(), len(frames)]
    for start, stop in pairwise(edges):
        yield FrameBatch(
            frames.time_ns[start:stop],
            frames.offset[start:stop],
            frames.captured[start:stop],
            frames.original[start:stop],
            frames.interface[start:stop],
        )
