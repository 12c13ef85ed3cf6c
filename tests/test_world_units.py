"""The simulated world itself: its encoder against the vectors of the spec, its peers against the rules they follow."""

from __future__ import annotations

import hashlib
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from world import wire
from world.capture import Tap
from world.checks import Truth
from world.clock import Clock
from world.connection import Connection
from world.datagram import Datagram, Plain
from world.game import Game
from world.huffman import CODES, FREQUENCIES
from world.network import Weather
from world.wire import Items
from world.world import World

A: Items = {(4, 3): (100, 200, 2, 3), (6, 0): (0, 0, 0, 0, 20, 0, 1, 1), (10, 0): (1, 0, 0, 2147483647, 20)}
B: Items = {
    (6, 0): (0, 0, 0, 0, 20, 0, 1, 1),
    (10, 0): (1, 0, 0, -2147483648, 20),
    (0, 0x7FFF): (1993229659, -102024632, -1378361269, -1810037668),
    (0x7FFF, 0): (1, 0, 2, -1, 0, -1, -1, -1, 50, -60, -1),
}
A_SINGLE = "0fa401a501e4faffff0f200003000403a40188030203060000000000140001010a00010000bfffffff0f14"
B_SINGLE = (
    "0fa60102a991f3aa06350103008380200a00000000010000bfff03049b95f2ec0ef796a661f4fec0a20ae3ee97be0d"
    "bfff03000b0100024000404040327b40"
)
TOKEN = 0x12345678
CHUNKY = st.dictionaries(
    st.tuples(st.sampled_from((4, 21, 0x7FFF)), st.integers(0, 3)),
    st.tuples(*[st.integers(-(2**31), 2**31 - 1)] * 4),
    max_size=8,
)


def single(tick: int, back: int, base: Items, items: Items) -> bytes:
    data = wire.varints(wire.difference(base, items).ints())
    (message,) = wire.snapshot_messages(tick, back, wire.crc(items), data)
    return message


def test_huffman_codes_are_those_of_the_format() -> None:
    table = ",".join(map(str, FREQUENCIES))
    lines = "".join(f"{symbol}:{CODES[symbol]}\n" for symbol in range(257))
    assert hashlib.sha256(table.encode()).hexdigest()[:16] == "1135389b6da6446e"
    assert hashlib.sha256(lines.encode()).hexdigest()[:16] == "95b5dbe82c217323"
    assert wire.compress(b"hello world", CODES).hex() == "ae95135c0957c216b156dcda2238b9129ca8b801"


def test_snapshot_vectors() -> None:
    assert (wire.crc(A), wire.crc(B)) == (-2147483301, 850289769)
    assert single(100, 101, {}, A).hex() == A_SINGLE
    assert single(102, 2, A, B).hex() == B_SINGLE
    assert [message.hex() for message in wire.snapshot_messages(104, 2, 0, b"")] == ["0da80102"]


def test_packet_vectors() -> None:
    packed = wire.packet([wire.chunk(bytes.fromhex(A_SINGLE))], 5, TOKEN, CODES)
    assert packed.hex() == ("800501c2df9d6d64807cd7954a4aba63dda267611bb558080b9b0f1f511f57595252d21d3c9747ba706d8a1b")
    assert wire.packet([wire.chunk(bytes.fromhex(B_SINGLE))], 5, TOKEN, CODES).hex().startswith("000501030f0fa601")
    assert wire.control(wire.CONNECT, 0, wire.NO_TOKEN, b"TKEN").hex() == "10000001544b454effffffff"
    assert wire.control(wire.CLOSE, 0, TOKEN, wire.text("bye")).hex() == "100000046279650012345678"
    values = (1, 100, -50, 0, 3, 0, 1, 0, 0, 0)
    assert wire.input_message(102, 107, values).hex() == "21a601ab012801a4017100030001000000"


def test_chunk_headers() -> None:
    assert wire.chunk(bytes(200)).hex()[:4] == "0c08"
    assert wire.chunk(bytes(200), 1000).hex()[:6] == "4cf8e8"
    assert wire.chunk(bytes(200), 1000, True).hex()[:6] == "ccf8e8"


