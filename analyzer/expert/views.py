"""What rules look at: rows of a table as columns that are read when a rule asks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from analyzer.expert.knowledge import Knowledge
from analyzer.snapshots.status import REPEATED
from analyzer.stats.live import packet_times
from analyzer.store.columns import Table
from analyzer.store.tables import Tables

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
R = TypeVar("R", bound="TableRows")
UNKNOWN = Knowledge()


class Sessions:
    """What is looked up of sessions for every row; it grows with the table."""

    def __init__(self, tables: Tables, knowledge: Mapping[str, Knowledge]) -> None:
        """`knowledge`: by Protocol.name."""
        self._tables = tables
        self._by_name = knowledge
        self.protocols: list[Knowledge] = [UNKNOWN]
        """By the numbers in `protocol`."""
        self._numbers: dict[str, int] = {}
        self.protocol: Ints = np.empty(0, np.int64)
        """Of each reading, an index into `protocols`."""
        self.reading: Ints = np.empty(0, np.int64)
        """Of each session."""
        self.first_row: Ints = np.empty(0, np.int64)
        """Of each session, its first snapshot; -1: none yet."""
        self.snapshots: Ints = np.empty(0, np.int64)
        """Of each session, how many there are that repeat no other."""

    def update(self) -> None:
        """Take in new readings and sessions."""
        tables = self._tables
        # Also those that are not published yet: packets may refer to them.
        sessions, readings = tables.sessions.appended, tables.readings.appended
        new = [self._number(name) for name in tables.readings.array("protocol", len(self.protocol), readings).tolist()]
        self.protocol = np.append(self.protocol, np.array(new, np.int64))
        known = len(self.reading)
        self.reading = np.append(self.reading, tables.sessions.integers("reading", known, sessions))
        more = sessions - known
        self.first_row = np.append(self.first_row, np.full(more, -1))
        self.snapshots = np.append(self.snapshots, np.zeros(more, np.int64))

    def count(self, rows: SnapshotRows) -> None:
        """New snapshot rows, in their order."""
        own = rows.part(~rows.repeated)
        sessions = own["session"]
        first = self.first_row.copy()
        # Of several the first is written last.
        first[sessions[::-1]] = own.rows[::-1]
        self.first_row = np.where(self.first_row < 0, first, self.first_row)
        self.snapshots += np.bincount(sessions, minlength=len(self.snapshots))

    def knowledge(self, session: Ints) -> Ints:
        """Index into `protocols` of each session's protocol."""
        return self.protocol[self.reading[session]]

    def by_protocol(self, session: Ints, values: Sequence[float]) -> NDArray[np.float64]:
        """For each session, what `values` says of its protocol."""
        return np.asarray(values, np.float64)[self.knowledge(session)]

    def _number(self, name: str) -> int:
        known = self._numbers.get(name)
        if known is None:
            known = self._numbers[name] = len(self.protocols)
            self.protocols.append(self._by_name.get(name, UNKNOWN))
        return known


class TableRows:
    """Some rows of a table."""

    def __init__(self, tables: Tables, table: Table, sessions: Sessions, rows: Ints) -> None:
        self.tables = tables
        self.sessions = sessions
        self.rows = rows
        self._table = table
        self._columns: dict[str, Ints] = {}
        self._dense = len(rows) > 0 and int(rows[-1]) - int(rows[0]) + 1 == len(rows)
        self._source: Callable[[str], Ints] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, column: str) -> Ints:
        """The values of a number column, shape (n,)."""
        known = self._columns.get(column)
        if known is None:
            known = self._columns[column] = self._read(column)
        return known

    def part(self: R, which: Mask | Ints) -> R:
        """Some of them."""
        chosen = np.flatnonzero(which) if which.dtype == np.bool_ else which
        return self._like(self.rows[chosen], lambda column: self[column][chosen])

    def after(self: R, others: R) -> R:
        """`others`, and these behind them."""
        rows = np.concatenate((others.rows, self.rows))
        return self._like(rows, lambda column: np.concatenate((others[column], self[column])))

    def _like(self: R, rows: Ints, source: Callable[[str], Ints]) -> R:
        made = object.__new__(type(self))
        made.tables, made.sessions, made._table = self.tables, self.sessions, self._table
        made.rows, made._dense, made._columns, made._source = rows, False, {}, source
        return made

    def _read(self, column: str) -> Ints:
        if self._source is not None:
            return self._source(column)
        if self._dense:
            return self._table.integers(column, int(self.rows[0]), int(self.rows[-1]) + 1)
        return self._table.take(column, self.rows).astype(np.int64)


