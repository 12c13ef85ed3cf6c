"""What the interface itself does: batches, records and joining."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.engine.capture import make_batch
from analyzer.protocols import PROTOCOLS
from analyzer.protocols.base import Datagram, DatagramBatch, Protocol, Reading
from analyzer.store.rows import Rows
from tests.protocols.pong import CODEC, PONG

DATAGRAMS = [
    Datagram(3, 1000, 0, b"abc", 3),
    Datagram(7, 2000, 1, b"", 9),
    Datagram(8, 3000, 0, b"de", 2),
]


class Listed(Reading):
    """Keeps what it is given."""

    def __init__(self, rows: Rows) -> None:
        super().__init__(rows)
        self.seen: list[tuple[int, Datagram]] = []

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


def test_a_batch_may_share_its_buffer() -> None:
    numbers = np.array([0, 1])
    ends = np.array([1, 1])
    batch = DatagramBatch(numbers, numbers, numbers.astype(np.int8), np.array([2, 0]), ends, ends, b"xyz")
    assert [datagram.payload for datagram in batch] == [b"z", b"x"]


def test_a_reading_begins_a_packet_for_each_datagram() -> None:
    rows = Rows(0, 0)
    reading = Listed(rows)
    reading.feed(make_batch(DATAGRAMS))
    assert reading.seen == [(datagram.packet, datagram) for datagram in DATAGRAMS]
    assert [late.packet for late in rows.packets] == [3, 7, 8]
    reading.failed()
    assert len(rows.packets) == 3


@pytest.mark.parametrize(
    ("parts", "joined"),
    [
        ({0: b"abc"}, (b"abc", (0,))),
        ({1: b"de", 0: b"abc", 2: b""}, (b"abcde", (0, 3, 5))),
        ({1: b"de", 0: b"", 5: b"not announced"}, (b"de", (0, 0))),
    ],
)
def test_parts_are_joined_one_after_the_other(parts: dict[int, bytes], joined: tuple[bytes, tuple[int, ...]]) -> None:
    assert CODEC.join(parts, len(joined[1])) == joined


@pytest.mark.parametrize("protocol", [*PROTOCOLS, PONG], ids=lambda protocol: protocol.name)
def test_every_protocol_says_what_its_numbers_mean(protocol: Protocol) -> None:
    assert protocol.packet_kinds[0] == "undecided"
    assert protocol.packet_codes[0] == ""
    assert all(": " in code for code in protocol.packet_codes[1:])
    for names in (protocol.packet_kinds, protocol.snapshot_kinds, [code.name for code in protocol.codes]):
        assert len(set(names)) == len(names) <= 256
    row = dict.fromkeys(("detail", "detail2", "base_tick", "parts", "crc_wire", "crc_computed"), 7)
    for code in protocol.codes:
        assert code.text.format(**row, missing="1, 2")
