"""Why a capture cannot begin or go on, inside the sniffer."""

from __future__ import annotations

import errno

from analyzer.capture.live.messages import Fault

_NO_RIGHT = {errno.EPERM, errno.EACCES}
_NO_INTERFACE = {errno.ENODEV, errno.ENXIO}
_SAYS_NO_RIGHT = ("ermission", "not permitted", "ccess is denied")
_SAYS_NO_INTERFACE = ("No such device", "doesn't exist", "cannot find the device")
"""In the words of Linux, macOS and Windows, as libpcap and Npcap pass them on."""


class CaptureFault(Exception):  # noqa: N818 - not always an error of ours or theirs
    """The text is a sentence for a person."""

    def __init__(self, fault: Fault, text: str) -> None:
        super().__init__(text)
        self.fault = fault


def fault_of(error: OSError, interface: str) -> CaptureFault:
    """What the operating system's refusal to open an interface means."""
    if error.errno in _NO_RIGHT:
        return CaptureFault(Fault.RIGHT, f"This user may not capture on {interface}.")
    if error.errno in _NO_INTERFACE:
        return no_interface(interface)
    return CaptureFault(Fault.INTERFACE, f"{interface} cannot be captured on: {error.strerror or error}.")


def no_interface(name: str) -> CaptureFault:
    """There is no interface of this name."""
    return CaptureFault(Fault.INTERFACE, f"There is no network interface {name}.")


def refusal(text: str, interface: str) -> CaptureFault:
    """What it means that libpcap, or Npcap, cannot open an interface and says this."""
    words = " ".join(text.split())
    if any(sign in words for sign in _SAYS_NO_RIGHT):
        return CaptureFault(Fault.RIGHT, f"This user may not capture on {interface}.")
    if any(sign in words for sign in _SAYS_NO_INTERFACE):
        return no_interface(interface)
    return CaptureFault(Fault.INTERFACE, f"{interface} cannot be captured on: {words.rstrip('.')}.")
