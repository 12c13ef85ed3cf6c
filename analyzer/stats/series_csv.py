"""The numbers of snapshots as CSV, one row each: what a person copies out of the charts."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.snapshots.status import Status
from analyzer.stats.series import Metric, SnapshotSeries
from analyzer.store.tables import Tables

HEAD = (
    "time_s", "client", "session", "tick", "wire_bytes", "delta_bytes", "parts", "items", "base_age_ms", "ack_ms",
    "status",
)  # fmt: skip
_WHOLE = (Metric.WIRE_BYTES, Metric.DELTA_BYTES, Metric.PARTS, Metric.ITEMS)
_MILLISECONDS = (Metric.BASE_AGE_MS, Metric.ACK_MS)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The numbers of some snapshots, copied: another thread may write them down. Columns of shape (n,)."""

    time_s: list[float]
    session: list[int]
    tick: list[int]
    status: list[int]
    whole: list[list[float]]
    milliseconds: list[list[float]]


def excerpt(tables: Tables, series: SnapshotSeries, rows: NDArray[np.int64]) -> Excerpt:
    """The numbers of snapshot rows, in the order of `rows`."""
    return Excerpt(
        series.time_s[rows].tolist(),
        series.session[rows].tolist(),
        tables.snapshots.take("tick", rows).tolist(),
        tables.snapshots.take("status", rows).tolist(),
        [series.values(metric)[rows].tolist() for metric in _WHOLE],
        [series.values(metric)[rows].tolist() for metric in _MILLISECONDS],
    )


def write_csv(numbers: Excerpt, client: Callable[[int], str]) -> str:
    """A head, then a row a snapshot; `client` names a session. What is not known stays empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    names = {session: client(session) for session in set(numbers.session)}
    columns = zip(numbers.time_s, numbers.session, numbers.tick, numbers.status, strict=True)
    for row, (time_s, session, tick, status) in enumerate(columns):
        writer.writerow(
            (
                f"{time_s:.6f}",
                names[session],
                session,
                tick,
                *("" if math.isnan(column[row]) else int(column[row]) for column in numbers.whole),
                *("" if math.isnan(column[row]) else f"{column[row]:.3f}" for column in numbers.milliseconds),
                Status(status).word,
            )
        )
    return text.getvalue()
