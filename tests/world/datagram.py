"""What travels: the bytes of a datagram, and what its sender meant by them, which only the truth looks at."""

from __future__ import annotations

from dataclasses import dataclass

from world.wire import Delta, Items

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Sent:
    """One snapshot as the server made it. Compared by identity: two sessions may use the same tick."""

    client: Address
    epoch: object
    """Identity of the map of the connection it belongs to."""
    tick: int
    base_tick: int
    """-1: the empty snapshot."""
    items: Items
    """What the server meant."""
    delta: Delta
    checksum: int
    """On the wire."""
    parts: int
    kind: str
    fault: str = ""
    """What the server did wrong: a key of faults.FAULTS."""

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


@dataclass(frozen=True, slots=True)
class Snap:
    """A part of a snapshot."""

    sent: Sent
    part: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Input:
    """The client's INPUT."""

    acked: int


@dataclass(frozen=True, slots=True)
class Plain:
    """Any other message, by its number; `epoch` for MAP_CHANGE."""

    number: int
    epoch: object = None


@dataclass(frozen=True, slots=True)
class Proof:
    """A vital SNAPEMPTY of the anti-spoof handshake: its tick is a token that the client sends back as an ack."""

    token: int


Message = Snap | Input | Plain | Proof


@dataclass(frozen=True, slots=True)
class Chunk:
    """A message with its place in the vital order."""

    message: Message
    data: bytes
    sequence: int | None = None
    resent: bool = False


@dataclass(frozen=True, slots=True)
class Datagram:
    """One UDP payload."""

    sender: Address
    receiver: Address
    payload: bytes
    ack: int = 0
    chunks: tuple[Chunk, ...] = ()
    control: int | None = None
    token: int | None = None
    """The token at its end; of CONNECTACCEPT the server's token."""
    resend: bool = False

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other
