"""What could explain a snapshot whose checksum differs, whatever the protocol."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Explanation:
    """One change that would make the checksum right, all else being as it is here."""

    kind: str
    """`other-client`, `other-base`, `duplicate-key`, `size-table`, `removed-and-sent`, `missed-removal`,
    `wrong-removal`, `counted-twice`, `not-applied` or `one-value`."""
    rank: int
    """1: evidence from elsewhere; 2: explains the whole difference by what is odd here; 3: an item or
    a value happens to fit."""
    text: str
    type: int = -1
    """Of the item; -1: it is about none."""
    id: int = -1


@dataclass(frozen=True, slots=True)
class Autopsy:
    """What was found about one snapshot."""

    difference: int
    """What the computed sum has too much, signed 32-bit: computed less that on the wire."""
    explanations: tuple[Explanation, ...]
    """The likeliest first."""

    @property
    def best(self) -> tuple[Explanation, ...]:
        """Those of the best rank."""
        return tuple(one for one in self.explanations if one.rank == self.explanations[0].rank)

    @property
    def verdict(self) -> str:
        """One sentence."""
        best = self.best
        if not best:
            return "No single change explains the difference."
        if len(best) == 1:
            return f"One explanation fits best: {best[0].text}."
        items = len({(one.type, one.id) for one in best if one.type >= 0})
        about = f", about {items} items" if items > 1 else ", all about one item" if items else ""
        return f"{len(best)} explanations fit equally well{about}."
