"""Teeworlds 0.6, DDNet and 0.7, as the specification of their wire format says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from analyzer.protocols.base import Excerpts, Expertise, MessagePlace, Protocol, SessionFacts
from analyzer.protocols.flow import Reading, Verdict
from analyzer.protocols.teeworlds.autopsy import explain_crc
from analyzer.protocols.teeworlds.codec import TeeworldsCodec
from analyzer.protocols.teeworlds.codes import CODES, PACKET_CODES, PACKET_KINDS, PACKET_RULES, SNAPSHOT_KINDS
from analyzer.protocols.teeworlds.delta import MAX_ITEMS, MAX_STATE_BYTES
from analyzer.protocols.teeworlds.detect import TeeworldsDetector, probe
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.explain import explain
from analyzer.protocols.teeworlds.layouts import layouts
from analyzer.protocols.teeworlds.made import made_messages, made_snapshot
from analyzer.protocols.teeworlds.message_fields import message_fields
from analyzer.protocols.teeworlds.pace import INIT_TICKS, RECOVER_TICKS, TICKS_PER_SECOND, pace
from analyzer.protocols.teeworlds.partial_codec import TeeworldsPartialCodec
from analyzer.protocols.teeworlds.reading import TeeworldsReading
from analyzer.protocols.teeworlds.rebuilder import plain_tools
from analyzer.protocols.teeworlds.schemas import SCHEMAS
from analyzer.protocols.teeworlds.sight import POOL_IDS, look
from analyzer.protocols.teeworlds.told_names import NAME_MESSAGES
from analyzer.protocols.teeworlds.words import DIALECT_NAMES, message_note, short_name
from analyzer.store.rows import Rows

if TYPE_CHECKING:
    from analyzer.protocols.teeworlds.bulk_codec import BulkCodec


def open_reading(rows: Rows, verdict: Verdict) -> Reading:
    """A reading of a flow under the dialect that was detected or pinned."""
    dialect = DIALECTS[verdict.dialect]
    return TeeworldsReading(rows, dialect, verdict.server, plain_tools(dialect.schema))


def open_bulk_reading(rows: Rows, verdict: Verdict) -> Reading:
    """The same with compiled code."""
    from analyzer.protocols.teeworlds.bulk import BulkReading

    return BulkReading(rows, DIALECTS[verdict.dialect], verdict.server)


def open_bulk_snapshots() -> BulkCodec:
    """Snapshots on demand with compiled code."""
    from analyzer.protocols.teeworlds.bulk_codec import BulkCodec

    return BulkCodec()


def message_ints(
    messages: Sequence[MessagePlace], facts: SessionFacts, name: str, field: str
) -> NDArray[np.int64] | None:
    """Numbers in many messages, with compiled code."""
    from analyzer.protocols.teeworlds import bulk_messages

    return bulk_messages.message_ints(messages, facts, name, field)


PROTOCOL = Protocol(
    name="teeworlds",
    title="Teeworlds / DDNet",
    probe=probe,
    open_detector=TeeworldsDetector,
    open_reading=open_reading,
    open_bulk_reading=open_bulk_reading,
    explain=explain,
    packet_kinds=PACKET_KINDS,
    packet_codes=PACKET_CODES,
    snapshot_kinds=SNAPSHOT_KINDS,
    codes=CODES,
    snapshots=TeeworldsCodec(),
    partial=TeeworldsPartialCodec(),
    open_bulk_snapshots=open_bulk_snapshots,
    short_name=short_name,
    message_note=message_note,
    dialects={dialect.name: dialect.title for dialect in DIALECTS.values()},
    dialect_names=DIALECT_NAMES,
    pace=pace,
    excerpts=Excerpts(
        made_snapshot,
        made_messages,
        tells_dialect=frozenset({"CONNECTACCEPT", "TOKEN"}),
        opens_epoch=("NETMSG_MAP_CHANGE", "NETMSG_ENTERGAME"),
    ),
    name_messages=NAME_MESSAGES,
    schemas=SCHEMAS,
    layouts=layouts,
    message_fields=message_fields,
    message_ints=message_ints,
    expertise=Expertise(
        packet_rules=PACKET_RULES,
        full_steps={INIT_TICKS: "rate.init", RECOVER_TICKS: "rate.recover"},
        ticks_per_second=TICKS_PER_SECOND,
        most_items=MAX_ITEMS,
        most_bytes=MAX_STATE_BYTES,
        pool_ids=POOL_IDS,
        look=look,
        explain_crc=explain_crc,
    ),
)
