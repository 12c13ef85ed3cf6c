"""The cursor: values plain, and the tree of fields with a trace."""

import uuid
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Field, Reader, Span, Trace


def test_plain_pulls() -> None:
    #                            u8  be16  varint raw   text      rest
    reader = Reader(bytes.fromhex("07 0102 b914 aabb 6869 00 0c0d".replace(" ", "")))
    assert reader.u8("a") == 7
    assert reader.big_endian("b", 2) == 0x0102
    assert reader.varint("c") == 1337
    assert reader.raw("d", 2) == b"\xaa\xbb"
    assert reader.text("e") == "hi"
    assert reader.left == 2
    assert reader.rest("f") == b"\x0c\x0d"
    assert reader.left == 0
    assert Reader(bytes(range(16))).uuid("g") == uuid.UUID("00010203-0405-0607-0809-0a0b0c0d0e0f")


def test_a_window_of_the_data_is_read() -> None:
    reader = Reader(b"\x01\x02\x03\x04", 1, 3)
    assert reader.rest("a") == b"\x02\x03"


def test_every_pull_makes_a_field() -> None:
    trace = Trace()
    reader = Reader(b"\xff" + b"\x07\x01\x02\x40ab\0xy" + bytes(16), 1, buffer=1, trace=trace)
    reader.u8("a")
    reader.big_endian("b", 2)
    reader.varint("c")
    reader.text("d", secret=True)
    reader.raw("e", 2)
    reader.uuid("f")
    assert trace.fields == (
        Field("a", 7, span=Span(1, 1, 1)),
        Field("b", 0x0102, span=Span(1, 2, 2)),
        Field("c", -1, span=Span(1, 4, 1)),
        Field("d", "ab", span=Span(1, 5, 3), secret=True),
        Field("e", b"xy", span=Span(1, 8, 2)),
        Field("f", str(uuid.UUID(int=0)), span=Span(1, 10, 16)),
    )


@pytest.mark.parametrize("pull", ["u8", "varint", "uuid", "text"])
def test_a_pull_past_the_end_is_refused(pull: str) -> None:
    reader = Reader(b"\x80\x80\x80", 1, 2, short_code="F1")
    if pull == "u8":
        reader.u8("first")
    with pytest.raises(DecodeError) as caught:
        getattr(reader, pull)("thing")
    assert caught.value.code == "F1"
    assert caught.value.offset == (2 if pull == "u8" else 1)
    assert caught.value.text.startswith("thing: ")


@pytest.mark.parametrize(("signed", "value"), [(False, 0xFFFE), (True, -2)])
def test_a_number_may_have_a_sign(signed: bool, value: int) -> None:
    trace = Trace()
    assert Reader(b"\xff\xfe", trace=trace).big_endian("x", 2, signed=signed) == value
    assert trace.fields == (Field("x", value, span=Span(0, 0, 2)),)


@pytest.mark.parametrize(("length", "text"), [(3, "data: 3 bytes wanted, 2 left"), (-1, "data: a length of -1 bytes")])
def test_raw_checks_its_length(length: int, text: str) -> None:
    with pytest.raises(DecodeError, match=text):
        Reader(b"\x01\x02").raw("data", length)


def test_a_varint_in_a_longer_form_gets_a_note() -> None:
    trace = Trace()
    assert Reader(b"\x80\x00", trace=trace).varint("tick") == 0
    assert trace.fields == (Field("tick", 0, span=Span(0, 0, 2), note="not in shortest form"),)
    assert trace.notes == ["not in shortest form"]


def test_text_that_is_not_utf8_stays_visible() -> None:
    trace = Trace()
    assert Reader(b"a\xffb\0", trace=trace).text("name") == "a\\xffb"
    assert trace.fields[0].value == "a\\xffb"


def test_notes_hang_on_the_field_read_last() -> None:
    trace = Trace()
    reader = Reader(b"\x01\x02", trace=trace)
    reader.note("nothing read yet")
    reader.u8("a")
    reader.note("odd")
    reader.note("very odd")
    reader.u8("b")
    assert [node.note for node in trace.fields] == ["odd; very odd", ""]
    assert trace.notes == ["nothing read yet", "odd", "very odd"]


def test_notes_without_a_trace_are_dropped() -> None:
    reader = Reader(b"\x80\x00")
    assert reader.varint("a") == 0
    reader.note("odd")


def test_groups_nest() -> None:
    trace = Trace()
    reader = Reader(b"\x01\x02\x03", trace=trace)
    with reader.group("outer", "two levels"):
        reader.u8("a")
        with reader.group("inner"):
            reader.u8("b")
    reader.u8("c")
    inner = Field("inner", span=Span(0, 1, 1), children=(Field("b", 2, span=Span(0, 1, 1)),))
    assert trace.fields == (
        Field("outer", text="two levels", span=Span(0, 0, 2), children=(Field("a", 1, span=Span(0, 0, 1)), inner)),
        Field("c", 3, span=Span(0, 2, 1)),
    )


def test_a_group_that_breaks_off_keeps_what_was_read() -> None:
    trace = Trace()
    reader = Reader(b"\x01", trace=trace)

    def read_message() -> None:
        with reader.group("message"):
            reader.u8("a")
            reader.u8("b")

    with pytest.raises(DecodeError):
        read_message()
    assert trace.fields == (
        Field(
            "message",
            span=Span(0, 0, 1),
            children=(Field("a", 1, span=Span(0, 0, 1)),),
            note="b: 1 bytes wanted, 0 left",
        ),
    )


def test_groups_without_a_trace_only_pass() -> None:
    reader = Reader(b"\x01")
    with reader.group("message"):
        assert reader.u8("a") == 1


PULLS = st.lists(st.sampled_from(["u8", "varint", "uuid", "text", "rest"]), max_size=8)


@given(st.binary(max_size=40), PULLS)
def test_a_trace_changes_no_value(data: bytes, pulls: list[str]) -> None:
    results = []
    for trace in (None, Trace()):
        reader = Reader(data, trace=trace)
        values: list[object] = []
        try:
            for pull in pulls:
                value = getattr(reader, pull)("x")
                values.append((value, reader.offset))
        except DecodeError as error:
            values.append((error.code, error.offset, error.text))
        results.append(values)
    assert results[0] == results[1]


def test_fields_of_the_open_group_are_changed() -> None:
    trace = Trace()
    reader = Reader(b"abcd", trace=trace)
    reader.u8("first")
    with reader.group("group"):
        reader.u8("second")
        first = trace.count
        reader.raw("third", 2)
        trace.change_from(first, lambda field: replace(field, secret=True))
    assert first == 1
    assert [field.secret for field in (*trace.fields, *trace.last.children)] == [False, False, False, True]


def test_spans_overlap_where_they_share_a_byte() -> None:
    span = Span(1, 4, 2)
    assert [span.overlaps(Span(1, at, 2)) for at in range(2, 8)] == [False, True, True, True, False, False]
    assert not span.overlaps(Span(0, 4, 2))
