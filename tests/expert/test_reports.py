"""What people reported about real servers and clients, each as a small made capture."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.encoder import Items, chunk, crc, delta, key, pack_varints, update
from tests.expert.made import Found, begun, single
from tests.protocols.teeworlds.played import CLIENT, SERVER, SIZES, input_message, snap_part, snap_single

EMPTY: Items = {}
FLAG, OTHER_FLAG = key(5, 1), key(5, 2)
PICKUP = key(4, 3)
START: Items = {FLAG: (1, 2, 0), PICKUP: (10, 20, 1, 0)}


def test_checksum_errors_from_two_items_with_one_key(tmp_path: Path) -> None:
    play = begun()
    play.snap(100, -1, EMPTY, START)
    first, second = (100, 200, 0), (300, 400, 1)
    ints = [0, 2, 0, *update(OTHER_FLAG, first, SIZES), *update(OTHER_FLAG, second, SIZES)]
    # The server counts both.
    checksum = crc(START) + sum(first) + sum(second)
    play.messages([snap_single(102, 2, pack_varints(ints), checksum)])
    play.snap(104, 102, START, START)
    found = Found(play, tmp_path / "keys.pcap")
    assert found.ticks == {"snap.crc": [102], "snap.dup_key": [102]}
    (wrong,) = found.all("snap.crc")
    assert wrong.followers == 1
    autopsy = found.query.autopsy(wrong.snapshot)
    assert autopsy is not None
    assert autopsy.difference == -300
    assert [(one.kind, one.type, one.id) for one in autopsy.best] == [("duplicate-key", 5, 2)]
    assert autopsy.verdict.startswith("One explanation fits best: two updates of Flag 2")
    assert found.query.autopsy(0) is None


def test_a_baseline_stuck_for_56_ticks(tmp_path: Path) -> None:
    """28 snapshots."""
    play = begun()
    play.snap(100, -1, EMPTY, START)
    play.ack(100)
    for step in range(1, 29):
        play.snap(100 + 2 * step, 100, START, START | {FLAG: (step, 2, 0)})
    found = Found(play, tmp_path / "stuck.pcap")
    assert found.words == {"base.stuck": ["note: 28 snapshots in a row, the baseline up to 56 ticks old"]}
    assert found.ticks == {"base.stuck": [102]}


def test_items_beyond_1024_are_dropped(tmp_path: Path) -> None:
    play = begun()
    late: Items = {key(2, 5000): (1, 1, 1, 1, 1, 1), key(3, 5001): (1, 1, 1, 1, 1)}

    def pickups(count: int) -> Items:
        return {key(4, number): (number, 0, 0, 0) for number in range(count)}

    before = pickups(1022) | late
    play.snap(100, -1, EMPTY, before)
    full = pickups(1024)
    play.snap(102, 100, before, full)
    for step in range(2, 8):
        play.snap(100 + 2 * step, 98 + 2 * step, full, full)
    found = Found(play, tmp_path / "full.pcap")
    assert found.ticks == {
        "snap.items_at_cap": [100, *range(102, 116, 2)],
        "snap.truncated_like": [102],
    }
    assert found.words["snap.truncated_like"] == [
        "warn: types that stood last are gone, and 7 snapshots in a row have 1024 items"
    ]


def test_nearly_as_many_items_and_bytes_as_there_may_be(tmp_path: Path) -> None:
    play = begun()
    play.snap(100, -1, EMPTY, {key(4, number): (number, 0, 0, 0) for number in range(922)})
    play.snap(102, -1, EMPTY, {key(4, number): (number, 0, 0, 0) for number in range(921)})
    large = {key(100, number): tuple(range(60)) for number in range(238)}
    play.snap(104, -1, EMPTY, large)
    found = Found(play, tmp_path / "near.pcap")
    assert found.ticks["snap.items_near_cap"] == [100]
    assert found.words["snap.items_near_cap"] == ["note: 922 of at most 1024 items"]
    assert found.words["snap.size_near_cap"] == [f"warn: {8 + 238 * (8 + 240)} of at most 65536 bytes"]
    assert found.ticks["snap.unknown_type"] == [104]


@pytest.mark.parametrize("acked", [True, False])
def test_a_snapshot_of_17_parts_with_loss(tmp_path: Path, acked: bool) -> None:
    """Who lost the part is what the client says: what it acknowledged, it had."""
    play = begun()
    play.snap(100, -1, EMPTY, START)
    play.ack(100)
    parts = [snap_part(102, 100, 17, number, b"\0" * (900 if number < 16 else 5)) for number in range(17)]
    play.messages(parts[:9] + parts[10:])
    if acked:
        play.ack(102)
    play.snap(104, 100, START, START | {FLAG: (9, 9, 0)})
    play.ack(104)
    found = Found(play, tmp_path / "parts.pcap")
    (missing,) = found.all("snap.part_missing")
    assert found.ticks == {"snap.part_missing": [102]}
    assert missing.severity.word == ("note" if acked else "warn")
    assert found.query.finding_words.sentence(missing).startswith("parts missing: 10 of 17")


def test_a_reconnect_on_the_same_port(tmp_path: Path) -> None:
    play = begun()
    play.snap(100, -1, EMPTY, START)
    play.handshake()
    play.snap(104, 100, START, START)
    play.login()
    play.snap(110, -1, EMPTY, START)
    found = Found(play, tmp_path / "again.pcap")
    assert found.words == {"sess.reuse": ["note: connection number 1 on this flow, counted from 0"]}


def test_a_first_snapshot_with_types_that_are_not_declared(tmp_path: Path) -> None:
    play = begun()
    extended, declared = 0x7FFF, key(0, 0x7FFF)
    uuid = (0x22CA938D, 0x13803E2B, -0x6F2B9F5B, 0x4EE4F5B3)
    first: Items = START | {key(extended, 4): (1, 2, 3)}
    later: Items = {declared: uuid, **first}
    play.snap(100, -1, EMPTY, first)
    play.snap(102, 100, first, later)
    play.snap(104, 102, later, later)
    found = Found(play, tmp_path / "extended.pcap")
    assert found.ticks["snap.ext_unregistered"] == [100]
    text = "note: type 32767 is used without its declaration (1 item here); in 1 of the session's snapshots"
    assert found.words["snap.ext_unregistered"] == [text]


@pytest.mark.parametrize(
    ("ints", "rule"),
    [
        ([-1, 1, 1, 1], "snap.type_range"),
        ([0x8000, 1, 1, 1], "snap.type_range"),
        ([4, 0x10000, 1, 1, 1, 1], "snap.id_range"),
        ([4, -1, 1, 1, 1, 1], "snap.id_range"),
        ([300, 1, 9, 1], "snap.malformed"),
        ([4, 1, 1], "snap.malformed"),
        ([300, 7, 2, 1, 1], "snap.size_mismatch"),
    ],
)
def test_a_type_an_id_or_a_size_that_cannot_be(tmp_path: Path, ints: list[int], rule: str) -> None:
    play = begun()
    state: Items = START | {key(300, 7): (1, 2, 3)}
    play.snap(100, -1, EMPTY, state)
    single(play, 102, 100, [0, 1, 0, *ints], state)
    play.snap(104, 102, state, state)
    play.snap(106, 104, state, state)
    found = Found(play, tmp_path / "range.pcap")
    assert {name: ticks for name, ticks in found.ticks.items() if name != "snap.unknown_type"} == {rule: [102]}
    (cause,) = found.all(rule)
    assert (cause.severity.word, cause.followers) == ("error", 2)
    group = next(group for group in found.findings.groups() if group.rule.name == rule)
    assert (group.count, group.followers, [one.count for one in group.sessions]) == (1, 2, [1])
    assert found.query.finding_words.describe(cause).follows == "2 later snapshots build on it and cannot be rebuilt."


def test_a_snapshot_of_no_items(tmp_path: Path) -> None:
    play = begun()
    play.snap(100, -1, EMPTY, START)
    play.snap(102, 100, START, EMPTY)
    play.snap(104, 102, EMPTY, START)
    found = Found(play, tmp_path / "empty.pcap")
    assert found.ticks == {"snap.empty_with_baseline": [102]}


@pytest.mark.parametrize(
    ("ints", "rule"),
    [
        ([1, 0, 0, 5], "snap.delete_missing"),
        ([0, 0, 0, 7], "snap.odd"),
        ([0, 0, 1], "snap.odd"),
        ([0, 2, 0, *update(FLAG, (0, 0, 1), SIZES), *update(FLAG, (0, 0, 0), SIZES)], "snap.dup_key"),
    ],
)
def test_what_no_server_writes(tmp_path: Path, ints: list[int], rule: str) -> None:
    play = begun()
    play.snap(100, -1, EMPTY, START)
    single(play, 102, 100, ints, START)
    found = Found(play, tmp_path / "odd.pcap")
    assert found.ticks == {rule: [102]}
    assert found.all(rule)[0].severity.word == "warn"


def test_two_odd_things_are_two_findings(tmp_path: Path) -> None:
    play = begun()
    play.snap(100, -1, EMPTY, START)
    single(play, 102, 100, [1, 0, 1, 5, 7], START)
    found = Found(play, tmp_path / "odd.pcap")
    assert found.words == {
        "snap.delete_missing": ["warn: removes an item that the base does not have"],
        "snap.odd": ["warn: ints after the last update; third int is not zero"],
    }


def test_packets_that_are_cut_foreign_or_broken(tmp_path: Path) -> None:
    play = begun()
    play.snap(100, -1, EMPTY, START)
    play.send(SERVER, chunk(input_message(100)), token=0x55555555)
    play.raw(play.datagrams[-2].payload, SERVER, keep=20)
    play.raw(b"\0\0\1", CLIENT)
    found = Found(play, tmp_path / "cut.pcap")
    assert {name: [finding.packet for finding in found.all(name)] for name in found.words} == {
        "cap.truncated": [play.played - 2],
        "proto.foreign": [play.played - 3],
        "proto.malformed": [play.played - 1],
    }


def test_a_snapshot_message_that_cannot_be_read(tmp_path: Path) -> None:
    play = begun()
    play.snap(100, -1, EMPTY, START)
    play.messages([snap_single(102, 2, b"", 0)[:-1]])
    found = Found(play, tmp_path / "f1.pcap")
    (text,) = found.words["snap.malformed"]
    assert list(found.words) == ["snap.malformed"]
    assert text.startswith("error: malformed snapshot message: length: ")


def test_parts_that_come_twice_late_or_otherwise(tmp_path: Path) -> None:
    play = begun()
    large: Items = {key(4, number): (number * 1000, -777 * number, 1, number) for number in range(150)}
    data = pack_varints(delta(EMPTY, large, SIZES))
    pieces = [data[start : start + 900] for start in range(0, len(data), 900)]
    parts = [snap_part(100, -1, len(pieces), number, piece, crc(large)) for number, piece in enumerate(pieces)]
    play.messages([parts[0], parts[0], *parts[1:], parts[1]])
    play.messages([snap_part(100, -1, len(pieces), 1, b"x", crc(large))])
    found = Found(play, tmp_path / "twice.pcap")
    twice = [finding.severity.word for finding in found.all("snap.part_dup")]
    assert list(found.words) == ["snap.part_dup"]
    assert twice == ["note", "note", "warn"]


def test_a_client_whose_character_is_missing(tmp_path: Path) -> None:
    """A dead player has none for a while; that is no finding before it lasts."""
    play = begun()
    alive: Items = {key(10, 3): (1, 3, 0, 0, 0), key(9, 3): (0,) * 22}
    dead: Items = {key(10, 3): (1, 3, 0, 0, 0)}
    watching: Items = {key(10, 3): (1, 3, -1, 0, 0)}
    play.snap(100, -1, EMPTY, alive)
    tick, before = 100, alive
    for state, count in ((dead, 70), (alive, 1), (dead, 80), (watching, 90)):
        for _ in range(count):
            play.snap(tick + 2, tick, before, state)
            tick, before = tick + 2, state
    found = Found(play, tmp_path / "dead.pcap")
    assert found.words == {"snap.own_character_missing": ["note: missing in 80 snapshots, for 158 ticks"]}
    assert found.ticks == {"snap.own_character_missing": [244]}


def test_ids_values_and_items_that_flicker(tmp_path: Path) -> None:
    play = begun()
    low: Items = START | {key(2, 100): (1, 1, 1, 1, 1, 1)}
    high: Items = low | {key(2, 14800): (1, 1, 1, 1, 9, 1)}
    play.snap(100, -1, EMPTY, low)
    tick, before = 100, low
    for step in range(20):
        state = high if step % 2 == 0 else low
        play.snap(tick + 2, tick, before, state)
        tick, before = tick + 2, state
    found = Found(play, tmp_path / "ids.pcap")
    assert found.words == {
        "snap.int_range": ["note: Projectile 14800: type is 9, allowed are 0 to 5; in 10 of the session's snapshots"],
        "ids.high_water": ["warn: ids up to 14800 of a pool of 16384"],
        "churn.flipflop": ["note: item 2:14800 came and went 20 times"],
    }
    assert {ticks[0] for ticks in found.ticks.values()} == {102}
