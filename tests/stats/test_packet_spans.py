"""Packets between two moments equal a look at each, whichever blocks they are in."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.stats.packet_spans import BLOCK, PacketSpans
from analyzer.store.tables import Tables

TIMES = 1000


def captured(counts: list[int], seed: int) -> tuple[Tables, PacketSpans]:
    """Packets that come in portions, mostly in order."""
    made, chance = Tables(), Random(seed)
    made.flows.append({"address_a": ["a"] * 3, "address_b": ["b"] * 3, "first_packet": [0] * 3}, 3)
    made.publish()
    spans = PacketSpans(made)
    for count in counts:
        first = made.packets.appended
        zeros = [0] * count
        times = [7 + min(TIMES, (first + at) // 20 + chance.choice([0, 0, 0, 300])) for at in range(count)]
        made.frames.append(
            {"time_ns": times, **dict.fromkeys(("offset", "captured", "original", "interface", "kind"), zeros)}, count
        )
        made.packets.append(
            {
                "frame": range(first, first + count),
                "flow": [chance.randrange(3) for _ in range(count)],
                "udp_length": [chance.randrange(1, 1500) for _ in range(count)],
                "pieces": [1] * count,
                **dict.fromkeys(("direction", "start", "length"), zeros),
            },
            count,
        )
        made.publish()
        spans.update()
    return made, spans


MOMENTS = st.lists(st.tuples(st.integers(-5, TIMES + 5), st.integers(-5, TIMES + 5)), min_size=1, max_size=9)


@settings(max_examples=15)
@given(st.lists(st.integers(0, 3 * BLOCK), max_size=4), st.integers(0, 999), MOMENTS)
def test_equals_a_look_at_each(counts: list[int], seed: int, moments: list[tuple[int, int]]) -> None:
    made, spans = captured(counts, seed)
    assert len(spans) == sum(counts)
    assert spans.nbytes == 24 * (sum(counts) // BLOCK)
    times = made.frames.integers("time_ns")
    times = times - times[0] if len(times) else times
    flows, sizes = made.packets.integers("flow"), made.packets.integers("udp_length")
    assert spans.extent() == ((times.min(), times.max()) if len(times) else (0, 0))
    for start, stop in moments:
        for chosen in (None, [1], [0, 2]):
            within = (times >= start) & (times < stop)
            if chosen is not None:
                within &= np.isin(flows, chosen)
            expected = int(within.sum()), int(sizes[within].sum())
            assert spans.between(start, stop, None if chosen is None else np.array(chosen)) == expected
