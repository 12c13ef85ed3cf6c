"""The sessions of a flow: one epoch of one connection each, what is known of its client, and epochs that begin unseen.

Spec sections 17.2 and 17.5.
"""

from __future__ import annotations

from dataclasses import replace

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.connection import Connection
from analyzer.protocols.teeworlds.dialects import Dialect
from analyzer.protocols.teeworlds.epoch import NOTE, WARNING, Epoch
from analyzer.protocols.teeworlds.messages import SnapFields
from analyzer.protocols.teeworlds.rebuilder import Tools
from analyzer.snapshots.tracking.columns import REORDERED_TICKS
from analyzer.store.rows import Rows, SessionRow

MAX_COUNT = 65535
"""Sessions, generations and epochs beyond it share this number: their columns have 16 bits."""
MAX_LEARNED_NAMES = 256
"""UUID names a flow may teach us."""
EPOCH_ACK_MARGIN = 500
EPOCH_FALLEN = 5
"""Rising ticks in a row, far below the newest, that only another epoch explains: no network delays by 3 s."""


class Sessions:
    """Adds their rows. An epoch without snapshots does not count as a session."""

    def __init__(self, rows: Rows, dialect: Dialect, connection: Connection, tools: Tools) -> None:
        self.current = -1
        """Row of the session that goes on, -1: the flow has none yet."""
        self.epoch: Epoch | None = None
        """Its epoch."""
        self.facts = SessionFacts(dialect.name, None, dialect.schema.sizes)
        self.player = ""
        """Name of the client's player, empty while unknown."""
        self._rows = rows
        self._dialect = dialect
        self._connection = connection
        self._tools = tools
        self._number = 0
        self._epochs = 0
        self._map = ""
        self._fallen: list[int] = []
        """Rising ticks far below the newest, seen in a row."""

    def open(self, packet: int) -> None:
        """Row `packet` belongs to a connection: from here on there is a session."""
        if self.epoch is None:
            self.current = self._add(packet)
            self.epoch = Epoch(self._rows, self.current, self._tools.open_rebuilder, begun=False)

    def change_map(self, name: str | None) -> None:
        """The server announces a map; None: its name cannot be read."""
        if name is not None:
            self._map = name
        self._epochs += 1
        self._replace_epoch(begun=True, map_began=True)
        self._rows.amend_session(self.current, "map", self._map)

    def tell_map(self, name: str | None) -> None:
        """A message that begins nothing says what the map is; that counts where nobody knows."""
        if name is not None and not self._map:
            self._map = name
            self._rows.amend_session(self.current, "map", name)

    def enter(self) -> None:
        """The client enters the game."""
        epoch = self.epoch
        assert epoch is not None
        if not epoch.enters():
            self._epochs += 1
            self._replace_epoch(begun=True)
        elif epoch.any_seen:
            self._number += 1
            self.flush_types()
            self.current = self._add(self._rows.packet.packet)
            epoch.go_on_as(self.current)

    def epoch_of(self, fields: SnapFields) -> Epoch:
        """The epoch of a snapshot message: another one if ticks fell back, so that the capture lost its beginning.

        An acknowledgement alone is not believed: a client that reads its socket late acknowledges old ticks too.
        """
        epoch = self.epoch
        assert epoch is not None
        if fields.tick >= epoch.seen - REORDERED_TICKS:
            self._fallen = []
            return epoch
        if not self._fallen or fields.tick != self._fallen[-1]:
            rising = not self._fallen or fields.tick > self._fallen[-1]
            self._fallen = [*self._fallen, fields.tick] if rising else [fields.tick]
        acked = epoch.last_ack
        if fields.base_tick < 0:
            why = f"a full snapshot of tick {fields.tick}, far below tick {epoch.seen}"
        elif (
            acked is not None
            and acked < epoch.seen - EPOCH_ACK_MARGIN
            # Below every tick known, or so far below the newest that this one was a lone number out of place.
            and (acked < epoch.lowest or fields.tick < epoch.seen - EPOCH_ACK_MARGIN)
        ):
            why = f"tick {fields.tick} and acknowledged tick {acked} are far below tick {epoch.seen}"
        elif len(self._fallen) >= EPOCH_FALLEN:
            why = f"ticks {self._fallen[0]} to {fields.tick} in a row are far below tick {epoch.seen}"
        else:
            return epoch
        self._fallen = []
        self._rows.finding("sess.epoch_inferred", WARNING, f"a new epoch began unseen: {why}")
        self._epochs += 1
        return self._replace_epoch(begun=False)

    def in_order(self) -> None:
        """Ticks came that are not far below the newest."""
        self._fallen = []

    @property
    def wants_player(self) -> bool:
        """Is the player's name to be looked for in snapshots?"""
        return self._dialect.names_in_snapshots and not self.player

    def name_player(self, name: str) -> None:
        """The client's player is called so; empty: nobody knows."""
        if name and name != self.player:
            self.player = name
            self._rows.amend_session(self.current, "player", name)

    def learn_token(self, token: int | None) -> None:
        """The connection has this token."""
        if token != self.facts.token:
            if self.facts.token is not None:
                self._rows.finding("sess.token_change", NOTE, "the token is another one from here on")
            self._learn(replace(self.facts, token=token))

    def learn_name(self, identity: str, name: str) -> None:
        """A UUID, in canonical form, stands for a name."""
        names = self.facts.names
        if identity not in names and len(names) < MAX_LEARNED_NAMES:
            self._learn(replace(self.facts, names={**names, identity: name}))

    def flush_types(self) -> None:
        """Hand over what was counted of item types since the last time."""
        for (type, declaration), count in self._tools.types.take().items():
            name = self._dialect.schema.item_name(type, {} if declaration is None else {type: declaration})
            self._rows.count_type(self.current, name, count.updates, count.values, count.packet)

    def close(self) -> None:
        """End of the capture: settle what is open."""
        if self.epoch is not None:
            self.flush_types()
            self.epoch.close()

    def _replace_epoch(self, *, begun: bool, map_began: bool = False) -> Epoch:
        """An empty store."""
        assert self.epoch is not None
        self.flush_types()
        self.epoch.close()
        if self.epoch.any_seen:
            self._number += 1
            self.current = self._add(self._rows.packet.packet)
        else:
            self._rows.amend_session(self.current, "epoch", min(self._epochs, MAX_COUNT))
            self._rows.amend_session(self.current, "generation", min(self._connection.generation, MAX_COUNT))
        open_rebuilder = self._tools.open_rebuilder
        self.epoch = Epoch(self._rows, self.current, open_rebuilder, begun=begun, map_began=map_began)
        return self.epoch

    def _learn(self, facts: SessionFacts) -> None:
        self.facts = facts
        self._rows.amend_session(self.current, "facts", facts)

    def _add(self, packet: int) -> int:
        row = SessionRow(
            min(self._number, MAX_COUNT),
            min(self._connection.generation, MAX_COUNT),
            min(self._epochs, MAX_COUNT),
            self._dialect.name,
            self.facts,
            packet,
            self.player,
            self._map,
        )
        return self._rows.session(row)
