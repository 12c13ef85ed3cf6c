"""Expert rules on the tables of a capture: what protocols tell them, and what a finding says in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.expert.findings import Finding, Findings
from analyzer.expert.knowledge import Knowledge
from analyzer.expert.rules import RULES
from analyzer.protocols.base import Protocol
from analyzer.store.tables import Tables


def knowledge(protocols: Sequence[Protocol]) -> dict[str, Knowledge]:
    """What rules are told of each protocol, by its name."""
    return {protocol.name: _of(protocol) for protocol in protocols}


def _of(protocol: Protocol) -> Knowledge:
    own = protocol.expertise
    return Knowledge(
        snapshot_rules=tuple(code.rule for code in protocol.codes),
        severities=tuple(code.severity for code in protocol.codes),
        packet_rules=tuple(own.packet_rules.get(code.partition(": ")[0], "") for code in protocol.packet_codes),
        full_steps=own.full_steps,
        ticks_per_second=own.ticks_per_second,
        most_items=own.most_items,
        most_bytes=own.most_bytes,
        pool_ids=own.pool_ids,
    )


@dataclass(frozen=True, slots=True)
class Description:
    """A finding in plain words."""

    title: str
    what: str
    """What it is, with its numbers."""
    explanation: str
    follows: str
    """What follows from it; empty: nothing does."""
    causes: str
    """What may be behind it."""
    advice: str
    """What to do."""


class FindingWords:
    """Says findings in words."""

    def __init__(
        self,
        tables: Tables,
        protocols: Mapping[str, Protocol],
        reason: Callable[[int], str],
        seen: Mapping[tuple[str, int], str],
    ) -> None:
        """`reason`: the sentence that goes with a snapshot's code. `seen`: by rule and row, what was seen in items."""
        self._tables = tables
        self._protocols = protocols
        self._reason = reason
        self._seen = seen

    def sentence(self, finding: Finding) -> str:
        """What it is, with its numbers."""
        rule, tables = RULES[finding.rule], self._tables
        row = tables.snapshots.row(finding.snapshot) if finding.snapshot >= 0 else {}
        words = {"tick": str(row.get("tick", "")), "base_tick": str(row.get("base_tick", ""))}
        if "{reason}" in rule.sentence:
            words["reason"] = self._reason(finding.snapshot) + self._noted(finding)
        if "{packet}" in rule.sentence:
            words["packet"] = self._fault(finding.packet)
        if "{text}" in rule.sentence:
            seen = self._seen.get((finding.rule, finding.row))
            words["text"] = tables.findings.text("text", finding.row) if seen is None else seen
        if "{what}" in rule.sentence:
            words["what"] = f"{finding.second >> 16}:{finding.second & 0xFFFF}"
        return rule.sentence.format(finding.first, finding.second, **words)

    def describe(self, finding: Finding) -> Description:
        """All there is to say."""
        rule, count = RULES[finding.rule], finding.followers
        follows = ""
        if count:
            follows = (
                f"{count} later snapshot{'s build on it' if count > 1 else ' builds on it'} and cannot be rebuilt."
            )
        return Description(rule.title, self.sentence(finding), rule.explanation, follows, rule.causes, rule.advice)

    def _noted(self, finding: Finding) -> str:
        """What decoding has to say of a snapshot under the same rule."""
        facts = self._tables.findings
        for row in np.flatnonzero(facts.array("snapshot") == finding.snapshot).tolist():
            if self._tables.rules[facts.integer("rule", row)] == finding.rule:
                return f": {facts.text('text', row)}"
        return ""

    def _fault(self, packet: int) -> str:
        """What the code of a packet says."""
        tables = self._tables
        reading = tables.flows.integer("reading", tables.packets.integer("flow", packet))
        codes = self._protocols[tables.readings.text("protocol", reading)].packet_codes
        return codes[tables.packets.integer("code", packet)].partition(": ")[2]


def open_findings(tables: Tables, protocols: Sequence[Protocol]) -> Findings:
    """The findings of a capture, with the usual thresholds."""
    return Findings(tables, knowledge(protocols))
