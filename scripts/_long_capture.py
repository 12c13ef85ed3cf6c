"""Long captures of the simulated world: a full server is recorded once, then repeated with later times and other ports.

The world lives in tests/world, where a test holds it to its own truth; both are parts of the checkout only.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from world.capture import EPOCH_NS, ethernet  # noqa: E402
from world.formats import Format, format_of  # noqa: E402
from world.full import FullServer  # noqa: E402
from world.world import SERVER  # noqa: E402

TICKS_PER_SECOND = 50
DRAIN_TICKS = 25
"""Between two writes; what passed the tap in that time is held in memory."""
BLOCK = 32 * 1024 * 1024
PORTS_AT = 14 + 20
"""Of the UDP ports in a frame: behind Ethernet and IPv4 without options, which is what the world sends."""
FIRST_PORT = 1024
PAUSE_NS = 1_000_000_000
"""Between two repetitions."""


@dataclass(slots=True)
class Records:
    """Where the records of a recording are and what differs in a repetition."""

    start: array[int] = field(default_factory=lambda: array("q"))
    """Offset of each record in the file, and at last the file's end."""
    time_ns: array[int] = field(default_factory=lambda: array("q"))
    client: array[int] = field(default_factory=lambda: array("q"))
    """Number of the client that sends or receives it."""
    from_client: array[int] = field(default_factory=lambda: array("b"))

    def __len__(self) -> int:
        return len(self.time_ns)


def record(server: FullServer, seconds: float, form: Format, file: IO[bytes]) -> Records:
    """Write what passes the tap in `seconds` of the game; the world forgets it at once."""
    world, records = server.world, Records()
    numbers = {client.address: number for number, client in enumerate(world.clients)}
    file.write(form.header(world.tap.snap_length))
    ticks = round(seconds * TICKS_PER_SECOND)
    for begin in range(0, ticks, DRAIN_TICKS):
        server.play(min(DRAIN_TICKS, ticks - begin))
        for seen in world.tap.passes:
            if seen.frame is not None:
                sender, receiver = seen.datagram.sender, seen.datagram.receiver
                frame = ethernet(seen.datagram)
                records.start.append(file.tell())
                records.time_ns.append(EPOCH_NS + seen.time)
                records.client.append(numbers[receiver if sender == SERVER else sender])
                records.from_client.append(sender != SERVER)
                file.write(form.record(EPOCH_NS + seen.time, frame, len(frame)))
        world.forget()
    records.start.append(file.tell())
    return records


def repeat(source: IO[bytes], records: Records, form: Format, repeats: int, clients: int, file: IO[bytes]) -> None:
    """Append further `repeats` of the records of `source`, each later than the last and with client ports of its own.

    The address stays, so the IPv4 checksum stays right; the UDP checksum of the world is absent. Raises ValueError
    where the ports do not suffice.
    """
    firsts = free_ports(clients, repeats)
    span = records.time_ns[-1] - records.time_ns[0] + PAUSE_NS
    for number, first_port in enumerate(firsts, 1):
        for begin, end in _blocks(records):
            source.seek(records.start[begin])
            data = np.frombuffer(bytearray(source.read(records.start[end] - records.start[begin])), dtype=np.uint8)
            rows = slice(begin, end)
            start = np.asarray(records.start[rows]) - records.start[begin]
            _stamp(data, start + form.time_at, np.asarray(records.time_ns[rows]) + number * span, form.time_base)
            side = np.where(np.asarray(records.from_client[rows]) != 0, 0, 2)
            _put_ports(data, start + form.frame_at + PORTS_AT + side, first_port + np.asarray(records.client[rows]))
            file.write(memoryview(data))


def free_ports(clients: int, repeats: int) -> list[int]:
    """The first client port of each repetition; none is the server's or one of the recording's own."""
    server, own = SERVER[1], range(50000, 50000 + clients)
    found: list[int] = []
    port = FIRST_PORT
    while len(found) < repeats and port + clients <= 65536:
        taken = range(port, port + clients)
        if server in taken:
            port = server + 1
        elif taken[-1] >= own.start and taken.start < own.stop:
            port = own.stop
        else:
            found.append(port)
            port += clients
    if len(found) < repeats:
        raise ValueError(f"{clients} clients cannot have ports of their own {repeats + 1} times")
    return found


def make(path: Path, *, clients: int, seconds: float, repeats: int = 1, loss: float = 0.0, seed: int = 1) -> int:
    """Write a capture; returns its number of packets. Raises ValueError with a sentence, or OSError."""
    form = format_of(path)
    free_ports(clients, repeats - 1)
    server = FullServer(seed, clients, loss)
    with path.open("w+b") as file:
        records = record(server, seconds, form, file)
        if not records:
            raise ValueError("nothing passed in that time")
        with path.open("rb") as source:
            file.flush()
            repeat(source, records, form, repeats - 1, clients, file)
    return repeats * len(records)


def _blocks(records: Records) -> Iterator[tuple[int, int]]:
    """Ranges of whole records of about BLOCK bytes."""
    start = np.asarray(records.start)
    begin = 0
    while begin < len(records):
        end = int(np.searchsorted(start, start[begin] + BLOCK, side="right")) - 1
        end = min(max(end, begin + 1), len(records))
        yield begin, end
        begin = end


def _stamp(data: NDArray[np.uint8], at: NDArray[np.int64], time_ns: NDArray[np.int64], base: int) -> None:
    words = np.stack((time_ns // base, time_ns % base), axis=1).astype("<u4")
    data[at[:, None] + np.arange(8)] = words.view(np.uint8)


def _put_ports(data: NDArray[np.uint8], at: NDArray[np.int64], ports: NDArray[np.int64]) -> None:
    data[at[:, None] + np.arange(2)] = ports.astype(">u2")[:, None].view(np.uint8)
