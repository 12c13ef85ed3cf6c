"""The writer: what readings produced is the same in the tables however it was cut into batches."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine.writer import merge
from analyzer.snapshots.status import LostBy, Status
from analyzer.store.journal import Amendment
from analyzer.store.row_columns import (
    AMEND_BASE,
    AMEND_CAUSE,
    AMEND_LOST_BY,
    N_AMENDMENTS,
    N_MESSAGES,
    N_PACKETS,
    N_PARTS,
    N_SNAPSHOTS,
    SNAPSHOT_FIELDS,
)
from analyzer.store.rows import PacketLate, PartRow, RowBuffers, Rows, SessionRow, SnapshotRow
from analyzer.store.tables import Tables

READINGS = 3
Op = tuple[str, int, int]
Script = list[tuple[int, list[Op]]]
"""Reading and operations of each packet."""

OPS = st.tuples(
    st.sampled_from(
        ("session", "message", "message", "snapshot", "snapshot", "amend", "base", "player", "finding", "type")
    ),
    st.integers(0, 50),
    st.integers(0, 50),
)
SCRIPT = st.lists(st.tuples(st.integers(0, READINGS - 1), st.lists(OPS, max_size=5)), min_size=1, max_size=24)


@dataclass
class Player:
    """A reading that carries out a script, and what it must have said."""

    rows: Rows
    messages: list[PartRow] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    sessions: list[dict[str, object]] = field(default_factory=list)
    types: dict[tuple[int, str], tuple[int, int]] = field(default_factory=dict)
    snapshots: list[dict[str, object]] = field(default_factory=list)
    parts: list[list[int]] = field(default_factory=list)
    """Numbers of the messages that carry each snapshot's parts."""
    findings: list[tuple[str, int, int]] = field(default_factory=list)
    blocks: dict[int, bytes] = field(default_factory=dict)

    def play(self, packet: int, ops: Sequence[Op]) -> None:
        late = self.rows.begin(packet)
        if not self.sessions:
            self._session(0, 0)
        late.session = len(self.sessions) - 1
        late.kind = 1 + packet % 3
        for what, a, b in ops:
            getattr(self, f"_{what}")(a, b)

    def _session(self, a: int, _: int) -> None:
        local = len(self.sessions)
        packet = self.rows.packet.packet
        assert self.rows.session(SessionRow(local, 0, a, "toy", ("facts", a), packet)) == local
        self.sessions.append({"number": local, "epoch": a, "facts": ("facts", a), "player": "", "first_packet": packet})

    def _message(self, a: int, _: int) -> None:
        name = f"name {a % 4}"
        number = len(self.messages)
        self.messages.append(self.rows.message(name, a, 0, 65535, number, 0))
        self.names.append(name)

    def _snapshot(self, a: int, b: int) -> None:
        local = len(self.snapshots)
        base, cause = a % (local + 1) - 1, b % (local + 1) - 1
        carriers = sorted({(a * step + b) % len(self.messages) for step in range(3)}) if self.messages else []
        received = tuple(
            PartRow(self.messages[number].packet, self.messages[number].ordinal, place)
            for place, number in enumerate(carriers)
        )
        row = SnapshotRow(len(self.sessions) - 1, local, -1, self.rows.packet.packet, 0, Status.OK, 0, len(received))
        row.base, row.cause, row.received = base, cause, received
        if a % 3 == 0:
            self.blocks[local] = bytes((a, b))
            self.rows.block(local, self.blocks[local])
        assert self.rows.next_snapshot == self.rows.snapshot(row) == local
        self.rows.packet.snapshot = local
        self.snapshots.append({"base": base, "cause": cause, "lost_by": 0, "session": len(self.sessions) - 1})
        self.parts.append(carriers)

    def _amend(self, a: int, b: int) -> None:
        if self.snapshots:
            local, value = a % len(self.snapshots), LostBy(b % len(LostBy))
            self.rows.amend_snapshot(local, "lost_by", value)
            self.snapshots[local]["lost_by"] = value

    def _base(self, a: int, b: int) -> None:
        if self.snapshots:
            local, value = a % len(self.snapshots), b % (len(self.snapshots) + 1) - 1
            column = ("base", "cause")[b % 2]
            self.rows.amend_snapshot(local, column, value)
            self.snapshots[local][column] = value

    def _player(self, a: int, b: int) -> None:
        local = a % len(self.sessions)
        self.rows.amend_session(local, "player", f"player {b}")
        self.sessions[local]["player"] = f"player {b}"

    def _type(self, a: int, b: int) -> None:
        key = len(self.sessions) - 1, f"type {a % 5}"
        self.rows.count_type(*key, 1, b, self.rows.packet.packet)
        updates, values = self.types.get(key, (0, 0))
        self.types[key] = updates + 1, values + b

    def _finding(self, a: int, b: int) -> None:
        snapshot = b % (len(self.snapshots) + 1) - 1
        self.rows.finding(f"rule {a % 3}", 1 + b % 3, f"{a} {b}", snapshot=snapshot, offset=a)
        self.findings.append((f"{a} {b}", self.rows.packet.packet, snapshot))


