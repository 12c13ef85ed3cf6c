"""Chosen packets of two maps, with many vital messages between them: the second map must begin in the excerpt too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analyzer.export import selection
from analyzer.protocols.teeworlds.schema import default_schema
from tests.cli.cut_capture import udp_capture
from tests.encoder import chunk, key, message, pack_varints, packet, snapshot
from tests.export.excerpts import assert_same, cut, decoded

SIZES = default_schema().sizes
MAP_CHANGE, CHAT, ENTERGAME, INPUT = 2, 3, 15, 16
FIRST = {key(4, number): (number, 2, 3, 4) for number in range(3)}
SECOND = {key(4, number): (number, 7, 8, 9) for number in range(5)}


class Talk:
    """What a server and a client send each other, with the numbers of their vital messages."""

    def __init__(self) -> None:
        self.payloads: list[bytes] = []
        self.from_server: set[int] = set()
        self.sent = [0, 0]
        """Last vital number of the client and of the server."""

    def say(self, server: bool, *messages: bytes, vital: bool = False) -> int:
        """Send messages in one packet; its place."""
        chunks = []
        for one in messages:
            if vital:
                self.sent[server] += 1
            chunks.append(chunk(one, vital=vital, sequence=self.sent[server] % 1024))
        if server:
            self.from_server.add(len(self.payloads))
        self.payloads.append(packet(chunks, ack=self.sent[1 - server] % 1024))
        return len(self.payloads) - 1

    def map_change(self, name: bytes, *, enters: bool = True) -> None:
        self.say(True, message(MAP_CHANGE, True, name + b"\0" + pack_varints((1, 2))), vital=True)
        if enters:
            self.say(False, message(ENTERGAME, True), vital=True)

    def snap(self, tick: int, base_tick: int, base: dict[int, tuple[int, ...]], new: dict[int, tuple[int, ...]]) -> int:
        (one,) = snapshot(tick, base_tick, base, new, SIZES)
        return self.say(True, one)

    def acknowledge(self, tick: int) -> None:
        self.say(False, message(INPUT, True, pack_varints((tick, tick + 5, 40, *range(10)))))


def talk(between: int, acks_every: int) -> tuple[Talk, list[int]]:
    """Two maps with the same ticks, `between` vital messages between them, and the packets of a few snapshots."""
    found = Talk()
    found.map_change(b"first")
    chosen = [found.snap(100, -1, {}, FIRST), found.snap(102, 100, FIRST, {**FIRST, key(4, 1): (9, 9, 9, 9)})]
    found.acknowledge(102)
    for number in range(between):
        found.say(True, message(CHAT, False, pack_varints((0, 1)) + b"hello\0"), vital=True)
        if number % acks_every == 0:
            found.acknowledge(102)
    # The message of the client's that would do as well was lost.
    found.map_change(b"second", enters=False)
    chosen += [found.snap(100, -1, {}, SECOND), found.snap(102, 100, SECOND, {**SECOND, key(4, 1): (8, 8, 8, 8)})]
    return found, chosen


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    ("between", "acks_every", "most"), [(3, 1, 10), (300, 5, 60), (1500, 5, 70), (3000, 5, 80), (1500, 10_000, 1600)]
)
def test_the_second_map_begins(tmp_path: Path, between: int, acks_every: int, most: int, first: bool) -> None:
    """`most`: packets of the excerpt. Where the client says nothing, all messages between are needed.

    `first`: the first of all is chosen too; without it, a message is in order whatever its number.
    """
    spoken, chosen = talk(between, acks_every)
    chosen += [0] if first else []
    path = tmp_path / "talk.pcap"
    path.write_bytes(udp_capture(spoken.payloads, spoken.from_server, apart_us=1000))
    with decoded(path) as whole:
        assert len(whole.capture.tables.sessions) == 2
        excerpt, saved = cut(
            whole, selection.of_packets(whole.capture.tables, np.array(chosen)), tmp_path / "part.pcapng"
        )
        assert saved.made == 0
        assert len(excerpt.frames) <= (most if first else 5)
        with decoded(tmp_path / "part.pcapng") as part:
            assert assert_same(whole, excerpt, part) == 4
            assert len(part.capture.tables.sessions) == 2


def test_a_repeated_map_change_is_not_taken_for_a_new_one(tmp_path: Path) -> None:
    spoken = Talk()
    spoken.map_change(b"first")
    opener = spoken.payloads[0]
    spoken.snap(100, -1, {}, FIRST)
    spoken.acknowledge(100)
    start = spoken.snap(102, 100, FIRST, SECOND)
    spoken.from_server.add(len(spoken.payloads))
    # The same chunk with the flag of a resend.
    spoken.payloads.append(opener[:3] + bytes((opener[3] | 0x80,)) + opener[4:])
    stop = spoken.snap(104, 102, SECOND, FIRST)
    path = tmp_path / "talk.pcap"
    path.write_bytes(udp_capture(spoken.payloads, spoken.from_server, apart_us=1000))
    with decoded(path) as whole:
        chosen = selection.of_frames(whole.capture.tables, np.arange(start, stop + 1))
        excerpt, saved = cut(whole, chosen, tmp_path / "part.pcapng")
        assert saved.made == 1
        with decoded(tmp_path / "part.pcapng") as part:
            assert assert_same(whole, excerpt, part) == 2
