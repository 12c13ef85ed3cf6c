"""What is kept of rows as they come follows when flows are read anew: it equals what is derived from all at once."""

from __future__ import annotations

import numpy as np
import pytest
from capture_files import BUNDLED

from analyzer.engine.capture import Capture
from analyzer.engine.pins import NO_PINS, NOT_DECODED, Choice, Pin, Pins, Place
from analyzer.stats.clients import KnownClients, client_stats
from analyzer.stats.rates import PacketRates
from analyzer.stats.series import Metric, SnapshotSeries
from analyzer.stats.snapshots import RebuiltCounter

PCAP = BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap"
WISHES = [
    Pins((Pin(Place("8303"), Choice("teeworlds", "0.6.5")),)),
    NO_PINS,
    Pins((Pin(Place("127.0.0.1:8303", "127.0.0.1:42000"), NOT_DECODED),)),
    Pins((Pin(Place("8303"), Choice("teeworlds", "ddnet")),)),
]


def drawn(series: SnapshotSeries) -> list[tuple[int, float, float]]:
    """Session, time and size of what counts, in the order of time."""
    rows = series.rows()
    columns = (series.session[rows], series.time_s[rows], series.values(Metric.WIRE_BYTES)[rows])
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("batch", [97, 1024])
def test_kept_numbers_follow(batch: int) -> None:
    with Capture.open(PCAP, batch=batch, strict=True, compiled=False) as capture:
        tables = capture.tables
        known, series, rates = KnownClients(tables), SnapshotSeries(tables), PacketRates(tables)
        capture.decode()
        known.update()
        series.update()
        rates.update()
        first = RebuiltCounter(tables).counts()
        for pins in WISHES:
            capture.pin(pins)
            while capture.is_rereading:
                capture.step()
                series.update()
                rates.update()
                known.update()
            fresh = SnapshotSeries(tables)
            fresh.update()
            assert drawn(series) == drawn(fresh)
            assert client_stats(tables, known).stats == client_stats(tables).stats
            others = PacketRates(tables)
            others.update()
            edges = np.sort(series.time_s[:: max(1, len(series) // 10)])
            for session in (-1, *(client.session for client in client_stats(tables).stats)):
                for mine, theirs in zip(rates.counts(session, edges), others.counts(session, edges), strict=True):
                    assert mine.tolist() == theirs.tolist()
        capture.pin(NO_PINS)
        capture.decode()
        assert RebuiltCounter(tables).counts() == first
