"""What a person wants flows read as, whatever detection says: by port, by endpoint, or for one flow; and as text.

8305=ddnet                                every flow with this port at one end, which is the server
10.0.0.2:8305=0.7                         every flow of this endpoint, which is the server
10.0.0.9:50000-10.0.0.2:8305=none         one flow, the server last; `none`: not decoded, `auto`: as without it
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from analyzer.protocols.base import Protocol

NONE, AUTOMATIC = "none", "auto"
MAX_PORT = 65535
_ENDPOINT = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<four>[0-9.]+)):(?P<port>[0-9]{1,5})")


@dataclass(frozen=True, slots=True)
class Choice:
    """How flows are read."""

    protocol: str
    """Protocol.name; empty: they are not decoded."""
    dialect: str = ""

    @property
    def word(self) -> str:
        """As `parse_pin` reads it."""
        return self.dialect if self.protocol else NONE


NOT_DECODED = Choice("")


@dataclass(frozen=True, slots=True)
class Place:
    """Which flows."""

    server: str
    """A port, or an endpoint as in `flows`."""
    client: str = ""
    """The other endpoint of the one flow that is meant; empty: all flows of the server."""

    def __str__(self) -> str:
        return f"{self.client}-{self.server}" if self.client else self.server

    def server_of(self, address_a: str, address_b: str) -> int:
        """Which end of a flow is the server, 0 or 1; -1: the flow is not meant."""
        for server, own, other in ((1, address_b, address_a), (0, address_a, address_b)):
            here = own == self.server if ":" in self.server else port_of(own) == int(self.server)
            if here and self.client in ("", other):
                return server
        return -1


@dataclass(frozen=True, slots=True)
class Pin:
    """A choice of a person's for some flows; None: what detection says."""

    place: Place
    choice: Choice | None

    def __str__(self) -> str:
        """As `parse_pin` reads it."""
        return f"{self.place}={AUTOMATIC if self.choice is None else self.choice.word}"


@dataclass(frozen=True, slots=True)
class Pins:
    """Several, of which the closest counts: that of a flow before that of an endpoint before that of a port."""

    pins: tuple[Pin, ...] = ()
    """Of equals the last one counts."""

    def __iter__(self) -> Iterator[Pin]:
        yield from self.pins

    def __len__(self) -> int:
        return len(self.pins)

    def with_pin(self, pin: Pin) -> Pins:
        """These and another one, which replaces that of the same place."""
        return Pins((*self.without(pin.place), pin))

    def without(self, place: Place) -> Pins:
        """These but for one."""
        return Pins(tuple(pin for pin in self.pins if pin.place != place))

    def chosen(self, pin: Pin, address_a: str, address_b: str) -> Pins:
        """These with what a person chose, of a flow with these ends, for it and others.

        What detection says is pinned only as an exception, where another pin would count.
        """
        others = self.without(pin.place)
        if pin.choice is None:
            found = others.find(address_a, address_b)
            if found is None or _closeness(found[0].place) > _closeness(pin.place):
                return others
        return others.with_pin(pin)

    def find(self, address_a: str, address_b: str) -> tuple[Pin, int] | None:
        """The one that counts for a flow, and which end it says is the server. None: there is none."""
        found = [(pin, pin.place.server_of(address_a, address_b)) for pin in reversed(self.pins)]
        fitting = [(pin, server) for pin, server in found if server >= 0]
        return max(fitting, key=lambda one: _closeness(one[0].place), default=None)


NO_PINS = Pins()


def _closeness(place: Place) -> int:
    return 2 if place.client else 1 if ":" in place.server else 0


def flow_place(address_a: str, address_b: str, server: int) -> Place:
    """One flow. `server`: which end it is, -1 where nobody knows: then that with the lower port."""
    if server < 0:
        server = 0 if port_of(address_a) < port_of(address_b) else 1
    return Place(address_a, address_b) if server == 0 else Place(address_b, address_a)


def port_of(endpoint: str) -> int:
    """8303 of "10.0.0.2:8303"."""
    return int(endpoint.rpartition(":")[2])


def choices(protocols: Sequence[Protocol]) -> dict[str, tuple[Choice, str]]:
    """What can be chosen, in the order in which a person reads it: by the word for it, with its title."""
    return {
        dialect: (Choice(protocol.name, dialect), title)
        for protocol in protocols
        for dialect, title in protocol.dialects.items()
    }


def parse_pin(text: str, protocols: Sequence[Protocol]) -> Pin:
    """A pin from its text. Raises ValueError with a sentence that says what can be written."""
    where, equals, what = (part.strip() for part in text.partition("="))
    if not equals:
        raise ValueError(f"'{text}' is no PORT=DIALECT or ADDRESS:PORT=DIALECT")
    place, known = parse_place(where), {name.lower(): choice for name, (choice, _) in choices(protocols).items()}
    word = what.lower()
    if word == AUTOMATIC:
        return Pin(place, None)
    if word == NONE:
        return Pin(place, NOT_DECODED)
    if word not in known:
        possible = ", ".join((*known, NONE, AUTOMATIC))
        raise ValueError(f"'{what}' is no dialect that can be decoded; there are {possible}")
    return Pin(place, known[word])


def parse_place(text: str) -> Place:
    """Which flows a text means. Raises ValueError with a sentence."""
    if text.isascii() and text.isdecimal():
        if not 0 < int(text) <= MAX_PORT:
            raise ValueError(f"{text} is no port; ports are 1 to {MAX_PORT}")
        return Place(str(int(text)))
    client, dash, server = text.partition("-")
    return Place(_endpoint(server), _endpoint(client)) if dash else Place(_endpoint(text))


def _endpoint(text: str) -> str:
    """As in `flows`. Raises ValueError."""
    found = _ENDPOINT.fullmatch(text.strip())
    wrong = f"'{text.strip()}' is no PORT, ADDRESS:PORT or [IPV6]:PORT"
    if found is None or int(found["port"]) > MAX_PORT:
        raise ValueError(wrong)
    try:
        address = ip_address(found["six"] or found["four"])
    except ValueError:
        raise ValueError(wrong) from None
    if (address.version == 6) != (found["six"] is not None):
        raise ValueError(wrong)
    port = int(found["port"])
    return f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"
