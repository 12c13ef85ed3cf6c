"""Reads schema files with those they include. `docs/schemas.md`, `resources/schemas/README.md`: the format."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from analyzer.protocols.base import SchemaError
from analyzer.protocols.teeworlds.json_node import Node
from analyzer.protocols.teeworlds.json_text import JsonError, read_json
from analyzer.protocols.teeworlds.schema_items import add_item
from analyzer.protocols.teeworlds.schema_messages import add_connless, add_message
from analyzer.protocols.teeworlds.schema_tables import Tables

FORMAT = 1
MAX_FILE_BYTES = 8 << 20
FAMILIES = ("0.6", "ddnet", "0.7")
"""What a file of a mod may be for; without a word it is for the first two."""


def read_tables(path: Path, known: Tables | None = None) -> Tables:
    """Read a file and those it includes. Raises `SchemaError`.

    `known`: what a mod's file adds to. The file may refer to it, and replace items and messages of it.
    """
    tables = Tables(known=known)
    _read_into(tables, Path(os.path.realpath(path)) if path.is_file() else path, [], set())
    return tables


def read_families(path: Path) -> tuple[str, ...]:
    """Which dialects a mod's file is for, of `FAMILIES`. Raises `SchemaError`."""
    members = _parse(path).members()
    if "dialects" not in members:
        return FAMILIES[:2]
    named = {node.one_of(FAMILIES) for node in members["dialects"].entries()}
    if not named:
        raise members["dialects"].error("at least one of " + ", ".join(FAMILIES))
    return tuple(family for family in FAMILIES if family in named)


def sources(path: Path) -> list[Path]:
    """The file, where it really lies, and all that it draws on, as far as that can be read; not all need be there."""
    found = [Path(os.path.realpath(path))]
    for file in found:  # which grows meanwhile
        try:
            names = [node.text() for node in _entries(_parse(file).members(), "include")]
            included = [Path(os.path.realpath(file.parent / name)) for name in names]
        except (SchemaError, ValueError):
            continue
        found += [path for path in dict.fromkeys(included) if path not in found]
    return found


def _read_into(tables: Tables, path: Path, opened: list[Path], done: set[Path]) -> None:
    top = _parse(path).record(
        ("format", "title"),
        ("dialects", "include", "slots", "enums", "flags", "name_lists", "items", "messages", "connless"),
    )
    if top["format"].integer() != FORMAT:
        raise top["format"].error(f"format {FORMAT}")
    for node in _entries(top, "include"):
        included = _included(path, node)
        if included in (*opened, path):
            raise node.error("a file that does not include this one")
        if included not in done:
            _read_into(tables, included, [*opened, path], done)
    done.add(path)
    tables.title = top["title"].text()
    slots = top["slots"].integer(1, 65536) if "slots" in top else 0 if tables.known is None else tables.known.slots
    tables.slots = slots
    for name, node in _members(top, "enums").items():
        _check_new(tables.enums, name, node)
        tables.enums[name] = node.numbered()
    for name, node in _members(top, "flags").items():
        _check_new(tables.flags, name, node)
        tables.flags[name] = tuple(entry.text() for entry in node.entries())
        if len(tables.flags[name]) > 32:
            raise node.error("at most 32 names")
    for name, node in _members(top, "name_lists").items():
        _check_new(tables.name_lists, name, node)
        tables.name_lists[name] = tuple(entry.text() for entry in node.entries())
    for node in _entries(top, "items"):
        add_item(tables, node, slots)
    for node in _entries(top, "messages"):
        add_message(tables, node, slots)
    for node in _entries(top, "connless"):
        add_connless(tables, node, slots)


def _included(path: Path, node: Node) -> Path:
    """The file that one names. Raises `SchemaError`, with the place of the name, if it cannot be read."""
    try:
        included = Path(os.path.realpath(path.parent / node.text()))
        _read(included)
    except (OSError, ValueError) as error:
        raise node.error(f"a file that can be read ({_reason(error)})") from error
    return included


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


def _read(path: Path) -> bytes:
    """The file's bytes. Raises OSError and ValueError; what is no file on a disk might never end, or never begin."""
    if path.exists() and not path.is_dir() and not path.is_file():
        raise ValueError("it is not a file")
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"it has more than {MAX_FILE_BYTES >> 20} MiB")
    return data


def _parse(path: Path) -> Node:
    try:
        data = _read(path)
    except (OSError, ValueError) as error:
        raise SchemaError(f"{path.name}: cannot be read: {_reason(error)}") from error
    try:
        value, line = read_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SchemaError(f"{path.name}, line {line}: not UTF-8 text") from error
    except JsonError as error:
        raise SchemaError(f"{path.name}, line {error.line}, column {error.column}: not JSON: {error.text}") from error
    return Node(path.name, "", value, line)


def _entries(top: Mapping[str, Node], key: str) -> list[Node]:
    return top[key].entries() if key in top else []


def _members(top: Mapping[str, Node], key: str) -> dict[str, Node]:
    return top[key].members() if key in top else {}


def _check_new(taken: Mapping[str, object], name: str, node: Node) -> None:
    if name in taken:
        raise node.error(f"a name other than {name}, which is taken")
