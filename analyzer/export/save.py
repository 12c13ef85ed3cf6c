"""Writes an excerpt of a capture, in bulk and in bounded memory; a whole capture is copied as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np

import analyzer
from analyzer.capture.file import CaptureFile
from analyzer.capture.frames import CaptureError
from analyzer.capture.pcap import FILE_HEADER_BYTES
from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.export.excerpt import MADE, MADE_SECTION, Excerpt, MadeFrames, make, tell
from analyzer.export.formats import Bytes, Format, Frames, PcapngRecords, PcapRecords, check_times, commented_packet
from analyzer.export.target import Output, SaveError, written
from analyzer.stats.live import Ints

BATCH_FRAMES = 4096
MADE_FRAMES = 100
"""A snapshot is made while so many frames are copied."""
STRETCH_BYTES = 4 << 20
"""Of the capture, read at once."""
GAP_BYTES = 1 << 16
"""Between two frames that are read at once."""
PCAP_RECORD_HEADER = 16
GZIP_SUFFIX = ".gz"

Progress = Callable[[float], bool]
"""Gets the share that is done, 0 to 1, and says whether to go on."""


class SaveCancelled(Exception):  # noqa: N818 - a person wanted it
    """Nothing was saved, as `progress` said not to go on."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What was written."""

    frames: int
    made: int
    """Full snapshots."""
    unmade: int
    """Those that the format of their protocol cannot carry; what refers to them does not decode."""


def save(
    capture: Capture, query: Query, excerpt: Excerpt, target: Path, progress: Progress = lambda share: True
) -> Saved:
    """Write an excerpt; gzip data where the name ends in .gz.

    Raises SaveError with a sentence for a person where it cannot be written or the capture cannot be read any more,
    and SaveCancelled; an older file of that name then is as it was.
    """
    packed = target.suffix.lower() == GZIP_SUFFIX
    try:
        _check(excerpt)
        # Whoever opened the capture may close it meanwhile.
        with closing(capture.source.file.duplicate()) as source, written(target, capture.path, packed=packed) as file:
            if excerpt.whole and capture.source.format.startswith(f"{excerpt.form.value},"):
                _copy(source, capture.source.whole_bytes, file, progress)
                return Saved(len(excerpt.frames), 0, 0)
            return _Writer(capture, source, query, excerpt, file, progress).write()
    except CaptureError as error:
        raise SaveError(str(error)) from error


def _check(excerpt: Excerpt) -> None:
    if not excerpt.whole and not len(excerpt.frames):
        raise SaveError("No packet was chosen.")


def _copy(source: CaptureFile, end: int, file: Output, progress: Progress) -> None:
    """The file as it is, with whatever its format holds beside frames."""
    for start in range(0, end, STRETCH_BYTES):
        _go_on(progress, start / end)
        file.write(source.read_again(start, min(STRETCH_BYTES, end - start)))
    _go_on(progress, 1.0)


def _go_on(progress: Progress, share: float) -> None:
    if not progress(share):
        raise SaveCancelled