class Kernel(Rows):
    """Rows that are written into the matrices as compiled code does it; a packet is written when it is done."""

    _ordinal = 0
    _open = False

    def begin(self, packet: int) -> PacketLate:
        self.settle()
        self.packet = PacketLate(packet)
        self._ordinal, self._open = 0, True
        return self.packet

    def settle(self) -> None:
        """Write the packet begun last."""
        if self._open:
            self._write(self.reserve(packets=1), "packets", N_PACKETS, astuple(self.packet))
        self._open = False

    def message(
        self, name: str, number: int, flags: int, sequence: int, size: int, offset: int, code: int = 0
    ) -> PartRow:
        values = (self.packet.packet, self.name(name), number, flags, sequence, size, offset, code)
        self._write(self.reserve(messages=1), "messages", N_MESSAGES, values)
        self._ordinal += 1
        return PartRow(self.packet.packet, self._ordinal - 1, 0)

    def snapshot(self, row: SnapshotRow) -> int:
        local = self.next_snapshot
        buffers = self.reserve(snapshots=1, parts=len(row.received))
        values = [getattr(row, name) for name in SNAPSHOT_FIELDS]
        self._write(buffers, "snapshots", N_SNAPSHOTS, (*values, buffers.counts[N_PARTS], len(row.received)))
        for part in row.received:
            self._write(buffers, "parts", N_PARTS, astuple(part))
        return local

    def amend_snapshot(self, local: int, column: str, value: int) -> None:
        numbers = {"base": AMEND_BASE, "cause": AMEND_CAUSE, "lost_by": AMEND_LOST_BY}
        self._write(self.reserve(amendments=1), "amendments", N_AMENDMENTS, (numbers[column], local, value))

    def _write(self, buffers: RowBuffers, name: str, index: int, values: Sequence[int]) -> None:
        getattr(buffers, name)[buffers.counts[index]] = values
        buffers.counts[index] += 1


def run(
    script: Script,
    begins: Sequence[int],
    cuts: set[int],
    order: random.Random,
    kernel: bool = False,
    logged: list[Amendment] | None = None,
) -> tuple[Tables, list[Player]]:
    """Play a script in batches that end before the packets in `cuts`; buffers are merged in any order.

    Reading r begins at its packet number `begins[r]` (the last one, if it has fewer) and reads the earlier ones then.
    `logged` gets what the journal says.
    """
    tables = Tables()
    reader = tables.journal.reader()
    players: list[Player] = []
    starts: dict[int, int] = {}
    for reading in range(READINGS):
        own = [packet for packet, (owner, _) in enumerate(script) if owner == reading]
        starts[reading] = own[min(begins[reading], len(own) - 1)] if own else -1
        players.append(Player((Kernel if kernel else Rows)(reading, starts[reading])))
    edges = [0, *sorted(cut for cut in cuts if 0 < cut < len(script)), len(script)]
    for first, stop in pairwise(edges):
        count = stop - first
        one = dict.fromkeys(("frame", "flow", "direction", "start", "length", "udp_length", "pieces"), [0] * count)
        tables.packets.append(one, count)
        for reading, player in enumerate(players):
            if starts[reading] < 0 or starts[reading] >= stop:
                continue
            begin = 0 if starts[reading] >= first else first
            for packet in range(begin, stop):
                if script[packet][0] == reading:
                    player.play(packet, script[packet][1])
        buffers = [player.rows for player in players]
        for rows in buffers:
            if isinstance(rows, Kernel):
                rows.settle()
        order.shuffle(buffers)
        merge(tables, [rows.hand_over() for rows in buffers])
        tables.publish()
    if logged is not None:
        logged += reader.take()
    return tables, players


