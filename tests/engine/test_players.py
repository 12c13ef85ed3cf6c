"""Names of players that messages tell: who a client id is at the time of a snapshot or a packet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from analyzer.engine import players
from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.snapshots.model import Change
from analyzer.wire.reader import Field
from tests.capture.builders import pcap_file
from tests.encoder import Items, message, pack_varints
from tests.net.builders import ipv4, udp
from tests.protocols.teeworlds.played import CLIENT, SERVER
from tests.protocols.teeworlds.test_seven import Seven

RAW = 101
CHARACTER, PLAYER_INFO = 10, 11
HOOKED = 8
ANN, EVE = 3, 4
"""Client ids; another player can have the first one later."""
BOTH: Items = {
    CHARACTER << 16 | ANN: (0,) * 22,
    CHARACTER << 16 | EVE: (0,) * HOOKED + (ANN,) + (0,) * (21 - HOOKED),
    PLAYER_INFO << 16 | ANN: (0, 1, 5),
}
EVE_ALONE = {CHARACTER << 16 | EVE: BOTH[CHARACTER << 16 | EVE]}
MOVED = BOTH | {CHARACTER << 16 | EVE: (0, 7, *BOTH[CHARACTER << 16 | EVE][2:])}


def info(client: int, name: str) -> bytes:
    skin = b"standard\0" * 6 + pack_varints([0] * 12)
    return message(18, False, pack_varints((client, 0, 0)) + name.encode() + b"\0clan\0" + b"\0" + skin + b"\0")


def drop(client: int) -> bytes:
    return message(20, False, pack_varints((client,)) + b"bye\0\0")


def chat(client: int) -> bytes:
    return message(3, False, pack_varints((1, client, -1)) + b"hi\0")


class Game(Seven):
    """A client in the game."""

    def __init__(self) -> None:
        super().__init__()
        self.handshake()
        self.login()

    def tell(self, *bodies: bytes) -> int:
        """Vital messages of the server in one packet; its row."""
        self.send(SERVER, *(self.vital(SERVER, body) for body in bodies))
        return self.played - 1

    def see(self, tick: int, base_tick: int = -1, base: Items | None = None, new: Items = BOTH) -> None:
        self.snaps(tick, base_tick, base or {}, new)


class Answers:
    """The same game as a capture, decoded."""

    def __init__(self, capture: Capture) -> None:
        self.query: Query = capture.query()
        self.tables = capture.tables

    def snapshot(self, tick: int) -> int:
        return self.tables.snapshots.integers("tick").tolist().index(tick)

    def owner(self, tick: int, client: int = ANN) -> str:
        """Of the character."""
        owners = {(item.type, item.id): item.owner for item in self.query.items(self.snapshot(tick))}
        return owners[CHARACTER, client]

    def change(self, tick: int, client: int = ANN) -> Change:
        found = self.query.changes(self.snapshot(tick))
        return next(change for change in found if (change.type, change.id) == (CHARACTER, client))

    def clients(self, packet: int) -> list[str]:
        """Client ids of a packet's messages, as a person reads them."""
        return [f"{field.value} {field.text}" for field in flat(self.query.explain(packet).fields)]


def flat(fields: tuple[Field, ...]) -> Iterator[Field]:
    for field in fields:
        if field.name == "client_id":
            yield field
        yield from flat(field.children)


Decoded = Callable[[Game], Answers]


