"""Numbers and counts as the window writes them: grouped quantities, plain identifiers, a real minus, and `–`."""

from __future__ import annotations

GROUP = "\u202f"
MINUS = "\u2212"
UNKNOWN = "\u2013"
DOT = " \u00b7 "
GIGABYTE = 1_000_000_000


def quantity(value: int) -> str:
    """A quantity, grouped by threes: 8 810. Identifiers (packets, ticks, ports) are written plain instead."""
    return f"{value:,}".replace(",", GROUP).replace("-", MINUS)


def number(value: int) -> str:
    """An identifier or raw value: not grouped, with a real minus."""
    return str(value).replace("-", MINUS)


def signed(value: int) -> str:
    """A difference: always signed."""
    return f"+{value}" if value > 0 else number(value)


def decimal(value: float, places: int) -> str:
    """A number with a fixed count of decimals, grouped."""
    return f"{value:,.{places}f}".replace(",", GROUP).replace("-", MINUS)


def count(value: int, one: str, many: str = "") -> str:
    """1 part, 2 parts."""
    return f"{quantity(value)} {one if value == 1 else many or one + 's'}"


def size(value: int) -> str:
    """Bytes in B, kB, MB or GB (powers of 1 000)."""
    if value < 10_000:
        return f"{quantity(value)} B"
    if value < 1_000_000:
        return f"{decimal(value / 1000, 1)} kB"
    if value < GIGABYTE:
        return f"{decimal(value / 1_000_000, 1)} MB"
    return f"{decimal(value / GIGABYTE, 1)} GB"


def about(value: int) -> str:
    """Bytes as short as a person reads them: whole MB, or GB."""
    megabytes = round(value / 1_000_000)
    return f"{megabytes} MB" if megabytes < 1000 else f"{decimal(value / GIGABYTE, 1)} GB"


def duration(seconds: float) -> str:
    """12 s, 3:05, 2:03:05."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, hours = divmod(whole // 60, 60)[::-1]
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def stretch(start_s: float, stop_s: float) -> str:
    """From one time to another on a line: 1.00 - 6.00 s."""
    places = 3 if stop_s - start_s < 0.2 else 2
    return f"{decimal(start_s, places)} {UNKNOWN} {decimal(stop_s, places)} s"


def percent(part: float, whole: float) -> str:
    """40.3 %; unknown where the whole is nothing."""
    return f"{decimal(100 * part / whole, 1)} %" if whole else UNKNOWN
