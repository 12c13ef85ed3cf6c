"""Linux: frames from a ring of blocks that the kernel shares with us, a block at a time (packet(7), TPACKET_V3).

block   version u32, offset u32, status u32, frames u32, first frame at u32, ...
frame   next u32, s u32, ns u32, captured u32, original u32, status u32, data at u16, network at u16,
        hash u32, VLAN tag u32, its type u16, padding
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import mmap
import socket
import struct
import threading
from collections import deque
from pathlib import Path

from scapy.supersocket import SuperSocket

from analyzer.capture.live.faults import CaptureFault, fault_of
from analyzer.capture.live.filters import REJECT_ALL, attach, bpf_program
from analyzer.capture.live.messages import Fault
from analyzer.capture.live.sockets import Batch, CaptureSocket, DropsKnown, Wanted
from analyzer.capture.spool import FLUSH_BYTES, FLUSH_MS, Frame

BLOCK_BYTES = FLUSH_BYTES
BLOCKS = 256
"""64 MiB: seconds of a busy server while the disk or the processor is taken."""

_FRAME_BYTES = 2048
"""Means nothing in this version but must divide a block."""
_V3 = 2
_ETH_P_ALL = 3
_SOL_PACKET = 263
_PACKET_ADD_MEMBERSHIP = 1
_PACKET_RX_RING = 5
_PACKET_STATISTICS = 6
_PACKET_VERSION = 10
_PACKET_IGNORE_OUTGOING = 23
_PROMISCUOUS = 1

_SIOCGIFFLAGS = 0x8913
_IFF_UP = 1

_BLOCK_HEAD = struct.Struct("=8xIII")
_FRAME_HEAD = struct.Struct("=IIIIIIHHIIH")
_OURS = 1
"""Status of a block that the kernel has filled."""
_VLAN_VALID = 1 << 4
_VLAN_TYPE_VALID = 1 << 6
_VLAN_TYPE = 0x8100
_TAG_AT = 12
"""A tag stands after the two Ethernet addresses."""

# Hardware types (ARPHRD_) whose frames come as they were on the wire: their LINKTYPE_ and DLT_ number.
_ETHERNET = 1, 1
_RAW_IP = 101, 12
_LOOPBACK = 772
_LINKS = {1: _ETHERNET, _LOOPBACK: _ETHERNET, 65534: _RAW_IP}

# What libpcap counts as lost by the interface.
_INTERFACE_LOSSES = ("rx_missed_errors", "rx_fifo_errors")


class Unsuitable(Exception):  # noqa: N818 - libpcap serves instead
    """The kernel or the kind of interface is not one for the ring."""


class RingSocket(CaptureSocket):
    """An interface of Linux, read through the ring."""

    method = "ring"
    drops_known = DropsKnown.EXACTLY
    select = staticmethod(SuperSocket.select)

    def __init__(self, wanted: Wanted) -> None:
        """Open the interface. Raises CaptureFault, and Unsuitable where libpcap has to serve."""
        self._ring: mmap.mmap | None = None
        self._block = 0
        self._taken = 0
        """Blocks that were read."""
        self._fulls: deque[int] = deque()
        """Blocks before which the ring was full, as numbers of the same count: only then anything is dropped."""
        self._received = self._dropped = self._placed = 0
        self._counting = threading.Lock()
        try:
            # With protocol 0 no frame comes before the filter is in its place.
            self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        except OSError as error:
            raise fault_of(error, wanted.interface) from error
        try:
            self._open(wanted)
        except OSError as error:
            self.close()
            raise fault_of(error, wanted.interface) from error
        except (CaptureFault, Unsuitable):
            self.close()
            raise
        self._lost_before = self._interface_losses()

    def _open(self, wanted: Wanted) -> None:
        hardware = self._hardware(wanted.interface)
        if hardware not in _LINKS:
            raise Unsuitable
        self.link_type, dlt = _LINKS[hardware]
        self._ethernet = self.link_type == _ETHERNET[0]
        try:
            if hardware == _LOOPBACK:
                # Every frame would be seen twice: as it goes out and as it comes in.
                self._socket.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
            self._socket.setsockopt(_SOL_PACKET, _PACKET_VERSION, _V3)
        except OSError as error:
            if error.errno in (errno.ENOPROTOOPT, errno.EINVAL):
                raise Unsuitable from error
            raise
        attach(self._socket, bpf_program(wanted.filter, dlt, wanted.snap_length))
        size = BLOCKS * BLOCK_BYTES
        ring = struct.pack("=7I", BLOCK_BYTES, BLOCKS, _FRAME_BYTES, size // _FRAME_BYTES, FLUSH_MS, 0, 0)
        self._socket.setsockopt(_SOL_PACKET, _PACKET_RX_RING, ring)
        self._ring = mmap.mmap(self._socket.fileno(), size)
        self._socket.bind((wanted.interface, _ETH_P_ALL))
        if wanted.promiscuous and hardware != _LOOPBACK:
            index = socket.if_nametoindex(wanted.interface)
            self._socket.setsockopt(_SOL_PACKET, _PACKET_ADD_MEMBERSHIP, struct.pack("=IHH8x", index, _PROMISCUOUS, 0))

    def _hardware(self, interface: str) -> int:
        """ARPHRD_ number of an interface. Raises OSError where there is none of this name."""
        self._socket.bind((interface, 0))
        address: tuple[str, int, int, int, bytes] = self._socket.getsockname()
        return address[3]

    def read(self) -> Batch | None:
        """The frames of the next block that is full or old enough."""
        ring = self._ring
        if ring is None:
            return None
        block = self._block * BLOCK_BYTES
        status, count, first = _BLOCK_HEAD.unpack_from(ring, block)
        if not status & _OURS:
            # The interface went down: told by `up`; not to be asked for would keep the socket ready for ever.
            self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            return None
        frames = Batch()
        frames.dropped = self._dropped_before()
        unpack, at = _FRAME_HEAD.unpack_from, block + first
        for _ in range(count):
            following, seconds, nanoseconds, captured, original, flags, start, _, _, tag, tag_type = unpack(ring, at)
            start += at
            data = ring[start : start + captured]
            if flags & _VLAN_VALID and self._ethernet:
                kind = tag_type if flags & _VLAN_TYPE_VALID else _VLAN_TYPE
                data = data[:_TAG_AT] + struct.pack("!HH", kind, tag & 0xFFFF) + data[_TAG_AT:]
                original += 4
            frames.append(Frame(seconds * 1_000_000_000 + nanoseconds, original, data))
            at += following
        if self._is_full(ring):
            self._fulls.append(self._taken + BLOCKS)
        struct.pack_into("=I", ring, block + 8, 0)
        self._block = (self._block + 1) % BLOCKS
        self._taken += 1
        return frames

    def _is_full(self, ring: mmap.mmap) -> bool:
        newest = (self._block - 1) % BLOCKS * BLOCK_BYTES
        return bool(_BLOCK_HEAD.unpack_from(ring, newest)[0] & _OURS)

    def _dropped_before(self) -> int:
        """Frames dropped before the block that is read now.

        The kernel says how many there were, but not when: they are shared out among the times that the ring was full.
        """
        if self._fulls and self._fulls[0] == self._taken:
            times = len(self._fulls)
            self._fulls.popleft()
            with self._counting:
                self._count()
                self._placed += -(-(self._dropped - self._placed) // times)
        return self._placed

    def counts(self) -> tuple[int, int, int]:
        """What the kernel counts."""
        with self._counting:
            self._count()
            return self._received, self._dropped, max(self._interface_losses() - self._lost_before, 0)

    def _count(self) -> None:
        """The kernel counts from the last time it was asked."""
        received, dropped = struct.unpack("=II4x", self._socket.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 12))
        self._received += received
        self._dropped += dropped

    def refuse(self) -> None:
        """A filter that lets nothing through; what it refuses is not counted."""
        attach(self._socket, REJECT_ALL)

    def up(self) -> bool:
        """Asked by the name it has now: it may have got another one."""
        name = self._name()
        if not name:
            raise CaptureFault(Fault.GONE, "The network interface has gone away.")
        try:
            answer = fcntl.ioctl(self._socket, _SIOCGIFFLAGS, struct.pack("16sH22x", name.encode(), 0))
        except OSError:
            return False
        return bool(struct.unpack_from("=H", answer, 16)[0] & _IFF_UP)

    def fileno(self) -> int:
        """Readable when the next block is ours."""
        return self._socket.fileno()

    def close(self) -> None:
        """The kernel takes the ring and the promiscuous mode back."""
        if self._ring is not None:
            self._ring.close()
            self._ring = None
        self._socket.close()

    def _name(self) -> str:
        """Empty: the interface is gone."""
        try:
            address: tuple[str, int, int, int, bytes] = self._socket.getsockname()
        except OSError:
            return ""
        return address[0]

    def _interface_losses(self) -> int:
        folder = Path("/sys/class/net", self._name() or "-", "statistics")
        losses = 0
        for name in _INTERFACE_LOSSES:
            # Without /sys, as in some containers, nobody can tell.
            with contextlib.suppress(OSError, ValueError):
                losses += int((folder / name).read_text(encoding="ascii"))
        return losses
