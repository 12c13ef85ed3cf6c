"""What stands where in the arrays that hold what one epoch knows of its ticks; track.py says how it changes."""

from __future__ import annotations

from typing import NamedTuple, Protocol

RETENTION_TICKS = 500
"""Ten seconds. Bases in real traffic are at most 150 ticks old."""
REORDERED_TICKS = 150
"""A snapshot this far below the newest tick may belong to another epoch; less can be reordering."""
MAX_OPEN = 8
"""Ticks collected at once. Three suffice in the lossiest capture known; each costs at most `MAX_PARTS` parts."""
MAX_PARTS = 64
"""Parts of a snapshot."""
PURGE_EVERY = RETENTION_TICKS // 10
"""Ticks between two looks for what is older than the retention."""
NONE = -1

(
    TICK,
    LOCAL,
    SIZE,
    DEPTH,
    PROVED,
    CRC,
    ITEMS,
    AT,
    INTS,
    USED_BY,
    USED,
    ACK_PACKET,
    ACK_REBUILT,
    WATCHED,
    HAS,
    DONE,
    DONE_AT,
    GIVEN_UP,
    COLLECTOR,
    FLAGS,
) = range(20)
"""Columns of `Track.ticks`.

Of a base, LOCAL not NONE: the reading's number of its row, state_bytes, deltas since the last stored block or full
snapshot, whether it is proved, checksum, items, and where compiled code keeps its state. USED_BY: highest tick whose
delta referred to this one. USED: a delta did, so the client acknowledged it. ACK_PACKET, ACK_REBUILT: the INPUT that
acknowledged it first, and whether it was a base then. WATCHED, HAS: the row whose standing may still change, and what
it is. DONE, GIVEN_UP: the row that ended the tick. DONE_AT: its first part in `Track.done`. COLLECTOR: where its parts
are collected.
"""
TICK_COLUMNS = 20

FAILED, CAUSE, AWAITED, REPEATED, DISPUTED = 1, 2, 4, 8, 16
"""Bits of FLAGS: it failed; its watched row has a cause of its own; rows wait for it while it is open; parts of it
came twice while it was open; parts of it disagree."""
WHILE_OPEN = AWAITED | REPEATED | DISPUTED
"""Those that end with the row of the tick."""

OPEN, C_TICK, C_BASE_TICK, C_PARTS, C_CRC, C_KIND, C_LATE = range(7)
"""Columns of `Track.collectors`: in use; the fields of the last part; a newer tick had begun when it came."""
COLLECTOR_COLUMNS = 7

PACKET, ORDINAL, LENGTH, WIRE_BYTES, DIGEST = range(5)
"""Columns of `Track.parts`: message of which packet; bytes, NONE while it is missing; bytes of its datagram; digest."""
PART_COLUMNS = 5

DONE_TICK, DONE_PART, DONE_DIGEST = range(3)
"""Columns of `Track.done`; the parts of a tick stand side by side."""

(
    SEEN,
    LOWEST,
    ANY_SEEN,
    LAST_ACK,
    BELIEVED_ACK,
    NEWEST_ACK,
    FORGOTTEN,
    PURGE_AT,
    FLOOR,
    BYTES,
    CREDIT,
    CAUSES,
    FAILURES,
    N_TICKS,
    N_ACKS,
    N_UNPASSED,
    N_DONE,
    N_OPEN,
    FACTOR,
) = range(19)
"""Places in `Track.numbers`.

Highest and lowest tick of any valid snapshot message; whether there was one since the epoch or the session began; the
last acknowledgement, the last one that can be of this epoch, and the highest; ticks up to which nothing is remembered;
the tick at which to look for what is old; the highest tick of a base let go; state_bytes of all bases; bytes that may
be stored as blocks; how many causes and failed ticks are kept beside; how much of each array is used; and a number,
odd, below 2^32 and nobody else's, that makes an index of ticks whose places cannot be foreseen.
"""
NUMBERS = 19

OPENS, JOINS, HELD, REPLACES, ENDED, ENDED_OTHERWISE, TOO_LATE = range(7)
"""What a part is: first of its tick; a further one; held already, or held with another content; of a tick that was
completed, with the same or another content; of a tick that was given up or forgotten."""

NEVER, LATER, ACKED = range(3)
"""`status.ClientHas`, as numbers."""

CHAIN_LENGTH = 48
"""Deltas between two stored blocks."""
BLOCK_SHARE = 16
"""Bytes of blocks for each byte sent. Real traffic needs less than 1; a few bytes can repeat a snapshot of 64 KB."""
MESSAGE_BYTES = 8
"""What a snapshot without a delta counts as sent."""
MAX_DEPTH = 32767
"""Depths beyond it share this number: the column has 16 bits."""


class Line(Protocol):
    """Integers, by one index."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> int: ...
    def __setitem__(self, index: int, value: int, /) -> None: ...


class Matrix(Protocol):
    """Integers, by row and column."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: tuple[int, int], /) -> int: ...
    def __setitem__(self, place: tuple[int, int], value: int, /) -> None: ...


class Cube(Protocol):
    """Integers, by three indices."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: tuple[int, int, int], /) -> int: ...
    def __setitem__(self, place: tuple[int, int, int], value: int, /) -> None: ...


class Track(NamedTuple):
    """The arrays of one epoch, all of int64."""

    numbers: Line
    """Shape (NUMBERS,)."""
    ticks: Matrix
    """Shape (room, TICK_COLUMNS), an entry for every tick that something is known of, in no order."""
    places: Line
    """Shape (a power of two, at least 2 * room,), open addressing: 1 + entry of a tick; 0 is free."""
    acks: Line
    """Shape (room,): acknowledged ticks, ascending."""
    unpassed: Line
    """Shape (room,): ticks of watched rows above the newest acknowledgement."""
    done: Matrix
    """Shape (room, 3): the parts of ticks that were completed."""
    collectors: Matrix
    """Shape (MAX_OPEN + 1, COLLECTOR_COLUMNS)."""
    parts: Cube
    """Shape (MAX_OPEN + 1, MAX_PARTS, PART_COLUMNS)."""
