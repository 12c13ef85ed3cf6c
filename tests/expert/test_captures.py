"""Exactly which rules speak, and how often, on captures of real servers and clients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from capture_files import BUNDLED, capture_paths

from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.expert.rule import Severity
from analyzer.expert.rules import RULES

FOUND = {
    "ddnet_tsunami_badcrc.pcap": {
        "snap.crc": ({"error": 7}, 946),
        "snap.ext_unregistered": ({"note": 2}, 0),
        "base.full_resync": ({"note": 16}, 0),
    },
    "ddnet_dm6_snaplen600.pcap": {
        "snap.part_missing": ({"note": 7}, 712),
        "snap.ext_unregistered": ({"note": 1}, 0),
        "base.unknown": ({"warn": 31}, 1759),
        "base.stuck": ({"note": 15}, 0),
        "base.full_resync": ({"note": 7}, 0),
        "net.vital_gap": ({"note": 11}, 0),
        "cap.truncated": ({"warn": 42}, 0),
    },
    "ddnet_dm6_snaplen220.pcap": {
        "snap.part_missing": ({"note": 1}, 0),
        "base.unknown": ({"warn": 161}, 130),
        "base.stuck": ({"note": 2}, 0),
        "base.full_resync": ({"note": 1}, 0),
        "net.vital_gap": ({"note": 10}, 0),
        "cap.truncated": ({"warn": 568}, 0),
    },
    "ddnet_ctf3_midsession.pcap.gz": {
        "base.unknown": ({"note": 7}, 1053),
        "base.full_resync": ({"warn": 980, "note": 9}, 0),
        "rate.init": ({"note": 4}, 0),
    },
    "ddnet_tutorial_lossy_client_side.pcap.gz": {
        "snap.part_missing": ({"warn": 146}, 0),
        "snap.part_dup": ({"note": 52}, 0),
        "snap.ext_unregistered": ({"note": 2}, 0),
        "base.stuck": ({"warn": 1, "note": 1}, 0),
        "base.full_resync": ({"warn": 1544, "note": 14}, 0),
        "rate.init": ({"note": 7}, 0),
        "rate.recover": ({"note": 4}, 0),
        "rate.jitter": ({"warn": 6}, 0),
    },
    "ddnet_tutorial_lossy_server_side.pcap.gz": {
        "snap.ext_unregistered": ({"note": 2}, 0),
        "base.stuck": ({"warn": 2}, 0),
        "base.full_resync": ({"warn": 1545, "note": 15}, 0),
        "rate.init": ({"note": 4}, 0),
        "rate.recover": ({"note": 1}, 0),
    },
    "ddnet_tsunami_badcrc_head.pcap": {
        "snap.crc": ({"error": 3}, 95),
        "snap.ext_unregistered": ({"note": 2}, 0),
        "base.full_resync": ({"note": 3}, 0),
    },
    "ddnet_ctf3_midsession_head.pcap.gz": {
        "base.unknown": ({"note": 7}, 361),
        "base.full_resync": ({"warn": 242, "note": 2}, 0),
        "rate.init": ({"note": 2}, 0),
    },
    "ddnet_dm2_reconnect_mapchange.pcap": {
        "snap.ext_unregistered": ({"note": 2}, 0),
        "base.stuck": ({"warn": 2}, 0),
        "base.full_resync": ({"note": 10, "warn": 136}, 0),
        "rate.init": ({"note": 4}, 0),
        "sess.reuse": ({"note": 6}, 0),
    },
}
"""By capture and rule: findings by severity, and how many snapshots failed because of them."""
CLEAN = (
    "ddnet_dm1_2real.pcap",
    "ddnet_ctf4_ipv6.pcap",
    "ddnet_ctf4_ipv6_head.pcap",
    "ddnet_learntoplay.pcap.gz",
    "tw07_dm1_2real_3bots.pcap",
    "tw07_dm1_vlan.pcap",
    "tw07_dm7_any_sll2_nano.pcap",
    "tw07_dm7_any_sll2_nano_head.pcap",
)
BY_NAME = {path.name: path for path in capture_paths()}
CHANGED = [(9, 1), (9, 3), (9, 1), (9, 3), (9, 4), (9, 2), (9, 0)]
"""Type and id of the item that was changed in each of the faults of ddnet_tsunami_badcrc."""
PROVED = 4
"""Of these, where another client was told of the item too, from the first on."""


@contextmanager
def opened(path: Path) -> Iterator[Query]:
    """A decoded capture whose findings are up to date."""
    with Capture.open(path, strict=True) as capture:
        capture.decode()
        query = capture.query()
        query.look_at_items()
        query.findings.update()
        yield query
        query.close()


def here(names: tuple[str, ...]) -> list[str]:
    """Those that are at hand: a clone alone has the bundled ones."""
    return [name for name in names if name in BY_NAME]


@pytest.mark.parametrize("name", here(tuple(FOUND)))
def test_rules_and_counts(name: str) -> None:
    with opened(BY_NAME[name]) as query:
        findings = query.findings
        found = {}
        for rule in RULES:
            every = findings.of(rule)
            if every:
                severities = Counter(finding.severity.word for finding in every)
                found[rule] = dict(severities), sum(finding.followers for finding in every)
        assert found == FOUND[name]
        failed = sum(followers for _, followers in found.values())
        assert sum(group.followers for group in findings.groups()) == failed
        assert sum(findings.counts().values()) == sum(group.count for group in findings.groups())


@pytest.mark.parametrize("name", here(CLEAN))
def test_nothing_worse_than_a_note(name: str) -> None:
    with opened(BY_NAME[name]) as query:
        assert [group.rule.name for group in query.findings.groups(Severity.WARNING)] == []
        assert query.findings.counts()[Severity.NOTE]


@pytest.mark.parametrize("name", here(("ddnet_tsunami_badcrc.pcap", "ddnet_tsunami_badcrc_head.pcap")))
def test_autopsies(name: str) -> None:
    """The changed item is named, or several fit, of which it is one."""
    with opened(BY_NAME[name]) as query:
        for number, (finding, changed) in enumerate(zip(query.findings.of("snap.crc"), CHANGED, strict=False)):
            autopsy = query.autopsy(finding.snapshot)
            assert autopsy is not None
            assert autopsy.difference == 1
            best = [(one.type, one.id) for one in autopsy.best]
            assert changed in best
            if number < PROVED:
                assert [one.kind for one in autopsy.best] == ["other-client"]
                assert best == [changed]
                assert autopsy.verdict.startswith("One explanation fits best: Character ")
            else:
                assert autopsy.verdict.endswith(" items.")


def test_what_was_changed() -> None:
    """`CHANGED` is true: the capture it was made from has the same packets with the right checksums."""
    pair = [BUNDLED / "ddnet_tsunami_badcrc_head.pcap", BUNDLED / "ddnet_tsunami_head.pcapng"]
    with opened(pair[0]) as bad, opened(pair[1]) as good:
        for finding, changed in zip(bad.findings.of("snap.crc"), CHANGED, strict=False):
            (row,) = good.snapshots_of(finding.packet)
            wrong = {(item.type, item.id): item.values for item in bad.items(finding.snapshot)}
            right = {(item.type, item.id): item.values for item in good.items(row)}
            assert [key for key, values in wrong.items() if values != right[key]] == [changed]