def content(tables: Tables) -> dict[str, list[dict[str, object]]]:
    """All rows, with texts for the numbers of names and rules."""
    found = {table.name: [table.row(row) for row in range(len(table))] for table in tables}
    for row in found["messages"]:
        row["name"] = tables.names[int(str(row["name"]))]
    for row in found["findings"]:
        row["rule"] = tables.rules[int(str(row["rule"]))]
    found["blocks"] = [{"block": tables.blocks.get(row)} for row in range(len(tables.snapshots))]
    return found


@given(
    script=SCRIPT,
    begins=st.lists(st.integers(0, 6), min_size=READINGS, max_size=READINGS),
    cuts=st.sets(st.integers(1, 23)),
    order=st.randoms(use_true_random=False),
)
def test_batches_do_not_matter(script: Script, begins: list[int], cuts: set[int], order: random.Random) -> None:
    whole, _ = run(script, begins, set(), order)
    single, _ = run(script, begins, set(range(len(script))), order)
    some, players = run(script, begins, cuts, order)
    assert content(single) == content(whole)
    assert content(some) == content(whole)
    for player in players:
        check(some, player)
    check_order(some, players)


@given(
    script=SCRIPT,
    begins=st.lists(st.integers(0, 6), min_size=READINGS, max_size=READINGS),
    cuts=st.sets(st.integers(1, 23)),
    seed=st.integers(0, 5),
)
def test_it_does_not_matter_who_filled_the_buffers(
    script: Script, begins: list[int], cuts: set[int], seed: int
) -> None:
    said: tuple[list[Amendment], list[Amendment]] = ([], [])
    plain, _ = run(script, begins, cuts, random.Random(seed), logged=said[0])
    compiled, players = run(script, begins, cuts, random.Random(seed), kernel=True, logged=said[1])
    assert content(compiled) == content(plain)
    assert said[0] == said[1]
    for player in players:
        check(compiled, player)


def check(tables: Tables, player: Player) -> None:
    """Every row of a reading is where its local number says, with references to rows of the same reading."""
    rows, reading = player.rows, player.rows.reading
    sessions, snapshots = rows.session_rows, rows.snapshot_rows
    if len(sessions):
        assert len(sessions) == len(player.sessions)
    else:
        assert not player.sessions

    def row_of(local: object) -> int:
        assert isinstance(local, int)
        return snapshots[local] if local >= 0 else -1

    for row, expected in zip(sessions, player.sessions, strict=True):
        found = tables.sessions.row(row)
        assert {name: found[name] for name in expected} == expected
        assert found["reading"] == reading
    for local, (row, expected) in enumerate(zip(snapshots, player.snapshots, strict=True)):
        found = tables.snapshots.row(row)
        assert found["tick"] == local
        assert found["session"] == sessions[int(str(expected["session"]))]
        assert (found["base"], found["cause"]) == (row_of(expected["base"]), row_of(expected["cause"]))
        assert found["lost_by"] == expected["lost_by"]
        assert tables.blocks.get(row) == player.blocks.get(local)
        check_parts(tables, reading, found, player.parts[local])
    types = [tables.types.row(row) for row in range(len(tables.types))]
    counted = {(row["session"], row["name"]): (row["updates"], row["values"]) for row in types}
    assert len(counted) == len(types)
    for (session, name), count in player.types.items():
        assert counted[sessions[session], name] == count
    findings = [tables.findings.row(row) for row in range(len(tables.findings))]
    mine = {(text, packet, row_of(snapshot)) for text, packet, snapshot in player.findings}
    assert mine <= {(row["text"], row["packet"], row["snapshot"]) for row in findings}


