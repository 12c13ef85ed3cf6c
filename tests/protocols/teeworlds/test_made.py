"""Full snapshots that are made: they are packets of their connection and rebuild what they were made of."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.codec import TeeworldsCodec
from analyzer.protocols.teeworlds.made import made_snapshot
from analyzer.protocols.teeworlds.schema import default_schema, seven_schema
from analyzer.protocols.teeworlds.state import State, make_state, pack_state
from analyzer.transports.teeworlds import read_packet
from analyzer.transports.teeworlds_packet import HEADER, PLAIN, SEVEN, TAIL, Variant
from tests.encoder import chunk, message, packet

CODEC = TeeworldsCodec()
SIZES, SIZES_07 = default_schema().sizes, seven_schema().sizes
TOKEN = 0x12345678


def facts(variant: Variant) -> SessionFacts:
    return SessionFacts(variant.name, TOKEN, SIZES_07 if variant is SEVEN else SIZES)


def model(variant: Variant) -> bytes:
    """A packet of the server's that acknowledges 700."""
    body = message(7 if variant is SEVEN else 6, True, b"\x01\x02")
    return packet([chunk(body, size_shift=variant.size_shift)], ack=700, token=TOKEN, variant=variant)


def rebuilt(payloads: tuple[bytes, ...], variant: Variant) -> State:
    """What the parts in the packets make of the empty snapshot."""
    parts = {}
    for number, payload in enumerate(payloads):
        read = read_packet(payload, variant)
        assert (read.error, read.issues, read.surplus, read.ack) == (None, [], 0, 700)
        assert read.token == (None if variant is PLAIN else TOKEN)
        (one,) = read.chunks
        assert not one.vital
        parts[number] = CODEC.part(payload, facts(variant), one.offset, one.size).data
    delta, _ = CODEC.join(parts, len(parts))
    return CODEC.apply(CODEC.empty(), delta, facts(variant))


@pytest.mark.parametrize("variant", [PLAIN, TAIL, HEADER, SEVEN], ids=lambda variant: variant.name)
@pytest.mark.parametrize("count", [0, 1, 40, 700])
def test_a_state_comes_back(variant: Variant, count: int) -> None:
    rng = Random(count)
    # Characters have an agreed size, type 40 has none.
    character = 10 if variant is SEVEN else 9
    items = {
        (character << 16 | number if number % 2 else 40 << 16 | number): tuple(
            rng.randrange(-(2**31), 2**31) for _ in range(22 if number % 2 else 3)
        )
        for number in range(count)
    }
    state = make_state(items)
    payloads = made_snapshot(pack_state(state), 5000, facts(variant), model(variant))
    assert all(len(payload) <= 1400 for payload in payloads)
    assert rebuilt(payloads, variant) == state
    assert list(rebuilt(payloads, variant).items) == list(items)


def test_the_packet_byte_by_byte() -> None:
    state = make_state({4 << 16 | 3: (100, 200, 2, 3)})
    plain = packet([], ack=5, resend=True, token=TOKEN, variant=TAIL)
    (payload,) = made_snapshot(pack_state(state), 100, facts(TAIL), plain)
    expected = (
        "00 05 01"  # no flags, ack 5, one chunk
        "01 03"  # 19 bytes, not vital
        "0f a401 a501 b104 0b"  # SNAPSINGLE, tick 100, 101 ticks above its base, crc 305, 11 bytes
        "00 01 00"  # none removed, one updated, 0
        "04 03 a401 8803 02 03"  # type 4, id 3; its size is agreed; 100, 200, 2, 3
        "12345678"  # token
    )
    assert payload == bytes.fromhex(expected)


def test_the_packet_of_0_7_byte_by_byte() -> None:
    state = make_state({4 << 16 | 3: (100, 200, 2), 23 << 16: (7,)})
    plain = packet([], ack=700, resend=True, token=TOKEN, variant=SEVEN)
    (payload,) = made_snapshot(pack_state(state), 100, facts(SEVEN), plain)
    expected = (
        "02 bc 01 12345678"  # no flags, ack 700, one chunk, the token of the client
        "00 16"  # 22 bytes, not vital
        "11 a401 a501 b504 0e"  # SNAPSINGLE, tick 100, 101 ticks above its base, crc 309, 14 bytes
        "00 02 00"  # none removed, two updated, 0
        "04 03 a401 8803 02"  # type 4, id 3; its size is agreed; 100, 200, 2
        "17 00 01 07"  # type 23, id 0; its size is not agreed; 7
    )
    assert payload == bytes.fromhex(expected)


def test_more_than_the_format_can_carry() -> None:
    # 500 items of 30 ints of five bytes each: more than 64 parts of 900 bytes.
    state = make_state({41 << 16 | number: (2**31 - 1,) * 30 for number in range(500)})
    assert made_snapshot(pack_state(state), 5000, facts(PLAIN), model(PLAIN)) == ()


@given(
    st.dictionaries(st.integers(22 << 16, 0x7FFFFFFF), st.lists(st.integers(-(2**31), 2**31 - 1), max_size=9)),
    st.integers(0, 2**31 - 1),
)
def test_any_state(items: dict[int, list[int]], tick: int) -> None:
    state = make_state({key: tuple(values) for key, values in items.items()})
    assert rebuilt(made_snapshot(pack_state(state), tick, facts(TAIL), model(TAIL)), TAIL) == state
