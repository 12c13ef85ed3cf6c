"""Rules about packets, connections and the capture itself: what was lost, cut, foreign, sent again, or late."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from analyzer.expert.rule import (
    NO_HITS,
    DropRule,
    Hits,
    Mask,
    MessageRule,
    PacketRule,
    SessionRule,
    Severity,
    Threshold,
    Values,
    hits,
)
from analyzer.expert.snapshot_rules import noted
from analyzer.expert.views import DropRows, MessageRows, PacketRows, SessionRows

THE_PACKET = "the packet"


def _by_packet_code(name: str) -> Callable[[PacketRows, Values], Hits]:
    def find(rows: PacketRows, values: Values) -> Hits:
        own = rows.part(rows.stands_for(name))
        return hits(Severity.WARNING, own.rows, packet=own.rows, session=own["session"])

    return find


def _bugs(rows: PacketRows, values: Values) -> Hits:
    own = rows.part(rows.stands_for("own.bug"))
    return hits(Severity.ERROR, own.rows, packet=own.rows, session=own["session"])


def _truncated(rows: PacketRows, values: Values) -> Hits:
    own = rows.part(rows["length"] < rows["udp_length"])
    return hits(
        Severity.WARNING,
        own.rows,
        packet=own.rows,
        session=own["session"],
        first=own["length"],
        second=own["udp_length"],
    )


def _drops(rows: DropRows, values: Values) -> Hits:
    own = rows.part(rows["lost"] > 0)
    last = len(rows.tables.packets) - 1
    return hits(Severity.WARNING, own.rows, packet=np.minimum(own["packet"], last), first=own["lost"])


def _storm(rows: MessageRows, values: Values) -> tuple[Hits, Mask]:
    """A window begins with the first message behind the one before, so it does not matter how many came at once."""
    span, times, groups = int(values["window_ms"] * 1e6), rows.times, rows.group
    edges = [*np.flatnonzero(np.diff(groups, prepend=-1)).tolist(), len(rows)]
    keep, begins, counts = np.zeros(len(rows), np.bool_), [], []
    for start, stop in pairwise(edges):
        at = start
        while at < stop:
            inside = times[at:stop] - times[at] <= span
            end = at + (int(inside.argmin()) if not inside.all() else len(inside))
            if end - at >= values["messages"]:
                begins.append(at)
                counts.append(end - at)
            if end == stop:
                keep[at:stop] = True
            at = end
    own = rows.part(np.array(begins, np.int64))
    sessions = own.tables.packets.take("session", own["packet"]).astype(np.int64)
    found = hits(
        Severity.WARNING,
        own.rows,
        packet=own["packet"],
        session=sessions,
        first=np.array(counts, np.int64),
        second=int(values["window_ms"]),
    )
    return found, keep


def _reuse(rows: SessionRows, values: Values) -> Hits:
    ordered, again = _follows(rows)
    other = again & (np.diff(ordered["generation"], prepend=0) != 0)
    return _session_hits(ordered, other, first="generation")


def _follows(rows: SessionRows) -> tuple[SessionRows, Mask]:
    """Sessions of each reading together, and which are not the first of theirs."""
    ordered = rows.part(np.argsort(rows["reading"], kind="stable"))
    return ordered, np.diff(ordered["reading"], prepend=-1) == 0


def _session_hits(rows: SessionRows, which: Mask, first: str) -> Hits:
    if not which.any():
        return NO_HITS
    own = rows.part(which)
    return hits(Severity.NOTE, own.rows, packet=own["first_packet"], session=own.rows, first=own[first])


RULES = (
    noted(
        "sess.token_change",
        Severity.NOTE,
        "The connection has another token",
        explanation="The token that tells a connection from a forged one has changed on a flow: it is another "
        "connection between the same two ports.",
        causes="The client connected anew from the same port, or the server was started anew.",
        advice="Nothing, if the client did connect anew.",
        rests_on="the first packet with the new token",
    ),
    SessionRule(
        name="sess.reuse",
        severity=Severity.NOTE,
        title="A new connection on the same ports",
        explanation="The client connected again from a port that the server knew already. Baselines of the connection "
        "before do not count any more.",
        causes="A reconnect, with or without a close before it.",
        advice="See how the session before it ended, if nobody meant to reconnect.",
        rests_on="the first packet of the later session",
        sentence="connection number {0} on this flow, counted from 0",
        find=_reuse,
    ),
    noted(
        "sess.epoch_inferred",
        Severity.WARNING,
        "A new map began unseen",
        explanation="Ticks fell far back without a change of the map in the capture, so this must be another map or "
        "connection: baselines of before do not count.",
        causes="The capture lost the messages that change the map.",
        advice="Capture with a larger buffer, or nearer to the client.",
        rests_on="the packet with which the ticks fell back",
    ),
    MessageRule(
        name="net.resend_storm",
        severity=Severity.WARNING,
        title="Many messages are sent again",
        explanation="Messages that must arrive are sent again and again, as their acknowledgement does not come.",
        causes="Loss on the network, a round trip longer than the sender waits, or a peer that reads too slowly.",
        advice="Look at which way the loss is: at the acknowledgements in the packets of the other side.",
        rests_on="the packet of the first of these messages",
        sentence="{0} messages sent again within {1} ms",
        thresholds=(
            Threshold("messages", 20, "messages", "sent again within the window", 2),
            Threshold("window_ms", 1000, "ms", "of the window", 1),
        ),
        find=_storm,
    ),
    noted(
        "net.vital_gap",
        Severity.NOTE,
        "Messages are missing in the capture",
        explanation="Messages that must arrive were acknowledged by the peer, but are not in the capture.",
        causes="The capture lost packets.",
        advice="Capture with a larger buffer, or nearer to the client.",
        rests_on="the packet that shows the gap",
    ),
    DropRule(
        name="cap.drops",
        severity=Severity.WARNING,
        title="The capture lost packets",
        explanation="The capturing program says that it could not keep up. What is missing here was not lost by the "
        "game or the network.",
        causes="A slow disk, a small buffer, or more traffic than one program can take.",
        advice="Capture with a larger buffer and a filter.",
        rests_on="the first packet behind the gap",
        sentence="{0} packets lost before this one",
        find=_drops,
    ),
    PacketRule(
        name="cap.truncated",
        severity=Severity.WARNING,
        title="The capture cut a packet",
        explanation="The file has only the beginning of the packet. Snapshots in it are lost here, but not to the "
        "client.",
        causes="A capture length below the size of the packets.",
        advice="Capture whole packets (`-s 0`).",
        rests_on=THE_PACKET,
        sentence="{0} of {1} bytes are in the file",
        find=_truncated,
    ),
    PacketRule(
        name="proto.foreign",
        severity=Severity.WARNING,
        title="A packet that is not of this connection",
        explanation="The packet has the wrong token, so the peer ignores it, and so does this program.",
        causes="A packet of an older connection, or a forged one.",
        advice="See who sent it, if there are many.",
        rests_on=THE_PACKET,
        sentence="{packet}",
        find=_by_packet_code("proto.foreign"),
    ),
    PacketRule(
        name="proto.malformed",
        severity=Severity.WARNING,
        title="A packet that cannot be read",
        explanation="The packet, or a message in it, breaks the format. What was read before the fault counts.",
        causes="A sender that does not follow the format, or bytes changed on the way.",
        advice="Look at the first wrong byte of the packet.",
        rests_on=THE_PACKET,
        sentence="{packet}",
        find=_by_packet_code("proto.malformed"),
    ),
    PacketRule(
        name="own.bug",
        severity=Severity.ERROR,
        title="This program failed on a packet",
        explanation="An error of this program's own: the packet is shown with its bytes, but not with all it means.",
        causes="A mistake in this program.",
        advice="Please report it with the capture, or with an excerpt around the packet.",
        rests_on=THE_PACKET,
        sentence="{packet}",
        find=_bugs,
    ),
)
