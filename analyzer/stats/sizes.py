"""Mean, quantiles and maximum of a size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Sizes:
    """How big something was. Quantiles are values that occurred (nearest rank); all None where nothing was counted."""

    count: int
    total: int
    mean: float | None
    p50: int | None
    p95: int | None
    max: int | None


def sizes(values: NDArray[np.int64]) -> Sizes:
    """The sizes of `values`, shape (n,)."""
    if not len(values):
        return Sizes(0, 0, None, None, None, None)
    ordered = np.sort(values)
    return Sizes(
        count=len(ordered),
        total=int(ordered.sum()),
        mean=round(float(ordered.mean()), 2),
        p50=_nearest_rank(ordered, 50),
        p95=_nearest_rank(ordered, 95),
        max=int(ordered[-1]),
    )


def _nearest_rank(ordered: NDArray[np.int64], percent: int) -> int:
    rank = -(-percent * len(ordered) // 100)
    return int(ordered[max(rank, 1) - 1])
