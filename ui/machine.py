"""What this machine has to capture with, as functions that may take long: they are asked off the window's thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from analyzer.capture.live.control import check_filter, list_interfaces
from analyzer.capture.live.messages import NetworkPlace
from analyzer.capture.live.rights import Ways, may_capture, ways


@dataclass(frozen=True, slots=True)
class Machine:
    """This one, unless a test says otherwise."""

    list_interfaces: Callable[[], list[NetworkPlace]] = list_interfaces
    check_filter: Callable[[str], None] = check_filter
    """Raises an exception whose text says in words why the filter cannot be used."""
    may_capture: Callable[[], bool] = may_capture
    ways: Callable[[], Ways] = ways
    """What there is to get the right by."""
