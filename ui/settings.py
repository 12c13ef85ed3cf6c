"""What the window remembers between runs: preferences, recent captures, layout. The only place that names a key."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from hashlib import sha1
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings

from analyzer.expert.rules import Thresholds

MAX_RECENT = 12
MAX_PINNED = 100
"""Captures whose pins are remembered."""
MAX_MARKED = 100
"""Captures whose marks are remembered."""
THEMES = ("system", "light", "dark")
TIME_FORMATS = ("first", "previous", "reference", "utc")
"""Seconds since the first frame, since the packet shown before, since a time reference, or the time of day in UTC."""
ZOOM_RANGE = (0.8, 2.0)
MAX_MEMORY_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a person chose."""

    theme: str = "system"
    time_format: str = "first"
    size_unit: str = "wire"
    """`wire` or `delta`: which size the charts begin with."""
    base_age_limit_ms: int = 500
    """Baselines older than this count as delayed."""
    system_fonts: bool = False
    zoom: float = 1.0
    memory_mib: int = 0
    """MiB of tables that stay in memory; 0: a quarter of the machine's memory."""
    schemas: tuple[str, ...] = ()
    """Paths of the schema files of mods."""
    thresholds: tuple[tuple[str, float], ...] = ()
    """Those of expert rules that are not as usual, by names as in `base.stuck.snapshots`."""

    @property
    def usable_thresholds(self) -> Thresholds:
        """Without those that no rule has any more, or that are out of range."""
        return Thresholds({name: value for name, value in self.thresholds if _is_usable(name, value)})


@dataclass(frozen=True, slots=True)
class RecentCapture:
    """A capture that was opened before."""

    path: str
    opened: str
    """ISO 8601, UTC."""
    summary: str = ""
    severity: str = ""
    """`error`, `warn` or empty."""
    found: str = ""
    """How many findings of that severity there are; empty: not known."""


@dataclass(frozen=True, slots=True)
class SavedFilter:
    """A display filter with a name."""

    name: str
    text: str


FIRST_FILTERS = (
    SavedFilter("Failed", "snapshot.status in {crc, incomplete, no-base, malformed, bug}"),
    SavedFilter("Full", "snapshot.base_tick < 0"),
    SavedFilter("3+ parts", "snapshot.parts >= 3"),
)
"""Until a person saves, renames or removes one."""
MAX_FILTERS = 50
"""Display filters that were applied and are remembered; as many may be saved."""


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """What a person wants to capture. Where and what is remembered; until when and where to is not."""

    interface: str = ""
    filter: str = ""
    """In libpcap's language; empty: everything."""
    snap_length: int = 0
    """Bytes kept of a packet; 0: all."""
    promiscuous: bool = True
    through: str = ""
    """A `Through` that gives the right to capture; empty: this user has it."""
    packets: int = 0
    """Stop after so many; 0: never."""
    megabytes: int = 0
    """Stop when the file has so many; 0: never."""
    seconds: int = 0
    """Stop after so long; 0: never."""
    file: str = ""
    """Empty: a temporary file."""


REMEMBERED = ("interface", "filter", "snap_length", "promiscuous", "through")
"""Of `CaptureOptions`."""


def _is_usable(name: str, value: float) -> bool:
    try:
        Thresholds({name: value})
    except ValueError:
        return False
    return True


def _thresholds(stored: object) -> tuple[tuple[str, float], ...]:
    """As they were stored, without what is damaged."""
    found = []
    for entry in stored if isinstance(stored, list) else []:
        match entry:
            case [str(name), int() | float() as value] if _is_usable(name, float(value)):
                found.append((name, float(value)))
    return tuple(found)


