"""Schema files that a person adds, for all protocols that take them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from analyzer.protocols import PROTOCOLS
from analyzer.protocols.base import Effect, Schemas


def use_schemas(files: Sequence[Path]) -> Effect:
    """From now on these files count, and no others. Raises `SchemaError`; then those of before still count."""
    once = distinct(files)
    effects = [schemas.use(once) for schemas in _takers()]
    return max(effects, key=lambda effect: effect.value, default=Effect.NONE)


def check_schemas(files: Sequence[Path]) -> list[str]:
    """What each of some files holds, in a few words, once. Raises `SchemaError` if one is wrong, or two contradict."""
    once = distinct(files)
    return ["; ".join(texts) for texts in zip(*(schemas.check(once) for schemas in _takers()), strict=True)]


def distinct(files: Iterable[Path]) -> list[Path]:
    """Each file once, by the name that it is called first: nobody means one twice."""
    names: dict[str, Path] = {}
    for file in files:
        names.setdefault(os.path.realpath(file), file)
    return list(names.values())


def schema_sources(files: Sequence[Path]) -> list[Path]:
    """Some files and those that they draw on, in no order, each once: what to watch. Raises nothing."""
    return list({source for file in files for schemas in _takers() for source in schemas.sources(file)})


def _takers() -> list[Schemas]:
    return [protocol.schemas for protocol in PROTOCOLS if protocol.schemas is not None]
