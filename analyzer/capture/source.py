"""One opened capture: whatever its format and packing, an index of frames and their bytes."""

from __future__ import annotations

import os

from analyzer.capture.file import BLOCK_BYTES, CaptureFile
from analyzer.capture.frames import (
    MADE_INTERFACE,
    CaptureError,
    Drop,
    FrameBatch,
    Interface,
    Problem,
    join_batches,
)
from analyzer.capture.gz import GZIP_MAGIC, Unpacker
from analyzer.capture.pcap import PCAP_MAGICS, PcapIndexer
from analyzer.capture.pcapng import SECTION_HEADER, PcapngIndexer

_MAGIC_BYTES = 4

_UNPACK_STEP = BLOCK_BYTES
_OPENING_STEP = 1 << 16
"""Enough for what stands before the first frame: whoever opens a file must not wait for more."""

_OTHER_FORMATS = (
    (GZIP_MAGIC, "gzip data inside gzip data"),
    (b"\x28\xb5\x2f\xfd", "zstd data; unpack it first"),
    (b"\x04\x22\x4d\x18", "lz4 data; unpack it first"),
    (b"\xfd7zX", "xz data; unpack it first"),
    (b"BZh", "bzip2 data; unpack it first"),
    (b"PK\x03\x04", "a zip archive; unpack it first"),
)


