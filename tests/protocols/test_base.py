"""What the interface itself does, and what holds for every protocol."""

from __future__ import annotations

import pytest

from analyzer.protocols import PROTOCOLS
from analyzer.protocols.base import Protocol
from tests.protocols.pong import CODEC, PONG


@pytest.mark.parametrize(
    ("parts", "joined"),
    [
        ({0: b"abc"}, (b"abc", (0,))),
        ({1: b"de", 0: b"abc", 2: b""}, (b"abcde", (0, 3, 5))),
        ({1: b"de", 0: b"", 5: b"not announced"}, (b"de", (0, 0))),
    ],
)
def test_parts_are_joined_one_after_the_other(parts: dict[int, bytes], joined: tuple[bytes, tuple[int, ...]]) -> None:
    assert CODEC.join(parts, len(joined[1])) == joined


@pytest.mark.parametrize("protocol", [*PROTOCOLS, PONG], ids=lambda protocol: protocol.name)
def test_every_protocol_says_what_its_numbers_mean(protocol: Protocol) -> None:
    assert protocol.packet_kinds[0] == "undecided"
    assert protocol.packet_codes[0] == ""
    assert all(": " in code for code in protocol.packet_codes[1:])
    for names in (protocol.packet_kinds, protocol.snapshot_kinds, [code.name for code in protocol.codes]):
        assert len(set(names)) == len(names) <= 256
    row = dict.fromkeys(("detail", "detail2", "base_tick", "parts", "crc_wire", "crc_computed"), 7)
    for code in protocol.codes:
        assert code.text.format(**row, missing="1, 2")
