"""Batches of datagrams, and what a reading does with them by itself."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.protocols.flow import REST_NS, Datagram, DatagramBatch, Reading
from analyzer.store.rows import Rows
from tests.row_views import packets

DATAGRAMS = [
    Datagram(3, 1000, 0, b"abc", 3),
    Datagram(7, 2000, 1, b"", 9),
    Datagram(8, 3000, 0, b"de", 2),
]


def make_batch(datagrams: list[Datagram], clock_ns: list[int] | None = None) -> DatagramBatch:
    """Datagrams over one buffer; the capture's clock is their own time if it is not given."""
    lengths = np.array([len(datagram.payload) for datagram in datagrams], dtype=np.int64)
    times = np.array([datagram.time_ns for datagram in datagrams], dtype=np.int64)
    return DatagramBatch(
        packet=np.array([datagram.packet for datagram in datagrams], dtype=np.int64),
        time_ns=times,
        direction=np.array([datagram.direction for datagram in datagrams], dtype=np.int8),
        offset=np.cumsum(lengths) - lengths,
        length=lengths,
        udp_length=np.array([datagram.udp_length for datagram in datagrams], dtype=np.int64),
        clock_ns=times if clock_ns is None else np.array(clock_ns, dtype=np.int64),
        buffer=b"".join(datagram.payload for datagram in datagrams),
    )


class Listed(Reading):
    """Keeps what it is given, and behind which packets it rested."""

    def __init__(self, rows: Rows) -> None:
        super().__init__(rows)
        self.seen: list[tuple[int, Datagram]] = []
        self.rests: list[int] = []

    def rest(self) -> None:
        self.rests.append(self.rows.packet.packet)

    def receive(self, datagram: Datagram) -> None:
        self.seen.append((self.rows.packet.packet, datagram))

    def finish(self) -> None:
        pass


def test_a_batch_gives_its_datagrams_back() -> None:
    batch = make_batch(DATAGRAMS)
    assert len(batch) == 3
    assert list(batch) == DATAGRAMS


@pytest.mark.parametrize(("packet", "left"), [(2, [3, 7, 8]), (3, [7, 8]), (5, [7, 8]), (8, []), (9, [])])
def test_what_comes_after_a_packet(packet: int, left: list[int]) -> None:
    after = make_batch(DATAGRAMS).after(packet)
    assert list(after) == [datagram for datagram in DATAGRAMS if datagram.packet in left]


def test_a_datagram_is_cut_where_bytes_are_missing() -> None:
    assert [datagram.cut for datagram in DATAGRAMS] == [False, True, False]


def test_a_reading_begins_a_packet_for_each_datagram() -> None:
    rows = Rows(0, 0)
    reading = Listed(rows)
    reading.feed(make_batch(DATAGRAMS))
    assert reading.seen == [(datagram.packet, datagram) for datagram in DATAGRAMS]
    assert [late.packet for late in packets(rows)] == [3, 7, 8]
    reading.failed()
    assert len(packets(rows)) == 3


@pytest.mark.parametrize(("silence", "rests"), [(REST_NS, []), (REST_NS + 1, [3])])
def test_a_reading_rests_in_a_long_silence(silence: int, rests: list[int]) -> None:
    """By the capture's clock, also over the border of two batches."""
    clock = [5000, 5000 + silence, 5001 + silence]
    whole, halves = Listed(Rows(0, 0)), Listed(Rows(0, 0))
    whole.feed(make_batch(DATAGRAMS, clock))
    halves.feed(make_batch(DATAGRAMS[:1], clock[:1]))
    halves.feed(make_batch(DATAGRAMS[1:], clock[1:]))
    assert whole.rests == halves.rests == rests
