"""When garbage in cycles is looked for."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from capture_files import SAMPLE

from analyzer.engine.capture import Capture
from analyzer.engine.garbage import no_collection, set_aside, take_back


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


class Ring:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.self = self


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


def test_what_was_set_aside_is_found_later() -> None:
    ring = weakref.ref(Ring())
    assert ring() is not None
    set_aside()
    gc.collect()
    assert ring() is not None
    take_back()
    gc.collect()
    assert ring() is None


def test_a_closed_capture_leaves_nothing_aside() -> None:
    with Capture.open(SAMPLE) as capture:
        capture.decode()
        ring = weakref.ref(Ring())
        assert gc.get_freeze_count() > 0
    gc.collect()
    assert ring() is None
    assert gc.get_freeze_count() == 0