class _Writer:
    """Writes the records of one excerpt."""

    def __init__(
        self,
        capture: Capture,
        source: CaptureFile,
        query: Query,
        excerpt: Excerpt,
        file: Output,
        progress: Progress,
    ) -> None:
        self._capture = capture
        self._source = source
        self._tables = capture.tables
        self._query = query
        self._excerpt = excerpt
        self._file = file
        self._progress = progress
        self._records: PcapRecords | PcapngRecords | None = None
        """None: records are copied as they are."""
        self._made_interface = 0
        self._done = 0
        self._total = max(1, len(excerpt.frames) + MADE_FRAMES * len(excerpt.bases))
        self._made = self._unmade = 0

    def write(self) -> Saved:
        frames = self._excerpt.frames
        self._file.write(self._header())
        places = [(made, int(np.searchsorted(frames, made.before))) for made in self._make()]
        places.sort(key=lambda entry: entry[1])
        start = 0
        for place, group in groupby(places, key=lambda entry: entry[1]):
            self._write_frames(frames[start:place])
            self._write_made([made for made, _ in group], int(frames[place]))
            start = place
        self._write_frames(frames[start:])
        _go_on(self._progress, 1.0)
        return Saved(len(frames), self._made, self._unmade)

    def _make(self) -> Iterator[MadeFrames]:
        for entry in self._excerpt.told:
            yield tell(self._tables, self._query, entry)
        for base in self._excerpt.bases:
            _go_on(self._progress, self._done / self._total)
            self._done += MADE_FRAMES
            made = make(self._tables, self._query, base)
            if made.data:
                self._made += 1
                yield made
            else:
                self._unmade += 1

    def _header(self) -> bytes:
        source, tables = self._capture.source, self._tables
        frames = self._excerpt.frames
        times = tables.frames.take("time_ns", frames).astype(np.int64)
        check_times(times, self._excerpt.form)
        interfaces = list(source.interfaces)
        if self._excerpt.form is Format.PCAPNG:
            makes = bool(self._excerpt.bases or self._excerpt.told)
            if makes:
                self._made_interface = len(interfaces)
                interfaces.append(MADE)
            comment = MADE_SECTION if makes else ""
            self._records = PcapngRecords(interfaces, f"Snapscope {analyzer.__version__}", comment)
            return self._records.header
        if source.format.startswith("pcap,"):
            return self._source.read_again(0, FILE_HEADER_BYTES)
        used = [interfaces[number] for number in np.unique(tables.frames.take("interface", frames)).tolist()]
        links = sorted({interface.link_type for interface in used})
        if len(links) > 1:
            raise SaveError(
                f"These packets are of link types {' and '.join(map(str, links))}, and a pcap file has one only;"
                " choose pcapng."
            )
        nanoseconds = bool((times % 1000 != 0).any())
        snap_length = max((interface.snap_length for interface in used), default=0)
        self._records = PcapRecords(links[0] if links else 1, snap_length, nanoseconds=nanoseconds)
        return self._records.header

    def _write_frames(self, rows: Ints) -> None:
        for first in range(0, len(rows), BATCH_FRAMES):
            _go_on(self._progress, self._done / self._total)
            some = rows[first : first + BATCH_FRAMES]
            begins = self._tables.frames.take("offset", some).astype(np.int64)
            ends = begins + self._tables.frames.take("captured", some).astype(np.int64)
            if self._records is None:
                begins -= PCAP_RECORD_HEADER
                for _, pieces in stretches(self._source, *_joined(begins, ends)):
                    self._file.write(b"".join(pieces))
            else:
                for start, pieces in stretches(self._source, begins, ends):
                    self._file.write(b"".join(self._records.records(self._frames(some[start:][: len(pieces)], pieces))))
            self._done += len(some)

    def _frames(self, rows: Ints, data: list[Bytes]) -> Frames:
        time_ns, original, interface = (
            self._tables.frames.take(name, rows).astype(np.int64) for name in ("time_ns", "original", "interface")
        )
        return Frames(time_ns, original, interface, data)

    def _write_made(self, made: list[MadeFrames], before: int) -> None:
        """Directly before a frame, in the last nanoseconds before its time."""
        frames = [(one.comment, data) for one in made for data in one.data]
        first_ns = self._tables.frames.integer("time_ns", before) - len(frames)
        for number, (comment, data) in enumerate(frames):
            self._file.write(commented_packet(self._made_interface, max(0, first_ns + number), data, comment))


def stretches(file: CaptureFile, begins: Ints, ends: Ints) -> Iterator[tuple[int, list[Bytes]]]:
    """The bytes of a file from each of `begins`, which ascend, to its end; those near each other are read at once.

    Index of the first of them, and the bytes of it and of those that follow.
    """
    far = np.flatnonzero(begins[1:] - ends[:-1] > GAP_BYTES) + 1
    for start, stop in pairwise([0, *far.tolist(), len(begins)]):
        while start < stop:
            reach = int(np.searchsorted(ends[start:stop], begins[start] + STRETCH_BYTES, side="right"))
            last = start + max(1, reach)
            origin = int(begins[start])
            data = memoryview(file.read_again(origin, int(ends[last - 1]) - origin))
            places = zip((begins[start:last] - origin).tolist(), (ends[start:last] - origin).tolist(), strict=True)
            yield start, [data[begin:end] for begin, end in places]
            start = last


def _joined(begins: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """The same bytes, with those that follow each other in one piece, unless it would be long."""
    stretch = (begins - begins[0]) // STRETCH_BYTES
    apart = (begins[1:] != ends[:-1]) | (stretch[1:] != stretch[:-1])
    return begins[np.append(True, apart)], ends[np.append(apart, True)]
