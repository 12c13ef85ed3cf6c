"""One opened capture: reads the file in batches, sends each flow through its reading, is the one writer of the tables.

Nothing here knows a protocol, and the rows do not depend on how the file was cut into batches.
"""

from __future__ import annotations

import logging
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from analyzer.capture.frames import FrameBatch, Problem
from analyzer.capture.source import Source
from analyzer.engine.clock import Clock
from analyzer.engine.detection import Claim, FlowDetection
from analyzer.engine.drops import Drops
from analyzer.engine.intake import Intake, PlainIntake, make_batch
from analyzer.engine.machine import default_memory_limit
from analyzer.engine.payloads import Payloads
from analyzer.engine.query import Query
from analyzer.engine.right_of_way import RIGHT_OF_WAY, processors
from analyzer.engine.writer import merge
from analyzer.protocols import PROTOCOLS
from analyzer.protocols.base import REST_NS, Datagram, DatagramBatch, Protocol, Reading, Verdict
from analyzer.store.rows import Handed, Rows
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
REPLAY_PACKETS = 1024
"""Packets of a flow that are read again from the file at a time."""

_LOG = logging.getLogger(__name__)


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
    ) -> None:
        """Use `Capture.open`."""
        self.compiled = compiled
        """Whether compiled kernels take part; the rows are the same."""
        self.source = source
        self.path = path
        self.protocols = tuple(protocols)
        self.tables = Tables(memory_limit)
        self.finished = False
        self._batch = batch or BATCH_FRAMES
        self._largest = batch or (BULK_BATCH_FRAMES if compiled else BATCH_FRAMES)
        self._strict = strict
        self._clock = Clock()
        self._drops = Drops(self.tables, self._clock)
        self._intake: Intake | None = None
        self._threads = _open_threads(threads) if compiled else None
        self._reading: _Batch | None = None
        """What threads are reading while the next batch is taken in."""
        self._payloads = Payloads(self.tables, source.file)
        self._spill_problems: list[Problem] = []
        self._undecided: dict[int, FlowDetection] = {}
        self._readings: dict[int, Reading] = {}
        self._rows: dict[int, Rows] = {}
        self._active: OrderedDict[int, None] = OrderedDict()
        """Flows whose reading holds something, the longest silent first."""

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
    ) -> Capture:
        """Open a capture file. `strict` lets an exception of ours through instead of marking the row.

        `growing`: it is still being written; a step that finds nothing new returns at once, and there is no end before
        `source.finish`. `batch`: frames of a step, if not as many as suit. `compiled`: whether to use compiled kernels,
        if not where they are at hand and the file is worth loading them. `threads`: how many read flows, if not one for
        each processor; only compiled kernels gain by it, and the rows are the same. `memory_limit`: bytes of tables
        that stay in memory, if not a quarter of the machine's; the others move to a temporary file. Raises
        `CaptureError` with a sentence for a person.
        """
        if compiled is None:
            compiled = (growing or _is_large(path)) and _kernels_ready()
        if memory_limit is None:
            memory_limit = default_memory_limit()
        source = Source.open(path, growing=growing, compiled=compiled)
        return cls(source, Path(path), protocols, batch, strict, compiled, threads, memory_limit)

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

    def step(self, seconds: float | None = None) -> bool:
        """Read and decode one batch and publish its rows. False: the end was reached and everything is settled.

        `seconds`: time that a step is to take, where throughput is not all; batches become as small as that needs, and
        large again without it.
        """
        if self.finished:
            return False
        begin = time.perf_counter()
        more = self._step()
        took = time.perf_counter() - begin
        if seconds is None or took < seconds / 2:
            self._batch = min(2 * self._batch, self._largest)
        elif took > seconds:
            self._batch = max(self._batch // 2, min(SMALLEST_BATCH, self._batch))
        return more

    def _step(self) -> bool:
        with RIGHT_OF_WAY:
            frames = self.source.read(self._batch)
        self._drops.note(self.source.take_drops())
        self.tables.made_interfaces.update(self.source.made_interfaces)
        for part in _by_bytes(frames) if len(frames) else ():
            self._decode(part)
        if not len(frames):
            self.settle()
            if self.source.at_end:
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
        touched = self._detect(by_flow)
        begun = set(touched)
        known = [flow for flow in by_flow if flow in self._readings and flow not in begun]
        readers = self._feed_all([(self._readings[flow], by_flow[flow]) for flow in known])
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
        self._rest(batch.flows, batch.now_ns)
        return batch, [self._rows[flow].hand_over() for flow in batch.flows]

    def _merge(self, batch: _Batch, handed: list[Handed]) -> None:
        with RIGHT_OF_WAY:
            merge(self.tables, handed)
        self.tables.publish(batch.ends)

    def settle(self) -> None:
        """Merge and publish what threads are reading yet, where no step follows."""
        last = self._collect()
        if last is not None:
            self._merge(*last)

    def _rest(self, touched: Sequence[int], now_ns: int) -> None:
        """Let readings rest whose flows are silent: memory follows the clients there are, not those there were."""
        for flow in touched:
            self._active[flow] = None
            self._active.move_to_end(flow)
        while self._active:
            flow = next(iter(self._active))
            last = self._readings[flow].last_ns
            if last is not None and now_ns - last <= REST_NS:
                break
            self._readings[flow].rest()
            del self._active[flow]

    def _detect(self, by_flow: Mapping[int, DatagramBatch]) -> list[int]:
        """Ask the protocols about undecided flows; a flow that is claimed is read from its first datagram.

        Returns the flows that have a reading now, in the order of the packets that decided.
        """
        claims = []
        for flow, batch in by_flow.items():
            if flow in self._readings or self.tables.flows.text("recognised", flow):
                continue
            detection = self._undecided.setdefault(flow, FlowDetection(self.protocols, self.tables.chunks))
            for datagram in batch:
                claim = detection.see(datagram)
                if claim is not None:
                    claims.append((datagram.packet, flow, claim))
                    break
            else:
                detection.packets.append(batch.packet.astype(np.int32))
        claims.sort(key=lambda found: found[0])
        return [flow for packet, flow, claim in claims if self._claim(flow, claim, packet, by_flow[flow])]

    def _claim(self, flow: int, claim: Claim, packet: int, batch: DatagramBatch | None = None) -> bool:
        """Begin the reading that `packet` of `batch`, if there is one, decided on.

        False: the dialect is known by name only.
        """
        packets = self._undecided.pop(flow).packets.view
        self.tables.flows.amend("server", [flow], [claim.verdict.server])
        if claim.verdict.readable:
            reading = self._open_reading(flow, claim.protocol, claim.verdict, packet)
            for earlier in self._replay(packets):
                self._feed(reading, earlier)
            if batch is not None:
                self._feed(reading, batch)
        else:
            self.tables.flows.amend("recognised", [flow], [f"{claim.protocol.title} {claim.verdict.dialect}"])
        return claim.verdict.readable

    def _open_reading(self, flow: int, protocol: Protocol, verdict: Verdict, packet: int) -> Reading:
        number = self.tables.readings.append(
            {"flow": [flow], "protocol": [protocol.name], "dialect": [verdict.dialect], "number": [0]}, 1
        )
        self.tables.flows.amend("reading", [flow], [number])
        rows = self._rows[flow] = Rows(number, packet, self.tables.chunks)
        bulk = protocol.open_bulk_reading if self.compiled else None
        reading = self._readings[flow] = (bulk or protocol.open_reading)(rows, verdict)
        return reading

    def _replay(self, own: NDArray[np.int32]) -> Iterable[DatagramBatch]:
        """Datagrams from the file again."""
        packets, frames = self.tables.packets, self.tables.frames
        for start in range(0, len(own), REPLAY_PACKETS):
            some = own[start : start + REPLAY_PACKETS].astype(np.int64)
            times = frames.take("time_ns", packets.take("frame", some).astype(np.int64))
            columns = zip(
                some.tolist(),
                times.tolist(),
                packets.take("direction", some).tolist(),
                packets.take("udp_length", some).tolist(),
                strict=True,
            )
            yield make_batch(
                [
                    Datagram(packet, time_ns, direction, self._payloads.payload(packet), udp_length)
                    for packet, time_ns, direction, udp_length in columns
                ],
                self.tables,
                self._clock,
            )

    def _feed_all(self, work: list[tuple[Reading, DatagramBatch]]) -> list[Future[None]]:
        """Let readings have their batches. They share nothing, so it does not matter which thread has which.

        Returns what to wait for: nothing where it is done.
        """
        if self._threads is None or sum(len(batch) for _, batch in work) < WORTH_THREADS:
            for reading, batch in work:
                self._feed(reading, batch)
            return []
        # The longest first, so that none is left to one thread at the end.
        work.sort(key=lambda item: len(item[1]), reverse=True)
        return [self._threads.submit(self._feed_beside, reading, batch) for reading, batch in work]

    def _feed_beside(self, reading: Reading, batch: DatagramBatch) -> None:
        with RIGHT_OF_WAY:
            self._feed(reading, batch)

    def _feed(self, reading: Reading, batch: DatagramBatch) -> None:
        """Let a reading have a batch. An exception of ours marks the packet it struck; the rest is read on."""
        while len(batch):
            try:
                self._drops.feed(reading, batch)
                return
            except Exception:
                if self._strict:
                    raise
                packet = reading.rows.packet.packet
                if packet < batch.packet[0]:
                    # It struck before anything was begun; without progress it would strike for ever.
                    packet = reading.rows.begin(int(batch.packet[0])).packet
                _LOG.exception("packet %d could not be read: %s", packet, self._payloads.payload(packet).hex())
                reading.failed()
                batch = batch.after(packet)

    def _settle(self, reading: Reading) -> None:
        reading.rows.resume()
        try:
            self._drops.finish(reading)
            reading.finish()
        except Exception:
            if self._strict:
                raise
            _LOG.exception("a flow could not be settled")
            reading.failed()

    def _finish(self) -> None:
        """The file has ended: decide what is undecided and settle what is open."""
        self._drops.place(self.tables.packets.appended, ended=True)
        for flow, detection in list(self._undecided.items()):
            claim = detection.best()
            if claim is not None:
                self._claim(flow, claim, self.tables.packets.appended - 1)
        for reading in self._readings.values():
            self._settle(reading)
        merge(self.tables, [rows.hand_over() for rows in self._rows.values()])
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
