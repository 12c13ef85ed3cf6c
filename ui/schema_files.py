"""The schema files of mods that count in this window: from Preferences, the command line, or dropped on it.

A file that changes, or one that it includes, is read again. While it is wrong, what it said before still counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal, Slot

from analyzer.engine.schemas import check_schemas, distinct, schema_sources, use_schemas
from analyzer.protocols.base import SchemaError
from ui.appearance import Appearance
from ui.document import Document
from ui.opening import Opening
from ui.views.banner import Banner

SUFFIX = ".json"
SETTLE_MS = 200
"""An editor writes a file in several steps."""


class SchemaFiles(QObject):
    """Tells the capture that is open when other files, or other contents of them, count."""

    told = Signal(str)
    """What was taken, as a sentence."""

    def __init__(self, opening: Opening, appearance: Appearance, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._opening = opening
        self._appearance = appearance
        self._banner = banner
        self._given: tuple[str, ...] = ()
        """From the command line; not remembered."""
        self._wanted: tuple[str, ...] = ()
        self._trouble = ""
        self._seen: dict[str, bytes | None] = {}
        """Contents of the files, and of those they include, when they were read last; None: it could not be read."""
        self._watcher = QFileSystemWatcher(self)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self._look)
        self._watcher.fileChanged.connect(self._settle.start)
        self._watcher.directoryChanged.connect(self._settle.start)
        appearance.applied.connect(self._on_preferences)
        opening.changed.connect(self._on_document)
        self._take(self._files())

    @property
    def trouble(self) -> str:
        """What is wrong with the files, empty if nothing is."""
        return self._trouble

    def give(self, paths: Sequence[str]) -> None:
        """Files of the command line; they count until the window is closed."""
        self._given = tuple(str(Path(path).absolute()) for path in paths)
        self._on_preferences()

    def add(self, paths: Sequence[str]) -> None:
        """Take more files, and remember them, if nothing is wrong with them."""
        wanted = _distinct((*self._files(), *(str(Path(path).absolute()) for path in paths)))
        trouble = self.refused(wanted)
        if trouble:
            self._say(self.tr("{0} Nothing was added.").format(_sentence(trouble)))
            return
        remembered = tuple(path for path in wanted if path not in self._given)
        self._appearance.prefer(replace(self._appearance.preferences, schemas=remembered))
        added = distinct(map(Path, paths))
        for path, contents in zip(added, check_schemas(added), strict=True):
            self.told.emit(self.tr("{0} was added to Preferences. {1}.").format(path.name, contents))

    def refused(self, paths: Sequence[str]) -> str:
        """What is wrong with some files together, empty if nothing is."""
        try:
            check_schemas([Path(path) for path in paths])
        except SchemaError as error:
            return str(error)
        return ""

    def close(self) -> None:
        """Follow nothing any more."""
        self._settle.stop()
        watched = [*self._watcher.files(), *self._watcher.directories()]
        if watched:
            self._watcher.removePaths(watched)

    def _files(self) -> tuple[str, ...]:
        return _distinct((*self._appearance.preferences.schemas, *self._given))

    @Slot()
    def _on_preferences(self) -> None:
        files = self._files()
        if files != self._wanted:
            self._take(files)

    def _take(self, files: tuple[str, ...]) -> None:
        """Let these files count; one that is wrong is left out."""
        self._wanted = files
        self._follow()
        good: list[str] = []
        troubles: list[str] = []
        for path in files:
            trouble = self.refused((*good, path))
            if trouble:
                troubles.append(_sentence(trouble))
            else:
                good.append(path)
        self._use(good)
        self._tell(self.tr("{0} It does not count.").format(troubles[0]) if troubles else "")

    def _follow(self) -> None:
        """Remember what the files say now, and watch what they draw on now."""
        # First what they say: whatever changes from here on is seen.
        sources = {path: _contents(path) for path in self._wanted}
        for path in map(str, schema_sources([Path(path) for path in self._wanted])):
            sources.setdefault(path, _contents(path))
        self._seen = sources
        self._watch()

    def _watch(self) -> None:
        """Follow the files, and their folders: many editors write another file and give it the name."""
        watched = {*self._watcher.files(), *self._watcher.directories()}
        wanted = {*self._seen, *(str(_folder(path)) for path in self._seen)}
        if watched - wanted:
            self._watcher.removePaths(sorted(watched - wanted))
        there = sorted(path for path in wanted - watched if Path(path).exists())
        if there:
            self._watcher.addPaths(there)

    @Slot()
    def _look(self) -> None:
        """Read again what has changed."""
        self._watch()
        changed = [path for path, before in self._seen.items() if _contents(path) != before]
        if not changed:
            return
        self._follow()
        trouble = self.refused(self._wanted)
        if trouble:
            self._tell(self.tr("{0} What it said before still counts.").format(_sentence(trouble)))
            return
        self._use(self._wanted)
        self._tell("")
        names = dict.fromkeys(Path(path).name for path in changed)
        self.told.emit(self.tr("{0} was read again.").format(", ".join(names)))

    def _use(self, files: Sequence[str]) -> None:
        try:
            effect = use_schemas([Path(path) for path in files])
        except SchemaError as error:
            # It was changed again since it was checked.
            self._tell(_sentence(str(error)))
            return
        self._opening.take_schemas(effect)

    def _tell(self, trouble: str) -> None:
        """Say what is wrong; or that nothing is any more, where something was."""
        if trouble:
            self._say(trouble)
        elif self._trouble and self._banner.text == self._trouble:
            self._banner.say("")
        self._trouble = trouble

    def _say(self, text: str) -> None:
        self._banner.say(text, sign="error")

    @Slot(object)
    def _on_document(self, document: Document | None) -> None:
        if self._trouble:
            self._say(self._trouble)


def is_schema(path: str) -> bool:
    """By its name; a capture is never called so."""
    return Path(path).suffix.lower() == SUFFIX


def _distinct(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(str, distinct(map(Path, paths))))


def _folder(path: str) -> Path:
    """The nearest folder of a file that is there: the file may come with its folders."""
    return next((folder for folder in Path(path).parents if folder.is_dir()), Path(path))


def _contents(path: str) -> bytes | None:
    try:
        # What is no file on a disk, such as a pipe, might never end.
        return Path(path).read_bytes() if Path(path).is_file() else None
    except OSError:
        return None


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
