"""The one table of all rules."""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.expert import base_rules, item_rules, jitter, snapshot_rules, traffic_rules
from analyzer.expert.rule import Rule, Threshold

RULES: Mapping[str, Rule] = {
    rule.name: rule
    for rule in (*snapshot_rules.RULES, *item_rules.RULES, *base_rules.RULES, jitter.RULE, *traffic_rules.RULES)
}
"""By name, in the order in which they are documented."""


class Thresholds:
    """The thresholds of all rules as a person wants them."""

    def __init__(self, changed: Mapping[str, float] | None = None) -> None:
        """`changed`: by rule and name, as in `base.stuck.snapshots`. Raises ValueError with a sentence."""
        self.changed = dict(changed or {})
        for key, value in self.changed.items():
            threshold = threshold_of(key)
            if not value >= threshold.least:
                raise ValueError(f"{key} must be at least {threshold.least:g}")

    def of(self, rule: Rule) -> dict[str, float]:
        """Those of one rule, by name."""
        return {
            threshold.name: self.changed.get(f"{rule.name}.{threshold.name}", threshold.default)
            for threshold in rule.thresholds
        }


def threshold_of(key: str) -> Threshold:
    """The threshold with a name as in `base.stuck.snapshots`. Raises ValueError that names those there are."""
    for rule in RULES.values():
        for threshold in rule.thresholds:
            if key == f"{rule.name}.{threshold.name}":
                return threshold
    known = ", ".join(f"{rule.name}.{threshold.name}" for rule in RULES.values() for threshold in rule.thresholds)
    raise ValueError(f"'{key}' is no threshold; there are {known}")
