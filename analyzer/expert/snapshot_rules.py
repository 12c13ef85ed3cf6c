"""Rules about single snapshots: what could not be read or proved, sizes near their limits, and what decoding noted."""

from __future__ import annotations

import numpy as np

from analyzer.expert.rule import (
    NO_HITS,
    FactRule,
    Hits,
    Severity,
    SnapshotRule,
    Threshold,
    Values,
    code_hits,
    hits,
    row_hits,
)
from analyzer.expert.views import FactRows, SnapshotRows
from analyzer.snapshots.status import REBUILT, LostBy

DECIDED = "the packet that completed the snapshot, or that decided its fate"
CARRIES = "the packet that carries the part"


def by_code(
    name: str,
    severity: Severity,
    title: str,
    *,
    explanation: str,
    causes: str,
    advice: str,
    rests_on: str = DECIDED,
    raised: str = "",
) -> SnapshotRule:
    """A rule that is what the protocol says a report code stands for."""
    return SnapshotRule(
        name=name,
        severity=severity,
        title=title,
        explanation=explanation,
        causes=causes,
        advice=advice,
        rests_on=rests_on,
        raised=raised,
        sentence="{reason}",
        find=code_hits(name, severity),
    )


def noted(
    name: str,
    severity: Severity,
    title: str,
    *,
    explanation: str,
    causes: str,
    advice: str,
    rests_on: str = DECIDED,
) -> FactRule:
    """A rule that takes up what decoding noted under its name."""

    def find(rows: FactRows, values: Values) -> Hits:
        own = rows.named(name)
        return hits(severity, own.rows, packet=own["packet"], snapshot=own["snapshot"], session=own.session)

    return FactRule(
        name=name,
        severity=severity,
        title=title,
        explanation=explanation,
        causes=causes,
        advice=advice,
        rests_on=rests_on,
        sentence="{text}",
        find=find,
    )


def _part_missing(rows: SnapshotRows, values: Values) -> Hits:
    own = rows.part(rows.stands_for("snap.part_missing"))
    lost = own["lost_by"] == LostBy.CAPTURE
    return row_hits(own, np.where(lost, Severity.NOTE, Severity.WARNING), "part_count", "parts")


def _empty(rows: SnapshotRows, values: Values) -> Hits:
    empty = (rows["items"] == 0) & (rows["base_tick"] >= 0) & np.isin(rows["status"], REBUILT)
    return row_hits(rows.part(empty), Severity.NOTE)


def _at_cap(rows: SnapshotRows, values: Values) -> Hits:
    most = rows.limit("most_items")
    full = (most > 0) & (rows["items"] >= most) & np.isin(rows["status"], REBUILT)
    return row_hits(rows.part(full), Severity.WARNING, "items")


def _near_cap(rows: SnapshotRows, values: Values) -> Hits:
    most = rows.limit("most_items")
    near = (most > 0) & (rows["items"] < most) & (rows["items"] * 100 >= most * values["percent"])
    own = rows.part(near & np.isin(rows["status"], REBUILT))
    return hits(
        Severity.NOTE,
        own.rows,
        packet=own["packet"],
        snapshot=own.rows,
        session=own["session"],
        first=own["items"],
        second=own.limit("most_items").astype(np.int64),
    )


def _size_near_cap(rows: SnapshotRows, values: Values) -> Hits:
    most = rows.limit("most_bytes")
    near = (most > 0) & (rows["state_bytes"] * 100 >= most * values["percent"])
    own = rows.part(near & np.isin(rows["status"], REBUILT))
    if not len(own):
        return NO_HITS
    return hits(
        Severity.WARNING,
        own.rows,
        packet=own["packet"],
        snapshot=own.rows,
        session=own["session"],
        first=own["state_bytes"],
        second=own.limit("most_bytes").astype(np.int64),
    )


