"""Fields of single messages: those that explaining the whole packet finds, for any bytes without an exception."""

from __future__ import annotations

import pytest
from capture_files import BUNDLED
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine.capture import Capture
from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.message_fields import message_fields
from analyzer.wire.reader import Field

# Header: no flags, ack 0, one chunk; chunk: not vital, 4 bytes; INPUT (16 << 1 | 1), acked 20, intended 22, size 0.
INPUT = bytes.fromhex("00 00 01  00 04  21 14 16 00")
CLOSE = bytes.fromhex("10 00 00  04") + b"bye\0"


def values(fields: tuple[Field, ...]) -> dict[str, object]:
    found: dict[str, object] = {}
    for field in fields:
        found |= {field.name: field.value} | values(field.children)
    return found


def test_an_input() -> None:
    found = message_fields(INPUT, SessionFacts("0.6"), 2, 4)
    assert [(field.name, field.value) for field in found[:3]] == [
        ("ack_game_tick", 20),
        ("intended_tick", 22),
        ("size_bytes", 0),
    ]


def test_a_message_that_is_cut_has_the_fields_before_the_cut() -> None:
    assert values(message_fields(INPUT, SessionFacts("0.6"), 2, 2)) == {"ack_game_tick": 20}
    assert message_fields(INPUT, SessionFacts("0.6"), 2, 0) == ()
    assert message_fields(INPUT, SessionFacts("0.6"), 99, 4) == ()


def test_a_control_message() -> None:
    assert values(message_fields(CLOSE, SessionFacts("0.6"), 0, 5))["reason"] == "bye"


@pytest.mark.parametrize("dialect", DIALECTS)
@given(payload=st.binary(max_size=60), offset=st.integers(0, 70), size=st.integers(0, 70))
def test_any_bytes_are_answered(dialect: str, payload: bytes, offset: int, size: int) -> None:
    assert isinstance(message_fields(payload, SessionFacts(dialect), offset, size), tuple)


@pytest.mark.parametrize("name", ["ddnet_tsunami_head.pcapng", "tw07_dm7_any_sll2_nano_head.pcap"])
def test_the_same_as_of_the_whole_packet(name: str) -> None:
    with Capture.open(BUNDLED / name) as capture:
        capture.decode()
        query, tables = capture.query(), capture.tables
        for packet in range(0, len(tables.packets), 3):
            tree = [field for field in query.explain(packet).fields if field.name.startswith("chunk ")]
            rows = query.messages(packet)
            for row, chunk in zip(rows, tree, strict=False):
                facts = query.facts(packet)
                offset, size = (tables.messages.integer(column, row) for column in ("offset", "size"))
                own = message_fields(query.payload(packet), facts, offset, size)
                body = chunk.children[len(chunk.children) - len(own) :]
                assert [(field.name, field.value) for field in own] == [(field.name, field.value) for field in body]
        query.close()
