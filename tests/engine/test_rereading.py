"""Flows that are read anew: as pinned, live and after the end, in whatever steps; old and new rows are both right."""

from __future__ import annotations

from itertools import cycle, islice
from pathlib import Path

import pytest
from capture_files import BUNDLED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from live_content import live_content

from analyzer.engine.capture import Capture
from analyzer.engine.pins import NO_PINS, NOT_DECODED, Choice, Pin, Pins, Place, flow_place
from analyzer.store.tables import PACKETS, Tables
from tests.capture.builders import pcap_file
from tests.engine.toy import FOREIGN, MAYBE, SURE, TOY
from tests.net.builders import ipv4, udp

PCAP = BUNDLED / "ddnet_tsunami_badcrc_head.pcap"
TWO = BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap"
WRONG = Pins((Pin(Place("8303"), Choice("teeworlds", "0.6.5")),))
RIGHT = Pins((Pin(Place("8303"), Choice("teeworlds", "ddnet")),))
SILENT = Pins((Pin(Place("8303"), NOT_DECODED),))
RAW = 101


def read(path: Path, pins: Pins = NO_PINS, *, batch: int | None = None, compiled: bool = False) -> Tables:
    with Capture.open(path, batch=batch, strict=True, compiled=compiled, pins=pins) as capture:
        capture.decode()
        return capture.tables


def content(tables: Tables) -> dict[str, list[dict[str, object]]]:
    """What counts, whoever wanted it."""
    found = live_content(tables)
    for flow in found["flows"]:
        flow["pinned"] = ""
    return found


@pytest.mark.parametrize("path", [PCAP, TWO], ids=lambda path: path.name)
@pytest.mark.parametrize("compiled", [False, True])
def test_wrong_and_right_again_after_the_end(path: Path, compiled: bool) -> None:
    with Capture.open(path, strict=True, compiled=compiled) as capture:
        capture.decode()
        tables = capture.tables
        before, packets = live_content(tables), tables.packets.array("start").tolist()
        readings = len(tables.readings)
        capture.pin(WRONG)
        capture.decode()
        wrong = live_content(tables)
        assert content(tables) != before
        assert wrong == live_content(read(path, WRONG))
        assert wrong["flows"][0]["pinned"] == "0.6.5"
        capture.pin(NO_PINS)
        capture.decode()
        assert live_content(tables) == before
        assert tables.packets.array("start").tolist() == packets
        assert len(tables.readings) == 3 * readings
        of_first = tables.readings.integers("flow") == tables.readings.integer("flow", 0)
        assert tables.readings.array("number")[of_first].tolist() == [0, 1, 2]
        assert tables.readings.array("alive")[of_first].tolist() == [False, False, True]


@pytest.mark.parametrize("batch", [1, 61, 500])
def test_pinned_from_the_beginning_batches_do_not_matter(batch: int) -> None:
    for pins in (WRONG, SILENT, RIGHT):
        assert live_content(read(PCAP, pins, batch=batch)) == live_content(read(PCAP, pins))
    assert content(read(PCAP, RIGHT, batch=batch)) == content(read(PCAP))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("piece", [20_011, 200_003])
def test_changed_minds_while_the_file_grows(tmp_path: Path, piece: int, compiled: bool) -> None:
    data = TWO.read_bytes()
    path = tmp_path / "growing"
    path.touch()
    wishes = cycle((WRONG, NO_PINS, SILENT, RIGHT))
    with (
        Capture.open(path, growing=True, strict=True, compiled=compiled, batch=97) as capture,
        path.open("ab", buffering=0) as writer,
    ):
        for start in range(0, len(data), piece):
            writer.write(data[start : start + piece])
            # Some are wanted while the last is being read.
            capture.pin(next(wishes))
            capture.step()
            capture.step()
        for last in islice(wishes, 4):
            capture.pin(last)
            while capture.is_rereading:
                assert capture.step()
        capture.source.finish()
        capture.decode()
        assert live_content(capture.tables) == live_content(read(TWO, last))
        assert capture.reread_share == 1.0
        capture.pin(NO_PINS)
        capture.decode()
        assert live_content(capture.tables) == live_content(read(TWO))


