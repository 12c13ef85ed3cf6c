"""A schema file to start with: guesses of everything in a capture that nobody named, of all its sessions together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.engine.guessing import MOST_BODIES, MOST_SAMPLES, Guessing, Samples
from analyzer.engine.query import Query
from analyzer.protocols.base import Protocol, Schemas, SessionFacts
from analyzer.stats.live import live_sessions
from analyzer.store.tables import Tables

MOST_SESSIONS = 32
"""That are looked at."""


@dataclass(frozen=True, slots=True)
class Inferred:
    """A schema file."""

    text: str
    count: int
    """Items and messages in it."""


def infer_schema(tables: Tables, query: Query, protocols: Sequence[Protocol], title: str) -> Inferred:
    """Guess what the unknown items and messages of a capture look like."""
    guessing = Guessing(query, tables)
    items: Samples = {}
    bodies: dict[str, list[bytes]] = {}
    dialects: set[str] = set()
    schemas = next(found for protocol in protocols if (found := protocol.schemas) is not None)
    sessions = [session for session in live_sessions(tables).tolist() if guessing.unknown(schemas, session)]
    for session in sessions[:MOST_SESSIONS]:
        _gather(guessing, tables, schemas, session, items, bodies, dialects)
    guesses = schemas.guess(items, bodies)
    return Inferred(schemas.write(guesses, title, dialects), len(items) + len(bodies))


def _gather(
    guessing: Guessing,
    tables: Tables,
    schemas: Schemas,
    session: int,
    items: Samples,
    bodies: dict[str, list[bytes]],
    dialects: set[str],
) -> None:
    facts = tables.sessions.get("facts", session)
    assert isinstance(facts, SessionFacts)
    found_items, found_bodies = guessing.items(schemas, session), guessing.bodies(schemas, facts, session)
    if found_items or found_bodies:
        dialects.add(facts.dialect)
    for name, samples in found_items.items():
        known = items.setdefault(name, [])
        known += samples[: MOST_SAMPLES - len(known)]
    for key, found in found_bodies.items():
        messages = bodies.setdefault(key, [])
        messages += found[: MOST_BODIES - len(messages)]
