"""Whatever comes in whatever portions, and is amended in whatever order, the overview is as of all at once."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.base import SessionFacts
from analyzer.snapshots.status import LostBy, Status
from analyzer.stats.binned import band_bins, lane_bins
from analyzer.stats.range_stats import range_stats
from analyzer.stats.strip import Window, band_of, strip_of
from analyzer.stats.timeline import Timeline
from analyzer.store.tables import SNAPSHOTS, Tables

FLOWS = 3
READINGS = 6
"""Two for each flow."""
SPAN_NS = 400_000_000_000
WINDOWS = [Window(0, SPAN_NS, 7000), Window(0, SPAN_NS, 600), Window(-5, SPAN_NS + 5, 9), Window(10**9, 9 * 10**10, 50)]

STATUSES = [*Status, *[Status.OK] * 6, *[Status.NO_BASE] * 6, *[Status.INCOMPLETE] * 3]
AMENDED = ["base", "base", "cause", "lost_by", "lost_by", "acked_packet", "alive"]
STEP = st.tuples(st.sampled_from(["add", "amend", "look"]), st.integers(1, 40))


def begun() -> Tables:
    """Two readings of each of some flows, a session each; no snapshots."""
    made = Tables()
    made.flows.append(
        {
            "address_a": [f"10.0.0.{flow}:5000" for flow in range(FLOWS)],
            "address_b": ["10.0.0.9:8303"] * FLOWS,
            "first_packet": [FLOWS - flow for flow in range(FLOWS)],
        },
        FLOWS,
    )
    numbers = range(READINGS)
    made.readings.append(
        {
            "flow": [number % FLOWS for number in numbers],
            "protocol": ["toy"] * READINGS,
            "dialect": ["toy"] * READINGS,
            "number": [number // FLOWS for number in numbers],
            "alive": [True] * READINGS,
        },
        READINGS,
    )
    made.sessions.append(
        {
            "reading": numbers,
            "number": [0] * READINGS,
            "dialect": ["toy"] * READINGS,
            "facts": [SessionFacts("toy")] * READINGS,
            "first_packet": [0] * READINGS,
        },
        READINGS,
    )
    add_packets(made, [0], [0])
    made.publish()
    return made


def add_packets(made: Tables, times: Sequence[int], sessions: Sequence[int]) -> None:
    count, first = len(times), made.frames.appended
    zeros = [0] * count
    frames = {"time_ns": times, **dict.fromkeys(("offset", "captured", "original", "interface", "kind"), zeros)}
    made.frames.append(frames, count)
    packets = {
        "frame": range(first, first + count),
        "flow": [session % FLOWS for session in sessions],
        "udp_length": [100] * count,
        "pieces": [1] * count,
        **dict.fromkeys(("direction", "start", "length"), zeros),
    }
    made.packets.append(packets, count)


def add(made: Tables, count: int, chance: Random) -> None:
    """A packet and a snapshot each; mostly one comes after the other."""
    first = made.snapshots.appended
    begin = min(first * SPAN_NS // 400, SPAN_NS)
    times = sorted(begin + chance.randrange(SPAN_NS // 50) for _ in range(count))
    for at in range(count):
        if chance.random() < 0.1:
            times[at] = chance.choice([0, 10**9, chance.randrange(SPAN_NS)])
    sessions = [chance.randrange(READINGS) for _ in range(count)]
    packet = made.packets.appended
    add_packets(made, times, sessions)

    def earlier() -> list[int]:
        return [chance.randrange(-1, first + at) for at in range(count)]

    columns: dict[str, Sequence[object]] = {spec.name: [0] * count for spec in SNAPSHOTS if spec.unset is None}
    columns |= {
        "session": sessions,
        "packet": range(packet, packet + count),
        "status": chance.choices(STATUSES, k=count),
        "base": earlier(),
        "base_tick": [chance.randrange(-1, 3) for _ in range(count)],
        "cause": earlier(),
        "wire_bytes": [chance.randrange(1, 70_000) for _ in range(count)],
        "parts": [chance.randrange(6) for _ in range(count)],
    }
    made.snapshots.append(columns, count)
    made.publish()


def amend(made: Tables, chance: Random) -> None:
    column = "status" if chance.random() < 0.01 else chance.choice(AMENDED)
    if column == "alive":
        made.readings.amend(column, [chance.randrange(READINGS)], [chance.random() < 0.7])
        return
    if not len(made.snapshots):
        return
    row = chance.randrange(len(made.snapshots))
    values = {
        "lost_by": chance.choice([*LostBy]),
        "status": chance.choice(STATUSES),
        "acked_packet": chance.randrange(len(made.packets)),
    }
    made.snapshots.amend(column, [row], [values.get(column, chance.randrange(-1, row + 1))])


def told(timeline: Timeline) -> list[object]:
    """Everything that it says."""
    flows = timeline.flows.tolist()
    found: list[object] = [flows]
    for flow in flows:
        lane = timeline.lane(flow)
        columns = (lane.rows, lane.time_ns, lane.kind, lane.age_us, lane.size, lane.parts, lane.firsts_ns)
        found.append([column.tolist() for column in columns])
        bins = lane_bins(lane, 700_000_000)
        found.append([bins.numbers.tolist(), bins.counts.tolist(), bins.worst.tolist(), bins.age_us.tolist()])
    for window in WINDOWS:
        strip = strip_of(timeline, flows, window, least=True)
        assert strip.least_us is not None
        found += [values.tobytes() for values in (strip.kind, strip.age_us, strip.least_us)]
        found.append(band_of(timeline, window).bytes.tolist())
        found.append(range_stats(timeline, window.start_ns, window.stop_ns))
        worst = [timeline.lane(flow).worst(window.start_ns, window.stop_ns) for flow in flows]
        found.append(worst)
    found.append(band_bins(timeline, flows, 10**9).bytes.tolist())
    return found


@given(st.lists(STEP, min_size=8, max_size=24), st.integers(0, 1 << 32))
def test_steps_change_nothing(steps: list[tuple[str, int]], seed: int) -> None:
    made, chance = begun(), Random(seed)
    timeline = Timeline(made)
    for what, number in steps:
        if what == "add":
            add(made, number, chance)
        elif what == "amend":
            for _ in range(min(number, 3)):
                amend(made, chance)
        else:
            timeline.update(None if number % 2 else number)
            told(timeline)
    while not timeline.is_current:
        timeline.update(7)
    timeline.update()
    fresh = Timeline(made)
    fresh.update()
    assert told(timeline) == told(fresh)
    assert timeline.nbytes >= 22 * sum(len(timeline.lane(flow)) for flow in timeline.flows.tolist())