class Settings:
    """Reads and writes the stored settings; anything unreadable counts as not there."""

    def __init__(self, store: QSettings | None = None) -> None:
        self._store = store or QSettings("snapscope", "snapscope")

    @property
    def preferences(self) -> Preferences:
        """The stored preferences; what is missing or out of range has its default."""
        stored = self._json("preferences", {})
        values: dict[str, Any] = asdict(Preferences())
        for name, value in stored.items() if isinstance(stored, dict) else ():
            if name == "schemas" and isinstance(value, list) and all(isinstance(path, str) for path in value):
                values[name] = tuple(dict.fromkeys(value))
            elif name == "thresholds":
                values[name] = _thresholds(value)
            elif name in values and type(value) is type(values[name]):
                values[name] = value
        result = Preferences(**values)
        if result.theme not in THEMES or result.time_format not in TIME_FORMATS:
            result = replace(result, theme="system", time_format="first")
        low, high = ZOOM_RANGE
        memory = min(MAX_MEMORY_MIB, max(0, result.memory_mib))
        return replace(result, zoom=min(high, max(low, result.zoom)), memory_mib=memory)

    @preferences.setter
    def preferences(self, value: Preferences) -> None:
        self._store.setValue("preferences", json.dumps(asdict(value)))

    @property
    def capture_options(self) -> CaptureOptions:
        """Where and what was captured last."""
        stored, default = self._json("capture", {}), asdict(CaptureOptions())
        known = stored.items() if isinstance(stored, dict) else ()
        values = {name: value for name, value in known if name in REMEMBERED and type(value) is type(default[name])}
        return CaptureOptions(**values)

    @capture_options.setter
    def capture_options(self, value: CaptureOptions) -> None:
        self._store.setValue("capture", json.dumps({name: getattr(value, name) for name in REMEMBERED}))

    @property
    def recent(self) -> list[RecentCapture]:
        """Captures opened before, the newest first."""
        stored = self._json("recent", [])
        result = []
        for entry in stored if isinstance(stored, list) else []:
            if isinstance(entry, dict) and all(isinstance(value, str) for value in entry.values()) and "path" in entry:
                known = {name: entry.get(name, "") for name in ("path", "opened", "summary", "severity", "found")}
                result.append(RecentCapture(**known))
        return result[:MAX_RECENT]

    def add_recent(self, capture: RecentCapture) -> None:
        """Put a capture at the head of the list, or bring its entry up to date."""
        path = str(Path(capture.path).absolute())
        others = [entry for entry in self.recent if entry.path != path]
        self._set_recent([replace(capture, path=path), *others])

    def forget_recent(self, path: str) -> None:
        """Take a capture off the list."""
        self._set_recent([entry for entry in self.recent if entry.path != path])

    @property
    def filter_history(self) -> tuple[str, ...]:
        """Display filters that were applied, the newest first."""
        stored = self._json("filters/history", [])
        texts = [text for text in stored if isinstance(text, str)] if isinstance(stored, list) else []
        return tuple(texts[:MAX_FILTERS])

    def remember_filter(self, text: str) -> None:
        """It was applied."""
        others = [known for known in self.filter_history if known != text]
        self._store.setValue("filters/history", json.dumps([text, *others][:MAX_FILTERS]))

    def forget_filters(self) -> None:
        """None was ever applied."""
        self._store.remove("filters/history")

    @property
    def saved_filters(self) -> tuple[SavedFilter, ...]:
        """Display filters with names, in their order."""
        stored, found = self._json("filters/saved", None), []
        if not isinstance(stored, list):
            return FIRST_FILTERS
        for entry in stored:
            match entry:
                case [str(name), str(text)]:
                    found.append(SavedFilter(name, text))
        return tuple(found[:MAX_FILTERS])

    @saved_filters.setter
    def saved_filters(self, saved: tuple[SavedFilter, ...]) -> None:
        self._store.setValue("filters/saved", json.dumps([[one.name, one.text] for one in saved[:MAX_FILTERS]]))

    def pins(self, path: Path) -> list[str]:
        """How a person wanted flows of a capture read, as texts."""
        return dict(self._pinned()).get(str(path.absolute()), [])

    def set_pins(self, path: Path, pins: list[str]) -> None:
        """Remember it, or that there is nothing to remember."""
        known = str(path.absolute())
        others = [(other, texts) for other, texts in self._pinned() if other != known]
        stored = [(known, pins), *others] if pins else others
        self._store.setValue("pins", json.dumps(stored[:MAX_PINNED]))

    def _pinned(self) -> list[tuple[str, list[str]]]:
        """By path, what was pinned last first."""
        stored, found = self._json("pins", []), []
        for entry in stored if isinstance(stored, list) else []:
            match entry:
                case [str(path), list(texts)]:
                    found.append((path, [text for text in texts if isinstance(text, str)]))
        return found

    def marks(self, path: Path) -> dict[str, object]:
        """What a person attached to packets of a capture."""
        stored = self._json(_marks_key(str(path.absolute())), {})
        return {str(name): value for name, value in stored.items()} if isinstance(stored, dict) else {}

    def set_marks(self, path: Path, marks: dict[str, object]) -> None:
        """Remember it, or that there is nothing to remember."""
        known, listed = str(path.absolute()), self._json("marks/order", [])
        before = [other for other in listed if isinstance(other, str)] if isinstance(listed, list) else []
        if not marks and known not in before:
            return
        order = [known] * bool(marks) + [other for other in before if other != known]
        for gone in {*before, *order[MAX_MARKED:]} - set(order[:MAX_MARKED]):
            self._store.remove(_marks_key(gone))
        self._store.setValue("marks/order", json.dumps(order[:MAX_MARKED]))
        if marks:
            self._store.setValue(_marks_key(known), json.dumps(marks))

    def layout(self, name: str) -> QByteArray:
        """A saved geometry or state, empty if there is none."""
        value = self._store.value(f"layout/{name}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def set_layout(self, name: str, state: QByteArray) -> None:
        """Save a geometry or state."""
        self._store.setValue(f"layout/{name}", state)

    def hidden_columns(self, table: str) -> tuple[str, ...]:
        """Names of the columns that a person took out of a table; they belong to the layout."""
        stored = self._json(f"layout/hidden_columns/{table}", [])
        return tuple(name for name in stored if isinstance(name, str)) if isinstance(stored, list) else ()

    def set_hidden_columns(self, table: str, names: tuple[str, ...]) -> None:
        """Remember which columns are not shown."""
        self._store.setValue(f"layout/hidden_columns/{table}", json.dumps(names))

    @property
    def packet_columns(self) -> object:
        """Columns of the packet list, as `column_layout` writes them; None: as at the first start."""
        return self._json("layout/packet_columns", None)

    @packet_columns.setter
    def packet_columns(self, value: object) -> None:
        self._store.setValue("layout/packet_columns", json.dumps(value))

    def forget_layout(self) -> None:
        """Go back to the default layout at the next start."""
        self._store.remove("layout")

    def _set_recent(self, captures: list[RecentCapture]) -> None:
        self._store.setValue("recent", json.dumps([asdict(capture) for capture in captures[:MAX_RECENT]]))

    def _json(self, key: str, default: object) -> object:
        try:
            return json.loads(str(self._store.value(key, "")))
        except ValueError:
            return default


def _marks_key(path: str) -> str:
    """Each capture has its own: a person marks often, and the others stay as they are."""
    return f"marks/{sha1(path.encode(errors='surrogateescape'), usedforsecurity=False).hexdigest()}"
