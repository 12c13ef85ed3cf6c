"""The rows of many groups at once, each group's together."""

from __future__ import annotations

import numpy as np

from analyzer.stats.live import Ints


def stable_order(groups: Ints) -> Ints:
    """The rows ordered by their group numbers, from 0, and in their own order within a group, shape (n,)."""
    # Numbers of 16 bits are sorted in one pass over them.
    small = not len(groups) or int(groups.max()) <= 0xFFFF
    return np.argsort(groups.astype(np.uint16) if small else groups, kind="stable")
