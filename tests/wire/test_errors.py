"""What a reader says when it cannot read."""

from analyzer.wire.errors import DecodeError


def test_a_fault_carries_code_place_text_and_details() -> None:
    error = DecodeError("D8", 12, "4 values, but the item has 3", 262147, 4, 3)
    assert (error.code, error.offset, error.text, error.details) == (
        "D8",
        12,
        "4 values, but the item has 3",
        (262147, 4, 3),
    )
    assert str(error) == "4 values, but the item has 3"
