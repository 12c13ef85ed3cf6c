"""Packets and bytes of stretches of time, of one session and of all."""

from __future__ import annotations

import numpy as np
import pytest
from capture_files import BUNDLED

from analyzer.engine.capture import Capture
from analyzer.stats.rates import PacketRates
from tests.stats.hand_made import tables


def test_by_hand() -> None:
    rates = PacketRates(tables())
    rates.update()
    packets, sizes = rates.counts(-1, np.array([0.0, 1.0, 2.0, 3.0]))
    assert (packets.tolist(), sizes.tolist()) == ([2, 1, 2], [30, 30, 145])
    packets, sizes = rates.counts(1, np.array([0.0, 1.0, 2.0, 3.0]))
    assert (packets.tolist(), sizes.tolist()) == ([2, 0, 1], [30, 0, 140])


@pytest.mark.parametrize("name", ["serverinfo_and_play_head.pcap", "ddnet_dm2_reconnect_mapchange.pcap"])
def test_followed_in_small_batches(name: str) -> None:
    with Capture.open(BUNDLED / name, batch=7) as opened:
        rates, more = PacketRates(opened.tables), True
        while more or not rates.is_current:
            more = not opened.finished and opened.step()
            before = len(rates)
            rates.update(5)
            assert len(rates) <= before + 5
            rates.counts(0, np.array([0.0, 1.0]))
        made = opened.tables
    times = made.frames.integers("time_ns")[made.packets.integers("frame")]
    seconds, edges = (times - times[0]) / 1e9, np.arange(0.0, 40.0, 0.5)
    sizes, owners = made.packets.integers("udp_length"), made.packets.integers("session")
    for session in (-1, 0, 1):
        own = owners == session if session >= 0 else np.ones(len(owners), np.bool_)
        packets, total = rates.counts(session, edges)
        assert packets.sum() > 0
        assert packets.tolist() == np.histogram(seconds[own], edges)[0].tolist()
        assert total.tolist() == np.histogram(seconds[own], edges, weights=sizes[own])[0].tolist()
