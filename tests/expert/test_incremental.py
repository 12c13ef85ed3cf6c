"""What is found does not depend on how a capture was cut, compiled, or read before."""

from __future__ import annotations

from pathlib import Path

import pytest
from capture_files import BUNDLED

from analyzer.engine.capture import Capture
from analyzer.engine.expertise import open_findings
from analyzer.engine.pins import Pins, parse_pin
from analyzer.expert.rules import Thresholds
from analyzer.protocols import PROTOCOLS
from tests.expert.following import every, found_in, of_tables

SLICES = BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"
SOME = [SLICES, BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap", BUNDLED / "ddnet_dm6_snaplen220.pcap"]


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.name)
@pytest.mark.parametrize("batch", [37, 1000])
def test_in_any_batches(path: Path, batch: int) -> None:
    with Capture.open(path, strict=True, batch=batch, compiled=False) as capture:
        findings = open_findings(capture.tables, capture.protocols)
        while capture.step():
            findings.update()
        findings.update()
        assert every(findings) == of_tables(capture) == found_in(path)


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.name)
def test_so_many_rows_at_a_time(path: Path) -> None:
    most = 97
    with Capture.open(path, strict=True, batch=1000, compiled=False) as capture:
        findings = open_findings(capture.tables, capture.protocols)
        while capture.step():
            findings.update(most)
        assert not findings.is_current
        while not findings.is_current:
            findings.update(most)
        assert not findings.update(most)
        assert every(findings) == found_in(path)


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.name)
def test_compiled_is_as_plain(path: Path) -> None:
    assert found_in(path, compiled=True) == found_in(path, compiled=False)


def test_a_flow_that_is_read_anew() -> None:
    """Its own findings go, and come again, and no others."""
    path = BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap"
    with Capture.open(path, strict=True) as capture:
        capture.decode()
        findings = open_findings(capture.tables, capture.protocols)
        findings.update()
        before = every(findings)
        flow = capture.tables.flows.text("address_a", 0), capture.tables.flows.text("address_b", 0)
        ends = flow if capture.tables.flows.integer("server", 0) == 1 else flow[::-1]
        capture.pin(Pins().with_pin(parse_pin(f"{ends[0]}-{ends[1]}=none", PROTOCOLS)))
        while capture.step():
            findings.update()
        findings.update()
        without = every(findings)
        assert without == of_tables(capture)
        sessions = {session for found in without.values() for session in (finding.session for finding in found)}
        kept = {
            name: mine
            for name, found in before.items()
            if (mine := [finding for finding in found if finding.session in sessions])
        }
        assert without == kept != before
        capture.pin(Pins())
        while capture.step():
            findings.update()
        findings.update()
        again = every(findings)
        assert again == of_tables(capture)
        assert {name: [f.packet for f in found] for name, found in again.items()} == {
            name: [f.packet for f in found] for name, found in before.items()
        }


def test_other_thresholds_need_no_decoding() -> None:
    with Capture.open(SLICES, strict=True) as capture:
        capture.decode()
        findings = open_findings(capture.tables, capture.protocols)
        findings.update()
        usual = every(findings)
        changed = Thresholds({"base.stuck.snapshots": 5, "base.full_resync.percent": 90, "rate.jitter.p99_ms": 1})
        findings.use(changed)
        assert every(findings) == of_tables(capture, changed) != usual
        assert len(findings.of("base.stuck")) > len(usual["base.stuck"])
        findings.use(Thresholds())
        assert every(findings) == usual


def test_findings_at_packets() -> None:
    with Capture.open(SLICES, strict=True) as capture:
        capture.decode()
        findings = open_findings(capture.tables, capture.protocols)
        findings.update()
        worst: dict[int, int] = {}
        for found in every(findings).values():
            packets, snapshots, severities = (values.tolist() for values in findings.places(found[0].rule))
            assert [(one.packet, one.snapshot, one.severity) for one in found] == [
                *zip(packets, snapshots, severities, strict=True)
            ]
            for finding in found:
                worst[finding.packet] = max(worst.get(finding.packet, 0), finding.severity)
        count = len(capture.tables.packets)
        marks = findings.severities(0, count + 5).tolist()
        assert {packet: mark for packet, mark in enumerate(marks) if mark} == worst
        assert findings.severities(100, 200).tolist() == marks[100:200]
        packets, walked, at = sorted(worst), [], -1
        while (at := findings.step(at)) >= 0:
            walked.append(at)
        assert walked == packets
        assert [findings.step(packet, forward=False) for packet in packets] == [-1, *packets[:-1]]
        first = findings.at(packets[0])
        assert {finding.packet for finding in first} == {packets[0]}
        assert findings.finding(first[0].rule, first[0].row) == first[0]
