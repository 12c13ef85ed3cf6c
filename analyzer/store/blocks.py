"""Snapshots stored whole, one in every chain of deltas: bytes that only the protocol packs and unpacks."""

from __future__ import annotations


class Blocks:
    """Packed states by snapshot row. Written once, never changed."""

    def __init__(self) -> None:
        self._blocks: dict[int, bytes] = {}
        self._nbytes = 0

    def __len__(self) -> int:
        return len(self._blocks)

    def put(self, snapshot: int, block: bytes) -> None:
        """Store the packed state of a snapshot row."""
        self._blocks[snapshot] = block
        self._nbytes += len(block)

    def get(self, snapshot: int) -> bytes | None:
        """The packed state, or None where the snapshot is not stored whole."""
        return self._blocks.get(snapshot)

    @property
    def nbytes(self) -> int:
        """Bytes of all blocks, dictionary left out."""
        return self._nbytes
