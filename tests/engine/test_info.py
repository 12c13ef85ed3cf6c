"""One line about a packet, against what is known of a capture of 24 bots."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from capture_files import BUNDLED

from analyzer.engine.capture import Capture
from analyzer.engine.info import PacketInfo
from analyzer.engine.query import Query
from analyzer.snapshots.status import Status
from analyzer.stats.parts import PartIndex, part_packets, parts_in

BOTS = BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"


@pytest.fixture(scope="module")
def bots() -> Iterator[tuple[Capture, Query]]:
    with Capture.open(BOTS) as capture:
        capture.decode()
        query = capture.query()
        yield capture, query
        query.close()


@pytest.mark.parametrize(
    ("frame", "line"),
    [
        (2105, "Input, acks 222, for tick 224"),
        (2130, "InputTiming, Sv_KillMsg, Snap 230 part 1/2 base −8"),
        (2131, "Snap 230 part 2/2 base −8 · 155 items, +17 ~40 −3"),
        (2189, "Snap 232 part 1/2 base −10"),
        (2190, "Snap 232 part 2/2 base −10 · 140 items, +2 ~49 −3"),
        (2213, "Input, acks 230, for tick 232"),
        (2237, "InputTiming, Snap 234 part 1/2 base −4"),
        (2238, "Snap 234 part 2/2 base −4 · 163 items, +15 ~58 −7"),
    ],
)
def test_known_lines(bots: tuple[Capture, Query], frame: int, line: str) -> None:
    capture, query = bots
    packet = int(np.flatnonzero(capture.tables.packets.integers("frame") == frame - 1)[0])
    assert query.info(packet) == line
    without_notes = PacketInfo(capture.tables, capture.protocols).line(packet)
    assert without_notes == line.partition(", acks")[0]


def test_the_index_of_parts_is_what_the_tables_say(bots: tuple[Capture, Query]) -> None:
    capture, _ = bots
    tables = capture.tables
    index = PartIndex(tables)
    index.catch_up()
    for packet in range(0, len(tables.packets), 97):
        first = tables.packets.integer("first_message", packet)
        messages = range(first, first + tables.packets.integer("chunks", packet)) if first >= 0 else range(0)
        carried = [part for message in messages if (part := index.carried(message)) is not None]
        assert carried == parts_in(tables, packet)
    assert index.carried(len(tables.messages) + 1000) is None


def test_the_index_of_parts_grows_with_the_tables() -> None:
    with Capture.open(BUNDLED / "ddnet_ctf3_midsession_head.pcap.gz", batch=200) as capture:
        index = PartIndex(capture.tables)
        known = 0
        while capture.step():
            index.catch_up()
            for snapshot in range(known, len(capture.tables.snapshots)):
                first = capture.tables.snapshots.integer("first_part", snapshot)
                for packet in part_packets(capture.tables, snapshot).tolist():
                    assert index.carried(capture.tables.parts.integer("message", first)) is not None
                    assert PacketInfo(capture.tables, capture.protocols).snapshot(packet) >= 0
                    break
            known = len(capture.tables.snapshots)
        assert known > 500


def test_a_failure_says_why() -> None:
    with Capture.open(BUNDLED / "ddnet_tsunami_badcrc_head.pcap") as capture:
        capture.decode()
        info = PacketInfo(capture.tables, capture.protocols)
        tables = capture.tables
        wrong = np.flatnonzero(tables.snapshots.integers("status") == Status.CRC).tolist()
        assert wrong
        for snapshot in wrong:
            line = info.line(tables.snapshots.integer("packet", snapshot))
            assert f"Snap {tables.snapshots.integer('tick', snapshot)}" in line
            wire, own = (tables.snapshots.integer(name, snapshot) for name in ("crc_wire", "crc_computed"))
            why = f"crc mismatch: {wire & 0xFFFFFFFF:08x} on the wire, {own & 0xFFFFFFFF:08x} computed"
            assert line.startswith(why)
            assert line.count("crc mismatch") == 1


def test_reasons_come_before_the_names_of_messages() -> None:
    with Capture.open(BUNDLED / "ddnet_dm6_snaplen220.pcap") as capture:
        capture.decode()
        info = PacketInfo(capture.tables, capture.protocols)
        tables = capture.tables
        for packet in range(len(tables.packets)):
            protocol = info.protocol(packet)
            if protocol is not None:
                code, _, sentence = protocol.packet_codes[tables.packets.integer("code", packet)].partition(": ")
                assert info.line(packet).startswith(f"{sentence} ({code})" if code else "")


def test_messages_that_repeat_are_counted(bots: tuple[Capture, Query]) -> None:
    capture, query = bots
    lines = [query.info(packet) for packet in range(5600, 5700)]
    assert any("Sv_WeaponPickup ×2, Snap 440" in line for line in lines)
    assert capture.tables.names.number("Sv_WeaponPickup") > 0
