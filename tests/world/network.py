"""The network between one server and its clients: loses, repeats, delays and so reorders; the tap sits at one end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from world.capture import Tap
from world.clock import MILLISECOND, Clock
from world.datagram import Address, Datagram


@dataclass(frozen=True, slots=True)
class Weather:
    """What the network does to a datagram on its way."""

    loss: float = 0.0
    repeat: float = 0.0
    delay_ms: int = 10
    jitter_ms: int = 0
    """More delay, up to this, drawn for every datagram: reorders where it exceeds the distance of two datagrams."""
    spike: float = 0.0
    """Share of datagrams that take longer by `spike_ms`."""
    spike_ms: int = 80


class Network:
    """Carries datagrams. Control packets are neither lost, repeated nor reordered: the handshake is no matter here."""

    def __init__(self, clock: Clock, rng: Random, tap: Tap, server: Address) -> None:
        self.weather = Weather()
        self.receivers: dict[Address, Callable[[Datagram], None]] = {}
        self._clock = clock
        self._rng = rng
        self._tap = tap
        self._server = server

    def send(self, datagram: Datagram) -> None:
        """Take a datagram from its sender."""
        from_server = datagram.sender == self._server
        if from_server == self._tap.at_server:
            self._tap.see(datagram)
        rng, weather = self._rng, self.weather
        copies = 1
        if datagram.control is None:
            copies = 0 if rng.random() < weather.loss else 2 if rng.random() < weather.repeat else 1
        for _ in range(copies):
            delay = weather.delay_ms * MILLISECOND
            if datagram.control is None:
                delay += rng.randrange(weather.jitter_ms * MILLISECOND + 1)
                delay += weather.spike_ms * MILLISECOND if rng.random() < weather.spike else 0
            self._clock.after(delay, lambda: self._arrive(datagram, from_server))

    def _arrive(self, datagram: Datagram, from_server: bool) -> None:
        if from_server != self._tap.at_server:
            self._tap.see(datagram)
        self.receivers[datagram.receiver](datagram)
