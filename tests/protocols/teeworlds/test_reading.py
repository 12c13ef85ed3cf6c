"""What a reading makes of a flow: packets, messages, connections. Sessions and snapshots have tests of their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.codes import CODES
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.snapshots.status import ClientHas
from analyzer.transports.teeworlds_packet import HEADER, TAIL
from tests.encoder import chunk, connless, control, message, pack_varints, packet
from tests.encoder import snapshot as snapshot_of
from tests.protocols.teeworlds.played import (
    CLIENT,
    EMPTY,
    ENTERGAME,
    INFO,
    READY,
    SECOND,
    SERVER,
    SIZES,
    TOKEN,
    A,
    B,
    Played,
    in_game,
    input_message,
    kind,
    map_change,
    snap_empty,
)
from tests.row_views import messages, packets

OTHER = 0x0BADCAFE
STUN = bytes.fromhex("00010000 2112a442") + bytes(12)
SYSTEM, VITAL, RESENT, REPEATED, AHEAD = 1, 2, 4, 8, 16
ITIS = bytes.fromhex("01 6954847e2e873603b56236da29ed1aca")
"""System message by the UUID of it-is@ddnet.tw."""
MOD = "00112233-4455-6677-8899-aabbccddeeff"


class TestPackets:
    def test_chunks(self) -> None:
        play = Played()
        payload = packet([chunk(input_message(5)), chunk(READY)], ack=700, token=TOKEN, variant=TAIL, compress=False)
        late = play.raw(payload, CLIENT)
        assert kind(late) == ("chunks", "")
        assert (late.ack, late.chunks, late.flags) == (700, 2, 0)
        payload = packet([chunk(READY)] * 9, ack=9, token=TOKEN, variant=TAIL, resend=True, compress=True)
        late = play.raw(payload, CLIENT)
        assert (late.ack, late.chunks, late.flags, late.session) == (9, 9, 0xC0, 0)

    def test_control(self) -> None:
        play = Played()
        late = play.control(CLIENT, 0)
        assert kind(late) == ("control", "")
        assert (late.ack, late.chunks, late.flags) == (0, 0, 0x10)

    @pytest.mark.parametrize(
        ("payload", "expected"),
        [
            (connless("inf3", b"x"), "connless"),
            (connless("gie3", b"x", extra_token=5), "connless-extended"),
            (STUN, "stun"),
        ],
    )
    def test_what_has_no_connection_opens_no_session(self, payload: bytes, expected: str) -> None:
        play = Played()
        late = play.raw(payload, CLIENT)
        assert kind(late) == (expected, "")
        assert (late.ack, late.session) == (65535, -1)
        play.send(CLIENT, chunk(READY))
        assert play.raw(payload, CLIENT).session == 0

    @pytest.mark.parametrize(
        ("payload", "code"),
        [
            (b"", "short"),
            (b"\x00\x05", "short"),
            (b"\x00\x05\x00abc", "token-short"),
            (b"\x80\x05\x01", "huffman-eof"),
            (b"\x10\x00\x00", "control-empty"),
        ],
    )
    def test_malformed(self, payload: bytes, code: str) -> None:
        assert kind(Played().raw(payload, CLIENT)) == ("malformed", code)

    def test_what_stands_before_a_broken_chunk_is_read(self) -> None:
        play = Played()
        late = play.raw(packet([chunk(READY), b"\x3f\xff"], token=TOKEN, variant=TAIL, compress=False), CLIENT)
        assert kind(late) == ("chunks", "chunk-size")
        assert play.names(late) == [("NETMSG_READY", SYSTEM)]

    def test_surplus(self) -> None:
        payload = packet([chunk(READY)], token=TOKEN, variant=TAIL, compress=False)
        late = Played().raw(payload[:-4] + b"zz" + payload[-4:], CLIENT)
        assert kind(late) == ("chunks", "surplus")

    def test_a_message_that_cannot_be_read(self) -> None:
        play = in_game()
        late = play.send(CLIENT, chunk(message(16, True, b"\x81")))
        assert kind(late) == ("chunks", "message")
        late = play.send(CLIENT, chunk(b""))
        assert play.names(late) == [("unreadable message", 0)]


class TestCut:
    def test_a_cut_datagram_gives_its_header_and_nothing_else(self) -> None:
        play = in_game()
        play.acks[SERVER] = 77
        bodies = snapshot_of(102, -1, EMPTY, B, SIZES)
        payload = packet([chunk(bodies[0])], ack=77, token=TOKEN, variant=TAIL)
        late = play.raw(payload, SERVER, keep=len(payload) - 1)
        assert kind(late) == ("cut", "cut")
        assert (late.ack, late.chunks, late.session) == (77, 1, 0)
        assert play.names(late) == []
        assert play.codes == [(100, "OK")]

    def test_a_vital_number_of_a_cut_datagram_was_not_received(self) -> None:
        play = in_game()
        payload = packet([play.vital(CLIENT, READY)], token=TOKEN, variant=TAIL, compress=False)
        play.raw(payload, CLIENT, keep=8)
        late = play.send(CLIENT, play.vital(CLIENT, READY))
        assert play.names(late) == [("NETMSG_READY", SYSTEM | VITAL | AHEAD)]

    def test_its_acknowledgement_counts(self) -> None:
        play = in_game()
        play.vital(CLIENT, READY)
        play.send(CLIENT, play.vital(CLIENT, READY))
        assert play.rules == []
        payload = packet([chunk(READY)], ack=play.sent[CLIENT], token=TOKEN, variant=TAIL, compress=False)
        play.raw(payload, SERVER, keep=5)
        assert play.rules == ["net.vital_gap"]

    def test_a_cut_control_packet_may_be_a_connect_and_acknowledges_nothing(self) -> None:
        play = Played("0.6.5")
        play.send(SERVER, play.vital(SERVER, READY, 600))
        late = play.send(SERVER, play.vital(SERVER, READY, 602))
        assert play.names(late)[0][1] & AHEAD
        body = bytes(4) + bytes(4) + bytes(504)
        late = play.raw(control(1, body, token=None, variant=HEADER), CLIENT, keep=100)
        assert kind(late) == ("cut", "cut")
        assert play.rules == []

    def test_a_cut_packet_with_a_foreign_token_acknowledges_nothing(self) -> None:
        play = Played("0.6.5")
        play.send(CLIENT, play.vital(CLIENT, READY, 10))
        play.send(CLIENT, play.vital(CLIENT, READY, 12))
        payload = packet([chunk(READY)], ack=12, token=OTHER, variant=HEADER)
        play.raw(payload, SERVER, keep=len(payload) - 1)
        assert play.rules == []
        payload = packet([chunk(READY)], ack=12, token=TOKEN, variant=HEADER)
        play.raw(payload, SERVER, keep=len(payload) - 1)
        assert play.rules == ["net.vital_gap"]


class TestTokens:
    def test_a_packet_with_another_token_is_foreign_and_changes_nothing(self) -> None:
        play = in_game()
        late = play.send(SERVER, chunk(snapshot_of(102, -1, EMPTY, B, SIZES)[0]), token=OTHER, ack=1000)
        assert kind(late) == ("foreign", "token")
        assert play.names(late) == []
        assert late.session == 0
        assert play.codes == [(100, "OK")]

    def test_the_token_is_a_fact_of_the_session(self) -> None:
        play = Played()
        play.send(CLIENT, chunk(READY))
        (session,) = play.sessions
        assert session.facts == SessionFacts("ddnet", TOKEN, SIZES)

    def test_a_missed_reconnect_is_followed(self) -> None:
        play = in_game()
        play.token = OTHER
        kinds = []
        for _ in range(4):
            kinds.append(kind(play.send(CLIENT, chunk(READY)))[0])
            kinds.append(kind(play.send(SERVER, chunk(READY)))[0])
        assert kinds == ["foreign"] * 5 + ["chunks"] * 3
        (session,) = play.sessions
        assert session.facts == SessionFacts("ddnet", OTHER, SIZES)


class TestMessages:
    def test_flags(self) -> None:
        play = Played()
        late = play.send(
            CLIENT,
            play.vital(CLIENT, INFO, 5),
            play.vital(CLIENT, INFO, 5, resend=True),
            play.vital(CLIENT, message(20, False), 7),
            chunk(message(21, False)),
        )
        assert play.names(late) == [
            ("NETMSG_INFO", SYSTEM | VITAL),
            ("NETMSG_INFO", SYSTEM | VITAL | RESENT | REPEATED),
            ("Cl_StartInfo", VITAL | AHEAD),
            ("Cl_ChangeInfo", 0),
        ]
        assert [row.sequence for row in messages(play.rows)] == [5, 5, 7, 65535]
        assert [row.id for row in messages(play.rows)] == [1, 1, 20, 21]

    def test_unknown_numbers_and_uuids(self) -> None:
        play = Played()
        unknown = message(0, False, bytes.fromhex(MOD.replace("-", "")))
        late = play.send(CLIENT, chunk(message(500, True)), chunk(message(501, False)), chunk(unknown))
        assert play.names(late) == [
            ("unknown system message 500", SYSTEM),
            ("unknown game message 501", 0),
            (f"unknown {MOD}", 0),
        ]
        assert messages(play.rows)[-1].id == 65535

    def test_a_name_learned_from_it_is(self) -> None:
        play = Played()
        unknown = message(0, False, bytes.fromhex(MOD.replace("-", "")))
        play.send(SERVER, play.vital(SERVER, ITIS + unknown[1:] + b"my-mod@example.org\0"))
        late = play.send(CLIENT, chunk(unknown))
        assert play.names(late) == [("my-mod@example.org", 0)]
        facts = play.sessions[0].facts
        assert isinstance(facts, SessionFacts)
        assert dict(facts.names) == {MOD: "my-mod@example.org"}

    def test_names_that_can_be_learned_are_bounded(self) -> None:
        play = Played()
        for number in range(300):
            body = ITIS + number.to_bytes(16, "big") + b"x" * 200 + b"\0"
            play.send(SERVER, play.vital(SERVER, body))
        facts = play.sessions[0].facts
        assert isinstance(facts, SessionFacts)
        assert len(facts.names) == 256
        assert max(map(len, facts.names.values())) == 64

    def test_a_gap_the_capture_made_is_told(self) -> None:
        play = in_game()
        lost = play.vital(SERVER, map_change("dm2"))
        assert lost
        play.vital(SERVER, READY)
        play.send(SERVER, play.vital(SERVER, map_change("dm3")))
        assert [session.map for session in play.sessions] == ["dm1"]
        play.send(CLIENT, chunk(READY))
        assert [session.map for session in play.sessions] == ["dm1", "dm3"]
        assert [finding.text for finding in play.rows.findings] == ["the capture lost vital messages 2 to 3"]

    def test_a_gap_never_blocks_snapshots(self) -> None:
        play = in_game()
        play.vital(SERVER, READY)
        bodies = snapshot_of(102, 100, A, B, SIZES)
        late = play.send(SERVER, play.vital(SERVER, READY), chunk(bodies[0]), ack=0)
        assert play.names(late)[0][1] & AHEAD
        assert play.codes == [(100, "OK"), (102, "OK")]


class TestReconnect:
    def test_ddnet_keeps_the_store_over_a_rejoin(self) -> None:
        """Ticks go on, the next snapshot is full, and MAP_CHANGE begins the new epoch."""
        play = in_game()
        play.snap(102, 100, A, B)
        play.handshake()
        play.snap(104, 102, B, A)
        play.send(CLIENT, play.vital(CLIENT, INFO))
        play.send(SERVER, play.vital(SERVER, map_change("dm1")))
        play.snap(110, -1, EMPTY, A)
        assert play.numbers == [(0, 0, 1), (1, 1, 2)]
        assert play.codes == [(100, "OK"), (102, "OK"), (104, "OK"), (110, "OK")]
        assert [row.session for row in play.snapshots] == [0, 0, 0, 1]

    def test_an_accept_twice_restarts_once(self) -> None:
        play = in_game()
        play.handshake()
        play.send(CLIENT, play.vital(CLIENT, INFO))
        play.control(CLIENT, 3)
        play.send(SERVER, play.vital(SERVER, map_change("dm1")))
        play.send(CLIENT, play.vital(CLIENT, INFO, 1))
        play.send(SERVER, play.vital(SERVER, map_change("dm1"), 1))
        play.send(CLIENT, play.vital(CLIENT, ENTERGAME))
        play.snap(110, -1, EMPTY, A)
        assert play.numbers == [(0, 0, 1), (1, 1, 2)]

    def test_a_plain_connect_in_a_live_flow_changes_nothing(self) -> None:
        play = in_game("0.6")
        play.control(CLIENT, 1)
        play.control(CLIENT, 1)
        play.snap(102, 100, A, B)
        play.snap(300, -1, EMPTY, A)
        assert play.numbers == [(0, 0, 1)]
        assert play.codes == [(100, "OK"), (102, "OK"), (300, "OK")]

    @pytest.mark.parametrize("dialect", ["0.6", "ddnet"])
    def test_a_new_connection_after_close(self, dialect: str) -> None:
        play = in_game(dialect)
        play.control(CLIENT, 4, b"bye\0")
        play.handshake()
        play.login("dm2")
        play.snap(5000, -1, EMPTY, A)
        assert play.numbers == [(0, 0, 1), (1, 1, 2)]
        assert play.sessions[1].map == "dm2"

    def test_a_connection_without_captured_handshake(self) -> None:
        """A UUID message may come as number 1, INFO and MAP_CHANGE behind it."""
        play = in_game("0.6")
        play.sent, play.acks = [0, 0], [0, 0]
        uuid_message = message(0, True, bytes(16))
        play.send(CLIENT, play.vital(CLIENT, uuid_message), play.vital(CLIENT, INFO))
        late = play.send(SERVER, play.vital(SERVER, uuid_message), play.vital(SERVER, map_change("dm5")))
        assert play.names(late)[1] == ("NETMSG_MAP_CHANGE", SYSTEM | VITAL)
        assert play.numbers == [(0, 0, 1), (1, 1, 2)]
        assert play.sessions[1].map == "dm5"

    @pytest.mark.parametrize("bodies", [(READY, READY), (READY, READY, READY, map_change("dm5"))])
    def test_number_one_without_its_message_is_no_connection(self, bodies: tuple[bytes, ...]) -> None:
        play = in_game("0.6")
        play.send(SERVER, *[play.vital(SERVER, READY) for _ in range(5)])
        play.sent[SERVER] = 0
        play.send(SERVER, *[play.vital(SERVER, body) for body in bodies], ack=0)
        assert play.numbers == [(0, 0, 1)]

    def test_the_opening_datagram_repeated_by_the_network_is_no_connection(self) -> None:
        play = in_game()
        play.sent, play.acks = [0, 0], [0, 0]
        uuid_message = message(0, True, bytes(16))
        opening = (play.vital(SERVER, uuid_message), play.vital(SERVER, map_change("dm5")))
        play.send(SERVER, *opening)
        assert play.numbers == [(0, 0, 1), (1, 1, 2)]
        play.snap(5000, -1, EMPTY, A)
        play.send(SERVER, *opening, ack=0)
        play.snap(5002, 5000, A, B)
        assert play.codes[-1] == (5002, "OK")
        assert len(play.sessions) == 2

    def test_number_one_resent_is_no_connection(self) -> None:
        play = in_game("0.6")
        play.send(SERVER, play.vital(SERVER, map_change("dm1"), 1, resend=True), ack=2)
        assert play.numbers == [(0, 0, 1)]

    def test_the_acknowledgement_of_a_connect_is_not_used(self) -> None:
        play = Played()
        play.send(SERVER, play.vital(SERVER, READY, 600))
        play.send(SERVER, play.vital(SERVER, READY, 602))
        play.raw(control(1, b"TKEN", token=0xFFFFFFFF, variant=TAIL), CLIENT)
        assert play.rules == []

    def test_a_gap_is_given_up_after_twelve_seconds(self) -> None:
        play = Played()
        for at, number in ((0, 600), (1, 602), (14, 603)):
            payload = packet([play.vital(SERVER, READY, number)], token=TOKEN, variant=TAIL)
            play.raw(payload, SERVER, time_ns=at * SECOND)
        assert play.rules == ["net.vital_gap"]


class TestAntiSpoof:
    def test_vital_snapshots_are_a_handshake(self) -> None:
        """Chunks 1 to 6 of a server that has no token to check; the client answers by acknowledging the tick."""
        play = Played("0.6", None)
        play.handshake()
        token = 0x7ABCDEF0
        bodies = [map_change("dummy"), message(3, True), message(4, True), *[snap_empty(token, -1)] * 3]
        late = play.send(SERVER, *[play.vital(SERVER, body) for body in bodies])
        assert len(play.names(late)) == 6
        play.ack(token)
        play.send(CLIENT, play.vital(CLIENT, INFO))
        play.send(SERVER, play.vital(SERVER, map_change("dm1")))
        play.send(CLIENT, play.vital(CLIENT, ENTERGAME))
        play.snap(100, -1, EMPTY, A)
        play.snap(102, 100, A, B)
        assert play.codes == [(100, "OK"), (102, "OK")]
        assert [(session.number, session.map) for session in play.sessions] == [(0, "dm1")]
        assert play.rules == []
        play.ack(102)
        assert [row.client_has for row in play.snapshots] == [ClientHas.LATER, ClientHas.ACKED]

    def test_the_one_of_0_6_5_ends_with_the_map(self) -> None:
        play = Played("0.6.5")
        token = 0x7ABCDEF0
        play.send(SERVER, play.vital(SERVER, map_change("dm1")), play.vital(SERVER, message(4, True)))
        for tick, base in ((token - 2, -1), (token - 1, token - 2), (token, token - 1)):
            play.send(SERVER, chunk(snap_empty(tick, base)))
        play.ack(token)
        play.send(SERVER, play.vital(SERVER, map_change("dm1")))
        play.snap(100, -1, EMPTY, A)
        assert play.codes[-1] == (100, "OK")
        assert play.snapshots[-1].client_kept


DIALECT_NAMES = st.sampled_from(sorted(DIALECTS))
PAYLOADS = st.one_of(
    st.binary(max_size=60),
    st.builds(
        lambda bodies, token, ack: packet([chunk(body) for body in bodies], token=token, ack=ack, variant=TAIL),
        st.lists(st.binary(max_size=40), max_size=4),
        st.sampled_from((TOKEN, OTHER)),
        st.integers(0, 1023),
    ),
    st.builds(
        lambda numbers, vital, sequence, token: packet(
            [chunk(pack_varints(numbers), vital, sequence)], token=token, variant=TAIL
        ),
        st.lists(st.sampled_from((-1, 0, 1, 2, 3, 5, 11, 13, 15, 29, 31, 33, 64, 100, 0x7FFFFFFF)), max_size=9),
        st.booleans(),
        st.integers(0, 4),
        st.just(TOKEN),
    ),
)


@given(DIALECT_NAMES, st.lists(st.tuples(PAYLOADS, st.integers(0, 1), st.integers(0, 70)), max_size=25))
def test_any_datagrams_make_rows_and_nothing_else(dialect: str, datagrams: list[tuple[bytes, int, int]]) -> None:
    play = Played(dialect)
    for payload, direction, kept in datagrams:
        play.raw(payload, direction, keep=len(payload) if kept > 60 else kept)
    play.finish()
    snapshots = play.snapshots
    assert len(packets(play.rows)) == len(datagrams)
    for late in packets(play.rows):
        assert kind(late)[1] != "bug"
        assert -1 <= late.session < len(play.sessions)
        assert -1 <= late.snapshot < len(snapshots)
    for number, row in enumerate(snapshots):
        assert CODES[row.code].name != "BUG"
        assert CODES[row.code].status is row.status
        assert -1 <= row.cause < len(snapshots)
        assert row.cause != number
        assert -1 <= row.base < number
        assert 0 <= row.session < len(play.sessions)
        assert all(part.packet <= row.packet for part in row.received)
