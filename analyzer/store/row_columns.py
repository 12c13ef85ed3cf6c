"""Columns of the integer buffers in which a reading's rows wait for the writer: what stands where in rows.RowBuffers.

The numbers are plain ints, so that compiled kernels take them as constants. What a column means is said in tables.py;
-1 is no session, no snapshot and no packet. "Local" numbers are the reading's own, counted from 0 over its whole life.
"""

from __future__ import annotations

N_PACKETS, N_MESSAGES, N_SNAPSHOTS, N_PARTS, N_AMENDMENTS = range(5)
"""Where `counts` says how many rows of each buffer are used."""

PACKET_COLUMNS = ("packet", "session", "kind", "flags", "ack", "chunks", "code", "snapshot", "severity")
"""What depends on the reading in a row of `packets`. `session` and `snapshot` are local."""
P_PACKET, P_SESSION, P_KIND, P_FLAGS, P_ACK, P_CHUNKS, P_CODE, P_SNAPSHOT, P_SEVERITY = range(9)

MESSAGE_COLUMNS = ("packet", "name", "id", "flags", "sequence", "size", "offset", "code")
"""A row of `messages`; those of a packet stand together. `name` is an index into Rows.names."""
M_PACKET, M_NAME, M_ID, M_FLAGS, M_SEQUENCE, M_SIZE, M_OFFSET, M_CODE = range(8)

SNAPSHOT_FIELDS = (
    "session",
    "tick",
    "base_tick",
    "packet",
    "kind",
    "status",
    "code",
    "parts",
    "base",
    "wire_bytes",
    "delta_bytes",
    "state_bytes",
    "items",
    "added",
    "changed",
    "removed",
    "deleted",
    "updated",
    "crc_wire",
    "crc_computed",
    "cause",
    "depth",
    "client_kept",
    "client_has",
    "lost_by",
    "proof",
    "acked_packet",
    "detail",
    "detail2",
)
"""What a reading says of a snapshot. `session`, `base` and `cause` are local."""
SNAPSHOT_COLUMNS = (*SNAPSHOT_FIELDS, "first_part", "part_count")
"""A row of `snapshots`: its fields, and which rows of the buffer of parts carried it (any, where there are none)."""
(
    S_SESSION,
    S_TICK,
    S_BASE_TICK,
    S_PACKET,
    S_KIND,
    S_STATUS,
    S_CODE,
    S_PARTS,
    S_BASE,
    S_WIRE_BYTES,
    S_DELTA_BYTES,
    S_STATE_BYTES,
    S_ITEMS,
    S_ADDED,
    S_CHANGED,
    S_REMOVED,
    S_DELETED,
    S_UPDATED,
    S_CRC_WIRE,
    S_CRC_COMPUTED,
    S_CAUSE,
    S_DEPTH,
    S_CLIENT_KEPT,
    S_CLIENT_HAS,
    S_LOST_BY,
    S_PROOF,
    S_ACKED_PACKET,
    S_DETAIL,
    S_DETAIL2,
    S_FIRST_PART,
    S_PART_COUNT,
) = range(31)

PART_COLUMNS = ("packet", "ordinal", "number")
"""The `ordinal`-th message of `packet` carries part `number`; the parts of a snapshot stand together."""
R_PACKET, R_ORDINAL, R_NUMBER = range(3)

AMENDMENT_COLUMNS = ("column", "local", "value")
"""A value for column `column` (AMEND_...) of snapshot `local`; of several the last one stays."""
A_COLUMN, A_LOCAL, A_VALUE = range(3)
AMEND_BASE, AMEND_CAUSE, AMEND_CLIENT_HAS, AMEND_LOST_BY, AMEND_ACKED_PACKET, AMEND_DETAIL = (
    S_BASE,
    S_CAUSE,
    S_CLIENT_HAS,
    S_LOST_BY,
    S_ACKED_PACKET,
    S_DETAIL,
)
"""The columns of a snapshot that may be amended. A value of `base` or `cause` is local."""
AMENDABLE = {
    SNAPSHOT_COLUMNS[column]: column
    for column in (AMEND_BASE, AMEND_CAUSE, AMEND_CLIENT_HAS, AMEND_LOST_BY, AMEND_ACKED_PACKET, AMEND_DETAIL)
}
