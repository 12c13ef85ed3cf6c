"""Short names of messages, and what a line says of an INPUT."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.words import input_note, short_name
from analyzer.wire.errors import DecodeError

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


@given(payload=st.binary(max_size=40), offset=st.integers(0, 40), size=st.integers(0, 40))
def test_any_bytes_are_answered(payload: bytes, offset: int, size: int) -> None:
    with contextlib.suppress(DecodeError):
        assert "for tick" in input_note(payload, SessionFacts("ddnet"), offset, size)
