"""Offers frames of a capture to the loopback interface at a given rate: Linux only, with the right to capture.

`python -m scripts.benchmarks.sending CAPTURE SOURCE RATE COUNT` waits for a line on its standard input, sends COUNT
frames at RATE a second, from the Ethernet address SOURCE to nobody, and prints how many went and how long it took. The
frames and what describes them to the kernel are made beforehand; one call hands over up to 1,024 (sendmmsg).
"""

from __future__ import annotations

import ctypes
import json
import socket
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analyzer.capture.source import Source

ETHERNET = 1
NOBODY = bytes.fromhex("025a5a5a5a5a")
"""No interface has this address: the system takes the frames for others' and drops them unread."""
MOST_AT_ONCE = 1024
"""That the kernel takes."""
PAUSE_S = 0.0003
"""Where nothing is due; so much is sent at once at least."""
_BATCH = 16384

_VECTOR = np.dtype([("base", "u8"), ("length", "u8")])
_MESSAGE = np.dtype(
    {
        "names": ["vectors", "count", "sent"],
        "formats": ["u8", "u8", "u4"],
        "offsets": [16, 24, 56],
        "itemsize": 64,
    }
)
"""struct mmsghdr of 64-bit Linux."""


def read_frames(path: Path, most: int) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """The first frames of a capture, one behind the other, where each begins, and its length.

    Raises ValueError where they are not whole Ethernet frames.
    """
    pieces: list[bytes] = []
    source = Source.open(path)
    try:
        while len(pieces) < most and len(batch := source.read(min(_BATCH, most - len(pieces)))):
            block, begin = source.block(batch)
            for offset, captured in zip((batch.offset - begin).tolist(), batch.captured.tolist(), strict=True):
                pieces.append(block[offset : offset + captured])
        if any(interface.link_type != ETHERNET for interface in source.interfaces):
            raise ValueError(f"{path.name} does not hold Ethernet frames")
    finally:
        source.close()
    lengths = np.array([len(piece) for piece in pieces], dtype=np.int64)
    return np.frombuffer(bytearray(b"".join(pieces)), np.uint8), np.cumsum(lengths) - lengths, lengths


class Sender:
    """Frames that are ready to go."""

    def __init__(self, path: Path, source: bytes, most: int) -> None:
        """`source`: Ethernet address that they come from. Raises OSError without the right, and ValueError."""
        self._data, starts, lengths = read_frames(path, most)
        for at, byte in enumerate(NOBODY + source):
            self._data[starts + at] = byte
        self._vectors = np.zeros(len(starts), _VECTOR)
        self._vectors["base"] = starts + self._data.ctypes.data
        self._vectors["length"] = lengths
        self._messages = np.zeros(len(starts), _MESSAGE)
        self._messages["vectors"] = np.arange(len(starts)) * _VECTOR.itemsize + self._vectors.ctypes.data
        self._messages["count"] = 1
        self._call = ctypes.CDLL(None, use_errno=True).sendmmsg
        self._call.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_uint, ctypes.c_int)
        # Protocol 0: nothing that comes is for this socket.
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self._socket.bind(("lo", 0))

    def __len__(self) -> int:
        return len(self._messages)

    def send(self, rate: float, count: int) -> float:
        """Send `count` frames, from the first on again where there are fewer; the seconds it took. Raises OSError."""
        sent, begin = 0, time.perf_counter()
        while sent < count:
            due = min(count, int((time.perf_counter() - begin) * rate) + 1) - sent
            if due <= 0:
                time.sleep(PAUSE_S)
                continue
            first = sent % len(self)
            sent += self._hand_over(first, min(due, MOST_AT_ONCE, len(self) - first))
        return time.perf_counter() - begin

    def _hand_over(self, first: int, count: int) -> int:
        address = self._messages.ctypes.data + first * _MESSAGE.itemsize
        done: int = self._call(self._socket.fileno(), address, count, 0)
        if done < 0:
            number = ctypes.get_errno()
            raise OSError(number, "the frames cannot be sent")
        return done

    def close(self) -> None:
        """Let go of the interface."""
        self._socket.close()


def main() -> int:
    """0, or 1 with a sentence on stderr."""
    path, source, rate, count = Path(sys.argv[1]), bytes.fromhex(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    try:
        sender = Sender(path, source, count)
    except (OSError, ValueError) as error:
        words = f"sending needs the right to capture: {error.strerror}" if isinstance(error, OSError) else str(error)
        print(f"bench: {words}", file=sys.stderr)
        return 1
    print("ready", flush=True)
    if not sys.stdin.readline():
        # Whoever wanted it has gone.
        return 1
    seconds = sender.send(rate, count)
    sender.close()
    print(json.dumps({"sent": count, "seconds": seconds}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
