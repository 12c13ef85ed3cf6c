"""The sniffer: the one process that needs the right to capture. It appends to a spool and tells of it on its output.

It stops at its conditions, at a line or the end of its standard input, and at SIGTERM and SIGINT.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from analyzer.capture.live.faults import CaptureFault
from analyzer.capture.live.messages import Failed, Fault, encode_places, say
from analyzer.capture.live.sockets import SNAP_LENGTH, Wanted

if TYPE_CHECKING:
    from analyzer.capture.live.sockets import CaptureSocket

EXIT_OK = 0
EXIT_FAILED = 1
METHODS = ("ring", "libpcap", "dumpcap")


def main(arguments: Sequence[str]) -> int:
    """Run the sniffer. 0: done, 1: failed, as the last line of the output says, 2: wrong usage."""
    options = _parser().parse_args(arguments)
    try:
        if options.list:
            return _list()
        if options.check_filter is not None:
            return _check(options.check_filter)
        return _capture(options)
    except CaptureFault as fault:
        return _failed(fault.fault, str(fault))
    except BrokenPipeError:
        return EXIT_FAILED
    except Exception as error:
        return _failed(Fault.BUG, f"{type(error).__name__}: {error}".rstrip(": "))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m analyzer.capture.live", description=__doc__, allow_abbrev=False)
    ask = parser.add_mutually_exclusive_group()
    ask.add_argument("--list", action="store_true", help="print the network interfaces as JSON")
    ask.add_argument("--check-filter", metavar="FILTER", help="say whether a capture filter can be compiled")
    ask.add_argument("--interface", metavar="NAME", help="capture on this interface")
    parser.add_argument("--write", metavar="FILE", help="the spool, which must not exist yet")
    parser.add_argument("--filter", default="", help="capture filter in libpcap's language")
    parser.add_argument("--snap-length", type=_positive, default=SNAP_LENGTH, metavar="BYTES")
    parser.add_argument("--no-promiscuous", action="store_true", help="only frames of this machine")
    parser.add_argument("--packets", type=_positive, metavar="N", help="stop after so many frames")
    parser.add_argument("--bytes", type=_positive, metavar="N", help="stop when the file has so many bytes")
    parser.add_argument("--seconds", type=float, metavar="S", help="stop after so long")
    parser.add_argument("--method", choices=METHODS, help="what to read through, if not what suits the system")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _list() -> int:
    from analyzer.capture.live.interfaces import list_interfaces

    print(encode_places(list_interfaces()), flush=True)
    return EXIT_OK


def _check(text: str) -> int:
    from analyzer.capture.live.filters import ETHERNET, bpf_program

    bpf_program(text, ETHERNET, SNAP_LENGTH)
    return EXIT_OK


def _capture(options: argparse.Namespace) -> int:
    from analyzer.capture.live.recorder import Limits
    from analyzer.capture.live.session import run

    if not options.interface or not options.write:
        return _failed(Fault.BUG, "--interface and --write are both needed")
    wanted = Wanted(options.interface, options.filter, options.snap_length, not options.no_promiscuous)
    limits = Limits(options.packets, options.bytes, options.seconds)
    return EXIT_OK if run(lambda: open_socket(wanted, options.method), wanted, options.write, limits) else EXIT_FAILED


def open_socket(wanted: Wanted, method: str | None) -> CaptureSocket:
    """The interface, read through what suits it. Raises CaptureFault."""
    if method == "dumpcap":
        from analyzer.capture.live.dumpcap import DumpcapSocket

        return DumpcapSocket(wanted)
    if sys.platform == "linux" and method != "libpcap" and wanted.interface != "any":
        from analyzer.capture.live.ring import RingSocket, Unsuitable

        try:
            return RingSocket(wanted)
        except Unsuitable:
            if method == "ring":
                raise CaptureFault(Fault.INTERFACE, f"{wanted.interface} has no ring to be read through.") from None
    try:
        from analyzer.capture.live.libpcap import LibpcapSocket
    except ImportError:
        name = "Npcap" if sys.platform == "win32" else "libpcap"
        raise CaptureFault(Fault.LIBRARY, f"{wanted.interface} needs {name}, which is not installed.") from None
    return LibpcapSocket(wanted)


def _failed(fault: Fault, text: str) -> int:
    say(Failed(fault, text))
    return EXIT_FAILED
