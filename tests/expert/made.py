"""Small captures made for one finding each, and what is found in them."""

from __future__ import annotations

from pathlib import Path

from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.expert.findings import Finding, Findings
from analyzer.expert.rules import RULES
from tests.capture.builders import pcap_file
from tests.encoder import Items, crc, pack_varints
from tests.net.builders import ipv4, udp
from tests.protocols.teeworlds.played import SERVER, Played, snap_single

QUIET = frozenset({"base.full_resync", "rate.init"})
"""Found wherever a test sends a full snapshot."""


def begun() -> Played:
    """A client that has just entered."""
    play = Played()
    play.handshake()
    play.login()
    return play


def single(play: Played, tick: int, base_tick: int, ints: list[int], state: Items) -> None:
    """A snapshot of these numbers, with the checksum of `state`."""
    play.messages([snap_single(tick, tick - base_tick, pack_varints(ints), crc(state))])


OPEN: list[Found] = []
"""To be closed when the test ends."""


class Found:
    """A capture of what was played, and its findings."""

    def __init__(self, play: Played, path: Path) -> None:
        play.finish()
        frames = []
        for sent in play.datagrams:
            source, destination = (8303, 50000) if sent.direction == SERVER else (50000, 8303)
            data = ipv4(udp(sent.payload, source=source, destination=destination, length=8 + sent.udp_length))
            if sent.direction != SERVER:
                # Back from where the others go to.
                data = data[:12] + data[16:20] + data[12:16] + data[20:]
            frames.append((0, sent.time_ns // 1000, data))
        path.write_bytes(pcap_file(frames, link_field=101))
        self.capture = Capture.open(path, strict=True)
        self.capture.decode()
        self.query: Query = self.capture.query()
        self.query.look_at_items()
        self.findings: Findings = self.query.findings
        self.findings.update()
        OPEN.append(self)

    def close(self) -> None:
        """Let go of the file."""
        self.query.close()
        self.capture.close()

    def all(self, rule: str) -> list[Finding]:
        """Findings of a rule."""
        return self.findings.of(rule)

    @property
    def words(self) -> dict[str, list[str]]:
        """Severity and sentence of each finding by rule, those left out that come with any full snapshot."""
        return {
            name: [f"{finding.severity.word}: {self.query.finding_words.sentence(finding)}" for finding in found]
            for name in RULES
            if name not in QUIET and (found := self.findings.of(name))
        }

    @property
    def ticks(self) -> dict[str, list[int]]:
        """Ticks of the snapshots that findings rest on, by rule."""
        ticks = self.capture.tables.snapshots
        return {
            name: [ticks.integer("tick", finding.snapshot) for finding in found if finding.snapshot >= 0]
            for name in RULES
            if name not in QUIET and (found := self.findings.of(name))
        }
