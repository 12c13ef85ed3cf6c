"""`findings`: what expert rules find in a capture, and an exit code for CI."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated

import numpy as np
import typer

from analyzer.cli.absent import note_absence
from analyzer.cli.clients import sessions_of
from analyzer.cli.filtering import Filtered
from analyzer.cli.opening import decoded
from analyzer.cli.options import AsJson, Client, DecodeAs, DisplayFilter, File, MemoryLimit, SchemaFiles
from analyzer.cli.output import Column, counted, json_text, one_line, table_lines, write_lines
from analyzer.cli.progress import look_at_items
from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.expert.findings import Finding, Findings
from analyzer.expert.rule import Severity
from analyzer.expert.rules import RULES, Thresholds
from analyzer.filters.value_tests import Bools
from analyzer.stats.flows import FlowEnds, flow_ends, session_flow
from analyzer.store.tables import Tables

EXIT_FOUND = 3
SHOWN = 10
"""Findings of a rule that are listed without `--all`."""
SEVERITIES = {severity.word: severity for severity in Severity}
COLUMNS = (
    Column("frame", right=True),
    Column("time", right=True),
    Column("client"),
    Column("session", right=True),
    Column("tick", right=True),
    Column("follow", right=True),
    Column("severity"),
    Column("finding"),
)
Row = dict[str, object]


def findings(
    file: File,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="WHAT",
            help=f"Exit with {EXIT_FOUND} if there is a finding as bad as error, warn or note, or one of a rule. "
            "May be repeated.",
        ),
    ] = None,
    rule: Annotated[
        list[str] | None, typer.Option("--rule", metavar="RULE", help="Only findings of this rule; may be repeated.")
    ] = None,
    least: Annotated[
        str, typer.Option("--least", metavar="SEVERITY", help="Only what is as bad: note, warn or error.")
    ] = "note",
    client: Client = None,
    display_filter: DisplayFilter = None,
    thresholds: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="THRESHOLD=NUMBER",
            help="A threshold, as in base.stuck.snapshots=50; may be repeated. See docs/findings.md.",
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help=f"Every finding, not the first {SHOWN} of each rule.")
    ] = False,
    no_items: Annotated[
        bool, typer.Option("--no-items", help="Leave out the rules about items, which take longest.")
    ] = False,
    autopsy: Annotated[bool, typer.Option("--autopsy", help="What could explain each checksum that differs.")] = False,
    as_json: AsJson = False,
    memory_limit: MemoryLimit = None,
    decode_as: DecodeAs = None,
    schema: SchemaFiles = None,
) -> None:
    """List what is wrong: root causes, each with the number of snapshots that failed because of it.

    --fail-on looks at what --rule, --least, --client and -Y leave; -Y is about the packets that findings rest on.
    """
    filtered = None if display_filter is None else Filtered(display_filter, schema)
    rules = [_rule(name) for name in rule or ()] or list(RULES)
    bad = [_failing(word) for word in fail_on or ()]
    chosen = _severity(least, "--least")
    wanted = _thresholds(thresholds or ())
    with decoded(file, memory_limit, decode_as, schema) as (capture, query):
        found = query.findings
        found.use(wanted)
        if not no_items:
            look_at_items(query)
        found.update()
        sessions = None if client is None else sessions_of(capture.tables, client)
        packets = None if filtered is None else filtered.packets(capture, query)
        described = _Described(capture, query, autopsy)
        listed = {name: _of(found, name, sessions, packets, chosen) for name in rules}
        if not any(listed.values()) and not len(capture.tables.snapshots):
            note_absence(file, capture.tables, warned=bool(capture.problems))
        if as_json:
            write_lines([json_text(_document(listed, described), indent=2)])
        else:
            write_lines(_lines(listed, described, None if everything else SHOWN))
        if any(_is_met(what, listed) for what in bad):
            raise typer.Exit(EXIT_FOUND)


def _rule(name: str) -> str:
    if name not in RULES:
        raise typer.BadParameter(f"'{name}' is no rule; there are {', '.join(RULES)}", param_hint="'--rule'")
    return name


def _severity(word: str, option: str) -> Severity:
    if word not in SEVERITIES:
        raise typer.BadParameter(f"'{word}' is not one of {', '.join(SEVERITIES)}", param_hint=f"'{option}'")
    return SEVERITIES[word]


def _failing(word: str) -> Severity | str:
    """A severity or the name of a rule."""
    if word in RULES:
        return word
    if word in SEVERITIES:
        return SEVERITIES[word]
    known = f"{', '.join(SEVERITIES)} or a rule ({', '.join(RULES)})"
    raise typer.BadParameter(f"'{word}' is not one of {known}", param_hint="'--fail-on'")


def _thresholds(texts: Sequence[str]) -> Thresholds:
    changed = {}
    for text in texts:
        key, _, number = text.partition("=")
        try:
            changed[key] = float(number)
        except ValueError:
            problem = f"'{text}' is not THRESHOLD=NUMBER"
            raise typer.BadParameter(problem, param_hint="'--set'") from None
    try:
        return Thresholds(changed)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="'--set'") from error


def _of(found: Findings, rule: str, sessions: set[int] | None, packets: Bools | None, least: Severity) -> list[Finding]:
    return [
        finding
        for finding in found.of(rule, least=least)
        if (sessions is None or finding.session in sessions)
        and (packets is None or (finding.packet >= 0 and packets[finding.packet]))
    ]


def _is_met(what: Severity | str, listed: dict[str, list[Finding]]) -> bool:
    if isinstance(what, Severity):
        return any(finding.severity >= what for every in listed.values() for finding in every)
    return bool(listed.get(what))


class _Described:
    """Findings as records."""

    def __init__(self, capture: Capture, query: Query, autopsy: bool) -> None:
        self._tables: Tables = capture.tables
        self._query = query
        self._autopsy = autopsy
        self._flows: list[FlowEnds] = flow_ends(capture.tables)
        self._start_ns = capture.tables.frames.integer("time_ns", 0) if len(capture.tables.frames) else 0

    def record(self, finding: Finding) -> Row:
        tables = self._tables
        session = finding.session
        flow = self._flows[
            session_flow(tables, session) if session >= 0 else tables.packets.integer("flow", finding.packet)
        ]
        record: Row = {
            "rule": finding.rule,
            "severity": finding.severity.word,
            "frame": tables.packets.integer("frame", finding.packet) + 1,
            "time": round((finding.time_ns - self._start_ns) / 1e9, 9),
            "client": flow.client,
            "server": flow.server,
            "session": tables.sessions.integer("number", session) if session >= 0 else None,
            "player": tables.sessions.text("player", session) if session >= 0 else "",
            "tick": tables.snapshots.integer("tick", finding.snapshot) if finding.snapshot >= 0 else None,
            "followers": finding.followers,
            "text": self._query.finding_words.sentence(finding),
        }
        found = self._query.autopsy(finding.snapshot) if self._autopsy and finding.snapshot >= 0 else None
        if found is not None:
            record["verdict"] = found.verdict
            record["explanations"] = [asdict(explanation) for explanation in found.explanations]
        return record


def _document(listed: dict[str, list[Finding]], described: _Described) -> Row:
    every = [finding for found in listed.values() for finding in found]
    every.sort(key=lambda finding: (finding.packet, -finding.severity))
    return {
        "counts": {severity.word: _count(every, severity) for severity in Severity},
        "rules": [
            {
                "rule": name,
                "title": RULES[name].title,
                "severity": max(finding.severity for finding in found).word,
                "count": len(found),
                "followers": sum(finding.followers for finding in found),
            }
            for name, found in listed.items()
            if found
        ],
        "findings": [described.record(finding) for finding in every],
    }


def _count(found: Sequence[Finding], severity: Severity) -> int:
    return int(np.count_nonzero([finding.severity is severity for finding in found]))


def _lines(listed: dict[str, list[Finding]], described: _Described, most: int | None) -> Iterator[str]:
    every = [finding for found in listed.values() for finding in found]
    counts = (counted(_count(every, severity), noun) for severity, noun in _NOUNS.items())
    yield ", ".join(counts)
    worst = {name: max(finding.severity for finding in found) for name, found in listed.items() if found}
    for name in sorted(worst, key=lambda name: -worst[name]):
        found = listed[name]
        followers = sum(finding.followers for finding in found)
        follow = f", {counted(followers, 'snapshot')} failed because of {'it' if len(found) == 1 else 'them'}"
        yield ""
        yield f"{worst[name].word}  {name}  {RULES[name].title}: {len(found):,}{follow if followers else ''}"
        records = [described.record(finding) for finding in found[:most]]
        yield from (f"  {line}" for line in table_lines(COLUMNS, map(_cells, records)))
        yield from (line for record in records for line in _autopsy_lines(record))
        if most is not None and len(found) > most:
            yield f"  ... {len(found) - most:,} more (--all)"


def _autopsy_lines(record: Row) -> Iterator[str]:
    """What could explain a checksum, where that was asked for."""
    explanations = record.get("explanations")
    if not isinstance(explanations, list):
        return
    yield f"  frame {record['frame']}: {record['verdict']}"
    for explanation in explanations[:SHOWN]:
        yield f"    {explanation['kind']}: {one_line(explanation['text'])}"
    if len(explanations) > SHOWN:
        yield f"    ... {len(explanations) - SHOWN:,} more (--json)"


_NOUNS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def _cells(record: Row) -> list[str]:
    values = (
        record["frame"],
        f"{record['time']:.6f}",
        record["player"] or record["client"],
        record["session"],
        record["tick"],
        record["followers"] or None,
        record["severity"],
        record["text"],
    )
    return ["-" if value is None else str(value) for value in values]
