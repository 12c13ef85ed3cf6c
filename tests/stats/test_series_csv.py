"""A row a snapshot; what is not known stays empty, and names are quoted where they must be."""

from __future__ import annotations

import csv
import io

import numpy as np

from analyzer.stats.series import SnapshotSeries
from analyzer.stats.series_csv import HEAD, excerpt, write_csv
from tests.stats.hand_made import tables


def test_rows() -> None:
    made = tables()
    series = SnapshotSeries(made)
    series.update()
    text = write_csv(excerpt(made, series, np.array([2, 1, 3, 4])), lambda session: f'player, "{session}"')
    assert list(csv.reader(io.StringIO(text))) == [
        list(HEAD),
        ["1.500000", 'player, "2"', "2", "50", "30", "20", "1", "5", "", "", "ok"],
        ["2.000000", 'player, "1"', "1", "10", "160", "100", "2", "30", "", "", "ok"],
        ["2.000000", 'player, "1"', "1", "12", "140", "40", "1", "30", "0.000", "", "crc"],
        ["2.000000", 'player, "1"', "1", "14", "140", "40", "1", "", "", "", "no-base"],
    ]
