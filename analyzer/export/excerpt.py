"""What will be saved of a capture: which frames, and which snapshots are made so that they decode by themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.capture.frames import MADE_INTERFACE, Interface
from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.export.formats import Format
from analyzer.export.needs import Base, Needs
from analyzer.export.raw_ip import LINKTYPE_RAW, raw_packet
from analyzer.export.selection import Bools, frames_of, packets_in
from analyzer.export.told import Told, payloads, told
from analyzer.protocols.base import SessionFacts
from analyzer.stats.live import Ints
from analyzer.store.tables import Tables

MADE = Interface(
    MADE_INTERFACE,
    LINKTYPE_RAW,
    0,
    "The packets of this interface were not captured. Snapscope made them: each is a whole snapshot that later packets"
    " of this file refer to, or tells names and the map, and that was sent in packets which are not in this file.",
)
MADE_SECTION = (
    f'An excerpt. The packets of the interface "{MADE_INTERFACE}" were not captured: they are whole snapshots that'
    " others refer to."
)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What will be saved."""

    form: Format
    frames: Ints
    """Rows of `frames`, ascending."""
    whole: bool
    """Every frame of the capture."""
    added: int
    """Frames that nobody chose, but that decoding the others needs."""
    bases: tuple[Base, ...]
    """Full snapshots to be made, in the order of their places."""
    baseless: int
    """Snapshots that will not decode, as pcap has no place for what is made."""
    told: tuple[Told, ...] = ()
    """Names and maps to be told again."""


def plan(capture: Capture, chosen: Bools, form: Format) -> Excerpt:
    """The excerpt of the chosen frames; shape (frames,) or shorter."""
    tables = capture.tables
    whole = len(chosen) == len(tables.frames) and bool(chosen.all())
    made = capture.source.made_interfaces
    if form is Format.PCAP and made:
        interfaces = tables.frames.array("interface", 0, len(chosen))
        chosen = chosen & ~np.isin(interfaces, made)
        whole = whole and bool(chosen.all())
    if whole:
        return Excerpt(form, np.arange(len(chosen)), True, 0, (), 0)
    needs = Needs(tables, capture.protocols)
    packets = needs.complete(packets_in(tables, chosen))
    frames = np.flatnonzero(frames_of(tables, packets, chosen))
    added = len(frames) - int(chosen.sum())
    if form is Format.PCAP:
        return Excerpt(form, frames, False, added, (), needs.baseless(packets))
    again = tuple(told(tables, capture.protocols, packets))
    return Excerpt(form, frames, False, added, tuple(needs.bases(packets)), 0, again)


@dataclass(frozen=True, slots=True)
class MadeFrames:
    """Frames that go before the frame of row `before`."""

    before: int
    comment: str
    data: tuple[bytes, ...]


def make(tables: Tables, query: Query, base: Base) -> MadeFrames:
    """The frames of a base; none where the format of its protocol cannot carry it."""
    protocol = query.protocol(base.packet)
    block = query.packed(base.snapshot)
    assert protocol is not None
    assert protocol.excerpts is not None
    assert block is not None
    tick = tables.snapshots.integer("tick", base.snapshot)
    facts = tables.sessions.get("facts", tables.snapshots.integer("session", base.snapshot))
    assert isinstance(facts, SessionFacts)
    made = protocol.excerpts.made_snapshot(block, tick, facts, query.payload(base.model))
    comment = f"Made by Snapscope: the whole snapshot of tick {tick}, sent in packets not in this file."
    return _frames(tables, base, made, comment)


def tell(tables: Tables, query: Query, entry: Told) -> MadeFrames:
    """The frames that tell names and map again."""
    comment = "Made by Snapscope: names of players and the map, told in packets not in this file."
    return _frames(tables, entry, payloads(tables, query, entry), comment)


def _frames(tables: Tables, of: Base | Told, data: tuple[bytes, ...], comment: str) -> MadeFrames:
    flow, direction = (tables.packets.integer(name, of.model) for name in ("flow", "direction"))
    ends = tables.flows.text("address_a", flow), tables.flows.text("address_b", flow)
    source, destination = ends[direction], ends[1 - direction]
    # Of a datagram in fragments the last.
    before = tables.packets.integer("frame", of.packet)
    return MadeFrames(before, comment, tuple(raw_packet(source, destination, payload) for payload in data))
