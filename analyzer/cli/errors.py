"""What ends a command early, told in one line."""

from __future__ import annotations


class CommandError(Exception):
    """The command cannot do what was asked. The text is one sentence for a person; exit status 1."""


class OutputClosed(Exception):  # noqa: N818 - not an error: `head` has seen enough
    """Whoever reads our output has gone away."""
