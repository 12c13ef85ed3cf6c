"""What ends a command early, told in one line."""

from __future__ import annotations


class CommandError(Exception):
    """The command cannot do what was asked. The text is one sentence for a person; exit status 1."""


class WrongFilterError(Exception):
    """A display filter is none. The text is a sentence and, on lines of their own, the filter with carets; exit 2."""


class OutputClosed(Exception):  # noqa: N818 - not an error: `head` has seen enough
    """Whoever reads our output has gone away."""
