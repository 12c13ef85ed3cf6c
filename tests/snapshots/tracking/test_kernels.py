"""The functions compiled against the same functions as they are: equal answers and equal arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.snapshots.tracking import acks, kernels, parts, ticks
from analyzer.snapshots.tracking.columns import (
    ACK_PACKET,
    CHAIN_LENGTH,
    COLLECTOR,
    DONE,
    ENDED,
    FACTOR,
    GIVEN_UP,
    LOCAL,
    MAX_OPEN,
    N_ACKS,
    N_DONE,
    N_TICKS,
    N_UNPASSED,
    NONE,
    OPEN,
    RETENTION_TICKS,
    SEEN,
    Track,
)
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.row_columns import N_AMENDMENTS

NAMES = {
    function.__name__: function
    for function in (
        *(ticks.has_room, ticks.find, ticks.flags_of, ticks.see, ticks.refer, ticks.put_base, ticks.block_due),
        *(ticks.pay, ticks.nothing_beside, ticks.purge, parts.fate, parts.open_collector, parts.agree, parts.hold),
        *(parts.missing, parts.bytes_of, parts.close_collector, parts.end, parts.overdue, acks.watch, acks.believe),
        *(acks.acknowledge, acks.ack_bears_on_causes),
    )
}
Step = tuple[str, int, int, int, int]
NEAR = st.integers(1000, 1040)
TICK = NEAR | NEAR | NEAR | st.integers(0, 3000) | st.integers(-0x80000000, 0x7FFFFFFF)
STEP = st.tuples(
    st.sampled_from(("part", "part", "part", "ack", "ack", "refer", "watch", "purge", "mark", "block")),
    TICK,
    st.integers(0, 3),
    st.integers(1, 4),
    st.integers(0, 2),
)


class Driven:
    """A tracker that is driven by one of the two."""

    def __init__(self, *, compiled: bool) -> None:
        self.tracker = Tracker()
        self.tracker.numbers[FACTOR] = 0x9E3779B1
        self.compiled = compiled
        self.answers: list[object] = []
        self.amendments = np.zeros((500, 3), np.int64)
        self.counts = np.zeros(8, np.int64)

    def call(self, name: str, *arguments: object) -> int:
        """Its answer, which is noted."""
        plain: Callable[..., int] = NAMES[name]
        function = getattr(kernels, name) if self.compiled else plain
        answer: int = function(self.tracker.arrays if self.compiled else self.tracker.track, *arguments)
        self.answers.append((name, answer))
        return answer

    def step(self, kind: str, tick: int, number: int, announced: int, digest: int) -> None:
        self.call("has_room")
        self.tracker.make_room()
        track = self.tracker.track
        if kind == "part":
            self._part(track, tick, number % announced, announced, digest)
        elif kind == "ack" and tick >= 0:
            self._acknowledge(track, tick, digest)
        elif kind == "refer":
            self.call("refer", max(0, tick - announced), tick)
        elif kind == "purge":
            if self.call("nothing_beside"):
                self.call("purge")
        elif kind == "mark":
            self.call("flags_of", tick)
        elif kind == "block":
            self.call("block_due", CHAIN_LENGTH - 1 + number, announced, 1000 * digest)
            self.call("pay", announced, 1000 * digest)

    def _part(self, track: Track, tick: int, part: int, announced: int, digest: int) -> None:
        late = self.call("see", tick)
        fate = self.call("fate", tick, part, digest)
        if fate >= ENDED:
            return
        collector = track.ticks[ticks.find(track, tick), COLLECTOR] if ticks.find(track, tick) >= 0 else NONE
        if collector < 0:
            collector = self.call("open_collector", tick)
        self.call("agree", collector, tick - 2, announced, digest, 0, bool(late))
        self.call("hold", collector, part, 5 * tick, part, announced, 100, digest)
        self.call("bytes_of", collector)
        if self.call("missing", collector) < 0:
            self.call("close_collector", collector)
            self.call("watch", tick, tick & 0xFFFF, digest == 1)
            self.call("put_base", tick, tick & 0xFFFF, 100, 0, digest > 0, digest, 3)
            self.call("end", collector, tick & 0xFFFF)
        while (overdue := self.call("overdue", track.numbers[SEEN] - RETENTION_TICKS)) >= 0:
            self.call("close_collector", overdue)
            track.ticks[ticks.enter(track, track.collectors[overdue, 1]), GIVEN_UP] = 1

    def _acknowledge(self, track: Track, tick: int, packet: int) -> None:
        if not self.call("believe", tick):
            return
        entry = self.call("find", tick)
        self.call("ack_bears_on_causes", tick)
        if entry < 0 or track.ticks[entry, ACK_PACKET] < 0:
            self.counts[N_AMENDMENTS] = 0
            rows = (self.amendments, self.counts)
            amendments, counts = rows if self.compiled else (rows[0].data, rows[1].data)
            self.call("acknowledge", tick, packet, amendments, counts)
            self.answers.append(self.amendments[: self.counts[N_AMENDMENTS]].tolist())

    def in_use(self) -> dict[str, list[object]]:
        """All that is in use of every array; what is behind it may be anything."""
        arrays, numbers = self.tracker.arrays, self.tracker.numbers
        used = {
            "numbers": arrays.numbers,
            "ticks": arrays.ticks[: numbers[N_TICKS]],
            "places": arrays.places,
            "acks": arrays.acks[: numbers[N_ACKS]],
            "unpassed": arrays.unpassed[: numbers[N_UNPASSED]],
            "done": arrays.done[: numbers[N_DONE]],
        }
        found = {name: np.asarray(array).tolist() for name, array in used.items()}
        for collector in range(MAX_OPEN + 1):
            if self.tracker.track.collectors[collector, OPEN]:
                found[f"collector {collector}"] = np.asarray(arrays.collectors[collector]).tolist()
                announced = self.tracker.track.collectors[collector, 3]
                lengths = [self.tracker.track.parts[collector, part, 2] for part in range(announced)]
                held = [part for part, length in enumerate(lengths) if length >= 0]
                found[f"parts {collector}"] = [np.asarray(arrays.parts[collector, part]).tolist() for part in held]
        return found


@settings(max_examples=150)
@given(st.lists(STEP, max_size=80))
def test_compiled_and_as_they_are(steps: list[Step]) -> None:
    plain, compiled = Driven(compiled=False), Driven(compiled=True)
    for step in steps:
        for driven in (plain, compiled):
            driven.step(*step)
        assert plain.in_use() == compiled.in_use()
    assert plain.answers == compiled.answers


def test_the_steps_do_something() -> None:
    """A snapshot in two parts, acknowledged, referred to, outdated."""
    for compiled in (False, True):
        driven = Driven(compiled=compiled)
        for step in [
            ("part", 1000, 0, 2, 0),
            ("part", 1000, 1, 2, 0),
            ("ack", 1000, 0, 1, 2),
            ("refer", 1002, 0, 2, 0),
        ]:
            driven.step(*step)
        track = driven.tracker.track
        entry = ticks.find(track, 1000)
        assert [track.ticks[entry, column] for column in (LOCAL, DONE, ACK_PACKET)] == [1000, 1000, 2]
        driven.step("part", 3000, 0, 2, 0)
        driven.step("ack", 3000, 0, 1, 0)
        driven.step("purge", 0, 0, 1, 0)
        assert ticks.find(track, 1000) == NONE


def test_every_compiled_name_is_driven() -> None:
    assert {name for name in vars(kernels) if callable(vars(kernels)[name]) and not name.startswith("_")} == {
        *NAMES,
        "Compiled",
    }
