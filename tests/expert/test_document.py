"""`docs/findings.md` is what the table of rules says, and the table is whole."""

from __future__ import annotations

import string

import pytest
from capture_files import ROOT

from analyzer.expert.document import page
from analyzer.expert.rule import FactRule, PacketRule, Rule, SnapshotRule
from analyzer.expert.rules import RULES, Thresholds
from analyzer.protocols import PROTOCOLS

NAMES = {
    "snap.crc",
    "snap.dup_key",
    "snap.delete_missing",
    "snap.size_mismatch",
    "snap.type_range",
    "snap.id_range",
    "snap.int_range",
    "snap.empty_with_baseline",
    "snap.unknown_type",
    "snap.ext_unregistered",
    "snap.items_near_cap",
    "snap.items_at_cap",
    "snap.size_near_cap",
    "snap.truncated_like",
    "snap.own_character_missing",
    "snap.part_missing",
    "snap.part_late",
    "snap.part_dup",
    "snap.parts_inconsistent",
    "base.unknown",
    "base.stuck",
    "base.full_resync",
    "rate.init",
    "rate.recover",
    "rate.jitter",
    "sess.token_change",
    "sess.reuse",
    "net.resend_storm",
    "net.vital_gap",
    "ids.high_water",
    "churn.flipflop",
    "cap.drops",
    "cap.truncated",
    "proto.foreign",
    "proto.malformed",
    "snap.malformed",
    "snap.odd",
    "sess.epoch_inferred",
    "own.bug",
}


def test_the_page_is_current() -> None:
    """If not: python -m analyzer.expert.document > docs/findings.md"""
    assert (ROOT / "docs" / "findings.md").read_text(encoding="utf-8") == page()


def test_every_rule_is_there() -> None:
    assert RULES.keys() == NAMES


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
def test_a_rule_is_whole(rule: Rule) -> None:
    assert all((rule.title, rule.explanation, rule.causes, rule.advice, rule.rests_on, rule.sentence))
    fields = {name for _, name, _, _ in string.Formatter().parse(rule.sentence) if name is not None}
    assert fields <= {"0", "1", "tick", "base_tick", "reason", "packet", "text", "what"}
    assert rule.defaults == Thresholds().of(rule)
    assert all(threshold.default >= threshold.least for threshold in rule.thresholds)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_protocols_name_rules_that_there_are(protocol: object) -> None:
    found = next(one for one in PROTOCOLS if one is protocol)
    assert {code.rule for code in found.codes} - {""} <= {
        name for name, rule in RULES.items() if isinstance(rule, SnapshotRule)
    }
    own = found.expertise
    packets = {name for name, rule in RULES.items() if isinstance(rule, PacketRule)}
    assert set(own.packet_rules.values()) - {""} <= packets
    assert set(own.packet_rules) <= {code.partition(": ")[0] for code in found.packet_codes}
    assert set(own.full_steps.values()) <= RULES.keys()
    assert not any(isinstance(RULES[name], FactRule) for name in own.full_steps.values())


def test_thresholds() -> None:
    changed = Thresholds({"base.stuck.snapshots": 50})
    assert changed.of(RULES["base.stuck"]) == {"snapshots": 50, "age_ms": 1000, "worst_ticks": 150}
    with pytest.raises(ValueError, match=r"'base.stuck' is no threshold; there are .*base.stuck.age_ms"):
        Thresholds({"base.stuck": 1})
    with pytest.raises(ValueError, match=r"base\.stuck\.snapshots must be at least 2"):
        Thresholds({"base.stuck.snapshots": float("nan")})
