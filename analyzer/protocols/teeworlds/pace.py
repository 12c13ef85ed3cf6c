"""How often the server sends to a client, inferred from the ticks of its snapshots and their bases (spec section 15.3).

The state itself is not on the wire. FULL is what uses a base; without one the server has not seen an acknowledgement
yet (INIT, every tenth tick) or lost the acknowledged base (RECOVER, every fiftieth).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.protocols.base import Pace

TICKS_PER_SECOND = 50
INIT_TICKS = 10
RECOVER_TICKS = 50
_LOOKED_AT = 9
"""Snapshots whose distance gives the rate."""


def pace(ticks: NDArray[np.int32], base_ticks: NDArray[np.int32], index: int) -> Pace:
    """State of the server when it sent snapshot `index` of a session; both arrays have shape (n,), n > index >= 0."""
    rate = _rate(ticks, base_ticks, index)
    tick = int(ticks[index])
    if base_ticks[index] >= 0:
        return Pace("FULL", rate, f"tick {tick} has a base, so the server knew an acknowledgement")
    around = _around(ticks, base_ticks, index)
    if (np.abs(around - tick) < INIT_TICKS).sum() > 1:
        return Pace("FULL", rate, f"tick {tick} has no base, but follows too soon for INIT or RECOVER")
    before = np.flatnonzero(base_ticks[:index] >= 0)
    if len(before):
        last = int(ticks[before[-1]])
        return Pace("RECOVER", rate, f"tick {tick} has no base and tick {last} had one: the server no longer held it")
    if (around % RECOVER_TICKS).any() and not (around % INIT_TICKS).any():
        return Pace("INIT", rate, "no snapshot had a base yet, and they come every tenth tick")
    if len(around) > 2 and not (around % RECOVER_TICKS).any():
        return Pace("RECOVER", rate, "no snapshot had a base, and they come every fiftieth tick")
    return Pace("", rate, "no snapshot had a base, and there are too few to tell INIT from RECOVER")


def _around(ticks: NDArray[np.int32], base_ticks: NDArray[np.int32], index: int) -> NDArray[np.int64]:
    """Ticks of the snapshots before and after `index`, and its own, that have no base either and no base between."""
    start, stop = max(0, index - _LOOKED_AT + 1), min(len(ticks), index + _LOOKED_AT)
    based = np.flatnonzero(base_ticks[start:stop] >= 0) + start
    before, after = based[based < index], based[based > index]
    first = int(before[-1]) + 1 if len(before) else start
    end = int(after[0]) if len(after) else stop
    return ticks[first:end].astype(np.int64)


def _rate(ticks: NDArray[np.int32], base_ticks: NDArray[np.int32], index: int) -> float | None:
    """Snapshots a second by the commonest distance of those before that were sent in the same way."""
    start = max(0, index + 1 - _LOOKED_AT)
    alike = (base_ticks[start : index + 1] >= 0) == (base_ticks[index] >= 0)
    others = np.flatnonzero(~alike)
    start += int(others[-1]) + 1 if len(others) else 0
    steps = np.diff(ticks[start : index + 1].astype(np.int64))
    steps = steps[steps > 0]
    if not len(steps):
        return None
    values, counts = np.unique(steps, return_counts=True)
    return TICKS_PER_SECOND / float(values[counts.argmax()])
