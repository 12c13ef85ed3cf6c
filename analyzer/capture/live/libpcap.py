"""Every other system, and links that the ring does not know: scapy's libpcap or Npcap socket, read in bulk."""

from __future__ import annotations

import ctypes
import errno

from scapy.config import conf

from analyzer.capture.live.faults import CaptureFault, no_interface, refusal
from analyzer.capture.live.messages import Fault
from analyzer.capture.live.sockets import Batch, CaptureSocket, Wanted
from analyzer.capture.spool import Frame

# scapy chooses by this, while it loads, what it captures through.
conf.use_pcap = True
if not conf.use_pcap:
    raise ImportError("libpcap is not installed")

from scapy.arch.libpcap import L2pcapListenSocket  # noqa: E402
from scapy.error import Scapy_Exception  # noqa: E402
from scapy.libs import winpcapy  # noqa: E402

_MOST_FRAMES = 1024
"""Of a batch, so that a flood does not keep it from being written."""
_LINK_TYPES = {12: 101, 14: 101}
"""DLT_ numbers that differ between systems, and stand in files as another LINKTYPE_: raw IP."""


class LibpcapSocket(CaptureSocket):
    """An interface, read through libpcap."""

    method = "libpcap"
    select = staticmethod(L2pcapListenSocket.select)

    def __init__(self, wanted: Wanted) -> None:
        """Open the interface. Raises CaptureFault."""
        self._snap_length = wanted.snap_length
        try:
            self._scapy = L2pcapListenSocket(
                iface=wanted.interface, promisc=wanted.promiscuous, filter=wanted.filter or None
            )
        except ValueError:
            raise no_interface(wanted.interface) from None
        except Scapy_Exception as error:
            reason = str(error).removeprefix("Cannot set filter: ")
            raise CaptureFault(Fault.FILTER, f"The capture filter cannot be used: {reason}.") from None
        except OSError as error:
            raise refusal(str(error), wanted.interface) from error
        self._pcap = self._scapy.pcap_fd.pcap
        self._scapy.pcap_fd.setnonblock(True)
        number = self._scapy.pcap_fd.datalink()
        self.link_type = _LINK_TYPES.get(number, number)

    def read(self) -> Batch | None:
        """What libpcap has now."""
        self._check_open()
        frames = Batch()
        header = ctypes.POINTER(winpcapy.pcap_pkthdr)()
        data = ctypes.POINTER(ctypes.c_ubyte)()
        while len(frames) < _MOST_FRAMES:
            code = winpcapy.pcap_next_ex(self._pcap, ctypes.byref(header), ctypes.byref(data))
            if code == 0:
                break
            if code < 0:
                if frames:
                    break
                raise CaptureFault(Fault.GONE, f"The network interface cannot be read any more: {self._words()}.")
            head = header.contents
            time_ns = head.ts.tv_sec * 1_000_000_000 + head.ts.tv_usec * 1000
            captured = min(head.caplen, self._snap_length)
            frames.append(Frame(time_ns, head.len, ctypes.string_at(data, captured)))
        self._scapy.pcap_fd.remaining = len(frames) == _MOST_FRAMES
        return frames or None

    def counts(self) -> tuple[int, int, int]:
        """libpcap counts from the beginning."""
        self._check_open()
        found = winpcapy.pcap_stat()
        if winpcapy.pcap_stats(self._pcap, ctypes.byref(found)) < 0:
            return 0, 0, 0
        return found.ps_recv, found.ps_drop, found.ps_ifdrop

    def refuse(self) -> None:
        """Not possible here without losing what waits to be read; what still comes is captured too."""

    def up(self) -> bool:
        """`read` tells when it goes away."""
        return True

    def fileno(self) -> int:
        """A descriptor, or on Windows an event."""
        return self._scapy.fileno()

    def close(self) -> None:
        """Let go of the interface."""
        self._scapy.close()

    def _check_open(self) -> None:
        """The library does not check it."""
        if self._scapy.closed:
            raise OSError(errno.EBADF, "it is closed")

    def _words(self) -> str:
        text: bytes = winpcapy.pcap_geterr(self._pcap)
        return text.decode("utf-8", "replace").strip().rstrip(".") or "libpcap gives no reason"
