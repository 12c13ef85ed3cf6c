"""When garbage in cycles is looked for."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from dataclasses import replace

import pytest
from capture_files import BUNDLED

from analyzer.engine.change_tree import change_tree
from analyzer.engine.garbage import no_collection, set_aside, take_back
from analyzer.engine.worker import Worker
from analyzer.protocols.flow import Reading, Verdict
from analyzer.protocols.teeworlds import PROTOCOL
from analyzer.store.rows import Rows

WAIT_S = 60.0


class Thing:
    """Something that can be closed."""


class Ring:
    """Refers to itself, so that only a collection frees it."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    take_back(Thing())
    yield
    take_back(Thing())
    gc.enable()


def test_pauses_nest_over_threads() -> None:
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with no_collection():
            inside.set()
            leave.wait()

    thread = threading.Thread(target=other)
    with no_collection():
        thread.start()
        inside.wait()
        with no_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert gc.isenabled()


def test_a_pause_ends_with_an_exception_and_changes_nothing_that_was_off() -> None:
    with pytest.raises(KeyError), no_collection():
        raise KeyError
    assert gc.isenabled()
    gc.disable()
    with no_collection():
        pass
    assert not gc.isenabled()


def is_collected(ring: weakref.ref[Ring]) -> bool:
    gc.collect()
    return ring() is None


def test_what_is_set_aside_is_found_again_when_something_is_closed() -> None:
    ring = weakref.ref(kept := Ring())
    set_aside()
    del kept
    assert gc.get_freeze_count()
    assert not is_collected(ring)
    take_back(Thing())
    assert not gc.get_freeze_count()
    assert is_collected(ring)


def test_what_was_made_since_is_set_aside_too_where_it_is_wanted() -> None:
    set_aside()
    before = gc.get_freeze_count()
    rings = [Ring() for _ in range(100)]
    set_aside()
    assert gc.get_freeze_count() == before
    set_aside(anew=True)
    assert gc.get_freeze_count() >= before + len(rings)


def test_what_was_closed_is_never_set_aside() -> None:
    ring = weakref.ref(Ring())
    assert ring() is not None
    set_aside()
    assert gc.get_freeze_count()
    assert ring() is None


def test_what_is_closed_and_in_use_is_waited_for() -> None:
    closed = Thing()
    take_back(closed)
    set_aside()
    assert not gc.get_freeze_count()
    del closed
    set_aside()
    assert gc.get_freeze_count()


def test_nobody_looks_again_before_something_has_gone() -> None:
    looks: list[str] = []
    note = lambda phase, _info: looks.append(phase)  # noqa: E731
    thing, other = Thing(), Thing()
    take_back(thing)
    take_back(other)
    set_aside(patiently=True)
    gc.callbacks.append(note)
    try:
        gc.disable()
        set_aside(patiently=True)
        assert not looks
        assert gc.get_freeze_count() == 0
        del thing
        set_aside(patiently=True)
        assert looks
        looks.clear()
        set_aside()
        assert looks, "at the end in any case"
        del other
        set_aside(patiently=True)
        assert gc.get_freeze_count()
    finally:
        gc.callbacks.remove(note)


def test_what_is_closed_goes_with_what_is_in_a_ring_with_it() -> None:
    closed = Ring()
    ring = weakref.ref(closed)
    take_back(closed)
    del closed
    set_aside()
    assert ring() is None
    assert gc.get_freeze_count()


def test_closed_captures_are_freed() -> None:
    """Readings hold the most, and are in rings; the next capture is open by then."""
    left: list[weakref.ref[object]] = []

    def open_reading(rows: Rows, verdict: Verdict) -> Reading:
        reading = PROTOCOL.open_reading(rows, verdict)
        left.append(weakref.ref(reading))
        return reading

    noted = replace(PROTOCOL, open_reading=open_reading)
    before: Worker | None = None
    for name in ("ddnet_ctf4_ipv6_head.pcap", "ddnet_dm6_snaplen220.pcap", "ddnet_dm2_reconnect_mapchange.pcap"):
        worker = Worker.open(BUNDLED / name, protocols=[noted])
        left += [weakref.ref(worker.capture), weakref.ref(worker.capture.tables)]
        decode(worker)
        assert gc.get_freeze_count()
        if before is not None:
            close(before)
        before = worker
    close(worker)
    del worker, before
    gc.collect()
    assert len(left) > 6
    assert [one for one in left if one() is not None] == []


def decode(worker: Worker) -> None:
    """To the end, with an answer given and all set aside."""
    answered = threading.Event()
    worker.start()
    assert worker.decoded.wait(WAIT_S)
    tables = worker.capture.tables
    worker.ask("tree", lambda query: change_tree(query, tables, 0), lambda tree: answered.set(), pytest.fail)
    assert answered.wait(WAIT_S)
    set_aside()


def close(worker: Worker) -> None:
    worker.close()
    assert worker.wait(WAIT_S)
