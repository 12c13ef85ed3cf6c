"""Messages that tell the names of players."""

from __future__ import annotations

import pytest

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.told_names import NAME_MESSAGES, told_by
from analyzer.transports.teeworlds_packet import SEVEN
from analyzer.wire.errors import DecodeError
from tests.encoder import chunk, message, packet

FACTS = SessionFacts("0.7")
INFO = message(18, False, b"\x03\x00\x00ann\0clan\0")
DROP = message(20, False, b"\x03bye\0\0")
CHAT = message(3, False, b"\x01\x03\x40hi\0")
CHUNK_HEADER = 3
"""Bytes before the only message of a payload."""


def read(body: bytes, *, keep: int | None = None) -> tuple[int, str]:
    payload = packet((chunk(body, vital=True, sequence=5, size_shift=6),), token=1, variant=SEVEN)
    return NAME_MESSAGES.read(payload[:keep], FACTS, CHUNK_HEADER, len(body))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_only_dialects_whose_snapshots_hold_no_names_have_such_messages(dialect: str) -> None:
    assert NAME_MESSAGES.names(dialect) == ({"Sv_ClientInfo", "Sv_ClientDrop"} if dialect == "0.7" else frozenset())


def test_who_comes_and_who_goes() -> None:
    assert read(INFO) == (3, "ann")
    assert read(DROP) == (3, "")


def test_other_messages_tell_nothing() -> None:
    with pytest.raises(DecodeError):
        read(CHAT)
    for name, system, number in (("0.7", True, 18), ("0.7", False, 19), ("ddnet", False, 18), ("0.6", False, 20)):
        assert told_by(DIALECTS[name], system, number, INFO, 1, len(INFO)) is None


def test_a_message_of_which_the_capture_kept_the_beginning() -> None:
    whole = packet((chunk(INFO, vital=True, sequence=5, size_shift=6),), token=1, variant=SEVEN)
    end = whole.index(b"ann") + 2
    assert read(INFO, keep=end) == (3, "")
    with pytest.raises(DecodeError):
        read(INFO, keep=whole.index(INFO) + 1)


@pytest.mark.parametrize("number", [18, 20])
def test_a_message_without_anything_in_it(number: int) -> None:
    with pytest.raises(DecodeError):
        read(message(number, False))
