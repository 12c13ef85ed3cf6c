"""The field tree of a packet: every byte named, also of the delta that the packet completed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.explain import CAPTURED, DECOMPRESSED, JOINED, explain
from analyzer.snapshots.model import JoinedDelta, Part
from analyzer.transports.teeworlds_huffman import HUFFMAN
from analyzer.transports.teeworlds_packet import TAIL
from analyzer.wire.reader import Field, FieldTree, Span
from analyzer.wire.secrets import Secrets
from tests.encoder import chunk, connless, control, delta, message, pack_varints, packet
from tests.protocols.teeworlds.played import READY, SIZES, TOKEN, A, B, input_message, map_change, snap_single

FACTS = SessionFacts("ddnet", TOKEN, SIZES)
DELTA = pack_varints(delta(A, B, SIZES))
MOD = "00112233-4455-6677-8899-aabbccddeeff"


def flat(fields: tuple[Field, ...]) -> Iterator[Field]:
    for field in fields:
        yield field
        yield from flat(field.children)


def named(tree: FieldTree, name: str) -> list[Field]:
    return [field for field in flat(tree.fields) if field.name == name]


def well_placed(tree: FieldTree) -> bool:
    """Does every span lie in its buffer?"""
    lengths = [len(buffer.data) for buffer in tree.buffers]
    spans = [field.span for field in flat(tree.fields) if field.span is not None]
    return all(s.offset >= 0 and s.length >= 0 and s.offset + s.length <= lengths[s.buffer] for s in spans)


def of_delta(data: bytes) -> Field:
    tree = explain(
        packet([], token=TOKEN, variant=TAIL, resend=True), FACTS, JoinedDelta(data, (Part(0, 0, 0, 5, 0, False),))
    )
    assert well_placed(tree)
    return tree.fields[-1]


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@pytest.mark.parametrize("compress", [False, True])
def test_every_byte_of_a_chunk_packet_has_a_name(dialect: str, compress: bool) -> None:
    variant = DIALECTS[dialect].variant
    bodies = [input_message(104), map_change("dm1"), snap_single(102, 2, DELTA, 5)]
    if dialect == "0.7":
        bodies = [message(20, True, bodies[0][1:]), message(11, True), message(8, True, bodies[2][1:])]
    chunks = [chunk(body, size_shift=variant.size_shift) for body in bodies]
    payload = packet(chunks, token=TOKEN, variant=variant, compress=compress)
    tree = explain(payload, SessionFacts(dialect, TOKEN, SIZES), None)
    assert tree.error == ""
    assert well_placed(tree)
    buffer = DECOMPRESSED if compress else CAPTURED
    covered: set[int] = set()
    for field in flat(tree.fields):
        if field.span is not None and field.span.buffer == buffer and not field.children:
            covered.update(range(field.span.offset, field.span.offset + field.span.length))
    assert covered == set(range(len(tree.buffers[buffer].data)))
    assert [buffer.name for buffer in tree.buffers] == ["captured", *(["decompressed"] if compress else [])]
    assert [field.value for field in named(tree, "ack_game_tick")] == [104]


def test_a_joined_delta_is_always_the_third_buffer() -> None:
    for compress in (False, True):
        payload = packet([chunk(READY)], token=TOKEN, variant=TAIL, compress=compress)
        tree = explain(payload, FACTS, JoinedDelta(DELTA, (Part(0, 0, 0, len(DELTA), 9, compress),)))
        assert [buffer.name for buffer in tree.buffers] == ["captured", "decompressed", "joined delta"]
        assert (tree.buffers[1].data == b"") is not compress
        assert tree.fields[-1].span == Span(JOINED, 0, len(DELTA))


def test_the_numbers_of_a_delta() -> None:
    data = pack_varints([1, 2, 0, 6 << 16, 4, 3, 1, 0, 0, 0, 50, 1, 2, 7, -1])
    root = of_delta(data)
    heads = [(field.name, field.value, field.text) for field in root.children]
    assert heads == [
        ("removed count", 1, ""),
        ("updated count", 2, ""),
        ("zero", 0, ""),
        ("removed", 6 << 16, "type 6, id 0"),
        ("update", None, "type 4, id 3"),
        ("update", None, "type 50, id 1"),
    ]
    assert [(field.name, field.value) for field in root.children[5].children] == [
        *(("type", 50), ("id", 1), ("size", 2)),
        *(("int 0", 7), ("int 1", -1)),
    ]
    ends = [field.span.offset + field.span.length for field in root.children if field.span is not None]
    assert ends[-1] == len(data)
    assert all(a == b.span.offset for a, b in zip(ends, root.children[1:], strict=False) if b.span is not None)


def test_ints_behind_the_last_update_are_shown() -> None:
    assert [(field.name, field.value) for field in of_delta(pack_varints([0, 0, 0, 7, -8])).children[3:]] == [
        ("surplus", 7),
        ("surplus", -8),
    ]


@pytest.mark.parametrize(
    ("data", "names", "note"),
    [
        (b"\0\0", ["removed count", "updated count"], "byte 2: 2 of the 3 header numbers"),
        (b"\0\1\0", ["removed count", "updated count", "zero"], "byte 3: update 0 is missing or cut off"),
        (
            pack_varints([0, 2, 0, 50, 1, 1, 7, 50, 2, 9]),
            ["removed count", "updated count", "zero", "update", *["unreadable"] * 3],
            "byte 9: update 1: 9 values announced, 0 left",
        ),
        (b"\0\0\0\x80", [], "byte 3: "),
    ],
)
def test_what_stands_before_a_fault_is_shown(data: bytes, names: list[str], note: str) -> None:
    root = of_delta(data)
    fault = root.children[-1]
    assert [field.name for field in root.children] == [*names, "fault"]
    assert root.note.startswith(note)
    assert fault.wrong
    assert fault.span is not None
    assert root.note == f"byte {fault.span.offset}: {fault.note}"
    assert fault.span.offset + fault.span.length == len(data)


def test_a_delta_without_bytes_changed_nothing() -> None:
    assert of_delta(b"").text == "empty: nothing changed"


def test_names_learned_from_the_capture() -> None:
    body = message(0, True, bytes.fromhex(MOD.replace("-", "")) + b"abc")
    payload = packet([chunk(body)], token=TOKEN, variant=TAIL, compress=False)
    tree = explain(payload, SessionFacts("ddnet", TOKEN, SIZES, {MOD: "my-mod@example.org"}), None)
    assert [field.text for field in named(tree, "uuid")] == ["my-mod@example.org"]


def test_where_reading_stops() -> None:
    tree = explain(b"\x80\0\1", FACTS, None)
    assert tree.error != ""
    assert tree.fields[0].name == "header"
    whole = packet([chunk(READY)], token=TOKEN, variant=TAIL, compress=False)
    assert [explain(whole[:length], FACTS, None).error != "" for length in range(len(whole) + 1)] == [
        *[True] * len(whole),
        False,
    ]


def test_a_cut_compressed_packet_hides_a_password_and_nothing_else() -> None:
    info = message(1, True, b"0.6 626fce9a778df4d4\0XQ7-vJm9\0")
    for bodies, hides in (([READY, info], True), ([READY, input_message(100)], False)):
        whole = packet([chunk(body) for body in bodies], token=TOKEN, variant=TAIL, compress=True)
        for cut in range(1, len(whole) - 3):
            payload = whole[: len(whole) - cut]
            secrets = Secrets(explain(payload, FACTS, None))
            begun = HUFFMAN.beginning(payload, 3, 1400)
            # As soon as it can be told that the message is the one, before its password begins.
            begins = hides and len(begun) > len(chunk(READY)) + 2
            assert secrets.hidden(CAPTURED) == ((range(3, len(payload)),) if begins else ())
            assert begins or b"XQ" not in begun


PAYLOADS = st.one_of(
    st.binary(max_size=80),
    st.builds(
        lambda bodies, compress: packet([chunk(b) for b in bodies], token=TOKEN, variant=TAIL, compress=compress),
        st.lists(st.binary(max_size=40), max_size=4),
        st.booleans(),
    ),
    st.builds(lambda number, body: control(number, body, token=TOKEN, variant=TAIL), st.integers(0, 9), st.binary()),
    st.builds(lambda body: connless("inf3", body), st.binary(max_size=40)),
)


@given(st.sampled_from(sorted(DIALECTS)), PAYLOADS, st.none() | st.binary(max_size=60))
def test_any_bytes_are_explained(dialect: str, payload: bytes, data: bytes | None) -> None:
    joined = None if data is None else JoinedDelta(data, ())
    tree = explain(payload, SessionFacts(dialect, TOKEN, SIZES), joined)
    assert well_placed(tree)
    assert tree == explain(payload, SessionFacts(dialect, TOKEN, SIZES), joined)
