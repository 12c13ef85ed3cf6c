"""What a protocol is to the rest of the program: how it is recognised, read, explained and rebuilt.

A protocol is a folder beside this file that exports `PROTOCOL`, and its line in `PROTOCOLS`. Nothing else in the
program knows it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from analyzer.protocols.flow import Detector, Reading, Verdict
from analyzer.snapshots.autopsy import Explanation
from analyzer.snapshots.layouts import Layouts
from analyzer.snapshots.model import Change, Item, JoinedDelta, PartialItems
from analyzer.snapshots.sight import ItemSight
from analyzer.snapshots.status import Code
from analyzer.store.rows import Rows
from analyzer.wire.reader import Field, FieldTree

S = TypeVar("S")


class SchemaError(Exception):
    """A schema file that is not what it should be; the text names the file, the line and what was expected."""


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What explaining a packet needs beyond its bytes. Frozen: explain is a pure function of bytes and facts."""

    dialect: str
    token: int | None = None
    """The session's token, where the dialect has one."""
    sizes: tuple[int, ...] = ()
    """Ints of an item by type where both peers agreed beforehand; -1: the size is on the wire."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Names learned from the capture, by UUID in canonical form."""
    guesses: object | None = field(default=None, compare=False)
    """What `Schemas.guess` made of items and messages that nobody named; the protocol's own affair."""
    players: Mapping[int, str] = field(default_factory=dict, compare=False)
    """Names of players by client id, as they were before the packet came, or when the snapshot was complete."""
    base_players: Mapping[int, str] = field(default_factory=dict, compare=False)
    """The same as they were when the snapshot's base was complete, for what the delta says of old items."""


class SnapshotCodec(ABC, Generic[S]):
    """How the snapshots of a protocol are rebuilt. `S` is the protocol's own state, immutable."""

    @abstractmethod
    def empty(self) -> S:
        """The snapshot of no items, base of a full snapshot."""

    @abstractmethod
    def part(self, payload: bytes, facts: SessionFacts, message_offset: int, message_size: int) -> PartBytes:
        """The piece of a delta in one message. Raises DecodeError."""

    def parts(self, messages: Sequence[MessagePlace], facts: SessionFacts) -> list[PartBytes]:
        """The pieces in many messages of a session. Raises DecodeError if `part` does for one.

        Here: one after the other; a codec with compiled code may do better.
        """
        return [self.part(payload, facts, offset, size) for payload, offset, size in messages]

    def join(self, parts: Mapping[int, bytes], announced: int) -> tuple[bytes, tuple[int, ...]]:
        """The delta joined from all its parts, given by number, and where each part begins in it.

        Here: part after part.
        """
        ordered = [parts[number] for number in range(announced)]
        return b"".join(ordered), tuple(accumulate(map(len, ordered[:-1]), initial=0))

    @abstractmethod
    def apply(self, base: S, delta: bytes, facts: SessionFacts) -> S:
        """Base and delta make the next state; an empty delta changes nothing. Raises DecodeError."""

    def apply_all(
        self, known: Sequence[S], bases: Sequence[int], deltas: Sequence[bytes], facts: SessionFacts
    ) -> list[S]:
        """The states that deltas make. Raises DecodeError if `apply` does for one.

        `bases`: which of the `known` states, or of those made before it, each is on; those made are numbered on from
        the known ones. Here: one after the other; a codec with compiled code may do better.
        """
        states = list(known)
        for base, delta in zip(bases, deltas, strict=True):
            states.append(self.apply(states[base], delta, facts))
        return states[len(known) :]

    @abstractmethod
    def pack(self, state: S) -> bytes:
        """A state as bytes, for a stored block."""

    @abstractmethod
    def unpack(self, block: bytes) -> S:
        """The state back from `pack`."""

    @abstractmethod
    def items(
        self, state: S, facts: SessionFacts, tick: int, chosen: Container[tuple[int, int]] | None = None
    ) -> tuple[Item, ...]:
        """What a person sees, in the order of the state; those whose (type, id) is in `chosen`, if it is given."""

    def places(self, facts: SessionFacts, name: str, field: str, *, changes: bool) -> Sequence[ItemPlaces]:
        """Where the values of a field stand in items of a type: for each name that such items have, its ints.

        Empty where only `items` or, of `changes`, only `changes` tells; that is what it is here. An empty `field`: no
        ints are wanted.
        """
        return ()

    def table(self, states: Sequence[S], facts: SessionFacts, name: str) -> ItemTable:
        """All items of one type in many states of a session, by the name that `items` gives them.

        Here: what `items` says; a codec with compiled code may do better.
        """
        found = [
            (number, item.id, item.values)
            for number, state in enumerate(states)
            for item in self.items(state, facts, 0)
            if item.name == name
        ]
        values = np.zeros((len(found), max((len(ints) for *_, ints in found), default=0)), np.int64)
        for row, (*_, ints) in zip(values, found, strict=True):
            row[: len(ints)] = ints
        state, id, size = np.array([(number, id, len(ints)) for number, id, ints in found], np.int64).reshape(-1, 3).T
        return ItemTable(state, id, size, values)

    def are_named_alike(self, olds: Sequence[S], news: Sequence[S], facts: SessionFacts) -> NDArray[np.bool_]:
        """Of which pairs of states a type has the same name in both, shape (n,). Here: that is not known of any."""
        return np.zeros(len(news), np.bool_)

    @abstractmethod
    def changes(self, base: S | None, joined: JoinedDelta, facts: SessionFacts, tick: int) -> tuple[Change, ...]:
        """What the delta did; `base` None: not known. Changes read before a fault are returned, the fault is not."""

    def record(self, view: SnapshotView[S], with_items: bool) -> dict[str, object]:
        """The snapshot as a JSON record.

        Here: what every protocol has; items are type, id and values. A protocol may have its own keys.
        """
        record: dict[str, object] = {
            "client": view.client,
            "server": view.server,
            "session": view.session,
            "dialect": view.facts.dialect,
            "frame": view.frame,
            **{name: view.row[name] for name in ("tick", "base_tick", "parts")},
            "status": view.code.status.word,
            "code": view.code.name,
            "reason": view.reason,
            "cause_frame": view.cause_frame,
        }
        if with_items and view.state is not None:
            tick = view.row["tick"]
            assert isinstance(tick, int)
            items = self.items(view.state, view.facts, tick)
            record["items"] = [[item.type, item.id, list(item.values)] for item in items]
        return record


