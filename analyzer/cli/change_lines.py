"""One item's change as text: its sign, and each field as old -> new (raw difference, bits)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzer.cli.output import bracketed, counted, one_line
from analyzer.snapshots.model import Change, FieldChange

SIGNS = {"added": "+", "changed": "~", "removed": "-", "rewritten": "=", "readded": "*", "unknown": "?"}
REMARKS = {
    "rewritten": "sent, but equal to the base",
    "readded": "removed and sent",
    "unknown": "the base is not known: values as on the wire",
}


def change_lines(change: Change) -> Iterator[str]:
    """One item and its fields, aligned; fields that say nothing new stand in one line, with what sending them cost."""
    remarks = [counted(change.bits, "bit")] if change.bits else []
    remarks += ["event"] if change.event else []
    remarks += [REMARKS[change.kind]] if change.kind in REMARKS else []
    remark = f"  ({', '.join(remarks)})" if remarks else ""
    owner = f" · {change.owner}" if change.owner else ""
    yield one_line(f"{SIGNS.get(change.kind, '?')} {change.name} {change.id}{owner}{remark}")
    quiet = [field for field in change.fields if _is_quiet(change, field)]
    shown = [field for field in change.fields if field not in quiet]
    width = max((len(field.name) for field in shown), default=0)
    for field in shown:
        yield one_line(f"    {field.name.ljust(width)}  {values_text(field)}{_cost(field)}")
    if quiet:
        yield _quiet_line("on the wire 0" if change.kind == "unknown" else "unchanged", quiet)


def values_text(field: FieldChange) -> str:
    """Old and new value as a person reads them, or what is on the wire where neither is known."""
    old = bracketed(field.old_text) or ("" if field.old is None else str(field.old))
    new = bracketed(field.new_text) or ("" if field.new is None else str(field.new))
    if field.old is None and field.new is None:
        return "" if field.difference is None else f"on the wire {field.difference}"
    if field.old is None:
        return new
    if field.new is None:
        return old
    return new if old == new else f"{old} -> {new}"


def raw_text(field: FieldChange) -> str:
    """The difference as it stands on the wire, and what it means; empty where there is none, or it is the value."""
    if not field.difference or field.old is None or field.new is None:
        return ""
    said = field.difference_said
    return said if said.startswith(f"{field.difference:+} ") else f"raw {said}"


def _is_quiet(change: Change, field: FieldChange) -> bool:
    if change.kind == "unknown":
        return field.difference == 0
    return change.kind == "changed" and field.old is not None and field.old == field.new and not field.difference


def _quiet_line(what: str, fields: Sequence[FieldChange]) -> str:
    cost = sum(field.bits for field in fields)
    return one_line(f"    ({what}: {', '.join(field.name for field in fields)}; {counted(cost, 'bit')})")


def _cost(field: FieldChange) -> str:
    words = [raw_text(field), counted(field.bits, "bit") if field.bits else ""]
    text = ", ".join(filter(None, words))
    return f"  ({text})" if text else ""
