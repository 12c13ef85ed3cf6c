"""Wireshark's dumpcap as the one with the right: it captures and writes pcapng to a pipe, which is read in bulk."""

from __future__ import annotations

import os
import select
import signal
import struct
import subprocess
import tempfile
import time

from scapy.supersocket import SuperSocket

from analyzer.capture.live.faults import CaptureFault, no_interface
from analyzer.capture.live.messages import Fault
from analyzer.capture.live.sockets import Batch, CaptureSocket, DropsKnown, Wanted
from analyzer.capture.live.watcher import Watcher
from analyzer.capture.pcapng import ENHANCED_PACKET, INTERFACE_DESCRIPTION, INTERFACE_STATISTICS
from analyzer.capture.pcapng_blocks import MICROSECONDS, read_dropped, read_interface
from analyzer.capture.spool import FLUSH_BYTES, Frame

_START_S = 10.0
_LAST_S = 1.0
_QUIET_S = 0.3
"""dumpcap reads what has come at least four times a second."""
_END_S = 3.0
_HEAD = struct.Struct("=II")
_PACKET = struct.Struct("=IIIII")
# Both come from this machine, so that the byte order is ours.
_ORDER = "="


class DumpcapSocket(CaptureSocket):
    """An interface that dumpcap captures on."""

    method = "dumpcap"
    drops_known = DropsKnown.AT_END

    def __init__(self, wanted: Wanted) -> None:
        """Start dumpcap and wait until it captures. Raises CaptureFault."""
        self._interface = wanted.interface
        self._clock = MICROSECONDS
        self._unread = b""
        self._batch = Batch()
        self._seen = self._dropped = 0
        self._described = self._asked = False
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the rest
        # An orphan would capture on, and hold the interface, until a packet comes.
        self._watcher = Watcher()
        try:
            self._process = subprocess.Popen(
                _command(wanted), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._words, bufsize=0
            )
        except OSError as error:
            self._words.close()
            self._watcher.close()
            raise CaptureFault(Fault.LIBRARY, f"dumpcap cannot be started: {error.strerror}.") from error
        self._watcher.watch(self._process.pid)
        stream = self._process.stdout
        self._pipe = stream.fileno() if stream is not None else -1
        end = time.monotonic() + _START_S
        while not self._described:
            if not self._take(end - time.monotonic()):
                fault = self._refused()
                self.close()
                raise fault

    @staticmethod
    def select(sockets: list[SuperSocket], remain: float | None) -> list[SuperSocket]:
        """The pipe tells of more; frames that came together with the description of the interface are here already."""
        ready = [one for one in sockets if isinstance(one, DumpcapSocket) and one._batch]
        return ready or SuperSocket.select(sockets, remain)

    def read(self) -> Batch | None:
        """What has come through the pipe."""
        if not self._take(0.0) and not self._asked and not self._batch and self._process.poll() is not None:
            raise CaptureFault(Fault.GONE, f"dumpcap has ended: {self._told()}.")
        batch, self._batch = self._batch, Batch()
        return batch or None

    def counts(self) -> tuple[int, int, int]:
        """dumpcap tells of drops when it ends; which of them are the interface's it does not say."""
        return self._seen + self._dropped, self._dropped, 0

    def refuse(self) -> None:
        """Let dumpcap end. What it has not read by then it throws away, so that it is left to read a little longer."""
        self._asked = True
        end = time.monotonic() + _LAST_S
        while time.monotonic() < end and self._take(_QUIET_S):
            pass
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        end = time.monotonic() + _END_S
        while self._take(end - time.monotonic()):
            pass

    def up(self) -> bool:
        """`read` tells when dumpcap has ended."""
        return True

    def fileno(self) -> int:
        """The pipe."""
        return self._pipe

    def close(self) -> None:
        """End dumpcap, in whatever state it is."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._watcher.close()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._words.close()

    def _take(self, seconds: float) -> bool:
        """Take over what comes within so many seconds. False: nothing came, or the pipe is at its end."""
        if not select.select([self._pipe], [], [], max(seconds, 0.0))[0]:
            return False
        data = os.read(self._pipe, FLUSH_BYTES)
        self._unread += data
        at = 0
        while at + _HEAD.size <= len(self._unread):
            kind, length = _HEAD.unpack_from(self._unread, at)
            if length < 12 or at + length > len(self._unread):
                break
            self._block(kind, self._unread[at + 8 : at + length - 4])
            at += length
        self._unread = self._unread[at:]
        return bool(data)

    def _block(self, kind: int, body: bytes) -> None:
        if kind == ENHANCED_PACKET:
            _, high, low, captured, original = _PACKET.unpack_from(body)
            data = body[_PACKET.size : _PACKET.size + captured]
            self._batch.append(Frame(self._clock.nanoseconds(high << 32 | low), original, data))
            self._seen += 1
        elif kind == INTERFACE_DESCRIPTION:
            described = read_interface(body, _ORDER)
            if described is not None:
                self.link_type, self._clock = described[0].link_type, described[1]
                self._described = True
        elif kind == INTERFACE_STATISTICS:
            counted = read_dropped(body, _ORDER)
            self._dropped = counted[1] if counted is not None else self._dropped

    def _refused(self) -> CaptureFault:
        words = self._told()
        if "permission" in words or "not permitted" in words:
            return CaptureFault(Fault.RIGHT, f"dumpcap may not capture on {self._interface} for this user.")
        if "No such device" in words or "no interface" in words:
            return no_interface(self._interface)
        if "apture filter" in words:
            reason = words.rpartition("(")[2].partition(")")[0] if "(" in words else words
            return CaptureFault(Fault.FILTER, f"The capture filter cannot be used: {reason}.")
        return CaptureFault(Fault.INTERFACE, f"{self._interface} cannot be captured on: {words}.")

    def _told(self) -> str:
        """What dumpcap wrote for a person, in one line."""
        self._words.seek(0)
        lines = self._words.read(4096).decode("utf-8", "replace").split("\n")
        told = [line.strip() for line in lines if line.strip() and not line.startswith(("Capturing on", "File:"))]
        return " ".join(told).rstrip(".") or "it gives no reason"


def _command(wanted: Wanted) -> list[str]:
    command = ["dumpcap", "-q", "-i", wanted.interface, "-s", str(wanted.snap_length), "-w", "-"]
    if wanted.filter:
        command += ["-f", wanted.filter]
    return command if wanted.promiscuous else [*command, "-p"]
