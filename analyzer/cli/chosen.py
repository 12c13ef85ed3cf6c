"""`-Y FILTER`: what of a capture a command is about. Filters and rules are loaded only where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analyzer.cli.filtering import Filtered


def chosen_by(text: str | None, schemas: Sequence[Path] | None) -> Filtered | None:
    """What the option says; None without it. Raises WrongFilterError."""
    if text is None:
        return None
    from analyzer.cli.filtering import Filtered

    return Filtered(text, schemas)
