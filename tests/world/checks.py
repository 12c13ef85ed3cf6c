"""What must hold: the truth against the world, and the program's records against the truth."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from world.client import Client
from world.datagram import Address, Sent, Snap
from world.truth import Bystander, Epoch, Row, bystanders
from world.wire import Items
from world.world import SERVER, World

Record = Mapping[str, object]
Listed = list[list[object]]


def listed(items: Items) -> Listed:
    """Items as a record has them: sorted by type and id."""
    return [[kind, number, list(values)] for (kind, number), values in sorted(items.items())]


def confused(epoch: Epoch) -> bool:
    """The tap missed every event between two real maps, and ticks alone do not tell them apart."""
    return len(epoch.real) > 1


class Truth:
    """Everything that is known of a world that has ended."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.flows = bystanders(world.tap, world.tokens, lambda address: address != SERVER)

    def rows(self, flow: Bystander) -> list[Row]:
        """Rows of a flow that the tap can know."""
        return [
            row for row in flow.rows if not confused(row.epoch) and (flow.strange is None or row.frame < flow.strange)
        ]

    def against_the_world(self) -> None:
        """The bystander is right wherever the world knows better."""
        completed = self._completed()
        for client in self.world.clients:
            flow = self.flows.get(client.address)
            rows = self.rows(flow) if flow else []
            told = [row for row in rows if row.status not in ("late", "duplicate")]
            # A part repeated by the network may reach the next epoch, where it is a snapshot of its own.
            by_sent = {row.sent: row for row in sorted(told, key=lambda row: row.status == "ok")}
            for sent in client.rebuilt:
                row = by_sent.get(sent)
                if row is not None and self._chain_seen(sent, completed, by_sent):
                    assert row.status == "ok", row.code
            for row in rows:
                self._judge(row, client)

    def _judge(self, row: Row, client: Client) -> None:
        world, sent, rebuilt = self.world, row.sent, client.rebuilt
        if row.has == "acked" and sent.tick not in row.epoch.early:
            assert sent in rebuilt
        if sent in rebuilt and not sent.fault:
            assert rebuilt[sent] == sent.items
        if row.code == "P1":
            if (
                row.losers == {"capture"}
                and sent.tick not in row.epoch.early
                and (row.has == "acked" or sent.tick in row.epoch.used)
            ):
                assert sent in rebuilt
                assert not world.tap.lossless
            if world.tap.lossless and row.epoch.begun_by is not None:
                assert "capture" not in row.losers
        undisturbed = not any(other.epoch is sent.epoch and other.tick >= sent.tick for other in client.ignored)
        if row.status == "ok" and not world.tap.at_server and world.tap.lossless and undisturbed:
            assert (sent in rebuilt or sent in client.baseless) == (not row.late)

    def _completed(self) -> dict[Sent, int]:
        """The frame with which the last part of a snapshot passed the tap; only those that passed whole."""
        parts: dict[Sent, dict[int, int]] = {}
        for passed in self.world.tap.passes:
            if passed.frame is not None and not passed.cut:
                for chunk in passed.datagram.chunks:
                    if isinstance(chunk.message, Snap):
                        parts.setdefault(chunk.message.sent, {}).setdefault(chunk.message.part, passed.frame)
        return {sent: max(frames.values()) for sent, frames in parts.items() if len(frames) == sent.parts}

    def _chain_seen(self, sent: Sent, completed: Mapping[Sent, int], by_sent: Mapping[Sent, Row]) -> bool:
        """Every byte from here back to a full snapshot passed the tap, in order."""
        while sent.base_tick >= 0:
            bases = [
                other
                for other in by_sent
                if other.tick == sent.base_tick and other.epoch is sent.epoch and other in completed
            ]
            if sent not in completed or not bases or completed[bases[0]] > completed[sent]:
                return False
            sent = bases[0]
        return sent in completed

    def compare(self, records: Iterable[Record]) -> None:
        """The program says of every snapshot what the truth says, and nothing else."""
        told: dict[str, list[Record]] = {}
        for record in records:
            assert record["status"] != "bug"
            told.setdefault(str(record["client"]), []).append(record)
        for address, flow in self.flows.items():
            # From there on the sessions may be numbered in two ways, and both are right.
            doubtful = min((row.session for row in flow.rows if confused(row.epoch)), default=sys.maxsize)
            known = flow.strange or sys.maxsize
            mine = [
                row
                for row in self.rows(flow)
                if row.session < doubtful and (row.cause is None or row.cause.frame < known)
            ]
            theirs = [
                record
                for record in told.pop(endpoint(address), [])
                if as_int(record["session"]) < doubtful
                and as_int(record["frame"]) < known
                and as_int(record["cause_frame"] or 0) < known
            ]
            compare_flow(mine, theirs, settled=flow.strange is None)
        assert not told


