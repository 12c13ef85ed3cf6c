"""A filter on a thread of its own: what it tells, put together, is what evaluating it at once says."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from capture_files import BUNDLED, SAMPLE

from analyzer.engine.capture import Capture
from analyzer.engine.filter_runs import FilterRuns, Verdicts
from analyzer.engine.filtering import registry, view
from analyzer.filters.parse import parse
from analyzer.filters.value_tests import Bools
from analyzer.protocols import PROTOCOLS

FIELDS = registry(PROTOCOLS)
PATIENCE_S = 120.0
GROWN = BUNDLED / "ddnet_tsunami_head.pcapng"


class Listener:
    """Puts together what it is told."""

    def __init__(self, capture: Capture) -> None:
        self.mask: Bools = np.zeros(0, np.bool_)
        self.run = 0
        self.errors: list[Exception] = []
        self.told = 0
        self._news = threading.Condition()
        self.runs = FilterRuns(capture, self._take, self._fail)

    def begin(self, text: str, upto: int) -> None:
        with self._news:
            self.mask = np.zeros(0, np.bool_)
        self.run = self.runs.begin(parse(text, FIELDS), FIELDS, upto)

    def wait_for(self, known: int) -> None:
        with self._news:
            assert self._news.wait_for(lambda: len(self.mask) >= known or self.errors, PATIENCE_S)
        assert not self.errors

    def wait_until_told(self, times: int) -> None:
        with self._news:
            assert self._news.wait_for(lambda: self.told >= times, PATIENCE_S)

    def _take(self, verdicts: Verdicts) -> None:
        with self._news:
            if verdicts.run >= self.run:
                assert verdicts.first == len(self.mask)
                self.mask[verdicts.changed] = verdicts.now
                self.mask = np.concatenate([self.mask, verdicts.mask])
                self.told += 1
                self._news.notify_all()

    def _fail(self, run: int, error: Exception) -> None:
        with self._news:
            self.errors.append(error)
            self._news.notify_all()


def decoded(path: Path) -> Capture:
    capture = Capture.open(path)
    while capture.step():
        pass
    capture.settle()
    return capture


def at_once(capture: Capture, text: str) -> list[bool]:
    query = capture.query()
    try:
        chosen = parse(text, FIELDS)
        found: list[bool] = chosen.packets(view(capture.tables, query, FIELDS), 0, len(capture.tables.packets)).tolist()
        return found
    finally:
        query.close()


@pytest.fixture(scope="module")
def sample() -> Iterator[Capture]:
    capture = decoded(SAMPLE)
    yield capture
    capture.close()


@pytest.fixture
def listener(sample: Capture) -> Iterator[Listener]:
    made = Listener(sample)
    yield made
    made.runs.close()
    for thread in made.runs.threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


@pytest.mark.parametrize(
    "text", ["snapshot.parts >= 1", "message.input.ack_game_tick > 100", "item.Character.x > 0", "frame.number < 0"]
)
def test_stretches_add_up(sample: Capture, listener: Listener, text: str) -> None:
    listener.begin(text, len(sample.tables.packets))
    listener.wait_for(len(sample.tables.packets))
    assert listener.mask.tolist() == at_once(sample, text)


def test_another_filter_replaces_one_that_runs(sample: Capture, listener: Listener) -> None:
    listener.begin("item.Character.x > 0", len(sample.tables.packets))
    listener.begin("snapshot.parts >= 1", len(sample.tables.packets))
    listener.wait_for(len(sample.tables.packets))
    assert listener.mask.tolist() == at_once(sample, "snapshot.parts >= 1")


def test_no_more_packets_than_wanted_are_looked_at(sample: Capture, listener: Listener) -> None:
    listener.begin("snapshot.parts >= 1", 100)
    listener.wait_for(100)
    assert len(listener.mask) == 100
    listener.runs.look(150)
    listener.wait_for(150)
    assert len(listener.mask) == 150


def test_one_that_is_held_goes_on_where_it_was(sample: Capture, listener: Listener) -> None:
    text = "item.Character.x > 0"
    listener.begin(text, len(sample.tables.packets))
    listener.wait_until_told(1)
    listener.runs.hold()
    listener.runs.go_on()
    listener.wait_for(len(sample.tables.packets))
    assert listener.mask.tolist() == at_once(sample, text)


@pytest.mark.parametrize("text", ["snapshot.parts == 2", 'session.player != ""', "snapshot.client_has == acked"])
def test_it_follows_what_becomes_known_later(text: str) -> None:
    capture = Capture.open(GROWN)
    listener = Listener(capture)
    more = True
    listener.begin(text, 0)
    while more:
        more = capture.step()
        listener.runs.look(len(capture.tables.packets))
    capture.settle()
    listener.runs.look(len(capture.tables.packets))
    listener.wait_for(len(capture.tables.packets))
    # Whatever was amended is looked at again when it is asked the next time.
    told = at_once(capture, text)
    for _ in range(1000):
        if listener.mask.tolist() == told:
            break
        listener.runs.look(len(capture.tables.packets))
        threading.Event().wait(0.01)
    assert listener.mask.tolist() == told
    listener.runs.close()
    for thread in listener.runs.threads:
        thread.join(PATIENCE_S)
    capture.close()