@pytest.fixture
def decoded(tmp_path: Path) -> Iterator[Decoded]:
    opened: list[tuple[Capture, Answers]] = []

    def decode(game: Game) -> Answers:
        frames = []
        for sent in game.datagrams:
            ports = (50000, 8303) if sent.direction == CLIENT else (8303, 50000)
            frame = ipv4(udp(sent.payload, source=ports[0], destination=ports[1]))
            if sent.direction == SERVER:
                frame = frame[:12] + frame[16:20] + frame[12:16] + frame[20:]
            frames.append((sent.time_ns // 1_000_000_000, sent.time_ns % 1_000_000_000 // 1000, frame))
        path = tmp_path / f"game{len(opened)}.pcap"
        path.write_bytes(pcap_file(frames, link_field=RAW))
        capture = Capture.open(path, strict=True)
        capture.decode()
        answers = Answers(capture)
        opened.append((capture, answers))
        return answers

    yield decode
    for capture, answers in opened:
        answers.query.close()
        capture.close()


def test_a_name_counts_from_its_message_on(decoded: Decoded) -> None:
    game = Game()
    game.see(100)
    before = game.tell(chat(ANN))
    named = game.tell(info(ANN, "ann"))
    game.see(102, 100, BOTH, MOVED)
    after = game.tell(chat(ANN), chat(EVE))
    answers = decoded(game)
    assert [answers.owner(tick) for tick in (100, 102, 100)] == ["", "ann", ""]
    assert answers.owner(102, EVE) == ""
    assert answers.clients(before) == [f"{ANN} "]
    assert answers.clients(named) == [f"{ANN} {ANN}  ann"]
    assert answers.clients(after) == [f"{ANN} {ANN}  ann", f"{EVE} "]


def test_the_id_of_a_player_who_left_is_another_player_later(decoded: Decoded) -> None:
    game = Game()
    game.tell(info(ANN, "ann"), info(EVE, "eve"))
    game.see(100)
    left = game.tell(chat(ANN), drop(ANN), chat(ANN))
    game.see(102, 100, BOTH, EVE_ALONE)
    nobody = game.tell(chat(ANN))
    came = game.tell(info(ANN, "bob"))
    game.see(104, 102, EVE_ALONE, BOTH)
    game.see(106, 100, BOTH, MOVED)
    answers = decoded(game)
    assert (answers.owner(100), answers.owner(104), answers.owner(104, EVE)) == ("ann", "bob", "eve")
    removed, added = answers.change(102), answers.change(104)
    assert [(change.kind, change.owner) for change in (removed, added)] == [("removed", "ann"), ("added", "bob")]
    hooked = answers.change(106, EVE).fields[HOOKED]
    assert (hooked.old_text, hooked.new_text) == (f"{ANN}  ann", f"{ANN}  bob")
    # The message itself still speaks of the one who leaves.
    assert answers.clients(left) == [f"{ANN} {ANN}  ann", f"{ANN} {ANN}  ann", f"{ANN} "]
    assert answers.clients(nobody) == [f"{ANN} "]
    assert answers.clients(came) == [f"{ANN} {ANN}  bob"]


def test_a_name_given_anew_in_one_packet(decoded: Decoded) -> None:
    game = Game()
    game.tell(info(ANN, "ann"))
    packet = game.tell(drop(ANN), info(ANN, "anna"))
    game.see(100)
    answers = decoded(game)
    assert answers.clients(packet) == [f"{ANN} {ANN}  ann", f"{ANN} {ANN}  anna"]
    assert answers.owner(100) == "anna"


def test_a_repeated_message_tells_nothing_new(decoded: Decoded) -> None:
    game = Game()
    game.tell(info(ANN, "ann"))
    sequence = game.sent[SERVER]
    game.tell(drop(ANN))
    game.send(SERVER, game.vital(SERVER, info(ANN, "ann"), sequence, resend=True))
    game.see(100)
    assert decoded(game).owner(100) == ""


def test_a_message_ahead_of_others_counts_after_them(decoded: Decoded) -> None:
    game = Game()
    game.tell(info(ANN, "ann"))
    sequence = game.sent[SERVER]
    game.send(SERVER, game.vital(SERVER, info(ANN, "bob"), sequence + 2))
    game.send(SERVER, game.vital(SERVER, drop(ANN), sequence + 1, resend=True))
    game.send(SERVER, game.vital(SERVER, info(ANN, "bob"), sequence + 2, resend=True))
    game.see(100)
    assert decoded(game).owner(100) == "bob"


def test_another_session_knows_nothing_of_the_names_of_the_one_before(decoded: Decoded) -> None:
    game = Game()
    game.tell(info(ANN, "ann"))
    game.see(100)
    game.handshake()
    game.login("dm2")
    game.see(20)
    game.tell(info(ANN, "bob"))
    game.see(22, 20, BOTH, MOVED)
    answers = decoded(game)
    assert [answers.owner(tick) for tick in (100, 20, 22)] == ["ann", "", "bob"]


def test_what_a_client_sends_names_nobody(decoded: Decoded) -> None:
    game = Game()
    game.send(CLIENT, game.vital(CLIENT, info(ANN, "mallory")))
    game.see(100)
    assert decoded(game).owner(100) == ""


def test_each_message_is_read_once(decoded: Decoded, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game()
    for number in range(5):
        game.tell(info(ANN, f"ann{number}"))
    game.see(100)
    game.see(102, 100, BOTH, MOVED)
    answers = decoded(game)
    told, read = answers.query._told_names, list[int]()
    payloads = told._payloads
    monkeypatch.setattr(told, "_payloads", lambda packets: read.extend(packets) or payloads(packets))
    assert [answers.owner(tick) for tick in (100, 102, 100)] == ["ann4"] * 3
    assert len(read) == 5


def test_of_very_many_messages_the_last_ones_are_read(decoded: Decoded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "MOST_READ", 2)
    game = Game()
    game.tell(info(EVE, "eve"))
    game.tell(info(ANN, "ann"))
    game.tell(info(ANN, "anna"))
    game.see(100)
    answers = decoded(game)
    assert (answers.owner(100), answers.owner(100, EVE)) == ("anna", "")


def test_a_message_that_cannot_be_read_is_none(decoded: Decoded) -> None:
    game = Game()
    game.tell(info(ANN, "ann"))
    game.tell(message(18, False, b""), message(20, False, b""))
    game.see(100)
    assert decoded(game).owner(100) == "ann"


def test_an_id_with_a_name_that_is_cut_off_is_not_the_player_of_before(decoded: Decoded) -> None:
    game = Game()
    game.tell(info(ANN, "ann"))
    game.tell(message(18, False, pack_varints((ANN, 0, 0)) + b"bo"))
    game.see(100)
    assert decoded(game).owner(100) == ""