class PartialCodec(ABC, Generic[S]):
    """What the deltas tell of snapshots whose bases are not known. `S` is the protocol's own state, immutable."""

    @abstractmethod
    def nothing(self) -> S:
        """Nothing is known."""

    @abstractmethod
    def follow(self, base: S, delta: bytes, facts: SessionFacts) -> S:
        """What is known after a delta; an empty one changes nothing. Raises DecodeError: it cannot be followed."""

    @abstractmethod
    def unpack(self, block: bytes) -> S:
        """A state from a stored block."""

    @abstractmethod
    def items(self, state: S, facts: SessionFacts, tick: int) -> PartialItems:
        """What a person sees."""

    @abstractmethod
    def changes(self, base: S, joined: JoinedDelta, facts: SessionFacts, tick: int) -> tuple[Change, ...]:
        """What the delta did, as far as what is known of the base tells."""


MessagePlace = tuple[bytes, int, int]
"""Payload of a packet, and offset and size of a message in the plain payload."""


@dataclass(frozen=True, slots=True)
class ItemPlaces:
    """Where the values of a field stand in items of a name."""

    name: str
    """As in `Item.name`."""
    ints: tuple[int, ...]
    """Each is a value of its own."""


@dataclass(frozen=True, slots=True)
class ItemTable:
    """Items of one type in several states, one a row, in the order of the states and of the items in them."""

    state: NDArray[np.int64]
    """Which of the states it is in, ascending, shape (n,)."""
    id: NDArray[np.int64]
    """Shape (n,)."""
    size: NDArray[np.int64]
    """Ints that each has, shape (n,)."""
    values: NDArray[np.integer[Any]]
    """The ints, with 0 behind them, shape (n, w)."""


@dataclass(frozen=True, slots=True)
class PartBytes:
    """The bytes of one part and where they lie in the packet's plain payload."""

    data: bytes
    source_offset: int
    compressed: bool


@dataclass(frozen=True, slots=True)
class SnapshotView(Generic[S]):
    """A row of `snapshots` with what stands around it, for `SnapshotCodec.record`."""

    row: Mapping[str, object]
    code: Code
    reason: str
    client: str
    server: str
    session: int
    facts: SessionFacts
    frame: int
    """From 1."""
    cause_frame: int | None
    """Frame of the first cause; None where the snapshot is its own cause or needs none."""
    state: S | None


