"""Why a capture cannot begin, from what a system says of it."""

from __future__ import annotations

import pytest

from analyzer.capture.live.faults import refusal
from analyzer.capture.live.messages import Fault


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("b'lo: You don't have permission to capture on that device'", Fault.RIGHT),
        ("(cannot open BPF device) /dev/bpf0: Permission denied", Fault.RIGHT),
        ("Error opening adapter: Access is denied. (5)", Fault.RIGHT),
        ("en9: No such device exists\n(BIOCSETIF failed: Device not configured)", Fault.INTERFACE),
        ("Error opening adapter: The system cannot find the device specified. (20)", Fault.INTERFACE),
        ("en0: The interface is broken", Fault.INTERFACE),
    ],
)
def test_what_the_library_says_of_an_interface_it_cannot_open(words: str, fault: Fault) -> None:
    """On Linux, macOS and Windows."""
    found = refusal(words, "en9")
    assert found.fault is fault
    assert ("There is no network interface en9" in str(found)) == ("device exists" in words or "specified" in words)
    assert "\n" not in str(found)
