"""What the sniffer says on its standard output: a JSON object a line, `state` naming which of these it is."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import TypeAlias


class Fault(StrEnum):
    """Why the sniffer cannot do what it was asked, or cannot go on."""

    RIGHT = "right"
    """The operating system does not let this user capture."""
    INTERFACE = "interface"
    """There is no such interface, or it cannot be captured on."""
    GONE = "gone"
    """The interface has gone away meanwhile."""
    FILTER = "filter"
    """The capture filter cannot be compiled."""
    LIBRARY = "library"
    """libpcap or Npcap is missing."""
    FULL = "full"
    """There is no room left for the file."""
    FILE = "file"
    """The file cannot be made or written."""
    BUG = "bug"
    """Our own mistake."""
    ENDED = "ended"
    """The sniffer ended without a word: it was killed."""


class Reason(StrEnum):
    """Why a capture stopped."""

    ASKED = "asked"
    PACKETS = "packets"
    BYTES = "bytes"
    SECONDS = "seconds"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Counts:
    """What was captured since the start."""

    frames: int = 0
    """Frames in the file."""
    size: int = 0
    """Bytes of the file."""
    received: int = 0
    """Frames that passed the filter, dropped ones too."""
    dropped: int = 0
    """Of these, frames that the operating system had no room for."""
    interface_dropped: int = 0
    """Frames that the interface lost before."""
    unwritten: int = 0
    """Frames that came and could not be written."""

    @property
    def lost(self) -> int:
        """Frames that should stand in the file and do not."""
        return self.dropped + self.interface_dropped + self.unwritten


@dataclass(frozen=True, slots=True)
class Started:
    """The interface and the file are open; from now on every frame is counted."""

    interface: str
    method: str
    """Through what frames come: "ring" or "libpcap"."""
    link_type: int
    snap_length: int
    file: str
    process: int


@dataclass(frozen=True, slots=True)
class Running:
    """Said several times a second."""

    seconds: float
    """Since the start."""
    up: bool
    """The interface is up."""
    set_back_s: float
    """How far the system's clock was set back meanwhile, in all; frames from then on have earlier times."""
    counts: Counts


@dataclass(frozen=True, slots=True)
class Stopped:
    """The last word of a capture that had started: everything captured stands in the file, which is closed."""

    reason: Reason
    seconds: float
    counts: Counts


@dataclass(frozen=True, slots=True)
class Failed:
    """The capture cannot begin, or stops after this."""

    fault: Fault
    text: str
    """A sentence for a person."""


Message: TypeAlias = Started | Running | Stopped | Failed

_STATES: dict[str, type[Message]] = {"started": Started, "running": Running, "stopped": Stopped, "failed": Failed}
_NAMES = {kind: state for state, kind in _STATES.items()}
_KINDS = {"fault": Fault, "reason": Reason}


def encode(message: Message) -> str:
    """The message as one line, without its end."""
    return json.dumps({"state": _NAMES[type(message)], **asdict(message)})


def say(message: Message) -> bool:
    """Print a message. False: nobody listens any more, and whatever is printed from now on is lost."""
    try:
        print(encode(message), flush=True)
    except OSError:
        # What is left in the buffer must not fail again at the end of the process.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        return False
    return True


def decode(line: str) -> Message | None:
    """The message that a line holds; None: it holds none."""
    try:
        values = json.loads(line)
        kind = _STATES[values.pop("state")]
        if "counts" in values:
            values["counts"] = Counts(**values["counts"])
        for name, words in _KINDS.items():
            if name in values:
                values[name] = words(values[name])
        return kind(**{field.name: values[field.name] for field in fields(kind)})
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


@dataclass(frozen=True, slots=True)
class NetworkPlace:
    """Where frames can be captured: an entry of the list that the sniffer prints when it is asked for one."""

    name: str
    description: str
    """Empty where the system has no other words for it."""
    addresses: tuple[str, ...]
    """IPv4 first."""
    up: bool
    loopback: bool


def encode_places(places: Sequence[NetworkPlace]) -> str:
    """The list as one line, without its end."""
    return json.dumps([asdict(place) for place in places])


def decode_places(line: str) -> list[NetworkPlace]:
    """The list that a line holds. Raises ValueError where it holds none."""
    try:
        return [NetworkPlace(**{**place, "addresses": tuple(place["addresses"])}) for place in json.loads(line)]
    except (KeyError, TypeError) as error:
        raise ValueError(f"no list of interfaces: {line!r}") from error