def _as_it_is(name: str) -> str:
    return name


MessageNote = Callable[[bytes, SessionFacts, int, int], str]
"""Payload, facts, offset and size of a message in the plain payload -> its key values in words. Raises DecodeError."""

MessageInts = Callable[[Sequence[MessagePlace], SessionFacts, str, str], "NDArray[np.int64] | None"]
"""Messages of one name, facts, that name and a field's -> the value of the field in each and 1, 0 and 0 where it is not
there, or -1 where `message_fields` has to tell, shape (n, 2). None: it has to tell of all."""
MessageFields = Callable[[bytes, SessionFacts, int, int], tuple[Field, ...]]
"""Payload, facts, offset and size of a message in the plain payload -> its fields, up to a fault. Never raises."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often the server sends to a client. Inferred: it is not on the wire."""

    state: str
    """The protocol's own word for it; empty: cannot be told."""
    per_second: float | None
    """Snapshots a second, None for a single one."""
    reason: str
    """What it was inferred from."""


PaceOf = Callable[[NDArray[np.int32], NDArray[np.int32], int], Pace]
"""Ticks and base ticks of a session's snapshots in the order they came, and the index of one of them."""


@dataclass(frozen=True, slots=True)
class Excerpts:
    """What lets an excerpt of a flow decode by itself."""

    made_snapshot: Callable[[bytes, int, SessionFacts, bytes], tuple[bytes, ...]]
    """Packed state, tick, facts, payload of a packet of the server's in the same connection -> payloads that carry the
    state as a full snapshot; empty: the format cannot carry it."""
    made_messages: Callable[[Sequence[tuple[bytes, int, int]], SessionFacts, bytes], tuple[bytes, ...]]
    """Payload, offset and size of messages, facts, such a payload -> payloads that say the same out of any order."""
    tells_dialect: frozenset[str]
    """Names of messages after which the dialect of a flow is certain."""
    opens_epoch: tuple[str, str]
    """Names of the messages with which first the server, then the client begins an epoch. What lies between them
    belongs to the epoch only for a reader that has both."""


@dataclass(frozen=True, slots=True)
class ItemSample:
    """An item of some snapshot, to guess from."""

    tick: int
    """Of the snapshot."""
    id: int
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Arrived:
    """A message that came, as `messages` has it."""

    time_ns: int
    sequence: int
    flags: int


@dataclass(frozen=True, slots=True)
class NameMessages:
    """Messages of the server that say which player a client id is."""

    names: Callable[[str], frozenset[str]]
    """Dialect -> names of such messages; empty where snapshots hold the names of players."""
    read: Callable[[bytes, SessionFacts, int, int], tuple[int, str]]
    """Payload, facts, offset and size of such a message in the plain payload -> client id and name; without a name the
    player is gone. Raises DecodeError."""
    in_order: Callable[[Sequence[Arrived]], list[int]]
    """Messages of one sender as they came -> indices of those that the receiver took, in the order it took them."""


class Effect(Enum):
    """What other schema files mean for what was read already."""

    NONE = 0
    WORDS = 1
    """What is asked for reads differently; the rows stay as they are."""
    ROWS = 2
    """Names or sizes that rows were made with: flows must be read again."""


@dataclass(frozen=True, slots=True)
class Schemas:
    """Schema files that a person adds to what a protocol knows by itself."""

    check: Callable[[Sequence[Path]], list[str]]
    """What each of some files holds, in a few words. Raises SchemaError if one is wrong, or two contradict."""
    use: Callable[[Sequence[Path]], Effect]
    """From now on these files count, and no others. Raises SchemaError; then those of before still count."""
    sources: Callable[[Path], Sequence[Path]]
    """A file, and those that it draws on: if one of them changes, it says something else."""
    is_unknown: Callable[[str], bool]
    """Is that the name of an item or a message of which nothing is known?"""
    body: Callable[[bytes, SessionFacts, int, int], tuple[str, bytes]]
    """Payload, facts, offset and size of an unknown message in the plain payload -> its key and its fields' bytes.
    Raises DecodeError."""
    guess: Callable[[Mapping[str, Sequence[ItemSample]], Mapping[str, Sequence[bytes]]], object]
    """Items by name and messages by key -> guesses, for `SessionFacts.guesses`."""
    write: Callable[[object, str, Iterable[str]], str]
    """Guesses, a title and dialects -> a schema file to start with."""


