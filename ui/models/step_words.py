"""Why a step from the selection leads nowhere, as a sentence for the status bar."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from analyzer.stats.snapshots import is_failed
from analyzer.store.tables import Tables
from ui.models import steps


def no_packet(step: int, *, in_flow: bool) -> str:
    """There is no packet after (step 1) or before (-1) the selected one."""
    if in_flow:
        return _tr("No later packet of this flow") if step > 0 else _tr("No earlier packet of this flow")
    return _tr("This is the last packet") if step > 0 else _tr("This is the first packet")


def none_in_session(step: int, *, member: bool) -> str:
    """The packet's session has no packet after or before it; `member`: it has a session."""
    if not member:
        return _tr("The packet belongs to no session")
    return _tr("No later packet of this session") if step > 0 else _tr("No earlier packet of this session")


def no_snapshot(tables: Tables, step: int) -> str:
    """The client has no snapshot after or before the selected one."""
    if not len(tables.snapshots):
        return _tr("No snapshots in this capture")
    return _tr("No later snapshot of this client") if step > 0 else _tr("No earlier snapshot of this client")


def no_failed(step: int, *, limited: bool) -> str:
    """No snapshot after or before the selected one failed, or none of the session that panes are limited to."""
    if limited:
        return (
            _tr("No later failed snapshot of this session")
            if step > 0
            else _tr("No earlier failed snapshot of this session")
        )
    return _tr("No later failed snapshot") if step > 0 else _tr("No earlier failed snapshot")


def no_baseline(tables: Tables, snapshot: int) -> str:
    """The snapshot has no baseline, or it is not in the capture."""
    if snapshot < 0:
        return _tr("No snapshot selected")
    tick = tables.snapshots.integer("base_tick", snapshot)
    if tick < 0:
        return _tr("This snapshot is full: it has no baseline")
    return _tr("The baseline, tick {tick}, is not in the capture").format(tick=tick)


def no_acknowledgement(tables: Tables, snapshot: int) -> str:
    """Nothing was seen that made the baseline one."""
    if steps.baseline(tables, snapshot) < 0:
        return no_baseline(tables, snapshot)
    return _tr("No packet that acknowledged the baseline was seen")


def no_cause(tables: Tables, snapshot: int) -> str:
    """The snapshot did not fail, or is itself where a failure began."""
    if snapshot < 0:
        return _tr("No snapshot selected")
    status = tables.snapshots.integer("status", snapshot)
    if is_failed(status, status):
        return _tr("The failure began with this snapshot")
    return _tr("No earlier cause is known")


def no_part(tables: Tables, snapshot: int) -> str:
    """There is no other packet with a part."""
    if snapshot < 0:
        return _tr("No snapshot selected")
    if tables.snapshots.integer("parts", snapshot) > 1:
        return _tr("No other packet with a part of this snapshot was seen")
    return _tr("This snapshot has one part")


def _tr(text: str) -> str:
    return QCoreApplication.translate("PacketList", text)