def test_slices() -> None:
    items = {(4, i): (1000 * i, -777 * i, i % 4, 31 * i * i) for i in range(200)}
    messages = wire.snapshot_messages(1000, 1001, wire.crc(items), wire.varints(wire.difference({}, items).ints()))
    assert wire.crc(items) == 86485700
    assert [len(message) for message in messages] == [913, 913, 728]
    assert hashlib.sha256(messages[0]).hexdigest()[:16] == "228208e23acd3024"
    assert hashlib.sha256(messages[2]).hexdigest()[:16] == "13ecad5a1df8cfa8"


@given(CHUNKY, CHUNKY)
def test_a_delta_leads_from_base_to_items(base: Items, items: Items) -> None:
    assert wire.applied(base, wire.difference(base, items)) == items


def test_a_type_is_declared_from_its_second_snapshot_on() -> None:
    declared: list[int] = []
    game = Game(Random(3), declared)
    while not declared:
        game.step()
        items = game.view(1)
        assert not any(kind == 0 for kind, _ in items)
    assert {(0, kind) for kind in declared} <= set(game.view(1))


@given(st.integers(0, 2**32), st.floats(0, 0.6))
def test_vital_messages_arrive_once_and_in_order(seed: int, loss: float) -> None:
    clock, rng = Clock(), Random(seed)
    got: list[int] = []
    ends: dict[int, Connection] = {}

    def send(datagram: Datagram) -> None:
        if rng.random() >= loss:
            clock.after(rng.randrange(50_000_000), lambda: arrive(datagram))

    def arrive(datagram: Datagram) -> None:
        end = ends[datagram.receiver[1]]
        messages = end.accept(datagram) or []
        if datagram.receiver[1] == 2:
            got.extend(message.number for message in messages if isinstance(message, Plain))
            end.vital(Plain(0), b"answer")
        end.flush()

    for port, other in ((1, 2), (2, 1)):
        ends[port] = Connection(clock, ("", port), ("", other), None, send, None)
    for number in range(20):
        ends[1].vital(Plain(number), b"x")
        ends[1].flush()
        for _ in range(4):
            clock.run(100_000_000)
            ends[1].repeat()
            ends[2].repeat()
    assert got == list(range(len(got)))
    if loss == 0:
        assert len(got) == 20


def test_everything_arrives_in_good_weather() -> None:
    world = World(5, clients=2)
    world.play(120)
    world.server.change_map()
    world.play(120)
    for client in world.clients:
        made = [sent for sent in world.server.sent if sent.client == client.address]
        assert len({sent.epoch for sent in made}) == 2
        missing = [sent for sent in made if sent not in client.rebuilt]
        assert missing == made[len(made) - len(missing) :]
        assert len(missing) <= 1
        assert all(client.rebuilt[sent] == sent.items for sent in made if sent in client.rebuilt)
        assert max(sent.tick - sent.base_tick for sent in made if sent.base_tick >= 0) <= 6


def test_a_network_that_loses_parts_makes_the_client_skip_snapshots() -> None:
    world = World(6)
    world.network.weather = Weather(loss=0.3)
    world.server.game.crowd = 80
    world.play(150)
    assert any(sent.parts > 1 for sent in world.clients[0].rebuilt)
    assert len(world.clients[0].rebuilt) < len(world.server.sent)
    truth = Truth(world)
    truth.against_the_world()
    (flow,) = truth.flows.values()
    assert {"P1", "OK"} <= {row.code for row in truth.rows(flow)}


def test_a_silent_client_gets_full_snapshots_again_after_three_seconds() -> None:
    world = World(7)
    world.play(60)
    world.clients[0].policy = "silent"
    world.play(200)
    recovered = [sent for sent in world.server.sent[30:] if sent.base_tick < 0]
    assert recovered
    assert all(sent.tick % 50 == 0 for sent in recovered[1:])


def test_the_tap_writes_what_passed(tmp_path: Path) -> None:
    tap = Tap(Clock(), Random(1), at_server=True, snap_length=60)
    tap.see(Datagram(("10.0.0.2", 50000), ("10.0.0.1", 8303), b"\x10\0\0\1" + bytes(30)))
    tap.write(tmp_path / "tap.pcap")
    written = (tmp_path / "tap.pcap").read_bytes()
    assert tap.passes[0].cut
    assert len(written) == 24 + 16 + 60
    assert written[24 + 16 + 42 :] == b"\x10\0\0\1" + bytes(14)
