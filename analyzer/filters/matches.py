"""Which packets of a capture a filter is true of, kept up to date while the tables grow and are amended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.filters.filter import AT_ONCE_ON_DEMAND, Filter
from analyzer.filters.kinds import Owner
from analyzer.filters.nodes import Needs
from analyzer.filters.on_demand import Progress
from analyzer.filters.value_tests import Bools
from analyzer.filters.values import Ints
from analyzer.filters.view import View
from analyzer.store.growing import Growing
from analyzer.store.journal import Amendment

Stretch = tuple[int, int]
"""First packet, and the one behind the last."""
EVERYWHERE = 0.5
"""If more than this share of all has to be looked at again, all is: it costs less than many stretches."""


OF_FLOWS = {"flow", "client", "server", "packet", "message"}
"""First words of fields that depend on what becomes known of a flow."""
BARE = {"frame", "ip", "udp"}
"""Those that depend on no reading of a flow."""
COUNTS = ("packets", "last_packet", "facts")
"""Columns that change all the time and that no field has."""


@dataclass(frozen=True, slots=True)
class Update:
    """What an update of `Matches` found."""

    first_new: int
    """Packets from here on are new."""
    changed: Ints
    """Older packets of which the filter is true now and was not, or the other way round, ascending."""


class Matches:
    """The answer of one filter for all packets. For one thread at a time, the one that its view is for.

    A packet is looked at again when something became known of it: by the journal, by snapshots that were completed
    later, by findings.
    """

    def __init__(self, chosen: Filter, view: View) -> None:
        self.filter = chosen
        self._view = view
        self._journal = view.tables.journal.reader()
        self._mask: Growing[np.bool_] = Growing(np.bool_, view.tables.chunks)
        self._waiting: list[Stretch] = []
        """Stretches that were to be looked at again when somebody cancelled."""
        self._snapshots = 0
        self._findings = np.empty((0, 3), np.int64)
        """Packet, rule and severity of those there were."""
        owners = {info.of for info in chosen.fields}
        roots = {info.name.partition(".")[0] for info in chosen.fields}
        self._tables = {"sessions": "session" in roots, "flows": bool(roots & OF_FLOWS), "readings": bool(roots - BARE)}
        """Whether the filter depends on what they may learn later."""
        self._of_snapshots = bool(owners & {Owner.SNAPSHOT, Owner.ITEM})
        self._of_findings = Owner.FINDING in owners

    def __len__(self) -> int:
        """Packets that were looked at."""
        return len(self._mask)

    @property
    def mask(self) -> Bools:
        """Of the packets that were looked at, shape (n,); valid until the next update."""
        return self._mask.view

    def update(self, progress: Progress | None = None, most: int | None = None) -> Update:
        """Look at what is new and at what was amended; `most`: at no more new packets than that.

        Raises Cancelled where `progress` says no; what was not looked at then is left for the next time.
        """
        known = len(self._mask)
        changed = self._look_again(self._stale(known), progress)
        stop = len(self._view.tables.packets)
        stop = stop if most is None else min(stop, known + most)
        step = stop - known if self.filter.needs is Needs.COLUMNS else AT_ONCE_ON_DEMAND
        for start in range(known, stop, max(step, 1)):
            end = min(start + step, stop)
            share = None if progress is None else _share(progress, start - known, end - known, stop - known)
            self._mask.append(self.filter.packets(self._view, start, end, share))
        return Update(known, changed)

    def _look_again(self, stretches: list[Stretch], progress: Progress | None) -> Ints:
        changed: list[Ints] = [np.empty(0, np.int64)]
        for number, (start, stop) in enumerate(stretches):
            try:
                now = self.filter.packets(self._view, start, stop, progress)
            except BaseException:
                self._waiting = stretches[number:]
                raise
            before = self._mask.view[start:stop]
            changed.append(np.flatnonzero(before != now) + start)
            before[:] = now
        return np.concatenate(changed)

    def _stale(self, known: int) -> list[Stretch]:
        """Stretches of the first `known` packets that may have another answer now."""
        found, self._waiting = list(self._waiting), []
        for amendment in self._journal.take():
            stretch = self._touched(amendment, known)
            if stretch is not None:
                found.append(stretch)
        found += self._by_new_snapshots() + self._by_findings()
        return _merged(found, known)

    def _touched(self, amendment: Amendment, known: int) -> Stretch | None:
        """Packets of which an amendment may tell something else."""
        table, start, stop = amendment.table, amendment.start, amendment.stop
        if table == "packets":
            return start, stop
        if table in self._tables:
            if not self._tables[table] or amendment.column in COUNTS:
                return None
            return self._first_of(table, start, stop), known
        if table == "snapshots" and self._of_snapshots:
            return _around(self._view.links.packets_of(start, stop))
        return None

    def _first_of(self, table: str, start: int, stop: int) -> int:
        """The first packet of some flows, readings or sessions: it may concern all that follow."""
        tables = self._view.tables
        if table == "sessions":
            return int(tables.sessions.integers("first_packet", start, stop).min())
        flows = np.arange(start, stop)
        if table == "readings":
            flows = tables.readings.integers("flow", start, stop)
        return int(tables.flows.take("first_packet", flows).min())

    def _by_new_snapshots(self) -> list[Stretch]:
        """A snapshot is a row when it is complete: packets before may carry its parts."""
        start, self._snapshots = self._snapshots, len(self._view.tables.snapshots)
        if not self._of_snapshots or start == self._snapshots:
            return []
        found = _around(self._view.links.packets_of(start, self._snapshots))
        return [] if found is None else [found]

    def _by_findings(self) -> list[Stretch]:
        """Findings may be added to any packet, and taken back."""
        if not self._of_findings:
            return []
        now = self._view.findings()
        here = now.packet >= 0
        keys = np.unique(np.column_stack([now.packet[here], now.rule[here], now.severity[here]]), axis=0)
        both, counts = np.unique(np.concatenate([self._findings, keys]), axis=0, return_counts=True)
        self._findings = keys
        found = _around(both[counts == 1, 0])
        return [] if found is None else [found]


def _around(packets: NDArray[np.int64]) -> Stretch | None:
    return (int(packets.min()), int(packets.max()) + 1) if len(packets) else None


def _merged(stretches: list[Stretch], known: int) -> list[Stretch]:
    """The same packets in stretches that do not overlap, ascending; none from `known` on."""
    found: list[Stretch] = []
    for start, stop in sorted((start, min(stop, known)) for start, stop in stretches):
        if start >= stop:
            continue
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(stop, found[-1][1])
        else:
            found.append((start, stop))
    total = sum(stop - start for start, stop in found)
    return [(0, known)] if known and len(found) > 1 and total > EVERYWHERE * known else found


def _share(progress: Progress, start: int, stop: int, of: int) -> Progress:
    return lambda share: progress((start + share * (stop - start)) / of)
