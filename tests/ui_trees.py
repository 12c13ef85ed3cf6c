"""A change tree made by hand: one item of each kind."""

from __future__ import annotations

from analyzer.engine.change_tree import ChangeTree, FieldNode, ItemNode, PartNode, SnapshotHead, TypeNode, Value
from analyzer.snapshots.status import LostBy, Proof, Status

BASE_HEAD = SnapshotHead(
    snapshot=7,
    packet=70,
    tick=20,
    base_tick=18,
    base=6,
    base_packet=60,
    status=Status.OK,
    code="OK",
    reason="rebuilt, crc equal",
    cause=-1,
    cause_tick=-1,
    cause_packet=-1,
    proof=Proof.OWN,
    lost=0,
    lost_by=LostBy.NOBODY,
    crc_wire=0xABCD,
    crc_computed=0xABCD,
    wire_bytes=300,
    announced=1,
    parts=(PartNode(0, 70),),
    items=4,
    added=1,
    changed=2,
    removed=1,
    deleted=1,
    updated=3,
)


def value(raw: int, meaning: str = "") -> Value:
    """A raw number with its meaning."""
    return Value(str(raw), f"{raw}  {meaning}" if meaning else str(raw))


def made_tree() -> ChangeTree:
    """Three tees (removed, added, changed), a sound that is another event, and a flag that stayed as it was."""
    x = FieldNode("x", value(100, "3.1 tiles"), value(-92, "-2.9 tiles"), -192, "-192", 8, False)
    y = FieldNode("y", value(1), value(1), 0, "0", 3, True)
    gone = FieldNode("x", value(7), None, None, "", 0, False)
    new_x = FieldNode("x", None, value(5, "0.2 tiles"), None, "5", 8, False)
    new_y = FieldNode("y", None, value(6, "0.2 tiles"), None, "6", 8, False)
    team = FieldNode("team", value(1, "blue"), value(1, "blue"), None, "", 0, True)
    tees = (
        ItemNode(9, 3, "Tee", "", "removed", False, 10, (gone,), 1, "tee 3 "),
        ItemNode(9, 2, "Tee", "Ann", "added", False, 40, (new_x, new_y), 2, "tee 2 ann"),
        ItemNode(9, 1, "Tee", "Bob", "changed", False, 40, (x, y), 1, "tee 1 bob"),
    )
    sound = ItemNode(14, 0, "Sound", "", "changed", True, 30, (x,), 1, "sound 0 ")
    flag = ItemNode(5, 0, "Flag", "", "same", False, 0, (team,), 0, "flag 0 ")
    types = (
        TypeNode(9, "Tee", False, tees, 90, 1),
        TypeNode(14, "Sound", True, (sound,), 30, 0),
        TypeNode(5, "Flag", False, (flag,), 0, 2),
    )
    return ChangeTree(BASE_HEAD, types, 120)
