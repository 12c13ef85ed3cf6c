"""Where a snapshot and its base stand in time, as charts and the overview draw them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from analyzer.snapshots.status import Status
from analyzer.stats.live import Ints, made_mask
from analyzer.stats.parts import last_part_packets
from analyzer.store.tables import Tables


def standing_packets(tables: Tables, column: Callable[[str], Ints], status: Ints) -> Ints:
    """The packet at whose time each snapshot stands, shape (n,): what decided that one is incomplete may have come
    seconds later. `column`: a column of their rows, of which `status` is one."""
    packets, count = column("packet"), column("part_count")
    incomplete = np.flatnonzero((status == Status.INCOMPLETE) & (count > 0))
    if len(incomplete):
        packets = packets.copy()
        first = column("first_part")[incomplete]
        packets[incomplete] = last_part_packets(tables, first, count[incomplete])
    return packets


def sent_bases(tables: Tables, bases: Ints) -> Ints:
    """Deciding packets of snapshot rows; -1 of -1, and of those that were made for an excerpt."""
    packets = np.full(len(bases), -1, np.int64)
    known = tables.snapshots.take("packet", bases[bases >= 0]).astype(np.int64)
    packets[bases >= 0] = np.where(made_mask(tables, known), -1, known)
    return packets
