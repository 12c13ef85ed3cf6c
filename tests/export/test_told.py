"""Excerpts of a game of 0.7, where messages alone tell names and the map: they are told again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analyzer.engine.capture import Capture
from analyzer.export import selection
from analyzer.export.formats import Format
from tests.capture.builders import pcap_file
from tests.encoder import chunk
from tests.engine.test_players import ANN, BOTH, CHARACTER, EVE, MOVED, Game, drop, info
from tests.export.excerpts import Decoded, assert_same, assert_same_frames, cut, decoded
from tests.net.builders import ipv4, udp
from tests.protocols.teeworlds.played import CLIENT, SERVER
from tests.protocols.teeworlds.test_seven import client_info, map_change


def write(game: Game, path: Path) -> Path:
    frames = []
    for sent in game.datagrams:
        ports = (50000, 8303) if sent.direction == CLIENT else (8303, 50000)
        frame = ipv4(udp(sent.payload, source=ports[0], destination=ports[1]))
        if sent.direction == SERVER:
            frame = frame[:12] + frame[16:20] + frame[12:16] + frame[20:]
        frames.append((sent.time_ns // 1_000_000_000, sent.time_ns % 1_000_000_000 // 1000, frame))
    path.write_bytes(pcap_file(frames, link_field=101))
    return path


@pytest.fixture
def game() -> Game:
    play = Game()
    play.tell(info(EVE, "nobody"), client_info(local=True, name="ann"))
    play.tell(info(9, "gone"), drop(9))
    play.tell(info(EVE, "eve"))
    play.see(100)
    play.ack(100)
    play.see(102, 100, BOTH, MOVED)
    play.ack(102)
    play.see(104, 102, MOVED, BOTH)
    play.ack(104)
    return play


def from_tick(whole: Decoded, tick: int) -> selection.Bools:
    tables = whole.capture.tables
    row = tables.snapshots.integers("tick").tolist().index(tick)
    first = tables.packets.integer("frame", tables.snapshots.integer("packet", row))
    return selection.of_frames(tables, np.arange(first, len(tables.frames)))


def owners(capture: Capture, tick: int) -> dict[int, str]:
    query = capture.query()
    row = capture.tables.snapshots.integers("tick").tolist().index(tick)
    found = {item.id: item.owner for item in query.items(row) if item.type == CHARACTER}
    query.close()
    return found


@pytest.mark.parametrize("compiled", [False, True])
def test_names_and_the_map_are_told_again(game: Game, tmp_path: Path, compiled: bool) -> None:
    target = tmp_path / "part.pcapng"
    with decoded(write(game, tmp_path / "game.pcap"), compiled=compiled) as whole:
        assert whole.capture.tables.sessions.text("player", 0) == "ann"
        expected = owners(whole.capture, 104)
        assert expected == {ANN: "ann", EVE: "eve"}
        excerpt, saved = cut(whole, from_tick(whole, 104), target)
        assert saved.made == 1
        with decoded(target, compiled=compiled) as part:
            assert_same_frames(whole, excerpt, part)
            assert assert_same(whole, excerpt, part) == 1
            sessions = part.capture.tables.sessions
            assert [sessions.text(name, 0) for name in ("player", "map", "dialect")] == ["ann", "dm1", "0.7"]
            assert len(sessions) == 1
            assert owners(part.capture, 104) == expected
            # What it makes of it is the same again.
            again, _ = cut(part, from_tick(part, 104), tmp_path / "again.pcapng")
            assert len(again.told) == 1
    data = target.read_bytes()
    assert data.count(b"Made by Snapscope: names of players and the map, told in packets not in this file.") == 1
    assert b"nobody" not in data


def test_what_is_in_the_excerpt_is_not_told_again(game: Game, tmp_path: Path) -> None:
    with decoded(write(game, tmp_path / "game.pcap"), compiled=False) as whole:
        frames = len(whole.capture.tables.frames)
        chosen = selection.of_frames(whole.capture.tables, np.arange(frames - 1))
        excerpt, _ = cut(whole, chosen, tmp_path / "part.pcapng")
        assert excerpt.told == ()
        excerpt, _ = cut(whole, from_tick(whole, 104), tmp_path / "part.pcap", Format.PCAP)
        assert excerpt.told == ()


def test_a_map_change_that_is_not_vital_begins_nothing() -> None:
    """It tells the map only where nobody knows it; both readings say the same."""
    known, unknown = Game(), Game.__new__(Game)
    super(Game, unknown).__init__()
    unknown.handshake()
    for play, name in ((known, "dm1"), (unknown, "dm2")):
        play.see(100)
        play.ack(100)
        play.send(SERVER, chunk(map_change("dm2"), size_shift=6))
        play.see(102, 100, BOTH, MOVED)
        play.finish()
        assert [session.map for session in play.sessions] == [name]
        assert play.codes == [(100, "OK"), (102, "OK")]
