"""What the Snapshot tab says of a snapshot that is not plainly right: what happened, where, what was kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from analyzer.engine.change_tree import PartialCounts, PartNode, SnapshotHead
from analyzer.engine.info import PacketInfo
from analyzer.snapshots.status import LostBy, Status
from analyzer.store.tables import Tables
from ui import words

_SEVERITIES = {Status.LATE: "note", Status.DUPLICATE: "note", Status.NO_BASE: "warn", Status.INCOMPLETE: "warn"}
"""Of all other statuses that are not right: error."""

PacketNumber = Callable[[int], int]
"""From a row of `packets` to the number that the list shows."""


class Notice(NamedTuple):
    """What the bar above the tree says; no text: nothing."""

    severity: str
    text: str
    link: str = ""
    """What leads to where it began; empty: nowhere to go."""
    code: str = ""
    """The rule's id."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("SnapshotTab", text)


def sentence(text: str) -> str:
    """A text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def notice(head: SnapshotHead, reason: str, number: PacketNumber, *, has_delta: bool) -> Notice:
    """The bar above the tree. `reason` is the sentence of the snapshot's code; `has_delta`: something could be read."""
    text = sentence(reason)
    if head.promoted:
        return Notice("note", text, code=head.code)
    if head.status in (Status.OK, Status.PARTIAL):
        return Notice("note", "")
    if head.status is Status.CRC:
        text = _tr("The checksum does not fit: {wire} on the wire, {own} computed, difference {difference}").format(
            wire=f"{head.crc_wire:08x}",
            own=f"{head.crc_computed:08x}",
            difference=words.signed((head.crc_computed - head.crc_wire + (1 << 31)) % (1 << 32) - (1 << 31)),
        )
    elif head.status is Status.INCOMPLETE:
        text = _incomplete(head, number)
    elif head.status is Status.NO_BASE:
        if head.partial is not None:
            text = f"{partly(head.partial)} {text}"
        elif has_delta:
            text = _tr("Not rebuilt, this is the delta alone. {reason}").format(reason=text)
        if head.cause >= 0:
            began = _tr("; it began with tick {tick} in packet {packet}")
            text += began.format(tick=head.cause_tick, packet=number(head.cause_packet))
    elif head.status is Status.MALFORMED and has_delta:
        text = _tr("{reason}. What stands before it could be read").format(reason=text)
    link = _tr("Go to tick {tick}").format(tick=head.cause_tick) if head.cause >= 0 else ""
    return Notice(_SEVERITIES.get(head.status, "error"), text, link, head.code)


def partly(partial: PartialCounts) -> str:
    """How much of a snapshot without a baseline is known: its items, those without values, those that are not there."""
    if not partial.known:
        return _tr("Not rebuilt, this is the delta alone.")
    told = [words.count(partial.known, _tr("item"), _tr("items"))]
    if partial.unknown:
        told.append(_tr("at least {unknown} more without values").format(unknown=words.quantity(partial.unknown)))
    if partial.absent:
        told.append(_tr("{absent} not there").format(absent=words.quantity(partial.absent)))
    return _tr("Known in part, from deltas alone: {told}.").format(told=", ".join(told))


def finding(place: str, head: SnapshotHead, client: str, number: PacketNumber, text: str) -> str:
    """A notice as one line that can be sent to somebody: in which file, packet and snapshot. `place` is the file."""
    against = _tr("tick {tick} against {base}") if head.base_tick >= 0 else _tr("tick {tick}")
    packet = _tr("packet {packet}").format(packet=number(head.packet))
    where = ", ".join((place, packet, client, against.format(tick=head.tick, base=head.base_tick)))
    return f"{where}: {text} ({head.code})" if head.code else f"{where}: {text}"


def nothing_to_show(head: SnapshotHead, reason: str) -> tuple[str, str]:
    """Title and sentence for a snapshot without a single row."""
    if head.rebuilt:
        return _tr("Nothing changed"), _tr("The snapshot is the same as its baseline and holds no items.")
    missing = [part for part in head.parts if part.packet < 0]
    if missing:
        here = [part for part in head.parts if part.packet >= 0]
        text = _tr("A snapshot is rebuilt from all of its {all} parts. Here: {here}. Missing: {missing}.")
        numbers = {"all": head.announced, "here": _numbers(here) or words.UNKNOWN, "missing": _numbers(missing)}
        return _tr("Parts are missing"), text.format(**numbers)
    if head.status is Status.MALFORMED:
        text = _tr("{reason}. The bytes stand in the Packet tab.")
        return _tr("Nothing could be read"), text.format(reason=sentence(reason))
    return _tr("No delta to show"), f"{sentence(reason)}."


def is_declined(tables: Tables, flow: int) -> bool:
    """Did a person choose that a flow of which nothing is decoded is not to be?"""
    return bool(tables.flows.text("pinned", flow))


def unread(tables: Tables, flow: int) -> str:
    """Why no packet of a flow is decoded."""
    if is_declined(tables, flow):
        return _tr("You chose not to decode this flow: only its bytes are known")
    return _tr("Nothing reads this flow: only its bytes are known")


def without_snapshot(tables: Tables, info: PacketInfo, packet: int) -> tuple[str, str]:
    """Title and sentence for a selected packet that no snapshot belongs to."""
    title = _tr("This packet carries no snapshot")
    flow = tables.packets.integer("flow", packet)
    protocol = info.protocol(packet)
    if protocol is None:
        known = tables.flows.text("recognised", flow)
        if known:
            return title, _tr("It belongs to {game}, which is recognised but not read.").format(game=known)
        return title, _tr("{why}. They stand in the Packet tab.").format(why=unread(tables, flow))
    code = tables.packets.integer("code", packet)
    if code:
        fault = _tr("It could not be read: {fault}. Its bytes stand in the Packet tab.")
        rule, _, what = protocol.packet_codes[code].partition(": ")
        return title, fault.format(fault=what or rule)
    server = tables.flows.integer("server", flow)
    if server >= 0 and tables.packets.integer("direction", packet) != server:
        return title, _tr("It was sent by the client; snapshots come from the server.")
    return title, _tr("It carries other messages. They stand in the Packet tab.")


def _incomplete(head: SnapshotHead, number: PacketNumber) -> str:
    missing = [part for part in head.parts if part.packet < 0]
    here = [part for part in head.parts if part.packet >= 0]
    one = len(missing) == 1
    text = (_tr("Part {parts} of {all} is missing") if one else _tr("Parts {parts} of {all} are missing")).format(
        parts=_numbers(missing), all=head.announced
    )
    lost = {
        LostBy.CAPTURE: _tr(": the capture lost it") if one else _tr(": the capture lost them"),
        LostBy.NETWORK: _tr(": the network lost it") if one else _tr(": the network lost them"),
        LostBy.GAME: _tr(": the game did not send it") if one else _tr(": the game did not send them"),
    }
    if head.lost:
        text += _tr(": the capture lost {packets} here").format(packets=words.count(head.lost, _tr("packet")))
    else:
        text += lost.get(head.lost_by, "")
    arrived = _tr("part {part} came in packet {packet}")
    came = ", ".join(arrived.format(part=part.number + 1, packet=number(part.packet)) for part in here)
    return f"{text}; {came}" if came else text


def _numbers(parts: list[PartNode]) -> str:
    """Parts as the list counts them, from 1."""
    return ", ".join(str(part.number + 1) for part in parts)
