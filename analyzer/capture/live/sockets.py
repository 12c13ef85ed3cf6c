"""What the sniffer reads from, whatever the system: scapy's `AsyncSniffer` waits for one and asks it for batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, ClassVar

from analyzer.capture.spool import Frame

if TYPE_CHECKING:
    from scapy.supersocket import SuperSocket

SNAP_LENGTH = 262144
"""Bytes kept of a frame, unless somebody says how many: more than any has."""


class Batch(list[Frame]):
    """Frames in the order of their capture. scapy takes it for a packet and notes where it comes from."""

    sniffed_on: str | None = None
    dropped = 0
    """Frames that the system dropped before these, since the beginning; of DropsKnown.EXACTLY."""


class DropsKnown(Enum):
    """How well it is known when the system dropped frames."""

    EXACTLY = auto()
    """Batches say it."""
    MEANWHILE = auto()
    """Whenever one asks for the counts."""
    AT_END = auto()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to capture."""

    interface: str
    filter: str = ""
    snap_length: int = SNAP_LENGTH
    promiscuous: bool = True
    """Also frames that are for other machines; loopback has none."""


class CaptureSocket(ABC):
    """An open interface. What scapy needs of its `SuperSocket` is here by the same names."""

    nonblocking_socket = False
    """scapy waits for it together with a pipe of its own, by which it is stopped."""
    method: ClassVar[str]
    """What the system calls this way of capturing."""
    link_type: int
    """LINKTYPE_ number."""
    drops_known: ClassVar[DropsKnown] = DropsKnown.MEANWHILE
    failure: Exception | None = None
    """What ended the reading."""

    @staticmethod
    @abstractmethod
    def select(sockets: list[SuperSocket], remain: float | None) -> list[SuperSocket]:
        """Those of some sockets that have something, waiting so many seconds at most."""

    def recv(self) -> Batch | None:
        """The next batch, without waiting; None: there is none. After EOFError, scapy closes this."""
        try:
            return self.read()
        except Exception as error:
            self.failure = error
            raise EOFError from error

    @abstractmethod
    def read(self) -> Batch | None:
        """The next batch, without waiting; None: there is none. Raises CaptureFault where none will ever come."""

    @abstractmethod
    def counts(self) -> tuple[int, int, int]:
        """Frames since the beginning: received, of these dropped; and those that the interface lost before.

        Raises OSError where this is closed.
        """

    @abstractmethod
    def refuse(self) -> None:
        """From now on no further frame is let in; what has come can still be read. Raises OSError where closed."""

    @abstractmethod
    def up(self) -> bool:
        """Whether the interface is up. Raises CaptureFault where it is gone."""

    @abstractmethod
    def fileno(self) -> int:
        """What to wait for."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the interface; a second call does nothing."""
