"""Unpacks a gzip file (RFC 1952) into a temporary file, a bounded step at a time, so that the index can follow it."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import zlib

from analyzer.capture.file import CaptureFile
from analyzer.capture.frames import Problem
from analyzer.capture.problems import ProblemLog

GZIP_MAGIC = b"\x1f\x8b"

MAX_UNPACKED = 64 << 30
"""Bytes that a gzip file may unpack to before it is taken for a bomb; far above any capture of a game session."""

_INPUT_BYTES = 1 << 16
_OUTPUT_BYTES = 1 << 20
_GZIP_FORMAT = 16 + zlib.MAX_WBITS


class Unpacker:
    """Unpacks one gzip file, of any number of members, into a spool that is deleted with `close`."""

    def __init__(self, packed: CaptureFile, *, max_unpacked: int = MAX_UNPACKED) -> None:
        """Read `packed`, which stays the caller's. Raises OSError when no temporary file can be made."""
        self._packed = packed
        self._max_unpacked = max_unpacked
        # Two handles, so that readers do not move the place where the next bytes are written.
        descriptor, self._path = tempfile.mkstemp(prefix="snapscope-")
        self._spool = os.fdopen(descriptor, "wb", buffering=0)
        self.file = CaptureFile.open(self._path)
        """The unpacked bytes so far."""
        self.file.name = packed.name
        self._delete_early()
        self.unpacked = 0
        self.done = False
        """No further byte will be unpacked."""
        self._log = ProblemLog()
        self._read = 0
        self._input = b""
        self._output_waits = False
        self._member: zlib._Decompress | None = zlib.decompressobj(_GZIP_FORMAT)

    @property
    def problems(self) -> list[Problem]:
        """What was wrong so far; offsets are those in the unpacked file."""
        return self._log.entries

    @property
    def consumed(self) -> int:
        """Bytes of the gzip file that were unpacked."""
        return self._read - len(self._input)

    def pump(self, limit: int, *, closed: bool = True) -> int:
        """Unpack until `limit` further bytes are there, or the gzip file ends; the number of bytes that were added.

        `closed`: the gzip file does not grow any more, so that one that ends too early is a problem.
        """
        before = self.unpacked
        while not self.done and self.unpacked - before < limit:
            if not self._input and not self._output_waits:
                self._input = self._packed.read(self._read, _INPUT_BYTES)
                self._read += len(self._input)
                if not self._input:
                    if closed:
                        self._end_of_input()
                    break
            if self._member is not None:
                self._unpack(self._member, min(limit - (self.unpacked - before), _OUTPUT_BYTES))
            elif not self._begin_member(closed):
                break
        return self.unpacked - before

    def close(self) -> None:
        """Delete the spool. Handles made by `duplicate` stay readable until they are closed."""
        self.done = True
        self.file.close()
        self._spool.close()
        # Windows keeps the file while a duplicate is open.
        with contextlib.suppress(OSError):
            os.unlink(self._path)

    def _delete_early(self) -> None:
        """Where an open file needs no name, it goes now, so that not even a crash leaves it behind."""
        if sys.platform != "win32":
            os.unlink(self._path)

    def _unpack(self, member: zlib._Decompress, step: int) -> None:
        before = member.copy()
        try:
            output = member.decompress(self._input, step)
        except zlib.error:
            self._keep(self._until_fault(before))
            self._stop("the gzip data is damaged here; what was unpacked up to here is shown")
            return
        # zlib may hold back output although it has taken all of the input.
        self._output_waits = len(output) == step and not member.eof
        self._input = member.unused_data if member.eof else member.unconsumed_tail
        if member.eof:
            self._member = None
        self._keep(output)

    def _until_fault(self, member: zlib._Decompress) -> bytes:
        """What the failed step had unpacked before its fault, which zlib throws away: once more, byte by byte."""
        output = bytearray()
        try:
            for byte in self._input:
                output += member.decompress(bytes((byte,)))
        except zlib.error:
            pass
        return bytes(output)

    def _begin_member(self, closed: bool) -> bool:
        """Between members there may be zeros (tape blocks); anything else than a further member is not ours.

        False: half of the next member's magic is there, and the rest may still come.
        """
        self._input = self._input.lstrip(b"\0")
        if len(self._input) == 1:
            more = self._packed.read(self._read, _INPUT_BYTES)
            self._read += len(more)
            self._input += more
        if self._input.startswith(GZIP_MAGIC):
            self._member = zlib.decompressobj(_GZIP_FORMAT)
        elif self._input == GZIP_MAGIC[:1] and not closed:
            return False
        elif self._input:
            self._stop("after the gzip data the file goes on with something else, which is left out")
        return True

    def _keep(self, output: bytes) -> None:
        room = self._max_unpacked - self.unpacked
        rest = memoryview(output)[:room]
        try:
            while rest:
                written = self._spool.write(rest)
                rest = rest[written:]
                self.unpacked += written
        except OSError as error:
            self._stop(f"no more could be unpacked, the temporary file cannot be written: {error.strerror}")
            return
        if len(output) > room:
            self._stop(f"the gzip file unpacks to more than {self._max_unpacked} bytes; the rest is left out")

    def _end_of_input(self) -> None:
        if self._member is None:
            self.done = True
        else:
            self._stop("the gzip file ends too early; what was unpacked up to here is shown")

    def _stop(self, text: str) -> None:
        self._log.report(self.unpacked, text)
        self.done = True
