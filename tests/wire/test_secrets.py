"""No password leaves the tool, neither as a field nor in the bytes."""

from __future__ import annotations

from analyzer.cli.explain import tree_lines
from analyzer.engine.packet_detail import PacketDetail
from analyzer.wire.reader import Buffer, Field, FieldTree, Span
from analyzer.wire.secrets import MASK, Secrets

PLAIN = b"\x01hunter2\x00\x05"
PASSWORD = Field("password", "hunter2", span=Span(1, 1, 8), secret=True)
BODY = Field("body", PLAIN, span=Span(1, 0, 10), children=(PASSWORD, Field("slot", 5, span=Span(1, 9, 1))))


def compressed() -> FieldTree:
    return FieldTree((Buffer("captured", b"\x90\x00\x11"), Buffer("decompressed", PLAIN)), (BODY,))


def test_field_and_the_raw_bytes_around_it_are_masked() -> None:
    secrets = Secrets(compressed())
    assert secrets.value(PASSWORD) == MASK
    assert secrets.value(BODY) == MASK
    assert secrets.value(BODY.children[1]) == 5


def test_its_bytes_are_overwritten_and_what_they_were_unpacked_from_is_withheld() -> None:
    secrets = Secrets(compressed())
    assert secrets.buffer(1) == b"\x01" + b"*" * 8 + b"\x05"
    assert secrets.buffer(0) is None


def test_a_field_of_the_packed_bytes_is_masked_too() -> None:
    packed = Field("compressed payload", b"\x00\x11", span=Span(0, 1, 2), children=(BODY,))
    secrets = Secrets(FieldTree(compressed().buffers, (packed,)))
    assert secrets.value(packed) == MASK


def test_an_uncompressed_packet_only_loses_the_secret() -> None:
    field = Field("password", "hunter2", span=Span(0, 1, 8), secret=True)
    secrets = Secrets(FieldTree((Buffer("captured", PLAIN),), (field,)))
    assert secrets.buffer(0) == b"\x01" + b"*" * 8 + b"\x05"


def test_a_tree_without_secrets_is_shown_whole() -> None:
    tree = FieldTree((Buffer("captured", PLAIN),), (Field("body", PLAIN, span=Span(0, 0, 10)),))
    assert Secrets(tree).buffer(0) == PLAIN


def test_a_secret_without_a_span_withholds_the_captured_bytes() -> None:
    tree = FieldTree((Buffer("captured", PLAIN),), (Field("password", "hunter2", secret=True),))
    assert Secrets(tree).buffer(0) is None


def test_children_of_a_secret_are_secret() -> None:
    inner = Field("text", "hunter2")
    tree = FieldTree((Buffer("captured", PLAIN),), (Field("login", secret=True, children=(inner,)),))
    assert "hunter2" not in "\n".join(tree_lines(PacketDetail(0, 1, "Teeworlds", tree)))


def test_the_text_tree_shows_spans_values_notes_and_no_secret() -> None:
    flags = Field("flags", 16, "compressed", Span(0, 0, 1), note="reserved bit set")
    tree = FieldTree(compressed().buffers, (flags, BODY), error="ends too early")
    assert list(tree_lines(PacketDetail(0, 1, "Teeworlds", tree))) == [
        "captured:0+1       flags  16 (compressed)  [reserved bit set]",
        "decompressed:0+10  body  ********",
        "decompressed:1+8     password  ********",
        "decompressed:9+1     slot  5",
        "Reading stopped: ends too early",
    ]


def test_a_revealed_secret_hides_nothing() -> None:
    tree = compressed()
    secrets = Secrets(tree, {Span(1, 1, 8)})
    assert secrets.value(PASSWORD) == "hunter2"
    assert not secrets.is_secret(PASSWORD)
    assert secrets.buffer(0) == tree.buffers[0].data
    assert secrets.hidden(1) == ()
    assert Secrets(tree).is_secret(PASSWORD)
    assert Secrets(tree).hidden(1) == (range(1, 9),)
    assert Secrets(tree).hidden(0) == (range(3),)
