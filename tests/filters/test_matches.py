"""The answer of a filter while a capture is decoded, read anew, and filled with findings: always as if asked afresh."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from capture_files import BUNDLED, SAMPLE

from analyzer.engine import filtering
from analyzer.engine.capture import Capture
from analyzer.engine.pins import Pins, parse_pin
from analyzer.expert.rules import Thresholds
from analyzer.filters.errors import Cancelled
from analyzer.filters.matches import Matches
from analyzer.filters.parse import parse
from analyzer.filters.view import View
from analyzer.protocols import PROTOCOLS

REGISTRY = filtering.registry(PROTOCOLS)
FILTERS = (
    "",
    "frame.number in {10..200}",
    "udp.length > 100 && packet.direction == down",
    "client == 127.0.0.1 && session.player",
    "session.dialect == ddnet",
    "session.map",
    "message.name == Input || message.vital",
    "snapshot.parts > 1",
    "snapshot.client_has == acked",
    "!(snapshot.client_has == acked) && snapshot.tick",
    "snapshot.status != ok",
    "snapshot.ack_delay > 20ms",
    "count(message.name) > 2",
    "finding.severity >= warn",
    "flow.dialect == ddnet",
    "packet.kind == control",
)
DEARER = ("message.input.ack_game_tick > 200", "count(item.Character) > 2", "change.Character.added")
SLICES = BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"
BAD_CRC = BUNDLED / "ddnet_tsunami_badcrc_head.pcap"
MIDSESSION = BUNDLED / "ddnet_ctf3_midsession_head.pcap.gz"


class Followed:
    """A capture, and the answers of some filters that are kept up to date."""

    def __init__(self, path: Path, texts: tuple[str, ...], batch: int) -> None:
        self.capture = Capture.open(path, batch=batch, strict=True)
        self.query = self.capture.query()
        self.view = filtering.view(self.capture.tables, self.query, REGISTRY)
        self.matches = [Matches(parse(text, REGISTRY), self.view) for text in texts]

    def check(self) -> None:
        """All answers are as a view that has seen nothing before gives them, and what changed was told."""
        fresh = filtering.view(self.capture.tables, self.query, REGISTRY)
        for matches in self.matches:
            before = matches.mask.copy()
            update = matches.update()
            expected = matches.filter.packets(fresh, 0, len(self.capture.tables.packets))
            assert matches.mask.tolist() == expected.tolist(), matches.filter.text
            assert update.first_new == len(before)
            assert update.changed.tolist() == np.flatnonzero(before != expected[: len(before)]).tolist()

    def close(self) -> None:
        self.query.close()
        self.capture.close()


@pytest.fixture
def small_slices(tmp_path: Path) -> Path:
    path = tmp_path / "slices.pcap"
    path.write_bytes(gzip.decompress(SLICES.read_bytes())[:600_000])
    return path


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    path = tmp_path / "sample.pcap"
    path.write_bytes(gzip.decompress(SAMPLE.read_bytes())[:60_000])
    return path


@pytest.mark.parametrize("batch", [37, 400])
def test_while_a_capture_is_decoded(small_slices: Path, batch: int) -> None:
    followed = Followed(small_slices, FILTERS, batch)
    more = True
    while more:
        more = followed.capture.step()
        followed.check()
    followed.close()


def test_of_bytes_and_items_while_a_capture_is_decoded(sample: Path) -> None:
    followed = Followed(sample, DEARER, 60)
    more = True
    while more:
        more = followed.capture.step()
        followed.check()
    assert all(matches.mask.any() for matches in followed.matches)
    followed.close()


def test_when_flows_are_read_anew(sample: Path) -> None:
    followed = Followed(sample, FILTERS + DEARER, 100)
    followed.capture.decode()
    followed.check()
    for pins in (Pins().with_pin(parse_pin("8303=none", PROTOCOLS)), Pins()):
        followed.capture.pin(pins)
        while followed.capture.is_rereading:
            followed.capture.step()
            followed.check()
    answers = [int(matches.mask.sum()) for matches in followed.matches]
    assert answers[FILTERS.index("message.name == Input || message.vital")] > 0
    followed.close()


def test_rows_of_replaced_readings_never_match(sample: Path) -> None:
    followed = Followed(sample, (), 100)
    followed.capture.decode()
    tables = followed.capture.tables
    before = len(tables.snapshots)
    followed.capture.pin(Pins().with_pin(parse_pin("8303=none", PROTOCOLS)))
    while followed.capture.is_rereading:
        followed.capture.step()
    view = View(tables, REGISTRY.vocabulary)
    for text in ("", "!snapshot.tick", "snapshot.tick"):
        assert not parse(text, REGISTRY).snapshots(view, np.arange(before)).any()
    for text in ("message.name", "snapshot.tick", "session.number >= 0"):
        assert not parse(text, REGISTRY).packets(view, 0, len(tables.packets)).any()
    followed.close()


def test_findings_that_come_and_go() -> None:
    """With items that are looked at later, and with other thresholds."""
    followed = Followed(MIDSESSION, ("finding.severity >= warn", "finding.rule == base.stuck", "!finding.rule"), 500)
    followed.capture.decode()
    followed.check()
    followed.query.look_at_items()
    followed.check()
    findings = followed.query.findings
    for limit in (2, 4, 1000):
        findings.use(Thresholds({"base.stuck.snapshots": limit, "base.stuck.age_ms": 1e6}))
        followed.check()
        found = np.flatnonzero(followed.matches[1].mask).tolist()
        assert found == sorted(set(findings.places("base.stuck")[0].tolist()))
        assert bool(found) == (limit < 1000)
    followed.close()


def test_rules_are_found_by_name() -> None:
    with Capture.open(BAD_CRC) as capture:
        capture.decode()
        query = capture.query()
        view = filtering.view(capture.tables, query, REGISTRY)
        mask = parse("finding.rule == snap.crc", REGISTRY).packets(view, 0, len(capture.tables.packets))
        assert np.flatnonzero(mask).tolist() == query.findings.places("snap.crc")[0].tolist()
        assert mask.any()
        query.close()


def test_whoever_asked_may_think_better_of_it(sample: Path) -> None:
    followed = Followed(sample, DEARER[:2], 100)
    followed.capture.decode()
    for matches in followed.matches:
        seen: list[float] = []

        def no(share: float, seen: list[float] = seen) -> bool:
            seen.append(share)
            return False

        with pytest.raises(Cancelled):
            matches.update(no)
        assert seen == [0.0]
        assert len(matches) == 0
    followed.check()
    followed.close()


def test_answers_come_in_stretches(sample: Path) -> None:
    followed = Followed(sample, DEARER, 100)
    followed.capture.decode()
    stop = len(followed.capture.tables.packets)
    for matches in followed.matches:
        while len(matches) < stop:
            before = len(matches)
            matches.update(most=50)
            assert len(matches) == min(before + 50, stop)
    followed.check()
    followed.close()
