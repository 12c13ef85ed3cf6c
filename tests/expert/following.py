"""Findings as plain values, to compare whole with whole."""

from __future__ import annotations

from pathlib import Path

from analyzer.engine.capture import Capture
from analyzer.engine.expertise import open_findings
from analyzer.expert.findings import Finding, Findings
from analyzer.expert.rules import RULES, Thresholds


def every(findings: Findings) -> dict[str, list[Finding]]:
    """All findings by rule."""
    return {name: found for name in RULES if (found := findings.of(name))}


def found_in(path: Path, *, compiled: bool | None = None) -> dict[str, list[Finding]]:
    """The findings of a capture that is decoded whole."""
    with Capture.open(path, strict=True, compiled=compiled) as capture:
        capture.decode()
        return of_tables(capture)


def of_tables(capture: Capture, thresholds: Thresholds | None = None) -> dict[str, list[Finding]]:
    """The findings of a decoded capture, all found at once."""
    findings = open_findings(capture.tables, capture.protocols)
    findings.use(thresholds or Thresholds())
    findings.update()
    return every(findings)
