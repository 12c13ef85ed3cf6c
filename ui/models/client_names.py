"""What tells clients apart that have the same name: the shortest part of their addresses that differs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from analyzer.stats.clients import ClientStats
from analyzer.stats.flows import Ends

Flow = tuple[str, str]
"""As `ClientStats.flow`."""
_PARTS: tuple[Callable[[Ends], str], ...] = (
    lambda ends: _port(ends.server),
    lambda ends: ends.server,
    lambda ends: _port(ends.client),
    lambda ends: ends.client,
)
"""Servers first: a player of one name on several servers is the usual case."""


def bare_name(stats: ClientStats) -> str:
    """Player's name, `:port` until it is known."""
    return stats.player or _port(stats.ends.client)


def told_apart(stats: Iterable[ClientStats]) -> dict[tuple[str, Flow], str]:
    """Name and flow -> part of an address, for names that clients on several flows have."""
    flows: dict[str, dict[Flow, Ends]] = defaultdict(dict)
    for entry in stats:
        flows[bare_name(entry)][entry.flow] = entry.ends
    return {
        (name, flow): text
        for name, ends in flows.items()
        if len(ends) > 1
        for flow, text in zip(ends, _different(list(ends.values())), strict=True)
    }


def _different(ends: list[Ends]) -> list[str]:
    for part in _PARTS:
        texts = [part(one) for one in ends]
        if len({*texts}) == len(texts):
            return texts
    return [f"{one.client} {one.server}" for one in ends]


def _port(address: str) -> str:
    return ":" + address.rpartition(":")[2]
