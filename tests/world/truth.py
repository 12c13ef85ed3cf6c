"""What a perfect bystander at the tap would say of every snapshot message, worked out from what the senders meant.

Follows spec section 17 on the meaning of each datagram, never on its bytes, and shares no code with the program under
test. `checks.py` holds it against what really happened in the world. Its ticks stay below 500: rules that look
further back are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from world import wire
from world.capture import Pass, Tap
from world.clock import MILLISECOND
from world.datagram import Address, Chunk, Datagram, Input, Message, Plain, Proof, Sent, Snap
from world.faults import FAULTS

MAX_OPEN = 8
REPEATS = 5000 * MILLISECOND
"""The same datagram again within this time is a repetition by the network."""
STATUS = {"S1": "late", "S2": "duplicate", "P1": "incomplete", "C1": "crc", "OK": "ok", "OK-E": "ok"}
STATUS |= dict.fromkeys(("B1", "B2", "B3"), "no-base")
STATUS |= dict.fromkeys(("F1", "B5", "D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9"), "malformed")


@dataclass(slots=True, eq=False)
class Row:
    """One snapshot as it has to be reported."""

    epoch: Epoch
    sent: Sent
    code: str = ""
    frame: int = 0
    session: int = 0
    parts: set[int] = field(default_factory=set)
    late: bool = False
    cause: Row | None = None
    """First cause; None: its own."""

    @property
    def status(self) -> str:
        """The status word."""
        return STATUS[self.code]

    @property
    def has(self) -> str:
        """What the INPUTs of the epoch say of the client."""
        acks = self.epoch.acks
        if self.sent.tick in acks:
            return "acked"
        return "later" if any(tick > self.sent.tick for tick in acks) else "never"

    @property
    def losers(self) -> set[str]:
        """Who may be named as the one who lost something; several where the capture cannot tell."""
        if self.status in ("ok", "late", "duplicate"):
            return {"nobody"}
        if self.cause is not None:
            # The base was incomplete here when the delta came and was completed by a repeated datagram: the client
            # had it in time, but nothing is missing any more.
            return {"nobody", "capture"} if self.cause.status == "ok" else self.cause.losers
        if self.code in ("B1", "B3"):
            return {"capture"}
        acks, tick = self.epoch.acks, self.sent.tick
        if self.code != "P1":
            return {"capture"} if tick in acks else {"game"}
        if tick in acks or tick in self.epoch.used:
            return {"capture"}
        later = [acked for acked in acks if acked > tick]
        if not later:
            return {"unknown"}
        # "The first later one acknowledged" is the first in time or the lowest; reordered INPUTs make them differ.
        return {"network" if acks[acked] else "capture" for acked in (later[0], min(later))}


@dataclass(slots=True, eq=False)
class Epoch:
    """One map of one connection, as far as the tap can tell."""

    begun_by: int | None
    """The message that began it, if that was seen."""
    counted: bool = False
    """A snapshot was seen since the session number was raised last."""
    seen: int = -1
    first: int | None = None
    acks: dict[int, bool] = field(default_factory=dict)
    """Acknowledged ticks in order of arrival; whether that snapshot had been rebuilt."""
    early: set[int] = field(default_factory=set)
    """Ticks acknowledged before any of that tick was seen: a gap in the capture, or an INPUT of an older map that was
    under way for long. No bystander can tell."""
    used: set[int] = field(default_factory=set)
    done: dict[int, Row] = field(default_factory=dict)
    open: dict[int, Row] = field(default_factory=dict)
    given_up: dict[int, Row] = field(default_factory=dict)
    real: set[object] = field(default_factory=set)
    """What the snapshots in it really belong to; more than one: the tap missed an event that tells them apart."""

    def cause_of(self, tick: int) -> Row | None:
        """The snapshot that stands in the way of a delta based on `tick`."""
        row = self.open.get(tick) or self.given_up.get(tick) or self.done.get(tick)
        return row and (row.cause or row)


class Vitals:
    """The vital chunks of one sender, put in order (spec section 17.2, rules 5 and 6)."""

    def __init__(self) -> None:
        self.restart_at_one = False
        self._last: int | None = None
        self._early: dict[int, Chunk] = {}
        self._acked: int | None = None

    def take(self, chunk: Chunk) -> Iterator[Message]:
        """A vital chunk passed; the messages whose turn it is."""
        assert chunk.sequence is not None
        if self.restart_at_one and chunk.sequence == 1:
            self.restart_at_one = False
            self._last = 0
            self._acked = None
            self._early.clear()
        if self._last is None:
            self._last = (chunk.sequence - 1) % 1024
        ahead = (chunk.sequence - self._last) % 1024
        if 0 < ahead <= 512:
            self._early.setdefault(chunk.sequence, chunk)
        yield from self._drain()
        if self._acked is not None:
            yield from self.acknowledged(self._acked)

    def is_next(self, sequence: int) -> bool:
        """The number follows the last one in order."""
        return self._last is None or sequence == (self._last + 1) % 1024

    def acknowledged(self, ack: int) -> Iterator[Message]:
        """The peer has everything up to `ack`: whatever is missing before it will not come."""
        self._acked = ack
        while self._early and self._last is not None:
            last = self._last
            first = min(self._early, key=lambda number: (number - last) % 1024)
            if not (first - last) % 1024 - 1 <= (ack - last) % 1024 <= 512:
                return
            self._last = (first - 1) % 1024
            yield from self._drain()

    def _drain(self) -> Iterator[Message]:
        while self._last is not None and (chunk := self._early.pop((self._last + 1) % 1024, None)) is not None:
            self._last = (self._last + 1) % 1024
            yield chunk.message


class Bystander:
    """One flow: passes go in, in order; `rows` come out."""

    def __init__(self, client: Address, tokens: bool) -> None:
        self.client = client
        self.rows: list[Row] = []
        self.epochs: list[Epoch] = [Epoch(None)]
        self.strange: int | None = None
        """From this frame on packets carry a token whose announcement the tap missed."""
        self._tokens = tokens
        self._token: int | None = None
        self._up, self._down = Vitals(), Vitals()
        self._frame = 0
        self._session = 0
        self._proofs: set[int] = set()
        self._snapshots_in_generation = False
        self._time = 0
        self._openers: dict[Address, tuple[bytes, int]] = {}

    @property
    def epoch(self) -> Epoch:
        """The one that is going on."""
        return self.epochs[-1]

    def see(self, passed: Pass) -> None:
        """A datagram that the tap kept, whole or cut."""
        datagram = passed.datagram
        assert passed.frame is not None
        self._frame = passed.frame
        self._time = passed.time
        up = datagram.sender == self.client
        if datagram.control in (wire.CONNECT, wire.CONNECTACCEPT):
            if datagram.control == wire.CONNECTACCEPT and not passed.cut:
                self._token = datagram.token
                if not self._tokens:
                    self._restart()
            return
        if passed.cut:
            self._each((self._down if up else self._up).acknowledged(datagram.ack))
            return
        if self._tokens and self._token is None:
            self._token = datagram.token
        if datagram.token != self._token:
            self.strange = self.strange or self._frame
            return
        self._each((self._down if up else self._up).acknowledged(datagram.ack))
        if datagram.control == wire.ACCEPT and self._tokens:
            self._restart()
        if datagram.control is None:
            self._chunks(datagram, self._up if up else self._down)

    def finish(self) -> None:
        """The capture ends; `rows` are complete."""
        self._close()

    def _restart(self) -> None:
        self._up.restart_at_one = self._down.restart_at_one = True

    def _chunks(self, datagram: Datagram, vitals: Vitals) -> None:
        opening = [
            chunk.sequence
            for chunk in datagram.chunks
            if isinstance(chunk.message, Plain) and chunk.message.number in (wire.INFO, wire.MAP_CHANGE)
        ]
        repeated = self._repeats(datagram)
        for chunk in datagram.chunks:
            if chunk.sequence is None:
                self._each(iter((chunk.message,)))
                continue
            first = chunk.sequence == 1 and not chunk.resent and not vitals.is_next(1) and not repeated
            if first and self._snapshots_in_generation and any(number in (1, 2, 3) for number in opening):
                self._restart()
            self._each(vitals.take(chunk))

    def _repeats(self, datagram: Datagram) -> bool:
        """Is it the very datagram that opened the connection, repeated by the network?"""
        numbers = [chunk.sequence for chunk in datagram.chunks if chunk.sequence is not None]
        if not numbers or numbers[0] != 1:
            return False
        payload, time = self._openers.get(datagram.sender, (b"", 0))
        self._openers[datagram.sender] = datagram.payload, self._time
        return payload == datagram.payload and self._time - time < REPEATS

    def _each(self, messages: Iterator[Message]) -> None:
        for message in messages:
            if isinstance(message, Snap):
                self._snapshots_in_generation = True
                self._on_snap(message)
            elif isinstance(message, Proof):
                self._proofs.add(message.token)
            elif isinstance(message, Input):
                self._on_input(message.acked)
            elif message.number in (wire.MAP_CHANGE, wire.ENTERGAME):
                self._on_begin(message.number)
            elif message.number == wire.INFO:
                self._snapshots_in_generation = False

    def _on_begin(self, number: int) -> None:
        if number == wire.ENTERGAME and self.epoch.begun_by == wire.MAP_CHANGE and not self.epoch.acks:
            # After a rejoin snapshots start before ENTERGAME (spec section 15.4): one that was under way then is the
            # base of later ones, so the store has to outlive this message. Once a snapshot is acknowledged the
            # client has entered, and this is another ENTERGAME, whose MAP_CHANGE the capture lost.
            self._session += self.epoch.counted
            self.epoch.counted = False
        else:
            self._new_epoch(number)

    def _new_epoch(self, begun_by: int | None) -> None:
        self._close()
        self._session += self.epoch.counted
        self.epochs.append(Epoch(begun_by))

    def _close(self) -> None:
        for tick in sorted(self.epoch.open):
            self._give_up(self.epoch, tick)

    def _give_up(self, epoch: Epoch, tick: int) -> None:
        row = epoch.given_up[tick] = epoch.open.pop(tick)
        self._report(row, "P1")

    def _report(self, row: Row, code: str, cause: Row | None = None) -> None:
        row.code, row.frame, row.session, row.cause = code, self._frame, self._session, cause
        self.rows.append(row)

    def _on_input(self, acked: int) -> None:
        if acked < 0 or acked in self._proofs:
            return
        epoch = self.epoch
        if epoch.first is not None:
            rebuilt = epoch.done.get(acked)
            if acked > epoch.seen:
                epoch.early.add(acked)
            epoch.acks.setdefault(acked, rebuilt is not None and rebuilt.status == "ok")

    def _on_snap(self, message: Snap) -> None:
        sent, tick = message.sent, message.sent.tick
        if sent.fault and FAULTS[sent.fault][1] == "F1":
            self._report(Row(self.epoch, sent), "F1")
            return
        if sent.base_tick < 0 and tick < self.epoch.seen - 150:
            self._new_epoch(None)
        epoch = self.epoch
        epoch.real.add(sent.epoch)
        epoch.counted = True
        late = tick < epoch.seen
        epoch.seen = max(epoch.seen, tick)
        epoch.first = tick if epoch.first is None else min(tick, epoch.first)
        if 0 <= sent.base_tick < tick:
            epoch.used.add(sent.base_tick)
        first = epoch.done.get(tick) or epoch.given_up.get(tick)
        row = epoch.open.get(tick)
        if first is not None:
            self._report(Row(epoch, sent), "S1" if first.code == "P1" else "S2", first)
            return
        if row is not None and message.part in row.parts:
            self._report(Row(epoch, sent), "S2", row)
            return
        row = epoch.open.setdefault(tick, Row(epoch, sent))
        row.parts.add(message.part)
        row.late = late
        if len(row.parts) == sent.parts:
            self._complete(epoch, row)
        if len(epoch.open) > MAX_OPEN:
            self._give_up(epoch, min(epoch.open))

    def _complete(self, epoch: Epoch, row: Row) -> None:
        sent = row.sent
        del epoch.open[sent.tick]
        epoch.done[sent.tick] = row
        base = epoch.done.get(sent.base_tick)
        if sent.base_tick >= sent.tick:
            self._report(row, "B5")
        elif sent.base_tick >= 0 and (base is None or base.status != "ok"):
            cause = epoch.cause_of(sent.base_tick)
            known = epoch.begun_by is not None or (epoch.first is not None and sent.base_tick >= epoch.first)
            self._report(row, "B2" if cause else "B3" if known else "B1", cause)
        elif sent.fault:
            self._report(row, FAULTS[sent.fault][1])
        else:
            self._report(row, "OK-E" if sent.kind == "SNAPEMPTY" else "OK")


def bystanders(tap: Tap, tokens: bool, is_client: Callable[[Address], bool]) -> dict[Address, Bystander]:
    """The flows of everything the tap kept, finished."""
    flows: dict[Address, Bystander] = {}
    for passed in tap.passes:
        if passed.frame is not None:
            datagram = passed.datagram
            client = datagram.sender if is_client(datagram.sender) else datagram.receiver
            flows.setdefault(client, Bystander(client, tokens)).see(passed)
    for flow in flows.values():
        flow.finish()
    return flows
