"""Texts numbered once, in bounded number."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analyzer.store.names import MAX_NAMES, OVERFLOW, Names


@given(st.lists(st.text(max_size=3)))
def test_a_number_stands_for_its_text(texts: list[str]) -> None:
    names = Names()
    numbers = [names.number(text) for text in texts]
    assert [names[number] for number in numbers] == texts
    assert [names.number(text) for text in texts] == numbers
    assert len(names) == len({OVERFLOW, *texts})


def test_numbers_are_given_in_order_of_first_use() -> None:
    names = Names()
    assert [names.number(text) for text in ("SNAP", "INPUT", "SNAP", OVERFLOW)] == [1, 2, 1, 0]


def test_too_many_names_become_one() -> None:
    names = Names()
    numbers = [names.number(f"unknown {index}") for index in range(MAX_NAMES + 10)]
    assert len(names) == MAX_NAMES < 65_536
    assert numbers[-11:] == [0] * 11
    assert numbers[-12] == MAX_NAMES - 1
    assert names[numbers[-1]] == OVERFLOW
    assert names.number("unknown 0") == numbers[0] == 1
