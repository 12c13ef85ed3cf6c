"""The words that protocols bring: what numbers in the tables mean, and what schemas name. Handed in by the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzer.snapshots.layouts import Layout, Layouts

NO_PROTOCOL = "udp"
"""What a flow is read as that nothing reads."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one protocol, by the numbers that stand for them in the tables."""

    packet_kinds: tuple[str, ...] = ()
    packet_codes: tuple[str, ...] = ()
    """Short names; the first is empty."""
    snapshot_kinds: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    layouts: Layouts = field(default_factory=Layouts)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All protocols, by name."""

    protocols: Mapping[str, Words] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    """Names of expert rules."""

    def all_of(self, name: str) -> tuple[str, ...]:
        """The words of one attribute of `Words`, of every protocol, each once; without the empty one."""
        words: dict[str, None] = {}
        for own in self.protocols.values():
            words.update(dict.fromkeys(getattr(own, name)))
        words.pop("", None)
        return tuple(words)

    @property
    def items(self) -> tuple[Layout, ...]:
        """Items of all protocols and dialects."""
        return tuple(item for own in self.protocols.values() for item in own.layouts.items)

    @property
    def messages(self) -> tuple[Layout, ...]:
        """Messages of all protocols and dialects."""
        return tuple(message for own in self.protocols.values() for message in own.layouts.messages)