class SnapshotRows(TableRows):
    """Some rows of `snapshots`."""

    def __init__(self, tables: Tables, sessions: Sessions, rows: Ints) -> None:
        super().__init__(tables, tables.snapshots, sessions, rows)

    @property
    def repeated(self) -> Mask:
        """Which say again what another row says."""
        found: Mask = np.isin(self["status"], REPEATED)
        return found

    @property
    def is_first(self) -> Mask:
        """Which are the first of their session."""
        first: Mask = self.rows == self.sessions.first_row[self["session"]]
        return first

    def stands_for(self, rule: str) -> Mask:
        """Whose report codes stand for a rule."""
        known = self._columns.get("rule of code")
        names = sorted({name for protocol in self.sessions.protocols for name in protocol.snapshot_rules})
        if known is None:
            table = np.full((len(self.sessions.protocols), 256), -1)
            for number, protocol in enumerate(self.sessions.protocols):
                for code, name in enumerate(protocol.snapshot_rules):
                    table[number, code] = names.index(name) if name else -1
            known = table[self.sessions.knowledge(self["session"]), self["code"]]
            self._columns["rule of code"] = known
        if rule not in names:
            return np.zeros(len(self), np.bool_)
        stands: Mask = known == names.index(rule)
        return stands

    def severity(self, otherwise: int) -> Ints:
        """What the report codes say of how bad it is, or what holds otherwise."""
        table = np.zeros((len(self.sessions.protocols), 256), np.int64)
        for number, protocol in enumerate(self.sessions.protocols):
            table[number, : len(protocol.severities)] = protocol.severities
        said = table[self.sessions.knowledge(self["session"]), self["code"]]
        return np.where(said > 0, said, otherwise)

    def limit(self, name: str) -> NDArray[np.float64]:
        """A number of `Knowledge` for each row's protocol."""
        return self.sessions.by_protocol(
            self["session"], [getattr(protocol, name) for protocol in self.sessions.protocols]
        )

    @property
    def age(self) -> Ints:
        """Ticks from the base to the snapshot; 0 without a base."""
        return np.where(self["base_tick"] >= 0, self["tick"] - self["base_tick"], 0)

    def begins(self) -> Mask:
        """Which rows are the first of a session here, where those of each are together."""
        found: Mask = np.diff(self["session"], prepend=-1) != 0
        return found


class PacketRows(TableRows):
    """Some rows of `packets`."""

    def __init__(self, tables: Tables, sessions: Sessions, rows: Ints) -> None:
        super().__init__(tables, tables.packets, sessions, rows)

    def stands_for(self, rule: str) -> Ints:
        """Indices of those whose packet codes stand for a rule."""
        faulty = np.flatnonzero(self["code"])
        if not len(faulty):
            return faulty
        readings = self.tables.flows.take("reading", self["flow"][faulty]).astype(np.int64)
        faulty, readings = faulty[readings >= 0], readings[readings >= 0]
        # One that began just now may be among them.
        self.sessions.update()
        protocols = self.sessions.protocol[readings]
        table = np.zeros((len(self.sessions.protocols), 256), np.bool_)
        for number, protocol in enumerate(self.sessions.protocols):
            for code, name in enumerate(protocol.packet_rules):
                table[number, code] = name == rule
        return faulty[table[protocols, self["code"][faulty]]]


class MessageRows(TableRows):
    """Some rows of `messages`, those of one group together."""

    def __init__(self, tables: Tables, sessions: Sessions, rows: Ints) -> None:
        super().__init__(tables, tables.messages, sessions, rows)

    @property
    def group(self) -> Ints:
        """A number for the reading and the direction."""
        directions = self.tables.packets.take("direction", self["packet"]).astype(np.int64)
        return 2 * self["reading"] + directions

    @property
    def times(self) -> Ints:
        """When they were captured, in nanoseconds."""
        return packet_times(self.tables, self["packet"])


class DropRows(TableRows):
    """Some rows of `drops`."""

    def __init__(self, tables: Tables, sessions: Sessions, rows: Ints) -> None:
        super().__init__(tables, tables.drops, sessions, rows)


class FactRows(TableRows):
    """Some rows of `findings`, what decoding noted."""

    def __init__(self, tables: Tables, sessions: Sessions, rows: Ints) -> None:
        super().__init__(tables, tables.findings, sessions, rows)

    def named(self, rule: str) -> FactRows:
        """Those under the name of a rule."""
        names = self.tables.rules
        numbers = [number for number in range(len(names)) if names[number] == rule]
        return self.part(np.isin(self["rule"], numbers))

    @property
    def session(self) -> Ints:
        """That of the snapshot they rest on, or of the packet."""
        packets = self.tables.packets.take("session", self["packet"]).astype(np.int64)
        snapshots = (
            self.tables.snapshots.take("session", np.maximum(self["snapshot"], 0)).astype(np.int64)
            if (len(self.tables.snapshots))
            else packets
        )
        return np.where(self["snapshot"] >= 0, snapshots, packets)


class SessionRows(TableRows):
    """All rows of `sessions`."""

    def __init__(self, tables: Tables, sessions: Sessions, rows: Ints) -> None:
        super().__init__(tables, tables.sessions, sessions, rows)
