"""Texts that many rows share (message names, rules), numbered once."""

from __future__ import annotations

MAX_NAMES = 60_000
"""Names come from schemas and from UUIDs on the wire; hostile traffic must not fill memory or the 16-bit numbers."""
OVERFLOW = "(more names)"


class Names:
    """Append-only list of distinct texts. Past `MAX_NAMES` every new text becomes `OVERFLOW`."""

    def __init__(self) -> None:
        self._texts: list[str] = [OVERFLOW]
        self._numbers: dict[str, int] = {OVERFLOW: 0}

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, number: int) -> str:
        return self._texts[number]

    def number(self, text: str) -> int:
        """The number of `text`, given on first use."""
        known = self._numbers.get(text)
        if known is not None:
            return known
        if len(self._texts) >= MAX_NAMES:
            return 0
        self._texts.append(text)
        self._numbers[text] = len(self._texts) - 1
        return len(self._texts) - 1