def compare_flow(rows: Sequence[Row], records: Sequence[Record], *, settled: bool) -> None:
    """Rows of one flow, in any order. Not `settled`: what later packets say of them is not known."""
    expected, found = Counter(map(summary, rows)), Counter(map(record_summary, records))
    assert found == expected, f"not found: {list(expected - found)[:3]}, too much: {list(found - expected)[:3]}"
    by_key = {(row.frame, row.sent.tick, row.status): row for row in rows}
    for record in records:
        row = by_key[as_int(record["frame"]), as_int(record["tick"]), str(record["status"])]
        if settled:
            compare_standing(row, record)
        if row.status in ("ok", "crc", "no-base", "malformed") and row.code != "F1":
            assert record["client_kept"] == (not row.late), summary(row)
        if row.status == "ok":
            assert record["items"] == listed(row.sent.items)
            assert record["num_items"] == len(row.sent.items)
            assert record["crc_ok"] == (None if row.code == "OK-E" else True)
        if row.status == "no-base":
            compare_partial(row, record)
        if row.status not in ("late", "duplicate") and row.code != "F1":
            assert record["kind"] == row.sent.kind
            assert record["parts"] == row.sent.parts


def compare_partial(row: Row, record: Record) -> None:
    """What is said to be known of a snapshot without a base is so, and what is said to be absent is absent."""
    partial = record.get("partial")
    if partial is None or row.sent.fault:
        return
    assert isinstance(partial, dict)
    items = {(kind, number): list(values) for (kind, number), values in row.sent.items.items()}
    for kind, number, values in partial["known_items"]:
        assert items[kind, number] == values, (summary(row), kind, number)
    for kind, number in partial["unknown_items"]:
        assert (kind, number) in items, (summary(row), kind, number)
    for kind, number in partial["absent_items"]:
        assert (kind, number) not in items, (summary(row), kind, number)
    assert [partial[name] for name in ("known", "unknown", "absent")] == [
        len(partial[f"{name}_items"]) for name in ("known", "unknown", "absent")
    ]


def compare_standing(row: Row, record: Record) -> None:
    """Whether the client had it, and who lost what is missing."""
    assert record["lost_by"] in row.losers, (summary(row), record["lost_by"], row.losers)
    if row.status not in ("late", "duplicate") and row.code != "F1":
        # A repetition, a straggler, or an unreadable message is no further snapshot that the client could have.
        assert record["client_has"] == row.has, (summary(row), record["client_has"], row.has)


def summary(row: Row) -> tuple[object, ...]:
    """What names a row and its fate."""
    cause = None if row.cause is None else row.cause.frame
    sent = row.sent
    base_tick = -1 if row.code == "F1" else sent.base_tick
    return (row.frame, sent.tick, base_tick, row.status, row.code, row.session, cause)


def record_summary(record: Record) -> tuple[object, ...]:
    """The same of a record."""
    keys = ("frame", "tick", "base_tick", "status", "code", "session", "cause_frame")
    return tuple(record[key] for key in keys)


def endpoint(address: Address) -> str:
    """An address as records write it."""
    return f"{address[0]}:{address[1]}"


def as_int(value: object) -> int:
    """A number of a record."""
    assert isinstance(value, int)
    return value
