"""Bytes as text to copy: hex, C array, offset and hex, text. Passwords become asterisks, shown or not. Knows no Qt."""

from __future__ import annotations

from ui.models.byte_marks import ByteMarks

ROW = 16
HIDDEN_HEX = "**"


def as_hex(data: bytes, chosen: range, marks: ByteMarks) -> str:
    """Pairs of digits, with spaces between."""
    return " ".join(_pair(data, offset, marks) for offset in chosen)


def as_c_array(data: bytes, chosen: range, marks: ByteMarks) -> str:
    """A C array; bytes of passwords are asterisks."""
    cells = ["'*'" if marks.is_secret(offset) else f"0x{data[offset]:02x}" for offset in chosen]
    lines = (", ".join(cells[start : start + ROW]) for start in range(0, len(cells), ROW))
    return f"unsigned char bytes[{len(cells)}] = {{\n" + "".join(f"    {line},\n" for line in lines) + "};"


def as_dump(data: bytes, chosen: range, marks: ByteMarks) -> str:
    """Offset and hex, 16 bytes a line."""
    lines = []
    for start in range(chosen.start, chosen.stop, ROW):
        row = range(start, min(start + ROW, chosen.stop))
        lines.append(f"{start:04x}  {as_hex(data, row, marks)}")
    return "\n".join(lines)


def as_text(data: bytes, chosen: range, marks: ByteMarks) -> str:
    """Printable ASCII, a dot for everything else."""
    return "".join("*" if marks.is_secret(offset) else printable(data[offset]) or "." for offset in chosen)


def printable(byte: int) -> str:
    """The ASCII character of a byte, empty if it has no shape."""
    return chr(byte) if 32 <= byte < 127 else ""


def _pair(data: bytes, offset: int, marks: ByteMarks) -> str:
    return HIDDEN_HEX if marks.is_secret(offset) else f"{data[offset]:02x}"