def test_one_flow_of_several(tmp_path: Path) -> None:
    with Capture.open(TWO, strict=True, compiled=False) as capture:
        capture.decode()
        tables = capture.tables
        before = content(tables)
        ends = tables.flows.text("address_a", 1), tables.flows.text("address_b", 1)
        capture.pin(Pins((Pin(flow_place(*ends, tables.flows.integer("server", 1)), NOT_DECODED),)))
        capture.decode()
        after = content(tables)
    assert tables.flows.integer("reading", 1) == -1
    assert tables.flows.array("pinned").tolist() == ["" if flow != 1 else "none" for flow in range(len(tables.flows))]
    for packet in after["packets"]:
        if packet["flow"] == 1:
            assert all(packet[spec.name] == spec.unset for spec in PACKETS if spec.unset is not None)
    others = [packet for packet in before["packets"] if packet["flow"] != 1]
    assert [packet for packet in after["packets"] if packet["flow"] != 1] == others
    assert 0 < len(after["snapshots"]) < len(before["snapshots"])


def test_layouts_that_changed_are_read_anew() -> None:
    """All flows, or those of a dialect, or some: the rows are the same where nothing else is."""
    with Capture.open(TWO, strict=True, compiled=False) as capture:
        capture.decode()
        before, count = live_content(capture.tables), len(capture.tables.readings)
        ddnet = capture.tables.readings.array("dialect").tolist().count("ddnet")
        assert 0 < ddnet < count
        for arguments, more in (
            ((None, None), count),
            (([1], None), 1),
            ((None, ["0.7"]), 0),
            ((None, ["ddnet"]), ddnet),
        ):
            known = len(capture.tables.readings)
            capture.reinterpret(*arguments)
            assert capture.is_rereading
            capture.decode()
            assert len(capture.tables.readings) == known + more
            assert live_content(capture.tables) == before


def test_a_large_flow_is_read_in_parts() -> None:
    with Capture.open(PCAP, strict=True, compiled=False, batch=64) as capture:
        capture.decode()
        capture.reinterpret()
        shares = []
        while capture.is_rereading:
            before = len(capture.tables.messages)
            capture.step()
            shares.append(capture.reread_share)
            assert len(capture.tables.messages) - before < 1000
    assert shares == sorted(shares)
    assert len(shares) > 10
    assert 0.0 in shares
    assert shares[-1] == 1.0


TOY_PINS = st.sampled_from(
    [
        NO_PINS,
        Pins((Pin(Place("8303"), Choice("toy", "maybe")),)),
        Pins((Pin(Place("10.0.0.1:5001"), NOT_DECODED),)),
        Pins((Pin(Place("8303"), Choice("toy", "sure")), Pin(Place("10.0.0.2:8303", "10.0.0.1:5000"), None))),
        Pins((Pin(Place("8303"), Choice("of another program", "x")),)),
    ]
)
WORDS = st.tuples(st.sampled_from((5000, 5001, 5002)), st.sampled_from((b"", b"abc", SURE, MAYBE, FOREIGN, b"toy..")))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    datagrams=st.lists(WORDS, min_size=1, max_size=20),
    wishes=st.lists(st.tuples(TOY_PINS, st.integers(0, 3)), max_size=5),
    batch=st.integers(1, 5),
)
def test_any_wishes_at_any_time(
    tmp_path: Path, datagrams: list[tuple[int, bytes]], wishes: list[tuple[Pins, int]], batch: int
) -> None:
    frames = [ipv4(udp(payload, source=port, destination=8303)) for port, payload in datagrams]
    path = tmp_path / "toy.pcap"
    path.write_bytes(pcap_file([(second, 0, frame) for second, frame in enumerate(frames)], link_field=RAW))
    last = NO_PINS
    with Capture.open(path, protocols=(TOY,), batch=batch, strict=True) as capture:
        for last, steps in wishes:
            capture.pin(last)
            for _ in range(steps):
                capture.step()
        capture.decode()
        found = live_content(capture.tables)
    with Capture.open(path, protocols=(TOY,), strict=True, pins=last) as whole:
        whole.decode()
        assert found == live_content(whole.tables)
