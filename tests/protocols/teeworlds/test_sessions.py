"""Sessions of a flow: when one begins, what it is called, and epochs whose beginning the capture lost."""

from __future__ import annotations

import pytest

from analyzer.protocols.teeworlds.codes import CODES
from tests.encoder import chunk, message, pack_varints
from tests.encoder import snapshot as snapshot_of
from tests.protocols.teeworlds.played import (
    CLIENT,
    EMPTY,
    ENTERGAME,
    SERVER,
    SIZES,
    A,
    B,
    Played,
    in_game,
    map_change,
)

CHAT_START, CHAT_CHANGE = 20, 21


def client_info(number: int, name: str) -> bytes:
    strings = f"{name}\0clan\0".encode()
    return message(number, False, strings + pack_varints((-1,)) + b"default\0" + pack_varints((0, 0, 0)))


class TestPlayer:
    @pytest.mark.parametrize("number", [CHAT_START, CHAT_CHANGE])
    def test_the_client_says_its_name(self, number: int) -> None:
        play = in_game()
        play.send(CLIENT, play.vital(CLIENT, client_info(number, "nameless tee")))
        assert play.sessions[0].player == "nameless tee"
        play.send(CLIENT, play.vital(CLIENT, client_info(CHAT_CHANGE, "other")))
        assert play.sessions[0].player == "other"

    def test_a_server_does_not_name_it(self) -> None:
        play = in_game()
        play.send(SERVER, play.vital(SERVER, client_info(CHAT_START, "liar")))
        assert play.sessions[0].player == ""

    def test_the_name_stays_over_a_map_change(self) -> None:
        play = in_game()
        play.send(CLIENT, play.vital(CLIENT, client_info(CHAT_START, "tee")))
        play.send(SERVER, play.vital(SERVER, map_change("dm2")))
        assert [(session.player, session.map) for session in play.sessions] == [("tee", "dm1"), ("tee", "dm2")]

    def test_the_name_in_a_snapshot(self) -> None:
        play = Played()
        name = (-287183387, -320474125, -1594563099, -2139062272)
        items = {10 << 16 | 3: (1, 3, 0, 0, 0), 11 << 16 | 3: (*name, *[0] * 13), 10 << 16 | 4: (0, 4, 0, 0, 0)}
        play.snap(100, -1, EMPTY, items)
        assert play.sessions[0].player == "nameless tee"


class TestSessions:
    def test_empty_epochs_do_not_count(self) -> None:
        play = in_game()
        assert play.numbers == [(0, 0, 1)]
        play.send(SERVER, play.vital(SERVER, map_change("dm2")))
        play.send(CLIENT, play.vital(CLIENT, ENTERGAME))
        assert play.numbers == [(0, 0, 1), (1, 0, 2)]
        play.snap(10, -1, EMPTY, B)
        assert [(row.session, row.tick) for row in play.snapshots] == [(0, 100), (1, 10)]
        assert [session.map for session in play.sessions] == ["dm1", "dm2"]

    def test_entergame_alone_is_enough(self) -> None:
        play = in_game()
        play.send(CLIENT, play.vital(CLIENT, ENTERGAME))
        play.snap(10, -1, EMPTY, B)
        assert play.numbers == [(0, 0, 1), (1, 0, 2)]
        assert play.codes == [(100, "OK"), (10, "OK")]
        assert play.rules == []

    def test_the_entergame_of_a_map_keeps_what_came_before_it(self) -> None:
        """A capture near the server sees snapshots between MAP_CHANGE and an ENTERGAME that was sent before them."""
        play = Played()
        play.handshake()
        play.send(SERVER, play.vital(SERVER, map_change("dm1")))
        play.snap(100, -1, EMPTY, A)
        play.send(CLIENT, play.vital(CLIENT, ENTERGAME))
        play.snap(102, 100, A, B)
        assert [(row.session, row.tick, CODES[row.code].name) for row in play.snapshots] == [
            (0, 100, "OK"),
            (1, 102, "OK"),
        ]
        assert play.numbers == [(0, 0, 1), (1, 0, 1)]

    @pytest.mark.parametrize("direction", [CLIENT, SERVER])
    def test_a_repeated_event_does_nothing(self, direction: int) -> None:
        play = in_game()
        body = map_change("dm1") if direction == SERVER else ENTERGAME
        play.send(direction, play.vital(direction, body, play.sent[direction], resend=True))
        assert play.numbers == [(0, 0, 1)]

    @pytest.mark.parametrize(("direction", "body"), [(SERVER, map_change("x")), (CLIENT, ENTERGAME)])
    def test_an_event_that_is_not_vital_is_none(self, direction: int, body: bytes) -> None:
        play = in_game()
        play.send(direction, chunk(body))
        assert play.numbers == [(0, 0, 1)]
        assert play.sessions[0].map == "dm1"

    @pytest.mark.parametrize(("direction", "body"), [(CLIENT, map_change("x")), (SERVER, ENTERGAME)])
    def test_an_event_of_the_wrong_side_is_none(self, direction: int, body: bytes) -> None:
        play = in_game()
        play.send(direction, play.vital(direction, body))
        assert play.numbers == [(0, 0, 1)]

    def test_an_open_snapshot_ends_with_its_epoch(self) -> None:
        play = in_game()
        items = {4 << 16 | item: (item * 1000,) * 4 for item in range(200)}
        play.messages(snapshot_of(102, 100, A, {**A, **items}, SIZES)[:1])
        play.send(SERVER, play.vital(SERVER, map_change("dm2")))
        assert play.codes == [(100, "OK"), (102, "P1")]
        assert play.snapshots[1].session == 0

    def test_counts_beyond_their_columns_share_the_last_number(self) -> None:
        play = in_game()
        for _ in range(260):
            play.send(CLIENT, *[play.vital(CLIENT, ENTERGAME) for _ in range(255)])
        play.snap(100, -1, EMPTY, A)
        assert play.sessions[-1].epoch == 65535


