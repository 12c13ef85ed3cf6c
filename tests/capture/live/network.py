"""What the tests of live capture need of the system: the right, libpcap, loopback, and an interface of their own."""

from __future__ import annotations

import contextlib
import ctypes.util
import os
import shutil
import socket
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.capture.live.control import Settings, Sniffer
from analyzer.capture.live.messages import Stopped
from analyzer.capture.source import Source

TUN = "/dev/net/tun"
_TUNSETIFF = 0x400454CA
_IFF_TUN, _IFF_TAP, _IFF_NO_PI = 0x0001, 0x0002, 0x1000
_SIOCGIFFLAGS, _SIOCSIFFLAGS = 0x8913, 0x8914
_IFF_UP = 1
Captured = tuple[int, int, bytes]
"""Time in ns, original length, bytes."""


def may_capture() -> bool:
    if sys.platform != "linux":
        return False
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).close()
    except OSError:
        return False
    return True


needs_right = pytest.mark.skipif(not may_capture(), reason="this user may not capture here")
needs_libpcap = pytest.mark.skipif(ctypes.util.find_library("pcap") is None, reason="libpcap is not installed")
needs_dumpcap = pytest.mark.skipif(shutil.which("dumpcap") is None, reason="dumpcap is not installed")


def give_up_right() -> None:
    """Called between fork and exec: what is executed may not capture, also as root."""
    drop_from_bounding_set, net_raw = 24, 13
    ctypes.CDLL(None).prctl(drop_from_bounding_set, net_raw, 0, 0, 0)


def install_dumpcap(folder: Path, script: str) -> None:
    """Make a program of that name in a new folder, of commands of the shell."""
    folder.mkdir()
    program = folder / "dumpcap"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    program.chmod(0o700)


class Tap:
    """A network interface that receives what is written here; nothing else comes to it."""

    def __init__(self, name: str, *, raw_ip: bool = False) -> None:
        """`raw_ip`: without Ethernet headers."""
        import fcntl

        self.name = name
        self._descriptor = os.open(TUN, os.O_RDWR)
        fcntl.ioctl(
            self._descriptor,
            _TUNSETIFF,
            struct.pack("16sH22x", name.encode(), (_IFF_TUN if raw_ip else _IFF_TAP) | _IFF_NO_PI),
        )
        quiet = Path("/proc/sys/net/ipv6/conf", name, "disable_ipv6")
        with contextlib.suppress(OSError):
            quiet.write_text("1", encoding="ascii")
        self.set_up(True)

    def set_up(self, up: bool) -> None:
        import fcntl

        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            answer = fcntl.ioctl(asked, _SIOCGIFFLAGS, struct.pack("16sH22x", self.name.encode(), 0))
            (flags,) = struct.unpack_from("=H", answer, 16)
            flags = flags | _IFF_UP if up else flags & ~_IFF_UP
            fcntl.ioctl(asked, _SIOCSIFFLAGS, struct.pack("16sH22x", self.name.encode(), flags))

    def receive(self, frame: bytes) -> None:
        """Let the interface receive a frame."""
        os.write(self._descriptor, frame)

    def close(self) -> None:
        """The interface goes away."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


@contextlib.contextmanager
def tap(*, raw_ip: bool = False) -> Iterator[Tap]:
    made = Tap(f"snap{os.getpid() % 1_000_000}", raw_ip=raw_ip)
    try:
        yield made
    finally:
        made.close()


def may_make_interfaces() -> bool:
    try:
        Tap(f"snaptry{os.getpid() % 1_000_000}").close()
    except (OSError, ImportError):
        return False
    return True


needs_tun = pytest.mark.skipif(not may_make_interfaces(), reason="this user may not make network interfaces here")


def ethernet(payload: bytes, kind: int = 0x88B5) -> bytes:
    """A frame of an experimental type, to everybody."""
    return b"\xff" * 6 + b"\x02\x00\x00\x00\x00\x01" + struct.pack("!H", kind) + payload


@contextlib.contextmanager
def sockets() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Sender and receiver on loopback; nobody reads what the receiver gets."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
    ):
        receiver.bind(("127.0.0.1", 0))
        sender.connect(receiver.getsockname())
        yield sender, receiver


def port_filter(receiver: socket.socket) -> str:
    """What is sent to it, and no other test's traffic."""
    return f"udp dst port {receiver.getsockname()[1]}"


def wait_for_frames(sniffer: Sniffer, frames: int) -> None:
    """Wait until it has told of so many; what it told before is known from its attributes."""
    end = time.monotonic() + 30
    while sniffer.counts.frames + sniffer.counts.dropped < frames and not sniffer.ended:
        assert time.monotonic() < end, f"only {sniffer.counts} of {frames}"
        sniffer.next(1.0)


def wait_for_end(sniffer: Sniffer) -> Stopped | None:
    """Its last word."""
    end = time.monotonic() + 30
    while not sniffer.ended:
        assert time.monotonic() < end, "the sniffer does not end"
        sniffer.next(1.0)
    return sniffer.stopped


def started(settings: Settings) -> Sniffer:
    sniffer = Sniffer.start(settings)
    try:
        sniffer.wait_started()
    except BaseException:
        sniffer.close()
        raise
    return sniffer


def read_frames(path: Path) -> tuple[list[Captured], Source]:
    """Everything in a capture file, and the source, which is closed, for what else it knows."""
    source = Source.open(path)
    frames = []
    while len(batch := source.read(4096)):
        columns = (batch.time_ns, batch.original, batch.offset, batch.captured)
        for time_ns, original, offset, captured in zip(*(column.tolist() for column in columns), strict=True):
            frames.append((time_ns, original, source.data(offset, captured)))
    source.close()
    return frames, source