@dataclass(frozen=True, slots=True)
class CrcCase:
    """A snapshot whose checksum differs. States are packed, as by `SnapshotCodec.pack`."""

    delta: bytes
    base: bytes
    crc: int
    """On the wire, signed 32-bit."""
    bases: Mapping[int, bytes]
    """Tick -> other baselines of the session; -1: the empty one."""
    others: tuple[tuple[str, bytes], ...]
    """Name of another client of the server -> what it was told of the same tick."""


@dataclass(frozen=True, slots=True)
class Expertise:
    """What expert rules are told of a protocol beside `Code.rule`; what is not told, rules leave alone."""

    packet_rules: Mapping[str, str] = field(default_factory=dict)
    """Short name of a packet code -> the rule that it stands for."""
    full_steps: Mapping[int, str] = field(default_factory=dict)
    """Ticks between two snapshots without a base -> the rule that names the rate at which they come."""
    ticks_per_second: float = 0
    most_items: int = 0
    """That a snapshot may have."""
    most_bytes: int = 0
    """state_bytes that a snapshot may have."""
    pool_ids: int = 0
    """Ids that a server gives out and takes back."""
    look: Callable[[Sequence[bytes], SessionFacts], ItemSight] | None = None
    """Packed states of a session, in their order -> what there is to see in their items; None: nothing is looked at."""
    explain_crc: Callable[[CrcCase, SessionFacts], list[Explanation]] | None = None
    """What could explain a checksum that differs, the likeliest first; may raise DecodeError."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """A protocol as the engine sees it."""

    name: str
    title: str
    probe: Callable[[bytes], float]
    """Could this payload be one of ours? 0 to 1, at a glance, never raises. Above 0 the flow gets a detector."""
    open_detector: Callable[[], Detector]
    open_reading: Callable[[Rows, Verdict], Reading]
    """Also for a flow that is read anew: what the reading rests on besides its flow, as layouts that a person may
    change, it takes as it is then and keeps."""
    explain: Callable[[bytes, SessionFacts, JoinedDelta | None], FieldTree]
    packet_kinds: tuple[str, ...]
    """By packets.kind; the first is "undecided"."""
    packet_codes: tuple[str, ...]
    """By packets.code and messages.code; the first is "". Each other: short name, colon, sentence."""
    snapshot_kinds: tuple[str, ...]
    """By snapshots.kind."""
    codes: tuple[Code, ...]
    """By snapshots.code."""
    snapshots: SnapshotCodec[Any] | None = None
    """None: the protocol has no snapshots that could be rebuilt. Only the protocol knows the type of its states."""
    partial: PartialCodec[Any] | None = None
    """None: of a snapshot without a base nothing is known but its delta. Its stored blocks are those of rows that were
    not rebuilt."""
    short_name: Callable[[str], str] = _as_it_is
    """Name of a message as one line about a packet has it."""
    message_note: Callable[[str], MessageNote | None] | None = None
    """Name of a message -> what one line about a packet says of values that no table holds; None: nothing."""
    dialects: Mapping[str, str] = field(default_factory=dict)
    """Those a flow can be read as, in the order in which a person is offered them, each with its title. No two
    protocols have one of the same name."""
    dialect_names: Mapping[str, str] = field(default_factory=dict)
    """By dialect: a name of a few letters for a column; missing ones are shown as they are."""
    open_bulk_reading: Callable[[Rows, Verdict], Reading] | None = None
    """A reading with compiled code, which makes the same rows; None: there is only the plain one."""
    open_bulk_snapshots: Callable[[], SnapshotCodec[Any]] | None = None
    """`snapshots` with compiled code, for one thread: states of its own, but the same items, changes and records."""
    pace: PaceOf | None = None
    """None: the protocol knows no states of sending."""
    excerpts: Excerpts | None = None
    """None: an excerpt of a flow is just some of its packets."""
    name_messages: NameMessages | None = None
    """None: the names of players, if there are any, are in snapshots."""
    schemas: Schemas | None = None
    """None: there is nothing that a person could add."""
    layouts: Callable[[], Layouts] | None = None
    """Items and messages that schemas name now; None: there are none."""
    message_fields: MessageFields | None = None
    """None: of messages nothing is known beyond what tables hold."""
    message_ints: MessageInts | None = None
    """The same with compiled code, for numbers; None: there is none."""
    expertise: Expertise = Expertise()
