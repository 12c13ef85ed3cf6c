"""A capture file that is written bit by bit, as a sniffer would, for what follows it."""

from __future__ import annotations

from pathlib import Path

from capture_files import BUNDLED

GAME = BUNDLED / "ddnet_tsunami_head.pcapng"


class Growing:
    """A capture file that is written bit by bit."""

    def __init__(self, path: Path, capture: Path = GAME) -> None:
        self._bytes = capture.read_bytes()
        self.path = path
        self._written = 0
        self.write(0.1)

    def write(self, share: float) -> None:
        """Up to this share of the whole."""
        upto = round(share * len(self._bytes))
        with self.path.open("ab") as file:
            file.write(self._bytes[self._written : upto])
        self._written = upto
