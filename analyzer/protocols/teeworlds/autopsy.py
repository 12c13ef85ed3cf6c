"""Why the checksum of a snapshot differs: every single change that would make it right. Spec sections 9, 10 and 12.

The checksum is a plain sum of all values, so each candidate is one addition; what sums to the same cannot be told
apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from analyzer.protocols.base import CrcCase, SessionFacts
from analyzer.protocols.teeworlds.delta import Delta, apply, read_delta
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.schema import Schema
from analyzer.protocols.teeworlds.state import State, signed, unpack_state
from analyzer.snapshots.autopsy import Explanation
from analyzer.wire.errors import DecodeError

MOST_INTS = 64
"""Of an item whose size may be another one."""
MOST_VALUES = 64
"""Items that are named where any value may be off."""
SMALL = 1024
"""A difference that one value may be off by."""


def explain_crc(case: CrcCase, facts: SessionFacts) -> list[Explanation]:
    """What could explain it, the likeliest first. Raises DecodeError where the delta cannot be applied at all."""
    base = unpack_state(case.base)
    delta = read_delta(case.delta, facts.sizes)
    body = _Body(base, delta, apply(base, delta).state, case.crc, DIALECTS[facts.dialect].schema)
    found = [
        *body.other_clients([(name, unpack_state(state)) for name, state in case.others]),
        *_other_bases(case, delta, body),
        *body.duplicate_keys(),
        *_sizes(case, base, facts.sizes, body),
        *body.items(),
        *body.values(),
    ]
    return sorted(found, key=lambda one: one.rank)


class _Body:
    """The snapshot as it was made."""

    def __init__(self, base: State, delta: Delta, made: State, crc: int, schema: Schema) -> None:
        self.base, self.delta, self.made, self.crc = base.items, delta, made.items, crc
        self.missing = signed(crc - made.crc)
        """What the sum lacks."""
        self._schema = schema
        self._sent: dict[int, list[list[int]]] = {}
        """Key -> the ints of each of its updates."""
        for key, start, size in delta.updates:
            self._sent.setdefault(key, []).append(delta.ints[start : start + size])

    def name(self, key: int) -> str:
        """As a person calls the item."""
        return f"{self._schema.item_name(key >> 16, self.made)} {key & 0xFFFF}"

    def field(self, key: int, number: int) -> str:
        """Name of a value of an item."""
        return self._schema.field_names(key >> 16, len(self.made[key]), self.made)[number]

    def other_clients(self, others: Sequence[tuple[str, State]]) -> Iterator[Explanation]:
        """An item that was sent, in what another client got of the same tick, with the very difference.

        What was not sent is as it is in the baseline, whose checksum was right; some of it is the client's own affair.
        """
        found: dict[int, tuple[str, Sequence[int]]] = {}
        for client, state in others:
            for key, values in state.items.items():
                own = self.made.get(key) if key in self._sent else None
                if own is None or own == values or len(own) != len(values) or key in found:
                    continue
                if signed(sum(values) - sum(own)) == self.missing:
                    found[key] = client, values
        for key, (client, theirs) in found.items():
            own = self.made[key]
            differs = [number for number, (one, other) in enumerate(zip(own, theirs, strict=True)) if one != other]
            told = ", ".join(
                f"{self.field(key, number)} is {own[number]}, not {theirs[number]}" for number in differs[:4]
            )
            text = f"{self.name(key)}: {told}, as {client} was told of the same tick"
            yield _of(key, "other-client", 1, text)

    def duplicate_keys(self) -> Iterator[Explanation]:
        """Two updates of one key: the server counted both items, a receiver has the later one."""
        for key, sent in self._sent.items():
            base = self.base.get(key)
            for ints in sent[:-1]:
                if signed(_sum(base, ints) - self.missing) == 0:
                    text = f"two updates of {self.name(key)}: the server counted both, a receiver has the later one"
                    yield _of(key, "duplicate-key", 2, text)

    def items(self) -> Iterator[Explanation]:
        """What one item contributes."""
        removed = set(self.delta.removed)
        tests: tuple[tuple[str, int, Callable[[int], int | None], str], ...] = (
            (
                "removed-and-sent",
                2,
                lambda key: -sum(self.base[key]) if key in self.base and key in removed and key in self._sent else None,
                "{item} was removed and sent in full, so its values are not differences",
            ),
            (
                "removed-and-sent",
                3,
                lambda key: (
                    -sum(self.base[key]) if key in self.base and key in self._sent and key not in removed else None
                ),
                "{item} was sent in full, so its values are not differences",
            ),
            (
                "wrong-removal",
                3,
                lambda key: sum(self.base[key]) if key in removed and key in self.base else None,
                "{item} should have stayed, but was removed",
            ),
            (
                "missed-removal",
                3,
                lambda key: -sum(self.made[key]) if key in self.made and key not in self._sent else None,
                "{item} should be gone, but was not removed",
            ),
            (
                "counted-twice",
                3,
                lambda key: sum(self.made[key]) if key in self.made else None,
                "the server has two items with the key of {item}, and counted both",
            ),
            (
                "not-applied",
                3,
                lambda key: -sum(self._sent[key][-1]) if key in self._sent and key in self.base else None,
                "the server counted {item} as it was before",
            ),
        )
        for kind, rank, lacks, text in tests:
            for key in dict.fromkeys((*self.made, *self.base)):
                amount = lacks(key)
                if amount is not None and signed(amount - self.missing) == 0:
                    yield _of(key, kind, rank, text.format(item=self.name(key)))

    def values(self) -> Iterator[Explanation]:
        """One value of what was sent is off, if the difference is small enough for one."""
        if abs(self.missing) > SMALL:
            return
        for key in list(self._sent)[:MOST_VALUES]:
            text = f"one value of {self.name(key)} is off by {-self.missing:+}"
            yield _of(key, "one-value", 3, text)


def _of(key: int, kind: str, rank: int, text: str) -> Explanation:
    return Explanation(kind, rank, text, key >> 16, key & 0xFFFF)


def _sum(base: tuple[int, ...] | None, ints: Sequence[int]) -> int:
    return sum(ints) + (sum(base) if base is not None and len(base) == len(ints) else 0)


def _other_bases(case: CrcCase, delta: Delta, body: _Body) -> Iterator[Explanation]:
    """The server compared with another snapshot than the one it names."""
    known: Mapping[int, bytes] = case.bases
    for tick, packed in known.items():
        try:
            made = apply(unpack_state(packed), delta).state
        except DecodeError:
            continue
        if made.crc == body.crc:
            which = f"tick {tick}" if tick >= 0 else "the empty snapshot"
            yield Explanation("other-base", 2, f"the baseline is {which}, not the one that is named")


def _sizes(case: CrcCase, base: State, sizes: Sequence[int], body: _Body) -> Iterator[Explanation]:
    """The peers agreed on another size of one type."""
    agreed = sorted({key >> 16 for key, _, _ in body.delta.updates if key >> 16 < len(sizes)})
    for type in agreed:
        if sizes[type] < 0:
            continue
        for size in range(MOST_INTS + 1):
            if size == sizes[type]:
                continue
            try:
                other = [*sizes[:type], size, *sizes[type + 1 :]]
                made = apply(base, read_delta(case.delta, other)).state
            except DecodeError:
                continue
            if made.crc == body.crc:
                name = body.name(type << 16).rpartition(" ")[0]
                text = f"{name} has {size} values, not {sizes[type]}, in the table of sizes"
                yield Explanation("size-table", 2, text, type)
