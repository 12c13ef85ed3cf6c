"""Regular expressions of filters: the same as Python's own, and none that takes forever."""

from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.filters.regular import searcher

ENDLESS = (
    "(a+)+b",
    "(a|a)*b",
    "(a|aa)+$",
    "(.*)*#(.*)*#",
    "a*a*a*a*a*a*a*a*b",
    "(a?){60}a{60}b",
    "a?" * 40 + "a" * 40 + "b",
    "(a|b|ab)*c",
    "(a|A)" * 40 + "b",
)


@pytest.mark.parametrize("pattern", ENDLESS)
def test_no_expression_takes_forever(pattern: str) -> None:
    search = searcher(pattern)
    assert not search("a" * 400 + "!")
    found = re.compile(pattern, re.IGNORECASE).search("aab")
    assert search("aab") == (found is not None)


PIECES = st.sampled_from(
    ["a", "B", "c", ".", "\\d", "\\w", "[^a]", "[a-c]", "\\b", "\\B", "^", "$", "\\n", "é", "(?s:.)"]
)


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    repeats = st.sampled_from(["*", "+", "?", "*?", "+?", "{2}", "{1,3}", "{2,}", "{0,6}"])
    return (
        st.lists(inner, min_size=1, max_size=4).map("".join)
        | st.tuples(inner, repeats).map(lambda both: f"(?:{both[0]}){both[1]}")
        | st.lists(inner, min_size=2, max_size=3).map(lambda some: f"({'|'.join(some)})")
    )


@given(st.recursive(PIECES, _larger, max_leaves=8), st.text("aAbc1_é \n", min_size=1, max_size=8), st.booleans())
def test_the_same_as_pythons_own(pattern: str, text: str, ascii_only: bool) -> None:
    flags = re.ASCII if ascii_only else 0
    # Two more repetitions, so that it is followed in all ways at once.
    pattern = f"(?:{pattern})(?:x*y*)*"
    assert searcher(pattern, flags)(text) == bool(re.search(pattern, text, flags | re.IGNORECASE))


@pytest.mark.parametrize("pattern", ["(?=a+)a+b", r"(a+)\1+b+", "(?>a+)a+", "a++b+", "(?<!x)(a+)+", "((a)?(?(2)b|c))+"])
def test_what_cannot_be_followed_is_told(pattern: str) -> None:
    with pytest.raises(ValueError, match="may take forever"):
        searcher(pattern)


@pytest.mark.parametrize("pattern", ["(?=a)ab+", r"(a)\1", "a++", "(?i)x", r"\d+"])
def test_a_single_repetition_is_pythons_own(pattern: str) -> None:
    assert searcher(pattern)("aaabx1")


def test_what_is_wrong_is_told_and_nothing_is_warned_of() -> None:
    with pytest.raises(ValueError, match="missing \\)"):
        searcher("(")
    with pytest.raises(ValueError, match="too long"):
        searcher("((a{1,100}){100}){100}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert searcher("[[a]")("a")
