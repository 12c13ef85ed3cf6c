"""What is seen in the items of several snapshots at once."""

from __future__ import annotations

import numpy as np

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.sight import look
from analyzer.protocols.teeworlds.state import make_state, pack_state
from analyzer.snapshots.sight import ItemSight, Seen
from tests.encoder import Items, key
from tests.protocols.teeworlds.played import SIZES

FACTS = SessionFacts("ddnet", None, SIZES)
EXTENDED = 0x7FFE
UUID = (1, 2, 3, 4)
"""Of no item that anybody knows."""
FLAG, PICKUP, DEATH = key(5, 1), key(4, 300), key(17, 2)


def see(*states: Items, dialect: str = "ddnet") -> ItemSight:
    packed = [pack_state(make_state({known: tuple(values) for known, values in state.items()})) for state in states]
    return look(packed, SessionFacts(dialect, None, SIZES))


def test_keys_in_the_order_of_each_snapshot() -> None:
    sight = see({PICKUP: (1, 2, 0, 0), FLAG: (1, 2, 0)}, {}, {DEATH: (1, 2, 0), FLAG: (1, 2, 0)})
    assert sight.starts.tolist() == [0, 2, 2, 4]
    assert sight.keys.tolist() == [PICKUP, FLAG, DEATH, FLAG]
    assert sight.lasting.tolist() == [True, True, False, True]
    assert sight.highest_id.tolist() == [300, -1, -1]
    assert sight.seen == ()
    assert not sight.own_missing.any()


def test_no_items_at_all() -> None:
    sight = see({})
    assert (len(sight.keys), sight.starts.tolist(), sight.highest_id.tolist()) == (0, [0, 0], [-1])


def test_types_that_nobody_knows_or_declared() -> None:
    declared: Items = {key(0, EXTENDED): UUID, key(EXTENDED, 1): (5,)}
    sight = see({key(60, 1): (1,), key(60, 2): (2,)}, {key(EXTENDED, 1): (5,)}, declared, {key(EXTENDED, 1): (5,)})
    undeclared = f"type {EXTENDED} is used without its declaration (1 item here)"
    assert sight.seen == (
        Seen(0, "snap.unknown_type", 60, "type 60 is not known (2 items here)"),
        Seen(1, "snap.ext_unregistered", EXTENDED, undeclared),
        Seen(2, "snap.unknown_type", EXTENDED, f"type {EXTENDED} is not known (1 item here)"),
        Seen(3, "snap.ext_unregistered", EXTENDED, undeclared),
    )


def test_values_out_of_their_range() -> None:
    sight = see({PICKUP: (1, 2, -1, 0), FLAG: (1, 2, 2)}, {FLAG: (1, 2, 1)})
    assert [(one.state, one.text) for one in sight.seen] == [
        (0, "Pickup 300: type is -1, allowed is 0 or more"),
        (0, "Flag 1: team is 2, allowed are 0 to 1"),
    ]


def test_the_own_character() -> None:
    playing: Items = {key(10, 3): (1, 3, 0, 0, 0)}
    alive = playing | {key(9, 3): (0,) * 22}
    other = playing | {key(9, 4): (0,) * 22}
    watching: Items = {key(10, 3): (1, 3, -1, 0, 0)}
    stranger: Items = {key(10, 3): (0, 3, 0, 0, 0)}
    states = (playing, alive, other, watching, stranger)
    assert see(*states).own_missing.tolist() == [True, False, True, False, False]
    assert not np.any(see(*states, dialect="0.7").own_missing)
