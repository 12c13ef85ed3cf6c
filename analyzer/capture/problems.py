"""What is found wrong with a file while it is read: a list that a damaged file cannot make endless."""

from __future__ import annotations

from analyzer.capture.frames import Problem

MAX_PROBLEMS = 1000
"""Problems kept of one file; a last one says that there were more."""


class ProblemLog:
    """Collects problems in the order in which they are met."""

    def __init__(self) -> None:
        self.entries: list[Problem] = []
        self._told: set[str] = set()

    def report(self, offset: int, text: str) -> None:
        """Note a problem at a byte offset of the (unpacked) file."""
        if len(self.entries) < MAX_PROBLEMS:
            self.entries.append(Problem(offset, text))
        elif len(self.entries) == MAX_PROBLEMS:
            self.entries.append(Problem(offset, "there are more problems from here on; they are not listed"))

    def report_once(self, subject: str, offset: int, text: str) -> None:
        """Note only the first problem of a kind that every frame may have."""
        if subject not in self._told:
            self._told.add(subject)
            self.report(offset, text)
