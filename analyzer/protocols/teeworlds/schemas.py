"""Schema files of mods as the rest of the program sees them: to check one, and to use some. `docs/schemas.md`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from analyzer.protocols.base import Effect, Schemas
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.guesses import body, guess, is_unknown, write
from analyzer.protocols.teeworlds.mods import Base, in_use, read_mods
from analyzer.protocols.teeworlds.mods import use as use_mods
from analyzer.protocols.teeworlds.schema import Schema, own_tables
from analyzer.protocols.teeworlds.schema_file import read_families, read_tables, sources

BASES: tuple[Base, ...] = tuple(dict.fromkeys(dialect.base for dialect in DIALECTS.values()))
"""What files are combined with."""


def check(files: Sequence[Path]) -> list[str]:
    """What each file holds, in a few words. Raises SchemaError."""
    read_mods(files, BASES)
    return [_contents(file) for file in files]


def _contents(file: Path) -> str:
    families = read_families(file)
    own = next(name for name, family in BASES if family in families)
    tables = read_tables(file, own_tables(own))
    counts = f"{_counted(len(tables.items), 'item')}, {_counted(len(tables.messages), 'message')}"
    return f"{tables.title}: {counts}, for {', '.join(families)}"


def use(files: Sequence[Path]) -> Effect:
    """From now on these files count, and no others. Raises SchemaError; then those of before still count."""
    before = in_use()
    mods = read_mods(files, BASES)
    touched = [base for base in BASES if base in before.schemas or base in mods.schemas]
    pairs = [(before.schema(base), mods.schema(base)) for base in touched]
    use_mods(mods)
    if any(_in_rows(old) != _in_rows(new) for old, new in pairs):
        return Effect.ROWS
    return Effect.WORDS if pairs else Effect.NONE


def _in_rows(schema: Schema) -> object:
    """What of a schema is in the rows that a reading makes."""
    return (
        schema.sizes,
        {type: item.name for type, item in schema.by_type.items()},
        schema.uuid_names,
        {key: message.name for key, message in schema.by_message_number.items()},
    )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


SCHEMAS = Schemas(check, use, sources, is_unknown, body, guess, write)
