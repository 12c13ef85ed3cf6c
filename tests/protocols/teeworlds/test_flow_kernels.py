"""Reading a flow in bulk against reading it plainly: the same rows, whatever happened to real datagrams.

Whole captures are compared in tests/engine/test_bulk_intake.py and tests/test_world.py.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from capture_files import BUNDLED
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine.capture import Capture
from analyzer.engine.payloads import Payloads
from analyzer.protocols.flow import REST_NS, Datagram, DatagramBatch, Verdict
from analyzer.protocols.teeworlds.bulk import BulkReading
from analyzer.protocols.teeworlds.bulk_rebuilder import KEPT_STATES
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.store.rows import Rows
from analyzer.transports.teeworlds import read_packet
from analyzer.transports.teeworlds_packet import COMPRESSED, FLAGS_SIZE, TOKEN_SIZE, PacketKind, TokenPlace
from tests.encoder import chunk, key, packet, snapshot
from tests.protocols.teeworlds.both_readings import Sent, batches, check
from tests.protocols.teeworlds.played import SERVER, SIZES, TOKEN, Played

RUN = 60
"""Datagrams of a case."""


@dataclass(frozen=True)
class Flow:
    """The datagrams of a flow, and what they were read as."""

    verdict: Verdict
    sent: tuple[Sent, ...]

    def plain(self, sent: Sent) -> Sent:
        """A compressed datagram with its payload as it was before."""
        variant = DIALECTS[self.verdict.dialect].variant
        packet = read_packet(sent.payload, variant)
        if not packet.compressed or packet.error is not None or packet.kind is not PacketKind.CHUNKS:
            return sent
        compression = next(bit for _, bit, flag in variant.flag_bits if flag == COMPRESSED)
        # None of these captures has the token of 0.6.5.
        header = FLAGS_SIZE + (TOKEN_SIZE if variant.token_place is TokenPlace.HEADER else 0)
        payload = bytes([sent.payload[0] & ~compression]) + sent.payload[1:header] + packet.payload
        return replace(sent, payload=payload, udp_length=len(payload))


@functools.cache
def flows(name: str) -> tuple[Flow, ...]:
    """The flows of a bundled capture that were read, the longest first."""
    with Capture.open(BUNDLED / name, compiled=False) as capture:
        capture.decode()
        tables, payloads = capture.tables, Payloads(capture.tables, capture.source.file)
        of_flow = tables.packets.array("flow")
        found = []
        for reading in range(len(tables.readings)):
            flow = tables.readings.integer("flow", reading)
            server = tables.flows.integer("server", flow)
            sent = tuple(
                Sent(
                    tables.frames.integer("time_ns", tables.packets.integer("frame", packet)),
                    tables.packets.integer("direction", packet),
                    payloads.payload(packet),
                    tables.packets.integer("udp_length", packet),
                )
                for packet in np.flatnonzero(of_flow == flow).tolist()
            )
            found.append(Flow(Verdict(tables.readings.text("dialect", reading), 1.0, server), sent))
    return tuple(sorted(found, key=lambda flow: -len(flow.sent)))


Change = tuple[str, int, int, int]
"""What is done, to which datagram of those left, where in it, and with which value."""

KINDS = ("byte", "plain byte", "plain byte", "plain byte", "plain cut", "cut", "short", "drop", "again", "swap", "late")
CHANGES = st.tuples(
    st.sampled_from(KINDS),
    st.integers(0, RUN - 1),
    st.integers(0, 30) | st.integers(0, 1400),
    st.integers(0, 255),
)


def changed(flow: Flow, sent: Sequence[Sent], changes: Sequence[Change]) -> list[Sent]:
    """The datagrams with these changes made."""
    found = list(sent)
    for kind, number, at, value in changes:
        if not found:
            break
        number %= len(found)
        one = found[number]
        if kind.startswith("plain"):
            one = found[number] = flow.plain(one)
        at %= max(1, len(one.payload))
        if kind == "drop":
            del found[number]
        elif kind == "again":
            found.insert(min(len(found), number + value % 4), one)
        elif kind == "swap":
            other = (number + 1 + value % 5) % len(found)
            found[number], found[other] = found[other], one
        elif kind == "late":
            # Bytes that follow a silence.
            found[number:] = [replace(each, time_ns=each.time_ns + REST_NS + value - 128) for each in found[number:]]
        elif kind == "cut":
            found[number] = replace(one, payload=one.payload[:at])
        elif kind in ("short", "plain cut"):
            found[number] = replace(one, payload=one.payload[:at], udp_length=at)
        elif one.payload:
            payload = one.payload[:at] + bytes([value]) + one.payload[at + 1 :]
            found[number] = replace(one, payload=payload)
    return found


CAPTURES = sorted(path.name for path in BUNDLED.glob("*.pcap*") if ".expected" not in path.name)


@pytest.mark.parametrize("name", CAPTURES)
@given(
    place=st.integers(0, 1 << 20),
    from_the_start=st.booleans(),
    which=st.integers(0, 30),
    changes=st.lists(CHANGES, max_size=12),
    sizes=st.lists(st.integers(0, 25), max_size=4),
)
def test_changed_datagrams(
    name: str, place: int, from_the_start: bool, which: int, changes: list[Change], sizes: list[int]
) -> None:
    known = flows(name)
    flow = known[which % len(known)]
    start = 0 if from_the_start else place % max(1, len(flow.sent) - RUN)
    check(flow.verdict, changed(flow, flow.sent[start : start + RUN], changes), sizes)


def test_parts_that_disagree() -> None:
    """The finding belongs to the completed snapshot, which might have been made in bulk."""
    flow = flows("ddnet_ctf1_24bots_slices.pcap.gz")[1]
    sent = changed(flow, flow.sent[234:294], [("byte", 0, 0, 0), ("byte", 7, 12, 128)])
    assert [finding.rule for finding in check(flow.verdict, sent).findings] == ["snap.parts_inconsistent"]


class Counting(BulkReading):
    """Counts the datagrams that are left to plain reading, and those of them that are from their first byte on."""

    stops = left = 0

    def receive(self, datagram: Datagram) -> None:
        self.left += 1
        super().receive(datagram)

    def _read_plainly(self, one: DatagramBatch) -> None:
        self.stops += 1
        super()._read_plainly(one)


def counted(flow: Flow) -> Counting:
    """The reading of a flow in one batch."""
    reading = Counting(Rows(0, 0), DIALECTS[flow.verdict.dialect], flow.verdict.server)
    for part in batches(flow.sent, ()):
        reading.feed(part)
    return reading


@pytest.mark.parametrize(
    "name",
    ["ddnet_dm2_reconnect_mapchange.pcap", "ddnet_ctf1_24bots_slices.pcap.gz", "tw07_dm7_any_sll2_nano_head.pcap"],
)
def test_most_is_read_in_bulk(name: str) -> None:
    """Or nothing would be compared here."""
    flow = flows(name)[0]
    assert counted(flow).left < len(flow.sent) // 10


def test_room_is_found_within_a_batch() -> None:
    """States that have become too old make room for others, but for those that wait to be stored whole."""
    played = Played()
    played.handshake()
    played.login()
    values = random.Random(1)
    base: dict[int, list[int]] = {}
    for tick in range(2 * KEPT_STATES):
        items = {key(300, 1): [values.randrange(1 << 20) for _ in range(12)]}
        (body,) = snapshot(tick, tick - 1, base, items, SIZES)
        played.raw(packet([chunk(body)], token=TOKEN, variant=played.variant, compress=False), SERVER)
        base = items
    flow = Flow(played.verdict, tuple(played.datagrams))
    assert len(check(flow.verdict, flow.sent).blocks) > 20
    # The handshake, the first snapshots while the arena grows, and no look for old states.
    assert counted(flow).stops < 12