def check_parts(tables: Tables, reading: int, snapshot: dict[str, object], carriers: list[int]) -> None:
    first, count = int(str(snapshot["first_part"])), int(str(snapshot["part_count"]))
    assert count == len(carriers)
    assert (first < 0) == (not carriers)
    parts = [tables.parts.row(first + place) for place in range(count)]
    assert [part["number"] for part in parts] == list(range(count))
    messages = [tables.messages.row(int(str(part["message"]))) for part in parts]
    assert [(message["reading"], message["size"]) for message in messages] == [(reading, number) for number in carriers]


def check_order(tables: Tables, players: list[Player]) -> None:
    """Rows stand in the order of the packets that decided them; a packet's messages are contiguous."""
    begun = [player.rows.begun_by for player in players]
    readings = tables.messages.integers("reading")
    packets = tables.messages.integers("packet")
    deciding = [max(packet, begun[reading]) for packet, reading in zip(packets, readings, strict=True)]
    assert deciding == sorted(deciding)
    owners = [begun[tables.sessions.integer("reading", row)] for row in tables.snapshots.integers("session")]
    decided = [max(packet, owner) for packet, owner in zip(tables.snapshots.integers("packet"), owners, strict=True)]
    assert decided == sorted(decided)
    for packet in range(len(tables.packets)):
        own = [row for row, owner in enumerate(packets) if owner == packet]
        assert tables.packets.integer("first_message", packet) == (own[0] if own else -1)
        assert own == list(range(own[0], own[0] + len(own))) if own else True
    for player in players:
        assert [
            tables.names[number] for number in tables.messages.integers("name")[readings == player.rows.reading]
        ] == [player.names[number] for number in tables.messages.integers("size")[readings == player.rows.reading]]


def one_packet_tables(count: int = 1) -> Tables:
    tables = Tables()
    add_packets(tables, count)
    tables.publish()
    return tables


def add_packets(tables: Tables, count: int) -> None:
    names = ("frame", "flow", "direction", "start", "length", "udp_length", "pieces")
    tables.packets.append({name: [0] * count for name in names}, count)


def test_nothing_to_merge() -> None:
    tables = one_packet_tables()
    reader = tables.journal.reader()
    merge(tables, [])
    merge(tables, [Rows(0, 0).hand_over()])
    assert len(reader) == 0
    assert sum(table.appended for table in tables) == 1


def test_amendments_of_old_and_new_rows_in_one_batch() -> None:
    tables = one_packet_tables(2)
    player = Player(Rows(0, 0))
    player.play(0, [("snapshot", 0, 0)])
    merge(tables, [player.rows.hand_over()])
    tables.publish()
    reader = tables.journal.reader()
    player.play(1, [("snapshot", 1, 1)])
    player.rows.amend_snapshot(0, "base", 1)
    player.rows.amend_snapshot(1, "lost_by", LostBy.NETWORK)
    player.rows.amend_snapshot(1, "lost_by", LostBy.CAPTURE)
    player.rows.amend_snapshot(1, "cause", -1)
    merge(tables, [player.rows.hand_over()])
    assert tables.snapshots.integer("base", 0) == 1
    assert tables.snapshots.integer("lost_by", 1) == LostBy.CAPTURE
    assert tables.snapshots.integer("cause", 1) == -1
    logged = [entry for entry in reader.take() if entry.table == "snapshots"]
    assert [(entry.column, entry.start, entry.stop) for entry in logged] == [("base", 0, 1)]


def test_the_last_packet_of_a_session_moves_on() -> None:
    tables = one_packet_tables(3)
    player = Player(Rows(0, 0))
    for packet in range(3):
        player.play(packet, [("session", 1, 0)] if packet == 1 else [])
        merge(tables, [player.rows.hand_over()])
    assert tables.sessions.columns["last_packet"].slice(0, 2).tolist() == [1, 2]


def test_a_packet_that_is_resumed_keeps_its_messages() -> None:
    """The end of a capture settles what is open in the name of the last packet, which is in the tables already."""
    tables = one_packet_tables()
    player = Player(Rows(0, 0))
    player.play(0, [("message", 1, 0), ("message", 2, 0)])
    merge(tables, [player.rows.hand_over()])
    player.rows.resume()
    player.rows.finding("late", 2, "found at the end")
    merge(tables, [player.rows.hand_over()])
    row = tables.packets.row(0)
    assert (row["first_message"], row["severity"], row["session"], row["kind"]) == (0, 2, 0, 1)


