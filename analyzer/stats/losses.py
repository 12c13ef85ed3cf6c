"""Where in time the capture itself lost packets: what is missing there is nobody's fault."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.store.tables import Tables


@dataclass(frozen=True, slots=True)
class CaptureLoss:
    """Losses that touch each other, taken together. Nanoseconds from the first frame."""

    begin_ns: int
    """The capture had everything up to here."""
    end_ns: int
    """And again from here on; not before `begin_ns`."""
    lost: int
    """Packets, as the capture counts them."""
    vague: bool
    """The file does not say when it was well enough to put single snapshots down to it."""


def losses(tables: Tables, start_ns: int, stop_ns: int) -> list[CaptureLoss]:
    """Those that touch the time from `start_ns` up to before `stop_ns`, by time; vague ones apart from others."""
    found: list[CaptureLoss] = []
    if not len(tables.drops):
        return found
    zero = tables.frames.integer("time_ns", 0)
    begins, ends = (tables.drops.integers(name) - zero for name in ("begin_ns", "end_ns"))
    ends = np.maximum(begins, ends)
    lost, vague = tables.drops.integers("lost"), tables.drops.array("vague").astype(np.bool_)
    for are_vague in (False, True):
        rows = np.flatnonzero((vague == are_vague) & (begins < stop_ns) & (ends >= start_ns))
        rows = rows[np.argsort(begins[rows], kind="stable")]
        if len(rows):
            reached = np.maximum.accumulate(ends[rows])
            starts = np.flatnonzero(np.append(True, begins[rows][1:] > reached[:-1]))
            sums = np.add.reduceat(lost[rows], starts)
            stops = reached[np.append(starts[1:], len(rows)) - 1]
            values = zip(begins[rows][starts].tolist(), stops.tolist(), sums.tolist(), strict=True)
            found += [CaptureLoss(begin, end, count, are_vague) for begin, end, count in values]
    return sorted(found, key=lambda loss: (loss.begin_ns, loss.end_ns))