RULES = (
    by_code(
        "snap.crc",
        Severity.ERROR,
        "Checksum differs",
        explanation="The items that the delta makes of its baseline do not sum to the checksum on the wire. The client "
        "drops such a snapshot and keeps its older baseline.",
        causes="Two items with one key, an item that was removed and sent again, a baseline that is not the one the "
        "server used, a wrong size of an item type, or a value changed on the way.",
        advice="Look at what could explain the difference: the finding lists every single change that would make the "
        "checksum right.",
    ),
    noted(
        "snap.dup_key",
        Severity.WARNING,
        "A key occurs twice in one delta",
        explanation="Two updates, or two removals, have the same type and id. The later one wins, so one item of the "
        "server's is lost, and the checksum is likely to differ.",
        causes="The server gives two items of one type the same id.",
        advice="Give every item of a type an id of its own; look at the changes of the snapshot for the key.",
    ),
    noted(
        "snap.delete_missing",
        Severity.WARNING,
        "Removes an item that the baseline does not have",
        explanation="A removed key is not in the baseline. Receivers ignore it, but a writer that has the right "
        "baseline never sends one.",
        causes="The server compared with another baseline than the one it names, or packs removed keys wrongly.",
        advice="Compare the baseline here with what the server kept under that tick.",
    ),
    by_code(
        "snap.size_mismatch",
        Severity.ERROR,
        "An update differs in size from its baseline",
        explanation="An item has as many values for as long as it lives. This update has more or fewer than the item "
        "it changes, so the snapshot cannot be made.",
        causes="Two item types under one number, an item whose size varies, or a table of sizes that the peers do not "
        "share.",
        advice="Keep the size of an item type fixed, or give the longer one a type of its own.",
    ),
    by_code(
        "snap.type_range",
        Severity.ERROR,
        "An item type out of range",
        explanation="The type number of an update is negative or above what the protocol allows. Receivers drop the "
        "snapshot; old ones read beyond a table.",
        causes="A wrong size of an earlier item, so that what follows is read out of step; or the server writes a bad "
        "type.",
        advice="Look at the update before this one first: its size is the usual suspect.",
    ),
    by_code(
        "snap.id_range",
        Severity.ERROR,
        "An item id out of range",
        explanation="The id of an update is negative or above what the protocol allows, so it cannot be part of a key.",
        causes="A wrong size of an earlier item, or ids that the server counts up without a limit.",
        advice="Look at the update before this one first, then at where the server takes its ids from.",
    ),
    SnapshotRule(
        name="snap.empty_with_baseline",
        severity=Severity.NOTE,
        title="A snapshot of no items",
        explanation="The snapshot has a baseline and removes every item of it: for this client the world is empty.",
        causes="A client that is between two states, or a server that forgets to add the items of a client.",
        advice="Nothing, if it lasts for a moment. Otherwise look at what the server adds for this client.",
        rests_on=DECIDED,
        sentence="tick {tick} has no items, its baseline {base_tick} had some or none either",
        find=_empty,
    ),
    SnapshotRule(
        name="snap.items_near_cap",
        severity=Severity.NOTE,
        title="Nearly as many items as a snapshot may have",
        explanation="Beyond the limit a server drops items without a word: those that it adds last.",
        causes="Many projectiles, lasers or pickups in sight of one client.",
        advice="Send fewer items, or only those near the client.",
        rests_on=DECIDED,
        sentence="{0} of at most {1} items",
        thresholds=(Threshold("percent", 90, "%", "of the limit", 1),),
        find=_near_cap,
    ),
    SnapshotRule(
        name="snap.items_at_cap",
        severity=Severity.WARNING,
        title="As many items as a snapshot may have",
        explanation="The snapshot is full. What the server wanted to add beyond it was dropped without a word.",
        causes="More items in sight of one client than the limit allows.",
        advice="Send fewer items, or only those near the client; add what matters most first.",
        rests_on=DECIDED,
        sentence="{0} items, and no more fit",
        find=_at_cap,
    ),
    SnapshotRule(
        name="snap.size_near_cap",
        severity=Severity.WARNING,
        title="Nearly as many bytes as a snapshot may have",
        explanation="A rebuilt snapshot may take 64 KiB. Beyond it a server drops items, and receivers drop snapshots.",
        causes="Many or large items in sight of one client.",
        advice="Send fewer or smaller items.",
        rests_on=DECIDED,
        sentence="{0} of at most {1} bytes",
        thresholds=(Threshold("percent", 90, "%", "of the limit", 1),),
        find=_size_near_cap,
    ),
    SnapshotRule(
        name="snap.part_missing",
        severity=Severity.WARNING,
        title="Parts of a snapshot are missing",
        explanation="A snapshot of several parts was never complete. Parts are not sent again: it is lost as a whole.",
        causes="Loss on the network, which hits a snapshot of many parts more often than one of few; or the capture "
        "missed a packet that the client got.",
        advice="Look at who lost it. On the network: smaller snapshots have fewer parts. In the capture: capture "
        "nearer to the client, or with a larger buffer.",
        rests_on="the packet after which the parts could not come any more",
        sentence="{reason}",
        raised="A note where the capture lost the part: the client had it.",
        find=_part_missing,
    ),
    by_code(
        "snap.part_late",
        Severity.NOTE,
        "A part that comes too late",
        explanation="A part of a tick that was given up already, as newer ones had begun.",
        causes="Packets overtake each other on the way.",
        advice="Nothing, if it is rare. Otherwise look at the jitter of the client.",
        rests_on=CARRIES,
    ),
    by_code(
        "snap.part_dup",
        Severity.NOTE,
        "A part that comes twice",
        explanation="A part of a tick that was received before. It does not count again.",
        causes="The network repeated a packet, or the capture saw it at two places; with other bytes: the server sent "
        "two snapshots under one tick.",
        advice="Nothing. If every packet comes twice, capture on one interface only.",
        rests_on=CARRIES,
        raised="A warning where its bytes are others than before.",
    ),
    noted(
        "snap.parts_inconsistent",
        Severity.WARNING,
        "Parts of a snapshot disagree",
        explanation="Parts of one tick name different baselines, checksums or numbers of parts, or a part came twice "
        "with different bytes. The later one counts, as in a client.",
        causes="The server sent two snapshots under one tick, or a part was changed on the way.",
        advice="Compare the packets of the parts.",
    ),
    SnapshotRule(
        name="snap.malformed",
        severity=Severity.ERROR,
        title="A snapshot that cannot be read",
        explanation="The snapshot message, or the delta in its parts, breaks the format. The client drops it.",
        causes="A writer that does not follow the format, a wrong size of an item type, or bytes changed on the way.",
        advice="Look at the first wrong byte, and at the update before it.",
        rests_on=DECIDED,
        sentence="{reason}",
        find=code_hits("snap.malformed", Severity.ERROR),
    ),
    noted(
        "snap.odd",
        Severity.WARNING,
        "Readable, but no server writes it so",
        explanation="Numbers after the last update, a third number that is not zero, a number not in its shortest "
        "form, or a middle part that is not full. Receivers accept it.",
        causes="A writer of its own make.",
        advice="Write it as the reference does: the next receiver may be less patient.",
    ),
)
BASE_UNKNOWN = SnapshotRule(
    name="base.unknown",
    severity=Severity.NOTE,
    title="The baseline is not in the capture",
    explanation="The snapshot is a difference to one that was sent before the capture began, or that it missed. Nobody "
    "can rebuild it, nor what builds on it, from these packets.",
    causes="The capture began in mid-session, lost packets, or cut them.",
    advice="Begin the capture before the client connects, keep whole packets, and look at what the capture lost.",
    rests_on=DECIDED,
    sentence="{reason}",
    raised="A warning where the capture has a gap in the middle of the session.",
    find=code_hits("base.unknown", Severity.NOTE),
)