def test_a_reading_anew_takes_the_packet_over() -> None:
    tables = one_packet_tables()
    old, new = Player(Rows(0, 0)), Player(Rows(1, 0))
    old.play(0, [("message", 1, 0), ("snapshot", 0, 0)])
    merge(tables, [old.rows.hand_over()])
    new.play(0, [])
    merge(tables, [new.rows.hand_over()])
    row = tables.packets.row(0)
    assert (row["first_message"], row["snapshot"], row["session"]) == (-1, -1, 1)
    assert tables.snapshots.appended == 1


def test_what_a_published_packet_refers_to_is_published() -> None:
    """A reader that follows it at any moment finds rows; packets that come with theirs wait for both."""
    tables = one_packet_tables()
    add_packets(tables, 1)
    player = Player(Rows(0, 0))
    for packet in (0, 1):
        player.play(packet, [("message", 1, 0), ("snapshot", 0, 0)])
    merge(tables, [player.rows.hand_over()])
    row = tables.packets.row(0)
    assert (row["first_message"], row["snapshot"], row["session"]) == (0, 0, 0)
    for table in (tables.messages, tables.snapshots, tables.sessions):
        assert len(table), table.name
    alone = one_packet_tables(0)
    add_packets(alone, 2)
    other = Player(Rows(0, 0))
    other.play(1, [("message", 1, 0), ("snapshot", 0, 0)])
    merge(alone, [other.rows.hand_over()])
    assert (len(alone.messages), len(alone.snapshots), len(alone.sessions)) == (0, 0, 0)


@pytest.mark.parametrize("parts", [0, 1, 64])
def test_counts_of_parts(parts: int) -> None:
    tables = one_packet_tables()
    player = Player(Rows(0, 0))
    player.play(0, [("message", 0, 0)] * parts)
    row = SnapshotRow(0, 0, -1, 0, 0, Status.INCOMPLETE, 0, 64)
    row.received = tuple(PartRow(0, number, number) for number in range(parts))
    player.rows.snapshot(row)
    merge(tables, [player.rows.hand_over()])
    tables.publish()
    assert tables.snapshots.integer("part_count", 0) == parts
    assert tables.snapshots.integer("first_part", 0) == (0 if parts else -1)
    assert tables.parts.integers("message").tolist() == list(range(parts))


def test_a_flow_may_have_any_number_of_sessions() -> None:
    """Map changes are cheap to send: 65,536 of them fit in a small file."""
    tables = one_packet_tables()
    rows = Rows(0, 0)
    rows.begin(0)
    many = 1 << 16
    rows.session(SessionRow(many, many, many, "toy", None, 0))
    merge(tables, [rows.hand_over()])
    row = tables.sessions.row(0)
    assert (row["number"], row["generation"], row["epoch"]) == (many, many, many)


def test_names_are_numbered_when_a_message_uses_them() -> None:
    """A reading may know names before any message has them, and of two readings the earlier packet comes first."""
    tables = one_packet_tables(3)
    first, second = Rows(0, 0), Rows(1, 1)
    for rows in (first, second):
        assert [rows.name(text) for text in ("never", "B", "A")] == [0, 1, 2]
    second.begin(1)
    second.message("B", 0, 0, 65535, 0, 0)
    first.begin(0)
    first.message("A", 0, 0, 65535, 0, 0)
    merge(tables, [second.hand_over(), first.hand_over()])
    first.begin(2)
    first.message("B", 0, 0, 65535, 0, 0)
    first.message("C", 0, 0, 65535, 0, 0)
    merge(tables, [first.hand_over()])
    tables.publish()
    known = [tables.names[number] for number in range(1, len(tables.names))]
    assert known == ["A", "B", "C"]
    assert tables.messages.integers("name").tolist() == [1, 2, 2, 3]


def test_numbers_beyond_their_column_are_refused() -> None:
    tables = one_packet_tables()
    rows = Rows(0, 0)
    rows.begin(0).kind = 256
    with pytest.raises(OverflowError):
        merge(tables, [rows.hand_over()])
