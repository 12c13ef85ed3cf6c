"""Bytes as copied text, and where they stand in a row."""

from __future__ import annotations

import pytest

from ui.models.byte_marks import ByteMarks
from ui.models.byte_text import as_c_array, as_dump, as_hex, as_text
from ui.views.hex_places import HexPlaces

DATA = b"\x00\x41hunter2\xff"
MARKS = ByteMarks(secret=(range(2, 9),))


def test_forms() -> None:
    assert as_hex(DATA, range(10), ByteMarks()) == "00 41 68 75 6e 74 65 72 32 ff"
    assert as_dump(bytes(20), range(2, 20), ByteMarks()) == f"0002  {'00 ' * 15}00\n0012  00 00"
    assert as_text(DATA, range(10), ByteMarks()) == ".Ahunter2."
    assert as_c_array(DATA, range(2), ByteMarks()) == "unsigned char bytes[2] = {\n    0x00, 0x41,\n};"


@pytest.mark.parametrize("form", [as_hex, as_dump, as_text, as_c_array])
def test_no_form_tells_a_password(form: object) -> None:
    assert callable(form)
    text = form(DATA, range(10), MARKS)
    assert text.count("*") in (7, 14)
    assert "h" not in text.replace("char", "")
    assert "68" not in text


def test_items_by_byte() -> None:
    marks = ByteMarks(items=(range(2, 4), range(6, 8)))
    assert [marks.item_at(offset) for offset in (0, 2, 3, 4, 6, 9)] == [-1, 0, 0, -1, 1, -1]


def test_columns_are_found_where_they_are_painted() -> None:
    wide, narrow = HexPlaces.fitting(600, 100, 7.2, 8), HexPlaces.fitting(400, 100, 7.2, 8)
    assert (wide.columns, narrow.columns) == (16, 8)
    for places in (wide, narrow):
        assert places.text_left(places.columns) <= 600
        for column in range(places.columns):
            assert places.column_at(places.hex_left(column) + 1) == column
            assert places.column_at(places.text_left(column) + 3) == column
        assert places.column_at(2) == -1
    assert HexPlaces.fitting(600, 0x12345, 7.2, 8).digits == 5


def test_a_row_as_one_text_has_every_character_in_its_column() -> None:
    for width in (600, 400):
        places = HexPlaces.fitting(width, 100, 7.0, 8)
        count = places.columns
        digits = " ".join(f"{column:02x}" for column in range(count))
        row = places.line("0010", digits, "abcdefghijklmnop"[:count])
        for column in range(count):
            at = round((places.hex_left(column) - places.left) / places.char)
            assert row[at : at + 2] == f"{column:02x}"
            assert row[round((places.text_left(column) - places.left) / places.char)] == "abcdefghijklmnop"[column]
        assert places.line("", "", "") == ""


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0])
def test_grounds_end_on_device_pixels(ratio: float) -> None:
    places = HexPlaces.fitting(600, 100, 7.2, 8, ratio)
    edges = [*places.hex_edges(3, 9), *places.text_edges(3, 9), places.hairline]
    assert [edge * ratio for edge in edges] == pytest.approx([round(edge * ratio) for edge in edges])
    assert 0.5 < places.hairline <= 1