class TestInferredEpochs:
    def test_a_full_snapshot_far_below_begins_an_epoch(self) -> None:
        play = in_game()
        play.snap(1000, -1, EMPTY, A)
        play.snap(849, -1, EMPTY, B)
        assert play.rules == ["sess.epoch_inferred"]
        assert play.numbers == [(0, 0, 1), (1, 0, 2)]
        assert play.codes[-1] == (849, "OK")

    def test_within_the_margin_it_is_late(self) -> None:
        play = in_game()
        play.snap(1000, -1, EMPTY, A)
        play.snap(850, -1, EMPTY, B)
        assert play.numbers == [(0, 0, 1)]
        assert play.codes[-1] == (850, "OK")
        assert not play.snapshots[-1].client_kept

    def test_a_delta_far_below_needs_an_acknowledgement_far_below(self) -> None:
        play = Played()
        play.snap(2000, -1, EMPTY, A)
        play.snap(1800, 1798, A, B)
        assert play.numbers == [(0, 0, 0)]
        play.ack(1000)
        play.snap(1002, 1000, A, B)
        assert play.numbers == [(0, 0, 0), (1, 0, 1)]
        assert play.codes[-1] == (1002, "B1")

    def test_an_acknowledgement_alone_is_not_believed(self) -> None:
        play = Played()
        play.snap(2000, -1, EMPTY, A)
        play.ack(1000)
        play.snap(2002, 2000, A, B)
        assert play.numbers == [(0, 0, 0)]
        assert play.codes == [(2000, "OK"), (2002, "OK")]

    def test_rising_ticks_far_below_are_another_epoch_whatever_their_bases(self) -> None:
        """The capture lost the change of map and its full snapshots, and the old ticks were seen from their start."""
        play = Played()
        play.snap(10, -1, EMPTY, A)
        play.snap(2000, 10, A, B)
        for tick in (800, 790, 802, 802, 804, 806):
            play.snap(tick, tick - 2, A, B)
        assert play.numbers == [(0, 0, 0)]
        play.snap(808, 806, A, B)
        assert play.numbers == [(0, 0, 0), (1, 0, 1)]
        play.snap(810, -1, EMPTY, A)
        play.snap(812, 810, A, B)
        assert play.codes[-1] == (812, "OK")
        assert play.rules == ["sess.epoch_inferred"]

    def test_one_tick_out_of_place_does_not_end_the_session(self) -> None:
        play = in_game()
        play.ack(100)
        play.snap(0x6FFFFFFF, -1, EMPTY, A)
        play.snap(102, 100, A, B)
        assert play.numbers == [(0, 0, 1), (1, 0, 2)]
        play.snap(104, -1, EMPTY, A)
        play.snap(106, 104, A, B)
        assert play.codes[-2:] == [(104, "OK"), (106, "OK")]
