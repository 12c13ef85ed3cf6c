"""Some packets as filters and columns read them, wherever they stand: those of a list that is sorted or limited."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from analyzer.filters.values import Array, Ints
from analyzer.filters.view import Carried, Findings, View, alive_snapshots, messages_of


class ChosenScope:
    """Any packets, ascending, each once."""

    def __init__(self, view: View, packets: Ints) -> None:
        self.view = view
        self.packet_rows = packets
        self.rows = len(packets)
        self._columns: dict[str, Array] = {}

    def packet(self, column: str) -> Array:
        """A column of the packets, shape (rows,)."""
        if column not in self._columns:
            self._columns[column] = self.view.tables.packets.take(column, self.packet_rows)
        return self._columns[column]

    @cached_property
    def messages(self) -> Carried:
        """Messages of live readings."""
        return messages_of(self.view, self.packet("first_message").astype(np.int64), self.packet_rows)

    @cached_property
    def snapshots(self) -> Carried:
        """Live snapshots that the packets carry a part of or end."""
        if not self.rows:
            return Carried("snapshots", self.view, self.packet_rows, self.packet_rows)
        first, last = int(self.packet_rows[0]), int(self.packet_rows[-1])
        packets, snapshots = self.view.links.of_packets(first, last + 1)
        here, owner = self._among(packets)
        kept = alive_snapshots(self.view.tables, snapshots[here])
        return Carried("snapshots", self.view, snapshots[here][kept], owner[kept])

    @cached_property
    def found(self) -> tuple[Findings, Ints, Ints]:
        """Findings on the packets."""
        findings = self.view.findings()
        here, owner = self._among(findings.packet)
        return findings, here, owner

    def _among(self, packets: Ints) -> tuple[Ints, Ints]:
        """Which of some packets are among these, and as which."""
        if not self.rows:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        places = np.minimum(np.searchsorted(self.packet_rows, packets), self.rows - 1)
        here = np.flatnonzero(self.packet_rows[places] == packets)
        return here, places[here]
