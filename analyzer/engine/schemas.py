"""Schema files that a person adds, for all protocols that take them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from analyzer.protocols import PROTOCOLS
from analyzer.protocols.base import Effect, Schemas


def use_schemas(files: Sequence[Path]) -> Effect:
    """From now on these files count, and no others. Raises `SchemaError`; then those of before still count."""
    effects = [schemas.use(files) for schemas in _takers()]
    return max(effects, key=lambda effect: effect.value, default=Effect.NONE)


def check_schemas(files: Sequence[Path]) -> list[str]:
    """What each of some files holds, in a few words. Raises `SchemaError` if one is wrong, or two contradict."""
    return ["; ".join(texts) for texts in zip(*(schemas.check(files) for schemas in _takers()), strict=True)]


def schema_sources(files: Sequence[Path]) -> list[Path]:
    """Some files and those that they draw on, in no order, each once: what to watch. Raises nothing."""
    return list({source for file in files for schemas in _takers() for source in schemas.sources(file)})


def _takers() -> list[Schemas]:
    return [protocol.schemas for protocol in PROTOCOLS if protocol.schemas is not None]
