"""Short names of messages, and what a line says of an INPUT, a CLOSE and what comes outside of a connection."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.protocols.teeworlds.words import close_note, connless_note, input_note, message_note, short_name
from analyzer.wire.errors import DecodeError

NOTED = ["NETMSG_INPUT", "CLOSE", *sorted(default_schema().connless)]
# Header: no flags, ack 0, one chunk; chunk: not vital, 4 bytes; INPUT (16 << 1 | 1), acked 20, intended 22, size 0.
INPUT = bytes.fromhex("00 00 01  00 04  21 14 16 00".replace(" ", ""))


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("NETMSG_SNAP", "Snap"),
        ("NETMSG_SNAPEMPTY", "Snap"),
        ("NETMSG_INPUTTIMING", "InputTiming"),
        ("NETMSG_INPUT", "Input"),
        ("NETMSG_MAP_CHANGE", "MapChange"),
        ("Sv_KillMsg", "Sv_KillMsg"),
        ("KEEPALIVE", "KEEPALIVE"),
    ],
)
def test_short_names(name: str, short: str) -> None:
    assert short_name(name) == short


def test_the_ticks_of_an_input() -> None:
    assert input_note(INPUT, SessionFacts("0.6"), 2, 4) == "acks 20, for tick 22"


def test_no_snapshot_yet() -> None:
    assert input_note(INPUT[:6] + b"\x40" + INPUT[7:], SessionFacts("0.6"), 2, 4) == "acks nothing, for tick 22"


@pytest.mark.parametrize(
    ("payload", "note"),
    [
        (b"gie3\x05", "asks for server info"),
        (
            b"inf35\x000.6\0My\nname\0dm1\0DM\x000\x002\x0016\x003\x0064\0",
            'server info: "My\\nname", dm1, 3 of 64 clients',
        ),
        (b"inf35\x000.6\0My name\0dm1\0", "server info"),
        (b"iex+5\x002\0\0", "more of an extended server info, packet 2"),
        (b"siz2\1\2", "number of servers"),
    ],
)
def test_what_comes_outside_of_a_connection(payload: bytes, note: str) -> None:
    datagram = b"\xff" * 10 + payload
    for dialect in ("0.6", "0.7"):
        assert connless_note(datagram, SessionFacts(dialect), 14, len(datagram) - 14) == note


def test_server_info_of_seven() -> None:
    body = b"inf3\x050.7.5\0H10b\0\0dm1\0DM\0\0\x01\x02\x10\x02\x80\x01"
    datagram = bytes.fromhex("21e402e4b56c78b56fffffffff") + body
    note = connless_note(datagram, SessionFacts("0.6"), 17, len(datagram) - 17)
    assert note == 'server info: "H10b", dm1, 2 of 64 clients'


def test_why_a_peer_hangs_up() -> None:
    assert close_note(bytes.fromhex("100000046279650012345678"), SessionFacts("ddnet"), 3, 5) == '"bye"'
    assert close_note(bytes.fromhex("10000004"), SessionFacts("0.6"), 3, 1) == ""


@given(st.sampled_from(NOTED), st.sampled_from(["0.6", "ddnet", "0.7"]), st.binary(max_size=60))
def test_any_bytes_make_a_note_or_none(name: str, dialect: str, payload: bytes) -> None:
    note = message_note(name)
    assert note is not None
    for datagram in (payload, b"\xff" * 10 + payload, b"\xff" * 10 + name.encode()[:4] + payload):
        with contextlib.suppress(DecodeError):
            assert note(datagram, SessionFacts(dialect), 0, 40).isprintable()


@pytest.mark.parametrize("name", ["NETMSG_SNAP", "CONNECT", "inf4", ""])
def test_other_messages_have_no_note(name: str) -> None:
    assert message_note(name) is None


@given(payload=st.binary(max_size=40), offset=st.integers(0, 40), size=st.integers(0, 40))
def test_any_bytes_are_answered(payload: bytes, offset: int, size: int) -> None:
    with contextlib.suppress(DecodeError):
        assert "for tick" in input_note(payload, SessionFacts("ddnet"), offset, size)
