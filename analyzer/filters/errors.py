"""What is wrong with the text of a filter, and where."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MOST_SUGGESTIONS = 3
NEAR = 0.6
"""Likeness, 0 to 1, from which a word may be a misspelling of another."""


class FilterError(Exception):
    """The text is no filter. `start` and `end` are positions in characters; `text` is a sentence for a person."""

    def __init__(self, text: str, start: int, end: int, suggestions: Iterable[str] = ()) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.suggestions = tuple(suggestions)
        """What may have been meant, the likeliest first."""
        meant = " or ".join(self.suggestions)
        super().__init__(f"{text}; did you mean {meant}?" if meant else text)


class Cancelled(Exception):  # noqa: N818 - nothing is wrong
    """Whoever asked does not want the answer any more."""


def near(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """Those of `known` that `word` may be a misspelling of, as they are spelled there."""
    by_lower = {text.lower(): text for text in known}
    found = get_close_matches(word[:100].lower(), by_lower, MOST_SUGGESTIONS, NEAR)
    return tuple(by_lower[text] for text in found)
