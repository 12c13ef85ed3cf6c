"""What deltas made known of a snapshot without a base, as text: items with values, items without, items not there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from analyzer.cli.change_lines import values_text
from analyzer.cli.output import one_line
from analyzer.snapshots.model import FieldChange, Item, NamedItem, PartialItems

Key = tuple[int, int]


def partial_lines(partial: PartialItems, sent: Collection[Key]) -> Iterator[str]:
    """What is known beside the items that were `sent`, given by type and id."""
    known = [item for item in partial.known if (item.type, item.id) not in sent]
    if known:
        yield "Known from earlier deltas, not sent here"
        yield from (one_line(f"  {_title(item)}: {_values(item)}") for item in known)
    for title, items in (("There, but values not known", partial.unknown), ("Not there", partial.absent)):
        if items:
            yield one_line(f"{title}: {_names(items)}")
    yield "Whether other items are there is not known"


def _title(item: Item) -> str:
    return f"{item.name} {item.id} · {item.owner}" if item.owner else f"{item.name} {item.id}"


def _values(item: Item) -> str:
    fields = (
        FieldChange(field.name, None, _first(field.values), None, 0, None, "", field.text) for field in item.fields
    )
    return ", ".join(f"{field.name} {values_text(field)}" for field in fields)


def _first(values: Sequence[int]) -> int | None:
    return values[0] if values else None


def _names(items: Sequence[NamedItem]) -> str:
    """Names, each with the ids of its items."""
    ids: dict[str, list[int]] = {}
    for item in items:
        ids.setdefault(item.name, []).append(item.id)
    return "; ".join(f"{name} {', '.join(map(str, numbers))}" for name, numbers in ids.items())