class Source:
    """A capture file from its beginning on; reading goes forward, `data` anywhere."""

    def __init__(self, original: CaptureFile, unpacker: Unpacker | None, *, growing: bool, compiled: bool) -> None:
        """Use `Source.open`."""
        self._compiled = compiled
        self._original = original
        self._unpacker = unpacker
        self._growing = growing
        self._indexer: PcapIndexer | PcapngIndexer | None = None
        self._empty: list[Problem] = []
        self.file = unpacker.file if unpacker else original
        """The unpacked file, in which frame offsets count."""

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, growing: bool = False, compiled: bool = False) -> Source:
        """Open a pcap or pcapng file, or a gzip file of one.

        `growing`: the file is still being written; a part that is missing at its end is waited for until `finish`.
        `compiled`: ordinary records are left to compiled kernels, with the same frames and problems.
        Raises CaptureError, saying why, when it cannot be read or is not a capture. An empty file has no frames.
        """
        original = CaptureFile.open(path)
        unpacker: Unpacker | None = None
        try:
            if original.read(0, len(GZIP_MAGIC)) == GZIP_MAGIC:
                unpacker = Unpacker(original)
            source = cls(original, unpacker, growing=growing, compiled=compiled)
            source.read(0)
        except (CaptureError, OSError) as error:
            if unpacker:
                unpacker.close()
            original.close()
            if isinstance(error, CaptureError):
                raise
            raise CaptureError(f"{original.name} cannot be unpacked: {error.strerror}.") from error
        return source

    @property
    def interfaces(self) -> list[Interface]:
        """What `FrameBatch.interface` counts in; grows with reading."""
        return self._indexer.interfaces if self._indexer else []

    @property
    def made_interfaces(self) -> list[int]:
        """Those of them whose frames this program made for an excerpt."""
        return [number for number, interface in enumerate(self.interfaces) if interface.name == MADE_INTERFACE]

    @property
    def problems(self) -> list[Problem]:
        """What was wrong so far: of the packing, then of the capture."""
        packing = self._unpacker.problems if self._unpacker else []
        return packing + (self._indexer.problems if self._indexer else self._empty)

    @property
    def format(self) -> str:
        """For a person, such as "pcap, nanoseconds, little-endian"."""
        return self._indexer.format if self._indexer else "empty"

    @property
    def compressed(self) -> bool:
        """Whether frames are read from an unpacked copy."""
        return self._unpacker is not None

    @property
    def whole_bytes(self) -> int:
        """Bytes of the (unpacked) file up to where it was read; no record is cut there."""
        return self._indexer.position if self._indexer else 0

    @property
    def dropped(self) -> int | None:
        """Frames that the capturing program says it lost; None: the file does not say."""
        return self._indexer.dropped if self._indexer else None

    @property
    def closed(self) -> bool:
        """Whether the file has stopped growing."""
        return not self._growing

    @property
    def at_end(self) -> bool:
        """Whether no further frame will come."""
        return self._indexer.ended if self._indexer else bool(self._empty)

    def finish(self) -> None:
        """The file has stopped growing: what is missing at its end is not waited for any more."""
        self._growing = False

    def read(self, limit: int) -> FrameBatch:
        """At most `limit` further frames. None: the end (`at_end`), or nothing more yet in a growing file.

        Raises CaptureError when the file cannot be read any more, or when a growing one turns out not to be a capture.
        """
        while True:
            whole = self._unpacker.done if self._unpacker else self.closed
            if self._indexer is None:
                self._detect(whole)
            if self._indexer is not None:
                batch = self._indexer.read(limit, closed=whole)
                # Opening asks for no frame, only for what stands before the first.
                if len(batch) or self._indexer.ended or (limit == 0 and self._indexer.interfaces):
                    return batch
            if self._unpacker is None or whole:
                return join_batches([])
            added = self._unpacker.pump(_UNPACK_STEP if limit else _OPENING_STEP, closed=self.closed)
            if not added and not self._unpacker.done:
                return join_batches([])

    def take_drops(self) -> list[Drop]:
        """Where the capturing program lost frames, in file order, as far as `read` came to know since the last time."""
        return self._indexer.take_drops() if self._indexer else []

    def progress(self) -> tuple[int, int]:
        """Bytes consumed and bytes in all, of the file as it was opened (packed)."""
        total = self._original.size()
        if self._unpacker is not None:
            return self._unpacker.consumed, total
        return (self._indexer.position if self._indexer else 0), total

    def block(self, frames: FrameBatch) -> tuple[bytes, int]:
        """Bytes of the (unpacked) file that hold these frames, at least one, and at which byte of it they begin.

        Raises CaptureError when they cannot be read any more.
        """
        begin = int(frames.offset[0])
        length = int(frames.offset[-1]) + int(frames.captured[-1]) - begin
        window = self._indexer.window if self._indexer else None
        if window is not None and window.reaches(begin, length):
            return window.data, window.start
        return self.file.read_again(begin, length), begin

    def data(self, offset: int, length: int) -> bytes:
        """Bytes of the (unpacked) file, fewer than `length` where it ends."""
        return self.file.read(offset, length)

    def close(self) -> None:
        """Give the file back and delete the unpacked copy."""
        if self._unpacker:
            self._unpacker.close()
        self._original.close()

    def _detect(self, whole: bool) -> None:
        """Choose the format by the first bytes, once they are there."""
        head = self.file.read(0, _MAGIC_BYTES)
        magic = int.from_bytes(head, "big")
        if len(head) == _MAGIC_BYTES and magic in PCAP_MAGICS:
            self._indexer = self._pcap_indexer()
        elif len(head) == _MAGIC_BYTES and magic == SECTION_HEADER:
            self._indexer = self._pcapng_indexer()
        elif whole and not head:
            self._empty = [Problem(0, "the file is empty")]
        elif whole or len(head) == _MAGIC_BYTES:
            raise CaptureError(f"{self._original.name} is not a capture file: {_looks_like(head)}.")

    def _pcap_indexer(self) -> PcapIndexer:
        if not self._compiled:
            return PcapIndexer(self.file)
        from analyzer.capture.bulk import BulkPcapIndexer

        return BulkPcapIndexer(self.file)

    def _pcapng_indexer(self) -> PcapngIndexer:
        if not self._compiled:
            return PcapngIndexer(self.file)
        from analyzer.capture.bulk import BulkPcapngIndexer

        return BulkPcapngIndexer(self.file)


def _looks_like(head: bytes) -> str:
    for magic, words in _OTHER_FORMATS:
        if head.startswith(magic):
            return f"it holds {words}"
    shown = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in head)
    return f'it begins with {head.hex(" ")} ("{shown}"), neither pcap nor pcapng'
