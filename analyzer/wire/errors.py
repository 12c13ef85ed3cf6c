"""The one exception that readers of bytes raise; everything else they raise is a defect of the reader."""

from __future__ import annotations


class DecodeError(Exception):
    """Bytes that cannot be read: `code` is the format's short name for the fault, `offset` its place in the buffer."""

    def __init__(self, code: str, offset: int, text: str, *details: int) -> None:
        super().__init__(text)
        self.code = code
        self.offset = offset
        self.text = text
        self.details = details
        self.secret = False
        """What could not be read is a password."""
