"""Every kind of explanation of a checksum, each from a delta and what a server with that mistake would have summed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.base import CrcCase, SessionFacts
from analyzer.protocols.teeworlds.autopsy import explain_crc
from analyzer.protocols.teeworlds.state import make_state, pack_state
from analyzer.snapshots.autopsy import Autopsy, Explanation
from analyzer.wire.errors import DecodeError
from tests.encoder import Items, crc, delta, key, pack_varints, update
from tests.protocols.teeworlds.played import SIZES

FACTS = SessionFacts("ddnet", None, SIZES)
FLAG, OTHER, PICKUP, LASER = key(5, 1), key(5, 2), key(4, 3), key(3, 7)
BASE: Items = {FLAG: (1000, 2000, 0), PICKUP: (50000, 60000, 1, 0)}
EMPTY: Items = {}


def packed(items: Items) -> bytes:
    return pack_state(make_state({known: tuple(values) for known, values in items.items()}))


def case(
    data: list[int],
    checksum: int,
    base: Items = BASE,
    bases: Mapping[int, Items] | None = None,
    others: Mapping[str, Items] | None = None,
) -> list[Explanation]:
    known = {tick: packed(items) for tick, items in (bases or {}).items()}
    told = tuple((name, packed(items)) for name, items in (others or {}).items())
    return explain_crc(CrcCase(pack_varints(data), packed(base), checksum, known, told), FACTS)


def kinds(found: list[Explanation]) -> list[tuple[str, int, int]]:
    return [(one.kind, one.type, one.id) for one in found if one.kind != "one-value"]


def test_another_client_was_told_otherwise() -> None:
    new = BASE | {FLAG: (1000, 2007, 0)}
    right = BASE | {FLAG: (1000, 2008, 0)}
    found = case(delta(BASE, new, SIZES), crc(right), others={"bot1": right, "bot2": right})
    assert kinds(found) == [("other-client", 5, 1)]
    assert found[0].text == "Flag 1: y is 2007, not 2008, as bot1 was told of the same tick"


def test_what_was_not_sent_is_no_evidence() -> None:
    """Some items are different for each client."""
    new = BASE | {FLAG: (1000, 2007, 0)}
    other = BASE | {PICKUP: (50000, 60001, 1, 0), FLAG: (1000, 2007, 0)}
    assert kinds(case(delta(BASE, new, SIZES), crc(new) + 1, others={"bot1": other})) == []


def test_another_base() -> None:
    older = BASE | {FLAG: (900, 2000, 0)}
    new = BASE | {FLAG: (1100, 2000, 0)}
    found = case(delta(older, new, SIZES), crc(new), bases={96: older, 98: EMPTY, -1: EMPTY})
    assert ("other-base", -1, -1) in kinds(found)
    assert "the baseline is tick 96, not the one that is named" in [one.text for one in found]
    assert found[0].rank == 2


def test_two_updates_of_one_key() -> None:
    first, second = (1, 22, 1), (5, 6, 0)
    data = [0, 2, 0, *update(OTHER, first, SIZES), *update(OTHER, second, SIZES)]
    found = case(data, crc(BASE) + sum(first) + sum(second))
    assert kinds(found) == [("duplicate-key", 5, 2)]


def test_two_items_with_one_key_of_which_one_was_sent() -> None:
    """The other is as it was in the baseline, and so it was left out."""
    new = BASE | {OTHER: (700, 800, 1)}
    found = case(delta(BASE, new, SIZES), crc(new) + sum(BASE[FLAG]))
    assert kinds(found) == [("counted-twice", 5, 1)]


def test_an_item_that_should_have_stayed() -> None:
    new: Items = {FLAG: BASE[FLAG]}
    assert kinds(case(delta(BASE, new, SIZES), crc(BASE))) == [("wrong-removal", 4, 3)]


def test_an_item_that_should_be_gone() -> None:
    new = BASE | {FLAG: (1001, 2000, 0)}
    found = case(delta(BASE, new, SIZES), crc(new) - sum(BASE[PICKUP]))
    assert kinds(found) == [("missed-removal", 4, 3)]


@pytest.mark.parametrize(("removed", "rank"), [([FLAG], 2), ([], 3)])
def test_an_item_that_was_sent_in_full(removed: list[int], rank: int) -> None:
    """The known defect of servers: more items than a bucket of their table holds (spec section 9)."""
    full = (1003, 2005, 1)
    data = [len(removed), 1, 0, *removed, *update(FLAG, full, SIZES)]
    found = case(data, crc(BASE | {FLAG: full}))
    assert next((one.kind, one.id, one.rank) for one in found) == ("removed-and-sent", 1, rank)


def test_an_update_that_the_server_did_not_count() -> None:
    new = BASE | {FLAG: (9000, 2000, 0)}
    assert kinds(case(delta(BASE, new, SIZES), crc(BASE))) == [("not-applied", 5, 1)]


def test_another_table_of_sizes() -> None:
    """A Flag of four values, in a snapshot where it stands last."""
    data = [0, 2, 0, *update(PICKUP, (1, 2, 3, 4), SIZES), 5, 1, 10, 20, 1, 4000]
    found = case(data, 1 + 2 + 3 + 4 + 10 + 20 + 1 + 4000, base=EMPTY)
    assert ("size-table", 5, -1) in kinds(found)
    assert "Flag has 4 values, not 3, in the table of sizes" in [one.text for one in found]


def test_any_small_difference_may_be_of_one_value() -> None:
    new = BASE | {FLAG: (1000, 2007, 0), OTHER: (1, 1, 1)}
    found = case(delta(BASE, new, SIZES), crc(new) + 2)
    texts = ["one value of Flag 1 is off by -2", "one value of Flag 2 is off by -2"]
    assert [one.text for one in found] == texts
    assert Autopsy(2, tuple(found)).verdict == "2 explanations fit equally well, about 2 items."


def test_nothing_fits() -> None:
    new = BASE | {FLAG: (1000, 2007, 0)}
    found = case(delta(BASE, new, SIZES), crc(new) + 123456)
    assert found == []
    assert Autopsy(123456, ()).verdict == "No single change explains the difference."


@given(st.binary(max_size=80), st.integers(-(2**31), 2**31 - 1))
def test_any_bytes(data: bytes, checksum: int) -> None:
    try:
        found = explain_crc(CrcCase(data, packed(BASE), checksum, {4: packed(EMPTY)}, ()), FACTS)
    except DecodeError:
        return
    assert [one.rank for one in found] == sorted(one.rank for one in found)
