"""Writes `docs/findings.md` from the table of rules: `python -m analyzer.expert.document > docs/findings.md`."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.expert.rule import Rule, Severity
from analyzer.expert.rules import RULES

_SEVERITY = {Severity.NOTE: "note", Severity.WARNING: "warning", Severity.ERROR: "error"}
_HEAD = """# Findings

What `snapscope-cli findings` lists: what is wrong, or worth a look, by rule. This page is written from the table of
rules (`analyzer/expert/rules.py`).

A *note* is nothing wrong by itself, a *warning* costs something or is suspicious, an *error* is a snapshot that the
client cannot use, or a mistake. Root causes are named once: snapshots that could not be rebuilt because of another one
are counted under that one, and are no findings of their own. What the capture does not hold is never put down to the
game.

Thresholds are changed with `--set`, as in `--set base.stuck.snapshots=50`; nothing is decoded again for it. Rules that
look at items go through every snapshot once more, which takes longest; `--no-items` leaves them out.

The window lists the same in its dock *Findings*, by rule or by client, and says of the chosen one what it means and
what to do; there thresholds are preferences, and *Show autopsy* explains a checksum that differs.

For a checksum that differs, `--autopsy` lists every single change that would make it right. The checksum is a plain
sum of all values, so several may fit:

| kind | says |
| --- | --- |
| `other-client` | another client of the server was told otherwise of an item that was sent, by just the difference |
| `other-base` | the delta fits another baseline of the session |
| `duplicate-key` | two updates have one key: the server counted both |
| `size-table` | an item type has another agreed size |
| `removed-and-sent` | an item was removed and sent in full, or sent in full: its values are not differences |
| `wrong-removal` | a removed item should have stayed |
| `missed-removal` | an item should be gone |
| `counted-twice` | the server has two items with one key, of which one was sent |
| `not-applied` | the server counted an item as it was before |
| `one-value` | one value of an item that was sent is off by a small difference |

The first kind is evidence from elsewhere and comes first, then what explains the difference by something odd in the
delta; the others merely fit.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *_index(), *(line for rule in RULES.values() for line in _section(rule))])


def _index() -> Iterator[str]:
    yield "| rule | severity | says |"
    yield "| --- | --- | --- |"
    for rule in RULES.values():
        yield f"| [`{rule.name}`](#{rule.name.replace('.', '').replace(' ', '-')}) | {_severity(rule)} | {rule.title} |"
    yield ""


def _severity(rule: Rule) -> str:
    return _SEVERITY[rule.severity] + (", see there" if rule.raised else "")


def _section(rule: Rule) -> Iterator[str]:
    yield f"## {rule.name}"
    yield ""
    yield f"**{rule.title}** ({_SEVERITY[rule.severity]}). {rule.explanation}"
    yield ""
    if rule.raised:
        yield f"- Severity: {rule.raised}"
    yield f"- May be caused by: {rule.causes}"
    yield f"- What to do: {rule.advice}"
    yield f"- Rests on: {rule.rests_on}."
    yield ""
    if rule.thresholds:
        yield "| threshold | default | is |"
        yield "| --- | ---: | --- |"
        for threshold in rule.thresholds:
            unit = f"{threshold.unit} " if threshold.unit else ""
            yield f"| `{rule.name}.{threshold.name}` | {threshold.default:g} | {unit}{threshold.meaning} |"
        yield ""


if __name__ == "__main__":
    print(page(), end="")
