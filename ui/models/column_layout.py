"""Which columns the packet list shows, and in which order: as settings remember it. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ui.models.packet_cells import Column

MOST_ADDED = 30


@dataclass(frozen=True, slots=True)
class Place:
    """A column that is there."""

    name: str
    """One of `BUILT_IN`, or a field of filters."""
    shown: bool | None = None
    """None: where there is room for it."""

    @property
    def added(self) -> bool:
        """A person added it."""
        return self.name not in BUILT_IN


ColumnLayout = tuple[Place, ...]
"""From left to right, behind the gutter."""
BUILT_IN = {column.name.lower(): column for column in Column if column is not Column.GUTTER}
KEPT = "info"
"""The column that is always shown."""
DEFAULT: ColumnLayout = tuple(Place(name) for name in BUILT_IN)


def added_names(layout: ColumnLayout) -> tuple[str, ...]:
    """Fields that have a column."""
    return tuple(place.name for place in layout if place.added)


def with_field(layout: ColumnLayout, name: str) -> ColumnLayout:
    """With a column for a field, before the last one; shown, if it was there."""
    if any(place.name == name for place in layout):
        return tuple(Place(name, True) if place.name == name else place for place in layout)
    return (*layout[:-1], Place(name, True), *layout[-1:])


def without(layout: ColumnLayout, name: str) -> ColumnLayout:
    """Without an added column, or with one of the others hidden."""
    if name in BUILT_IN:
        return with_shown(layout, name, shown=False)
    return tuple(place for place in layout if place.name != name)


def with_shown(layout: ColumnLayout, name: str, *, shown: bool) -> ColumnLayout:
    """With a column shown or hidden."""
    return tuple(Place(name, shown) if place.name == name and name != KEPT else place for place in layout)


def moved(layout: ColumnLayout, name: str, step: int) -> ColumnLayout:
    """With a column one place further to the left (-1) or to the right (1), if there is room."""
    at = next((number for number, place in enumerate(layout) if place.name == name), -1)
    to = at + step
    if at < 0 or not 0 <= to < len(layout):
        return layout
    found = list(layout)
    found.insert(to, found.pop(at))
    return tuple(found)


def ordered(layout: ColumnLayout, names: Sequence[str]) -> ColumnLayout:
    """The same columns in another order."""
    by_name = {place.name: place for place in layout}
    return tuple(by_name[name] for name in names if name in by_name)


def read_layout(stored: object) -> ColumnLayout:
    """As it was remembered; what is no column is left out, and what is missing stands where it stands by default."""
    found: dict[str, Place] = {}
    for entry in stored if isinstance(stored, list) else ():
        match entry:
            case [str(name), None | bool() as shown] if name and len(found) < len(BUILT_IN) + MOST_ADDED:
                found.setdefault(name, Place(name, None if name == KEPT else shown))
    result = list(found.values())
    for at, name in enumerate(BUILT_IN):
        if name not in found:
            result.insert(min(at, len(result)), Place(name))
    return tuple(result)


def stored_layout(layout: ColumnLayout) -> list[tuple[str, bool | None]]:
    """What `read_layout` reads."""
    return [(place.name, place.shown) for place in layout]
