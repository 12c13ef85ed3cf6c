"""Shows what is known of snapshots whose bases are not. Spec section 17.6."""

from __future__ import annotations

from collections.abc import Iterable

from analyzer.protocols.base import PartialCodec, SessionFacts
from analyzer.protocols.teeworlds.changes import changes, partial_changes
from analyzer.protocols.teeworlds.codec import Names
from analyzer.protocols.teeworlds.delta import read_delta, read_to_fault
from analyzer.protocols.teeworlds.guesses import schema_of
from analyzer.protocols.teeworlds.partial import UNKNOWN, PartialState, follow, unpack_partial
from analyzer.snapshots.model import Change, JoinedDelta, NamedItem, PartialItems
from analyzer.wire.errors import DecodeError


class TeeworldsPartialCodec(PartialCodec[PartialState]):
    """In plain Python: few snapshots lack a base, and of those a person looks at one after the other."""

    def nothing(self) -> PartialState:
        """Nothing is known."""
        return UNKNOWN

    def follow(self, base: PartialState, delta: bytes, facts: SessionFacts) -> PartialState:
        """What is known after a delta."""
        return follow(base, read_delta(delta, facts.sizes)).state if delta else base

    def unpack(self, block: bytes) -> PartialState:
        """A state from a stored block."""
        return unpack_partial(block)

    def items(self, state: PartialState, facts: SessionFacts, tick: int) -> PartialItems:
        """Items with names and texts from the dialect's schema."""
        schema = schema_of(facts)
        known = tuple(
            schema.describe_item(key >> 16, key & 0xFFFF, values, state.known, tick)
            for key, values in state.known.items()
        )

        def named(keys: Iterable[int]) -> tuple[NamedItem, ...]:
            return tuple(
                NamedItem(
                    key >> 16,
                    key & 0xFFFF,
                    schema.item_name(key >> 16, state.known),
                    schema.is_event(key >> 16, state.known),
                )
                for key in sorted(keys)
            )

        return PartialItems(known, named(state.unknown), named(state.absent))

    def changes(self, base: PartialState, joined: JoinedDelta, facts: SessionFacts, tick: int) -> tuple[Change, ...]:
        """What the delta did, up to a fault."""
        if not joined.data:
            return ()
        delta, fault = read_to_fault(joined.data, facts.sizes)
        names = Names(facts, delta, tick)
        try:
            if fault is None:
                return tuple(partial_changes(base, delta, joined, names))
        except DecodeError:
            # What was known and the delta contradict each other.
            pass
        return tuple(changes(None, delta, joined, names))
