"""The game behind the snapshots: items that appear, change, wrap around and vanish, and what each player sees."""

from __future__ import annotations

from random import Random

from world.wire import PRE_AGREED, Items, signed

EXTENDED_TOP = 0x7FFF
"""Types named by UUID are numbered downwards from here, in the order of their first use (spec section 11)."""
QUIET_KINDS = (2, 3, 4, 9, 10, 13, 21, 70)
"""Pre-agreed types, an event, and two that say their size."""
WIRE_SIZES = {21: 2, 70: 7}
EDGES = (0x7FFFFFFF, -0x80000000, 0, -1, 1)


class Game:
    """Items of one map. `crowd` more of them change in every tick, which makes snapshots of several parts."""

    def __init__(self, rng: Random, declared: list[int]) -> None:
        self.crowd = 0
        self.frozen = False
        self._rng = rng
        self._declared = declared
        """Extended types the server process has used, its list: it outlives the map."""
        self._items: Items = {(6, 0): (0, 0, 0, 0, 20, 0, 1, 1)}
        for _ in range(6):
            self._add()

    def step(self) -> None:
        """One tick."""
        if self.frozen:
            return
        rng = self._rng
        if rng.random() < 0.15:
            self._add()
        if rng.random() < 0.12 and len(self._items) > 4:
            del self._items[rng.choice(list(self._items))]
        for key in rng.sample(list(self._items), k=min(3, len(self._items))):
            self._change(key)
        for number in range(self.crowd):
            self._items[5, 100 + number] = tuple(signed(rng.getrandbits(32)) for _ in range(3))
        if not self.crowd:
            for key in [key for key in self._items if key[0] == 5]:
                del self._items[key]

    def view(self, player: int) -> Items:
        """What one player sees: others see another score, and not every item."""
        declarations = {(0, kind): (kind, uuid_word(kind), -1, 7) for kind in self._declared}
        seen = {
            key: values
            for key, values in self._items.items()
            if key[0] == 5 or (key[1] + player) % 4 or key[0] > 0x3FFF
        }
        new = {key[0] for key in seen if key[0] > 0x3FFF and key[0] not in self._declared}
        # DDNet 16.4 declares a type only from the snapshot after its first on.
        self._declared += sorted(new, reverse=True)
        return {**declarations, (10, player): (player, player, 0, signed(0x7FFFFFFE + player), 30), **seen}

    def _add(self) -> None:
        rng = self._rng
        if rng.random() < 0.25:
            kind, size = EXTENDED_TOP - rng.randrange(3), 3
        else:
            kind = rng.choice(QUIET_KINDS)
            size = WIRE_SIZES.get(kind) or PRE_AGREED[kind]
        self._items[kind, rng.randrange(64)] = tuple(rng.choice((*EDGES, rng.randrange(5000))) for _ in range(size))

    def _change(self, key: tuple[int, int]) -> None:
        values = list(self._items[key])
        at = self._rng.randrange(len(values))
        values[at] = signed(values[at] + self._rng.choice((1, -1, 17, 0x7FFFFFFF, -900)))
        self._items[key] = tuple(values)


def uuid_word(kind: int) -> int:
    """One int of the UUID of an extended type, the same for everybody."""
    return signed(kind * 2654435761)
