"""Which dialect a flow speaks, and which end is the server (spec section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.capture.source import Source
from analyzer.net.datagrams import Datagram as UdpDatagram
from analyzer.net.datagrams import Network
from analyzer.net.flows import FlowTable
from analyzer.protocols.flow import Datagram, Verdict
from analyzer.protocols.teeworlds.detect import MIN_POINTS, PATIENCE, STRIDE, TeeworldsDetector, probe
from analyzer.transports.teeworlds_packet import HEADER, PLAIN, SEVEN, TAIL, Variant
from tests.encoder import chunk, connless, connless_07, control, message, packet
from tests.protocols.teeworlds.played import ENTERGAME, INFO, A, input_message, map_change, snap_empty, snap_single

CLIENT, SERVER = 0, 1
TOKEN, OTHER = 0x12345678, 0x0BADCAFE
STUN = bytes.fromhex("00010000 2112a442") + bytes(12)
PLAIN_CONNECT, PLAIN_ACCEPT = bytes.fromhex("10000001"), bytes.fromhex("10000002")
DDNET_CONNECT, DDNET_ACCEPT = bytes.fromhex("10000001 544b454e ffffffff"), bytes.fromhex("10000002 544b454e 12345678")
HEADER_CONNECT = bytes.fromhex("10000001 00000000 c1c1c1c1") + bytes(504)
HEADER_ACCEPT = bytes.fromhex("180000 c1c1c1c1 02 12345678")
SEVEN_REQUEST = bytes.fromhex("040000 ffffffff 05 c1c1c1c1") + bytes(508)
SEVEN_ANSWER = bytes.fromhex("040000 c1c1c1c1 05 12345678")
SEVEN_ACCEPTED = bytes.fromhex("040000 c1c1c1c1 02")
SEVEN_ACCEPTED_DDNET = SEVEN_ACCEPTED + bytes.fromhex("78563412")
SEVEN_INPUT = message(20, True, input_message(50000)[1:])
SEVEN_SNAP = message(8, True, snap_single(104, 2, bytes(300), 5)[1:])
VARIANTS = (PLAIN, TAIL, HEADER)
NO_GAME = bytes.fromhex("000501 0104") + b"\x3f" * 20
"""A chunk with a message that no dialect has."""


def judged(datagrams: Iterable[tuple[int, bytes]], *, keep: int | None = None) -> Verdict | None:
    detector = TeeworldsDetector()
    for number, (direction, payload) in enumerate(datagrams):
        detector.see(Datagram(number, 0, direction, payload[:keep], len(payload)))
    return detector.verdict()


def said(datagrams: Iterable[tuple[int, bytes]]) -> tuple[str, int, bool] | None:
    """Dialect, server, and whether it is sure."""
    verdict = judged(datagrams)
    return None if verdict is None else (verdict.dialect, verdict.server, verdict.score >= 1.0)


def encoded(
    variant: Variant,
    bodies: Sequence[bytes],
    *,
    compress: bool | None = None,
    token: int = TOKEN,
    resend: bool = False,
) -> bytes:
    chunks = [chunk(body, size_shift=variant.size_shift) for body in bodies]
    return packet(chunks, ack=5, token=token, variant=variant, compress=compress, resend=resend)


class TestHandshakes:
    @pytest.mark.parametrize(
        ("request_bytes", "answer", "dialect"),
        [
            (DDNET_CONNECT, DDNET_ACCEPT, "ddnet"),
            (DDNET_CONNECT, PLAIN_ACCEPT, "0.6"),
            (PLAIN_CONNECT, PLAIN_ACCEPT, "0.6"),
            (HEADER_CONNECT, HEADER_ACCEPT, "0.6.5"),
            (SEVEN_REQUEST, SEVEN_ANSWER, "0.7"),
            (SEVEN_REQUEST, SEVEN_ACCEPTED, "0.7"),
            (SEVEN_REQUEST, SEVEN_ACCEPTED_DDNET, "0.7"),
        ],
    )
    @pytest.mark.parametrize("client", [0, 1])
    def test_the_servers_answer_decides(self, request_bytes: bytes, answer: bytes, dialect: str, client: int) -> None:
        assert judged([(client, request_bytes)]) is None
        verdict = judged([(client, request_bytes), (client, request_bytes), (1 - client, answer)])
        assert verdict == Verdict(dialect, 1.0, 1 - client)

    @pytest.mark.parametrize("payload", [DDNET_CONNECT, PLAIN_CONNECT, HEADER_CONNECT, SEVEN_REQUEST])
    def test_a_request_alone_does_not(self, payload: bytes) -> None:
        assert judged([(CLIENT, payload)] * 5) is None

    def test_an_answer_in_the_middle_of_a_flow(self) -> None:
        play = [(CLIENT, encoded(PLAIN, [input_message(5)])), (SERVER, DDNET_ACCEPT)]
        assert said(play) == ("ddnet", SERVER, True)


class TestScoring:
    @pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
    @pytest.mark.parametrize("compress", [False, True])
    @pytest.mark.parametrize(
        ("sender", "body"),
        [
            (CLIENT, input_message(50000)),
            (CLIENT, INFO),
            (SERVER, map_change("a map with a long name")),
            (SERVER, snap_single(104, 2, bytes(300), 5)),
        ],
    )
    def test_three_chunk_packets_are_enough(self, variant: Variant, compress: bool, sender: int, body: bytes) -> None:
        """Rules 1 and 5."""
        payload = encoded(variant, [body], compress=compress)
        verdicts = [said([(sender, payload)] * number) for number in (1, 2, 3)]
        assert verdicts == [(variant.name, SERVER, False)] * 2 + [(variant.name, SERVER, True)]

    @pytest.mark.parametrize("compress", [False, True])
    @pytest.mark.parametrize("resend", [False, True])
    @pytest.mark.parametrize(("sender", "body"), [(CLIENT, SEVEN_INPUT), (SERVER, SEVEN_SNAP)])
    def test_seven(self, compress: bool, resend: bool, sender: int, body: bytes) -> None:
        """Rules 3 and 4."""
        payload = encoded(SEVEN, [body], compress=compress, resend=resend)
        assert judged([(sender, payload)] * 3) == Verdict("0.7", 1.0, SERVER)

    def test_of_seven_each_direction_has_its_own_token(self) -> None:
        """Rule 5."""
        inputs = [(CLIENT, encoded(SEVEN, [SEVEN_INPUT], token=token)) for token in (TOKEN, OTHER, 3)]
        snaps = [(SERVER, encoded(SEVEN, [SEVEN_SNAP], token=token)) for token in (OTHER, TOKEN, 4)]
        assert said([inputs[0], snaps[0], inputs[0]]) == ("0.7", SERVER, True)
        assert said([*inputs, *snaps]) is None

    @pytest.mark.parametrize(
        "payload",
        [
            encoded(SEVEN, []),
            encoded(SEVEN, [message(31, True)]),
            encoded(SEVEN, [message(40, False)]),
            encoded(SEVEN, [message(16, True)]),
            encoded(SEVEN, [SEVEN_SNAP], compress=False)[:-1],
            encoded(SEVEN, [SEVEN_SNAP], compress=False) + b"x",
            b"\x80" + encoded(SEVEN, [SEVEN_SNAP])[1:],
        ],
        ids=lambda payload: payload[:12].hex(),
    )
    def test_what_is_not_of_seven(self, payload: bytes) -> None:
        assert judged([(SERVER, payload)] * 5) is None

    def test_small_chunks_of_0_6_5_read_as_0_7_as_well(self) -> None:
        """Rule 5: byte 0 in 08..0B with sizes below 16. The first larger chunk tells."""
        small, large = encoded(HEADER, [ENTERGAME], compress=False), encoded(HEADER, [INFO])
        assert small[0] & 0xF8 == 0x08
        assert judged([(CLIENT, small)] * 9) is None
        assert said([*[(CLIENT, small)] * 9, (CLIENT, large)]) == ("0.6.5", SERVER, False)
        assert said([*[(CLIENT, small)] * 9, *[(CLIENT, large)] * 2]) == ("0.6.5", SERVER, True)

    def test_a_whole_play_without_handshake(self) -> None:
        for variant in VARIANTS:
            play = [
                (SERVER, encoded(variant, [snap_single(104, 2, bytes(300), sum(map(sum, A.values())))])),
                (CLIENT, encoded(variant, [input_message(104)])),
                (CLIENT, control(0, token=TOKEN, variant=variant)),
                (SERVER, encoded(variant, [snap_empty(106, 104), map_change("dm1")])),
            ]
            assert said(play) == (variant.name, SERVER, True), variant.name

    def test_rule_5_the_tail_token_is_constant(self) -> None:
        payloads = [encoded(TAIL, [input_message(5)], token=token) for token in (1, 2, 3, 4, 5, 6)]
        assert said([(CLIENT, payload) for payload in payloads[:1]]) == ("ddnet", SERVER, False)
        assert said([(CLIENT, payload) for payload in payloads[:2]]) is None

    def test_rule_5_both_directions_have_the_same(self) -> None:
        play = [(CLIENT, encoded(TAIL, [input_message(5)])), (SERVER, encoded(TAIL, [ENTERGAME], token=OTHER))]
        assert said(play) is None

    def test_a_stranger_between_does_not_matter(self) -> None:
        own, foreign = encoded(TAIL, [input_message(5)]), encoded(TAIL, [input_message(5)], token=OTHER)
        assert said([(CLIENT, p) for p in (own, own, foreign, own, own)]) == ("ddnet", SERVER, True)

    def test_a_new_token_that_lasts_is_taken(self) -> None:
        own, foreign = encoded(TAIL, [input_message(5)], token=OTHER), encoded(TAIL, [input_message(5)])
        assert said([(CLIENT, own), *[(CLIENT, foreign)] * 8]) == ("ddnet", SERVER, True)

    def test_rule_6_handshakes_are_left_out_of_the_constancy(self) -> None:
        own = encoded(TAIL, [input_message(5)])
        assert said([(CLIENT, own), (CLIENT, DDNET_CONNECT), (CLIENT, own), (CLIENT, own)]) == ("ddnet", SERVER, True)

    def test_rule_7_plain_where_a_packet_has_no_token_bit(self) -> None:
        plain = encoded(PLAIN, [input_message(5)])
        assert said([(CLIENT, plain)] * 3) == ("0.6", SERVER, True)
        flagged = encoded(HEADER, [INFO])
        assert said([(CLIENT, HEADER_CONNECT), *[(CLIENT, flagged)] * 3]) == ("0.6.5", SERVER, True)

    @pytest.mark.parametrize("number", [0, 3])
    def test_rule_8_control_packets_alone_stay_undecided(self, number: int) -> None:
        for variant in VARIANTS:
            assert judged([(CLIENT, control(number, token=TOKEN, variant=variant))] * 9) is None

    def test_rule_8_control_packets_help_by_their_length(self) -> None:
        for variant in (PLAIN, TAIL):
            play = [(CLIENT, control(number, token=TOKEN, variant=variant)) for number in (0, 3)]
            assert said([*play, (CLIENT, encoded(variant, [input_message(5)]))]) == (variant.name, SERVER, True)

    def test_an_unknown_message_speaks_against(self) -> None:
        assert judged([(CLIENT, encoded(PLAIN, [message(900, True)]))] * 5) is None

    def test_a_message_by_uuid_may_be_a_mods(self) -> None:
        body = message(0, True, bytes(range(16)))
        assert judged([(CLIENT, encoded(TAIL, [body]))] * 5) is None
        assert said([(CLIENT, encoded(TAIL, [body, input_message(5)]))] * 3) == ("ddnet", SERVER, True)

    def test_what_only_either_side_can_send_leaves_the_server_open(self) -> None:
        ping = message(22, True)
        assert judged([(CLIENT, encoded(PLAIN, [ping]))] * 9) is None
        assert said([*[(CLIENT, encoded(PLAIN, [ping]))] * 9, (1, encoded(PLAIN, [map_change("x")]))]) == (
            "0.6",
            1,
            True,
        )

    def test_a_game_after_much_that_was_none(self) -> None:
        other = [(SERVER, NO_GAME)] * 1000
        play = [(CLIENT, encoded(TAIL, [input_message(100)])), (SERVER, encoded(TAIL, [snap_empty(104, 100)]))]
        assert said(other) is None
        assert said(other + play * (STRIDE * (1 - MIN_POINTS))) == (TAIL.name, SERVER, True)
        assert said([*other, (SERVER, DDNET_ACCEPT)]) == (TAIL.name, SERVER, True)

    def test_not_every_datagram_of_a_hopeless_flow_is_read(self) -> None:
        detector = TeeworldsDetector()
        for number in range(PATIENCE):
            detector.see(Datagram(number, 0, SERVER, NO_GAME, len(NO_GAME)))
        play = encoded(TAIL, [input_message(100)])
        for number in range(PATIENCE, 2 * PATIENCE):
            detector.see(Datagram(number, 0, CLIENT, play, len(play)))
        points = next(hypothesis.points for hypothesis in detector.hypotheses if hypothesis.dialect.variant is TAIL)
        assert points == MIN_POINTS + PATIENCE // STRIDE

    def test_cut_datagrams_say_nothing(self) -> None:
        assert judged([(SERVER, encoded(PLAIN, [snap_single(104, 2, bytes(300), 5)]))] * 9, keep=20) is None


class TestConnectionless:
    @pytest.mark.parametrize(
        ("name", "server"), [("inf3", 0), ("iext", 0), ("iex+", 0), ("dtsf", 0), ("gie3", 1), ("fstd", 1), ("fwok", -1)]
    )
    def test_a_flow_of_server_information(self, name: str, server: int) -> None:
        assert judged([(0, connless(name, b"x"))]) == Verdict("0.6", 0.3, server)

    def test_the_extended_form(self) -> None:
        assert judged([(0, connless("gie3", b"x", extra_token=5))]) == Verdict("0.6", 0.3, 1)

    def test_it_does_not_decide_a_flow_that_also_plays(self) -> None:
        play = [(SERVER, connless("inf3", b"x")), *[(CLIENT, encoded(TAIL, [input_message(5)]))] * 3]
        assert said(play) == ("ddnet", SERVER, True)

    def test_of_seven(self) -> None:
        assert judged([(0, connless_07("inf3", b"x"))] * 3) == Verdict("0.7", 0.3, 0)
        assert judged([(0, connless_07("gie3", b"x"))] * 3) == Verdict("0.7", 0.3, 1)

    def test_without_a_name_it_is_nothing(self) -> None:
        assert judged([(0, b"\xff" * 30)] * 3) is None

    def test_stun_says_nothing(self) -> None:
        assert judged([(0, STUN)] * 9) is None


class TestProbe:
    @pytest.mark.parametrize(
        "payload",
        [
            *(encoded(variant, [input_message(5)], compress=compress) for variant in VARIANTS for compress in (0, 1)),
            *(control(0, token=TOKEN, variant=variant) for variant in VARIANTS),
            *(DDNET_CONNECT, PLAIN_CONNECT, HEADER_CONNECT, SEVEN_REQUEST),
            *(DDNET_ACCEPT, PLAIN_ACCEPT, HEADER_ACCEPT, SEVEN_ANSWER, SEVEN_ACCEPTED, SEVEN_ACCEPTED_DDNET),
            *(encoded(SEVEN, [SEVEN_INPUT], compress=compress) for compress in (False, True)),
            packet([], resend=True),
            connless("inf3"),
            connless("gie3", extra_token=5),
            connless_07("inf3"),
        ],
        ids=lambda payload: payload[:8].hex(),
    )
    def test_every_form_gets_a_detector(self, payload: bytes) -> None:
        assert 0.0 < probe(payload) <= 1.0

    @pytest.mark.parametrize("payload", [b"", b"\x10", b"\x10\0", STUN, bytes(40)])
    def test_others_do_not(self, payload: bytes) -> None:
        assert probe(payload) == 0.0


@given(st.lists(st.tuples(st.integers(0, 1), st.binary(max_size=60)), max_size=20))
def test_any_datagrams_get_a_verdict(datagrams: list[tuple[int, bytes]]) -> None:
    verdict = judged(datagrams)
    assert verdict is None or (0.0 < verdict.score <= 1.0 and verdict.server in (-1, 0, 1))
    assert all(0.0 <= probe(payload) <= 1.0 for _, payload in datagrams)


FIRST_SECONDS = 5_000_000_000
ENOUGH = 20
"""Datagrams of a flow that must be left for the comparison."""


def by_flow(capture: Path) -> dict[int, list[tuple[int, int, UdpDatagram]]]:
    """Time, direction and datagram of everything in a capture."""
    network, table = Network(), FlowTable()
    flows: dict[int, list[tuple[int, int, UdpDatagram]]] = {}
    with_source = Source.open(capture)
    number = 0
    while len(frames := with_source.read(4096)):
        links = [interface.link_type for interface in with_source.interfaces]
        for index in range(len(frames)):
            begin = int(frames.offset[index])
            data = with_source.data(begin, begin + int(frames.captured[index]) - begin)
            link, time_ns = links[int(frames.interface[index])], int(frames.time_ns[index])
            found = network.read(number, time_ns, link, data, int(frames.original[index]))
            number += 1
            if isinstance(found, UdpDatagram):
                flow, direction = table.assign(found)
                flows.setdefault(flow, []).append((time_ns, direction, found))
    with_source.close()
    return flows


def first_verdict(datagrams: Iterable[tuple[int, int, UdpDatagram]]) -> tuple[str, int] | None:
    """The verdict that claims the flow, or the one at its end."""
    detector = TeeworldsDetector()
    for number, (time_ns, direction, found) in enumerate(datagrams):
        detector.see(Datagram(number, time_ns, direction, found.payload, found.udp_length))
        verdict = detector.verdict()
        if verdict is not None and verdict.score >= 1.0:
            break
    verdict = detector.verdict()
    return None if verdict is None else (verdict.dialect, verdict.server)


@pytest.mark.parametrize("of_each_flow", [False, True], ids=["capture", "flows"])
def test_a_capture_that_begins_later_gives_the_same_dialects(capture: Path, of_each_flow: bool) -> None:
    """Without the first seconds of the capture, and of each flow, so that no handshake is left."""
    compared = 0
    flows = by_flow(capture)
    begin = min(flow[0][0] for flow in flows.values())
    for flow in flows.values():
        start = flow[0][0] if of_each_flow else begin
        later = [datagram for datagram in flow if datagram[0] >= start + FIRST_SECONDS]
        if len(later) >= ENOUGH:
            whole = first_verdict(flow)
            if whole is None:
                continue
            compared += 1
            assert first_verdict(later) == whole
    assert compared or "head" in capture.name or "slices" in capture.name or "220" in capture.name
