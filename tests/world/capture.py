"""The tap: what it saw pass, what of that it kept, and the capture file it wrote."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from world.clock import Clock
from world.datagram import Address, Datagram
from world.formats import format_of

EPOCH_NS = 1_700_000_000_000_000_000
HEADERS = 14 + 20 + 8


@dataclass(slots=True)
class Pass:
    """A datagram came by. `frame` counts from 1; None: the tap lost it. `cut`: only its beginning was kept."""

    datagram: Datagram
    time: int
    frame: int | None
    cut: bool = False


@dataclass(slots=True)
class Tap:
    """Sits at one end of the network. `recording` is off before a mid-session start and in gaps."""

    clock: Clock
    rng: Random
    at_server: bool
    loss: float = 0.0
    snap_length: int = 65535
    recording: bool = True
    loses: Callable[[Datagram], bool] = lambda datagram: False
    """Datagrams it misses in any case."""
    passes: list[Pass] = field(default_factory=list)
    frames: int = 0

    def see(self, datagram: Datagram) -> None:
        """A datagram goes by."""
        if not self.recording or self.loses(datagram) or self.rng.random() < self.loss:
            self.passes.append(Pass(datagram, self.clock.now, None))
            return
        self.frames += 1
        cut = len(datagram.payload) + HEADERS > self.snap_length
        self.passes.append(Pass(datagram, self.clock.now, self.frames, cut))

    @property
    def lossless(self) -> bool:
        """Everything that went by was kept whole."""
        return all(seen.frame is not None and not seen.cut for seen in self.passes)

    def write(self, path: Path) -> None:
        """Write a capture file of Ethernet frames, in the format of its name's ending."""
        form = format_of(path)
        with path.open("wb") as file:
            file.write(form.header(self.snap_length))
            for seen in self.passes:
                if seen.frame is not None:
                    frame = ethernet(seen.datagram)
                    file.write(form.record(EPOCH_NS + seen.time, frame[: self.snap_length], len(frame)))


def ethernet(datagram: Datagram) -> bytes:
    """The datagram in UDP (no checksum), IPv4 and Ethernet."""
    payload = datagram.payload
    udp = struct.pack(">HHHH", datagram.sender[1], datagram.receiver[1], 8 + len(payload), 0)
    head = struct.pack(">BBHHHBBH", 0x45, 0, 28 + len(payload), 0, 0x4000, 64, 17, 0)
    head += _address(datagram.sender) + _address(datagram.receiver)
    total = sum(struct.unpack(">10H", head))
    total = (total & 0xFFFF) + (total >> 16)
    head = head[:10] + struct.pack(">H", ~(total + (total >> 16)) & 0xFFFF) + head[12:]
    return b"\x02\0\0\0\0\x01\x02\0\0\0\0\x02\x08\x00" + head + udp + payload


def _address(address: Address) -> bytes:
    return bytes(map(int, address[0].split(".")))
