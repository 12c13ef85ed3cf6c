"""Capture filters: libpcap's language compiled to the BPF program that the kernel runs for every frame."""

from __future__ import annotations

import ctypes
import re
import socket
import struct

from scapy.arch.common import compile_filter, free_filter
from scapy.error import Scapy_Exception

from analyzer.capture.live.faults import CaptureFault
from analyzer.capture.live.messages import Fault

_INSTRUCTION = struct.Struct("=HBBI")
"""code, jump if true, jump if false, constant"""
_RETURN_CONSTANT = 0x06
_SO_ATTACH_FILTER = 26

ETHERNET = 1
"""DLT_ number."""
REJECT_ALL = _INSTRUCTION.pack(_RETURN_CONSTANT, 0, 0, 0)


def bpf_program(text: str, link_type: int, snap_length: int) -> bytes:
    """The program that accepts `snap_length` bytes of what the filter lets through; an empty filter lets all through.

    link_type: DLT_ number of the frames. Raises CaptureFault where the filter cannot be compiled.
    """
    if not text.strip():
        return _INSTRUCTION.pack(_RETURN_CONSTANT, 0, 0, snap_length)
    if "\0" in text:
        raise CaptureFault(Fault.FILTER, "The capture filter holds a zero byte.")
    try:
        compiled = compile_filter(text, linktype=link_type)
    except ImportError:
        raise CaptureFault(
            Fault.LIBRARY,
            "Capture filters are compiled by libpcap, which is not installed (Debian: apt-get install libpcap0.8).",
        ) from None
    except Scapy_Exception as error:
        raise CaptureFault(Fault.FILTER, f"The capture filter cannot be used: {_reason(str(error))}.") from None
    try:
        rows = ((row.code, row.jt, row.jf, row.k & 0xFFFFFFFF) for row in compiled.bf_insns[: compiled.bf_len])
        return b"".join(_INSTRUCTION.pack(*_accepting(row, snap_length)) for row in rows)
    finally:
        free_filter(compiled)


def attach(to: socket.socket, program: bytes) -> None:
    """Let the kernel run a program for every frame of a socket. Raises OSError."""
    code = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: instructions u16, address of the first
    described = struct.pack("@HP", len(program) // _INSTRUCTION.size, ctypes.addressof(code))
    to.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, described)


def _accepting(row: tuple[int, int, int, int], snap_length: int) -> tuple[int, int, int, int]:
    """The compiler's own programs accept 65,535 bytes, less than a frame of the loopback interface may have."""
    code, if_true, if_false, constant = row
    return (code, if_true, if_false, snap_length) if code == _RETURN_CONSTANT and constant else row


def _reason(text: str) -> str:
    """What libpcap said, out of the sentence around it."""
    found = re.search(r"\((.*)\)\s*$", text, re.DOTALL)
    return " ".join((found[1] if found else text).split())
