"""Sequence numbers of vital chunks as a bystander sees them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.base import Arrived
from analyzer.protocols.teeworlds.codes import AHEAD, REPEATED, VITAL
from analyzer.protocols.teeworlds.vital import Arrival, Released, VitalStream, in_order

SECOND = 1_000_000_000


def stream_at(last: int) -> VitalStream[str]:
    stream: VitalStream[str] = VitalStream()
    stream.receive(last, "first", 0)
    return stream


def seen_before(last: int, number: int) -> bool:
    """The backroom as a receiver tests it."""
    bottom = last - 512
    if bottom < 0:
        return number <= last or number >= bottom + 1024
    return bottom <= number <= last


@pytest.mark.parametrize("last", [0, 1, 5, 511, 512, 513, 700, 1022, 1023])
def test_every_number_is_next_seen_or_ahead(last: int) -> None:
    for number in range(1024):
        stream = stream_at(last)
        expected = (
            Arrival.NEXT
            if number == (last + 1) % 1024
            else Arrival.REPEATED
            if seen_before(last, number)
            else Arrival.AHEAD
        )
        assert stream.receive(number, "second", 0)[0] is expected, number


def test_the_first_number_of_all_is_in_order() -> None:
    stream: VitalStream[str] = VitalStream()
    assert stream.last is None
    assert stream.receive(700, "a", 0) == (Arrival.NEXT, Released(("a",)))
    assert stream.receive(701, "b", 0) == (Arrival.NEXT, Released(("b",)))


def test_after_a_restart_number_one_is_next() -> None:
    stream = stream_at(700)
    stream.receive(702, "early", 0)
    stream.restart()
    assert stream.last == 0
    assert stream.receive(1, "a", 0) == (Arrival.NEXT, Released(("a",)))
    assert stream.acknowledged(2) == Released()


def test_numbers_wrap_after_1023() -> None:
    stream = stream_at(1022)
    assert [stream.receive(number, str(number), 0) for number in (1023, 0, 1)] == [
        (Arrival.NEXT, Released(("1023",))),
        (Arrival.NEXT, Released(("0",))),
        (Arrival.NEXT, Released(("1",))),
    ]


def test_early_chunks_wait_for_the_missing_one() -> None:
    stream = stream_at(1021)
    assert stream.receive(1, "d", 0) == (Arrival.AHEAD, Released())
    assert stream.receive(1023, "b", 0) == (Arrival.AHEAD, Released())
    assert stream.receive(1022, "a", 0) == (Arrival.NEXT, Released(("a", "b")))
    assert stream.receive(0, "c", 0) == (Arrival.NEXT, Released(("c", "d")))
    assert stream.receive(1, "again", 0) == (Arrival.REPEATED, Released())


def test_an_early_chunk_that_is_repeated_is_processed_once() -> None:
    stream = stream_at(5)
    assert stream.receive(7, "b", 0)[0] is Arrival.AHEAD
    assert stream.receive(7, "b again", 0)[0] is Arrival.AHEAD
    assert stream.receive(6, "a", 0)[1] == Released(("a", "b"))


def test_what_the_peer_has_was_lost_by_the_capture() -> None:
    stream = stream_at(5)
    stream.receive(8, "c", 0)
    stream.receive(9, "d", 0)
    stream.receive(12, "e", 0)
    assert stream.acknowledged(6) == Released()
    assert stream.acknowledged(7) == Released(("c", "d"), (6, 7))
    assert stream.acknowledged(12) == Released(("e",), (10, 11))
    assert stream.last == 12


def test_one_acknowledgement_gives_up_all_gaps_below_it() -> None:
    stream = stream_at(1020)
    stream.receive(1022, "a", 0)
    stream.receive(0, "b", 0)
    assert stream.acknowledged(2) == Released(("a", "b"), (1021, 1023))


@pytest.mark.parametrize(("ack", "believed"), [(100, False), (99, False), (102, True), (612, True), (613, False)])
def test_an_acknowledgement_more_than_512_ahead_is_an_old_one(ack: int, believed: bool) -> None:
    stream = stream_at(100)
    stream.receive(103, "c", 0)
    assert stream.acknowledged(ack) == (Released(("c",), (101, 102)) if believed else Released())


def test_an_acknowledgement_without_early_chunks_changes_nothing() -> None:
    stream = stream_at(100)
    assert stream.acknowledged(200) == Released()
    assert stream.last == 100


def test_a_gap_is_given_up_after_twelve_seconds() -> None:
    stream = stream_at(5)
    stream.receive(7, "b", 1 * SECOND)
    assert stream.receive(10, "e", 13 * SECOND) == (Arrival.AHEAD, Released())
    arrival, released = stream.receive(11, "f", 13 * SECOND + 1)
    assert (arrival, released) == (Arrival.AHEAD, Released(("b",), (6,)))
    assert stream.receive(8, "c", 14 * SECOND) == (Arrival.NEXT, Released(("c",)))


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 1023), st.integers(0, 20 * SECOND)),
        max_size=200,
    )
)
def test_no_chunk_is_released_twice(events: list[tuple[bool, int, int]]) -> None:
    stream: VitalStream[int] = VitalStream()
    given, taken = 0, []
    time_ns = 0
    for is_ack, number, later in events:
        time_ns += later
        if is_ack:
            taken += stream.acknowledged(number).chunks
        else:
            taken += stream.receive(number, given, time_ns)[1].chunks
            given += 1
        assert stream.last is None or 0 <= stream.last <= 1023
    assert len(set(taken)) == len(taken)
    assert set(taken) <= set(range(given))


def test_messages_are_taken_in_their_order() -> None:
    came = [
        (1, VITAL),
        (2, VITAL),
        (5, VITAL | AHEAD),
        (6, VITAL | AHEAD),
        (2, VITAL | REPEATED),
        (3, VITAL),
        (4, VITAL),
    ]
    messages = [Arrived(0, sequence, flags) for sequence, flags in came]
    assert [messages[index].sequence for index in in_order(messages)] == [1, 2, 3, 4, 5, 6]
    over_the_end = [Arrived(0, 1, VITAL | AHEAD), Arrived(0, 1023, VITAL), Arrived(0, 0, VITAL)]
    assert in_order(over_the_end) == [1, 2, 0]


def test_a_message_ahead_waits_a_while_only() -> None:
    """Much later the same distance of numbers means the other way round."""
    early = Arrived(0, 700, VITAL | AHEAD)
    assert in_order([early, Arrived(60 * SECOND, 600, VITAL)]) == [0, 1]
    assert in_order([early, Arrived(SECOND, 600, VITAL)]) == [1, 0]
