"""What a reading makes of a flow of 0.7: tokens of either side, its own message numbers and item sizes."""

from __future__ import annotations

import pytest

from analyzer.protocols.teeworlds.schema import seven_schema
from analyzer.store.rows import PacketLate
from tests.encoder import Items, chunk, connless, connless_07, message, pack_varints, packet
from tests.encoder import snapshot as snapshot_of
from tests.protocols.teeworlds.played import CLIENT, SERVER, Played, kind

OWN, OTHER, NONE = 0xC1C1C1C1, 0x0BADCAFE, 0xFFFFFFFF
OF_SERVER = 0x12345678
SIZES = seven_schema().sizes
A = {4 << 16 | 3: (100, 200, 2), 11 << 16: (0, 10, 5), 23 << 16: (7,)}
B = {4 << 16 | 3: (101, 200, 2), 11 << 16: (0, 11, 5), 23 << 16: (7,)}
INFO = message(1, True, b"0.7 802f1be60a05665f\0\0" + pack_varints((0x705,)))
ENTERGAME = message(19, True)


def map_change(name: str) -> bytes:
    return message(2, True, name.encode() + b"\0" + pack_varints((1, 1000, 1, 900)) + bytes(32))


def client_info(*, local: bool, name: str) -> bytes:
    skin = b"standard\0" * 6 + pack_varints([0] * 12)
    return message(18, False, pack_varints((3, local, 0)) + name.encode() + b"\0clan\0" + b"\0" + skin + b"\0")


def start_info(name: str) -> bytes:
    return message(27, False, name.encode() + b"\0clan\0" + b"\0" + b"standard\0" * 6 + pack_varints([0] * 12))


class Seven(Played):
    """One flow of 0.7."""

    def __init__(self) -> None:
        super().__init__("0.7", None)
        self.tokens = {CLIENT: OF_SERVER, SERVER: OWN}
        """What the packets of each side carry."""

    def send(self, direction: int, *chunks: bytes, ack: int | None = None, token: int | None = None) -> PacketLate:
        given = self.tokens[direction] if token is None else token
        acked = self.acks[direction] if ack is None else ack
        return self.raw(packet(chunks, ack=acked, token=given, variant=self.variant), direction)

    def control(self, direction: int, number: int, body: bytes = b"", *, token: int | None = None) -> PacketLate:
        return super().control(direction, number, body, token=self.tokens[direction] if token is None else token)

    def handshake(self) -> None:
        own, of_server = (token.to_bytes(4, "big") for token in (self.tokens[SERVER], self.tokens[CLIENT]))
        self.control(CLIENT, 5, own + bytes(508), token=NONE)
        self.control(SERVER, 5, of_server)
        self.control(CLIENT, 1, own + bytes(508))
        self.control(SERVER, 2)
        self.sent, self.acks = [0, 0], [0, 0]

    def login(self, map_name: str = "dm1") -> None:
        self.send(CLIENT, self.vital(CLIENT, INFO))
        self.send(SERVER, self.vital(SERVER, map_change(map_name)))
        self.send(CLIENT, self.vital(CLIENT, start_info("tee")))
        self.send(CLIENT, self.vital(CLIENT, ENTERGAME))

    def snaps(self, tick: int, base_tick: int, base: Items, new: Items) -> None:
        for body in snapshot_of(tick, base_tick, base, new, SIZES, seven=True):
            self.send(SERVER, chunk(body, size_shift=6))

    def ack(self, tick: int) -> PacketLate:
        body = message(20, True, pack_varints((tick, tick + 5, 40, *range(10), 3)))
        return self.send(CLIENT, chunk(body, size_shift=6))


def in_game() -> Seven:
    play = Seven()
    play.handshake()
    play.login()
    play.snaps(100, -1, {}, A)
    return play


def test_a_game() -> None:
    play = in_game()
    play.ack(100)
    play.snaps(102, 100, A, B)
    play.snaps(104, 102, B, B)
    play.finish()
    assert play.codes == [(100, "OK"), (102, "OK"), (104, "OK-E")]
    assert [(row.items, row.acked_packet >= 0) for row in play.snapshots] == [(3, True), (3, False), (3, False)]
    assert [(session.player, session.map, session.dialect) for session in play.sessions] == [("tee", "dm1", "0.7")]
    assert play.sessions[0].facts.token == OF_SERVER
    assert play.rules == []


def test_an_exchange_of_tokens_is_no_session() -> None:
    """As a server browser has it: spec section 3, rule 8."""
    play = Seven()
    late = play.control(CLIENT, 5, OWN.to_bytes(4, "big") + bytes(508), token=NONE)
    assert (kind(late), play.names(late)) == (("control", ""), [("TOKEN", 32)])
    play.control(SERVER, 5, OF_SERVER.to_bytes(4, "big"))
    asked = play.raw(connless_07("gie3", b"\x05", OF_SERVER, OWN), CLIENT)
    assert (kind(asked), play.names(asked)) == (("connless-0.7", ""), [("gie3", 64)])
    assert kind(play.raw(connless("gie3", b"\x05"), CLIENT)) == ("connless", "")
    assert play.sessions == []
    play.finish()


@pytest.mark.parametrize("direction", [CLIENT, SERVER])
def test_a_packet_with_a_wrong_token_changes_nothing(direction: int) -> None:
    play = in_game()
    play.ack(100)
    for token in (OTHER, play.tokens[1 - direction], NONE):
        late = play.control(direction, 4, b"bye\0", token=token)
        assert kind(late) == ("foreign", "token")
        foreign = play.vital(direction, map_change("other"), 9)
        assert kind(play.send(direction, foreign, token=token, ack=500)) == ("foreign", "token")
    play.snaps(102, 100, A, B)
    play.finish()
    assert play.codes == [(100, "OK"), (102, "OK")]
    assert play.numbers == [(0, 0, 1)]


def test_a_new_connection_of_the_same_flow() -> None:
    play = in_game()
    play.tokens[SERVER] = OTHER
    play.handshake()
    play.login("dm2")
    play.snaps(20, -1, {}, A)
    play.finish()
    assert play.codes == [(100, "OK"), (20, "OK")]
    assert [(session.generation, session.map) for session in play.sessions] == [(0, "dm1"), (1, "dm2")]


def test_a_map_change() -> None:
    play = in_game()
    play.send(SERVER, play.vital(SERVER, map_change("ctf1")))
    play.send(CLIENT, play.vital(CLIENT, ENTERGAME))
    play.snaps(10, -1, {}, B)
    play.finish()
    assert play.codes == [(100, "OK"), (10, "OK")]
    assert [session.map for session in play.sessions] == ["dm1", "ctf1"]


def test_the_name_comes_from_the_server_where_the_clients_word_was_not_captured() -> None:
    play = Seven()
    play.snaps(100, -1, {}, A)
    play.send(SERVER, play.vital(SERVER, client_info(local=False, name="another"), 50))
    assert play.sessions[0].player == ""
    play.send(SERVER, play.vital(SERVER, client_info(local=True, name="nameless tee"), 51))
    play.finish()
    assert play.sessions[0].player == "nameless tee"


def test_snapshots_in_parts() -> None:
    play = in_game()
    items = {4 << 16 | number: (number * 1000, -777 * number, 31 * number * number) for number in range(300)}
    play.snaps(102, 100, A, items)
    play.finish()
    assert play.codes[-1] == (102, "OK")
    assert play.snapshots[-1].parts > 2
