"""Numbers in many messages with compiled code: those that reading each plainly finds, whatever the bytes."""

from __future__ import annotations

import numpy as np
import pytest
from capture_files import BUNDLED
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine.capture import Capture
from analyzer.engine.filtering import MessageReader, registry
from analyzer.engine.query import Query
from analyzer.filters.terms import MessageTerm
from analyzer.protocols.base import MessagePlace, SessionFacts
from analyzer.protocols.teeworlds.bulk_messages import message_ints
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.message_fields import message_fields
from analyzer.wire.reader import Field
from tests.encoder import chunk, message, pack_varints, packet
from tests.protocols.teeworlds.played import TOKEN

INPUT, INPUT_NAME = 16, "NETMSG_INPUT"
FIELDS = ["ack_game_tick", "size_bytes", "direction", "hook", "prev_weapon"]


def plain(place: MessagePlace, facts: SessionFacts, name: str) -> object:
    """The value of a field; None if it is not there."""

    def values(fields: tuple[Field, ...]) -> list[object]:
        return [found for field in fields for found in ([field.value] * (field.name == name) + values(field.children))]

    found = values(message_fields(place[0], facts, *place[1:]))
    return found[0] if found else None


def inputs(dialect: str, ints: list[int], compress: bool) -> MessagePlace:
    """A packet with an INPUT behind another message."""
    variant = DIALECTS[dialect].variant
    bodies = [message(22, True), message(INPUT, True, pack_varints(ints))]
    chunks = [chunk(body, size_shift=variant.size_shift) for body in bodies]
    return packet(chunks, token=TOKEN, variant=variant, compress=compress), len(bodies[0]) + 4, len(bodies[1])


@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(-(1 << 31), (1 << 31) - 1) | st.integers(0, 44), max_size=16),
            st.booleans(),
            st.lists(st.tuples(st.integers(0, 200), st.integers(0, 255)), max_size=2),
            st.integers(-2, 2),
        ),
        max_size=4,
    ),
    st.sampled_from(["0.6", "ddnet", "0.6.5"]),
    st.sampled_from(FIELDS),
)
def test_any_packets(sent: list[tuple[list[int], bool, list[tuple[int, int]], int]], dialect: str, field: str) -> None:
    facts, places = SessionFacts(dialect, TOKEN), []
    for ints, compress, changes, off in sent:
        payload, offset, size = inputs(dialect, ints, compress)
        changed = bytearray(payload)
        for at, value in changes:
            changed[at % len(changed)] = value
        places.append((bytes(changed), offset, max(0, size + off)))
    values = message_ints(places, facts, INPUT_NAME, field)
    assert values is not None
    for place, (value, told) in zip(places, values.tolist(), strict=True):
        if told == 1:
            assert plain(place, facts, field) == value
        elif told == 0:
            assert plain(place, facts, field) is None


def test_what_is_usual_needs_no_plain_reading() -> None:
    ints = [100, 102, 40, *range(10)]
    for dialect in ("0.6", "ddnet", "0.6.5"):
        places = [inputs(dialect, ints, compress) for compress in (False, True)]
        found = message_ints(places, SessionFacts(dialect, TOKEN), INPUT_NAME, "ack_game_tick")
        assert found is not None
        assert found.tolist() == [[100, 1], [100, 1]]


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("NETMSG_RCON_AUTH", "send_commands"),
        ("NETMSG_RCON_LINE", "line"),
        ("NETMSG_INPUT", "input"),
        ("NETMSG_SNAP", "data"),
        ("NETMSG_WHATIS", "uuid"),
        ("nothing", "tick"),
    ],
)
def test_other_fields_are_left_to_plain_reading(name: str, field: str) -> None:
    assert message_ints([], SessionFacts("ddnet"), name, field) is None


@pytest.mark.parametrize("name", ["ddnet_tsunami_head.pcapng", "tw07_dm7_any_sll2_nano_head.pcap"])
def test_every_field_of_a_capture(name: str) -> None:
    with Capture.open(BUNDLED / name, compiled=True) as capture:
        capture.decode()
        tables = capture.tables
        query, slow = capture.query(), Query(tables, capture.source.file.duplicate(), capture.protocols)
        names = np.array([tables.names[number] for number in tables.messages.array("name").tolist()])
        terms = {info.message for info in registry(capture.protocols) if info.message is not None}
        told = 0
        for term in sorted((term for term in terms if isinstance(term, MessageTerm)), key=repr):
            rows = np.flatnonzero(np.isin(names, sorted(term.names)))[:40]
            if len(rows):
                owners, values = MessageReader(tables, query).read(term, rows)
                expected, read = MessageReader(tables, slow).read(term, rows)
                assert (owners.tolist(), values) == (expected.tolist(), read), term
                told += len(values)
        assert told > 100
        query.close()
        slow.close()
