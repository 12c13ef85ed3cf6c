"""When garbage in cycles is looked for."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest

from analyzer.engine.garbage import lasting, no_collection


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    gc.unfreeze()
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


class Ring:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.self = self


def test_what_lasts_is_not_looked_at_and_what_comes_later_is() -> None:
    with lasting():
        assert not gc.isenabled()
        before = weakref.ref(Ring())
    after = weakref.ref(Ring())
    gc.collect()
    assert gc.isenabled()
    assert before() is not None
    assert after() is None
