"""The store of bases: retention by ticks and by memory, and the causes of failures."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analyzer.snapshots.bases import MAX_STORE_BYTES, MAX_WAITING, RETENTION_TICKS, Base, Bases, Cause
from analyzer.snapshots.status import LostBy

NEWEST = 10_000
OLDEST = NEWEST - RETENTION_TICKS
"""The oldest tick that the retention keeps."""


def base(local: int = 0, size: int = 100) -> Base[str]:
    return Base(local, "state", size, 0, True)


def stored(*ticks: int) -> Bases[str]:
    bases: Bases[str] = Bases()
    for tick in ticks:
        bases.put(tick, base(tick))
    return bases


def test_a_base_by_its_tick() -> None:
    bases = stored(4, 6)
    assert bases.get(6) == base(6)
    assert bases.get(8) is None


def test_retention() -> None:
    bases = stored(OLDEST - 1, OLDEST, NEWEST)
    bases.purge(NEWEST)
    assert [tick for tick in (OLDEST - 1, OLDEST, NEWEST) if bases.get(tick)] == [OLDEST, NEWEST]
    assert bases.dropped(OLDEST - 1)
    assert not bases.dropped(OLDEST)


def test_the_acknowledged_base_stays_until_the_next() -> None:
    bases = stored(10, 12, NEWEST)
    bases.acknowledge(10)
    bases.purge(NEWEST)
    assert bases.get(10) is not None
    assert bases.get(12) is None
    bases.acknowledge(NEWEST)
    bases.purge(NEWEST)
    assert bases.get(10) is None


def test_a_base_in_use_stays() -> None:
    bases = stored(10, 12, 14, NEWEST)
    bases.use(10, OLDEST)
    bases.use(10, 20)
    bases.use(12, OLDEST - 1)
    bases.purge(NEWEST)
    assert [tick for tick in (10, 12, 14) if bases.get(tick)] == [10]
    bases.purge(NEWEST + 1)
    assert bases.get(10) is None


def test_memory_is_bounded_by_dropping_the_oldest() -> None:
    bases: Bases[str] = Bases()
    third = MAX_STORE_BYTES // 3
    for tick in (NEWEST - 6, NEWEST - 4, NEWEST - 2, NEWEST):
        bases.put(tick, base(size=third))
    bases.purge(NEWEST)
    assert bases.get(NEWEST - 6) is None
    assert all(bases.get(tick) for tick in (NEWEST - 4, NEWEST - 2, NEWEST))
    assert bases.dropped(NEWEST - 6)


def test_the_newest_stays_however_large() -> None:
    bases: Bases[str] = Bases()
    bases.put(NEWEST - 2, base(size=1))
    bases.put(NEWEST, base(size=2 * MAX_STORE_BYTES))
    bases.purge(NEWEST)
    assert bases.get(NEWEST) is not None
    assert bases.get(NEWEST - 2) is None


def test_a_tick_put_again_is_counted_once() -> None:
    bases: Bases[str] = Bases()
    for _ in range(5):
        bases.put(NEWEST - 2, base(size=MAX_STORE_BYTES // 3))
    bases.put(NEWEST, base(size=MAX_STORE_BYTES // 3))
    bases.purge(NEWEST)
    assert bases.get(NEWEST - 2) is not None


def test_causes_of_failed_ticks() -> None:
    bases = stored(NEWEST)
    cause, old = Cause(), Cause()
    bases.fail(NEWEST - 2, cause)
    bases.fail(OLDEST - 2, old)
    assert bases.cause_of(NEWEST - 2) is cause
    assert bases.cause_of(NEWEST) is None
    bases.purge(NEWEST)
    assert bases.cause_of(NEWEST - 2) is cause
    assert bases.cause_of(OLDEST - 2) is None
    bases.put(NEWEST - 2, base())
    assert bases.cause_of(NEWEST - 2) is None


def test_a_cause_gives_way_to_the_first_of_its_chain() -> None:
    bases: Bases[str] = Bases()
    old, new, other = Cause(), Cause(), Cause()
    for tick, cause in ((2, old), (4, other), (6, old)):
        bases.fail(tick, cause)
    bases.replace_cause(old, new)
    causes = [bases.cause_of(tick) for tick in (2, 4, 6)]
    assert causes[0] is causes[2] is new
    assert causes[1] is other


def test_rows_wait_for_a_cause_until_it_is_settled() -> None:
    cause = Cause()
    assert (cause.local, cause.lost_by) == (-1, LostBy.UNKNOWN)
    for local in range(MAX_WAITING + 3):
        cause.wait(local)
    assert cause.waiting == list(range(MAX_WAITING))
    cause.settle()
    cause.wait(7)
    assert (cause.waiting, cause.settled) == ([], True)


def test_a_rest_drops_everything() -> None:
    bases = stored(NEWEST - 2, NEWEST)
    bases.fail(NEWEST - 4, Cause())
    bases.acknowledge(NEWEST)
    bases.use(NEWEST - 2, NEWEST)
    bases.forget()
    assert (bases.get(NEWEST), bases.get(NEWEST - 2), bases.cause_of(NEWEST - 4)) == (None, None, None)
    assert bases.dropped(NEWEST)
    for tick in range(NEWEST + 2, NEWEST + 8, 2):
        bases.put(tick, base(size=MAX_STORE_BYTES // 3))
    bases.purge(NEWEST + 6)
    assert all(bases.get(tick) for tick in range(NEWEST + 2, NEWEST + 8, 2))


@given(st.lists(st.tuples(st.integers(0, 3000), st.booleans()), max_size=60))
def test_within_the_retention_nothing_is_lost(steps: list[tuple[int, bool]]) -> None:
    bases: Bases[str] = Bases()
    newest, put = 0, set()
    for tick, purge in steps:
        newest = max(newest, tick)
        bases.put(tick, base(tick))
        put.add(tick)
        if purge:
            bases.purge(newest)
    bases.purge(newest)
    for tick in put:
        assert (bases.get(tick) is not None) == (tick >= newest - RETENTION_TICKS)
        assert bases.dropped(tick) or bases.get(tick) is not None
