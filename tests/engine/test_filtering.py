"""Filters over bytes and items of real captures, and over what only a mod's schema names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from capture_files import BUNDLED, SAMPLE

from analyzer.engine import filtering
from analyzer.engine.capture import Capture
from analyzer.engine.schemas import use_schemas
from analyzer.filters.errors import FilterError
from analyzer.filters.nodes import Needs
from analyzer.filters.on_demand import NotAtHandError
from analyzer.filters.parse import parse
from analyzer.filters.terms import ItemTerm, MessageTerm
from analyzer.filters.view import View
from analyzer.protocols import PROTOCOLS
from tests.modded import SNAPSHOTS, write_capture, write_schema
from tests.protocols.pong import PONG


class Opened:
    """A decoded capture and filters on it."""

    def __init__(self, path: Path) -> None:
        self.capture = Capture.open(path, strict=True)
        self.capture.decode()
        self.tables = self.capture.tables
        self.query = self.capture.query()
        self.registry = filtering.registry(self.capture.protocols)
        self.view = filtering.view(self.tables, self.query, self.registry)

    def packets(self, text: str) -> list[int]:
        """Frames, from 1, that a filter is true of."""
        found = parse(text, self.registry).packets(self.view, 0, len(self.tables.packets))
        return (self.tables.packets.integers("frame")[found] + 1).tolist()

    def snapshots(self, text: str) -> list[int]:
        """Rows of snapshots that a filter is true of."""
        rows = np.arange(len(self.tables.snapshots))
        return np.flatnonzero(parse(text, self.registry).snapshots(self.view, rows)).tolist()

    def close(self) -> None:
        self.query.close()
        self.capture.close()


@pytest.fixture(scope="module")
def tsunami() -> Iterator[Opened]:
    opened = Opened(BUNDLED / "ddnet_tsunami_head.pcapng")
    yield opened
    opened.close()


@pytest.fixture
def modded(tmp_path: Path) -> Iterator[Opened]:
    use_schemas([write_schema(tmp_path / "mod.json")])
    opened = Opened(write_capture(tmp_path / "mod.pcap"))
    yield opened
    opened.close()
    use_schemas([])


def test_fields_of_messages(tsunami: Opened) -> None:
    assert tsunami.packets("message.input.ack_game_tick == 110") == [27, 28]
    assert tsunami.packets("message.NETMSG_INPUT.ack_game_tick == 110") == [27, 28]
    assert tsunami.packets('message.sv_chat.message contains "bot0"')[0] == 25
    assert tsunami.packets('message.cl_startinfo.name == "bot0"') == [8]
    assert tsunami.packets("message.sv_teamsstate.team[3] == 0")[0] == 25
    assert tsunami.packets("count(message.sv_chat.message) == 5")[0] == 26


def test_items_and_changes(tsunami: Opened) -> None:
    assert tsunami.packets("item.Character.x == 944")[:2] == [25, 26]
    assert tsunami.packets("change.Character.added")[:2] == [25, 26]
    assert tsunami.packets('item.ClientInfo.name == "bot2"')[0] == 48
    assert tsunami.packets('item.Character.owner == "bot2"')[0] == 48
    assert tsunami.packets("change.Character.added && snapshot.base_tick > 0")[0] == 48
    assert tsunami.packets("count(change.Character.added) == 2")[:2] == [25, 26]
    assert tsunami.packets("frame.number == 48 && change.ClientInfo.bits == 756") == [48]


def test_functions_of_items_are_those_of_each_snapshot(tsunami: Opened) -> None:
    first = tsunami.snapshots("snapshot.tick == 110")
    assert tsunami.snapshots("snapshot.tick == 110 && count(item.Character) == 2") == first
    assert tsunami.snapshots("snapshot.tick == 110 && sum(item.Character.x) == 1039") == first
    assert tsunami.snapshots("snapshot.tick == 110 && count(item.Laser) == 0") == first
    assert tsunami.snapshots("snapshot.tick == 110 && all(item.Character.x) > 90") == first
    assert tsunami.snapshots("snapshot.tick == 110 && all(item.Character.x) > 100") == []
    assert tsunami.snapshots("snapshot.tick == 110 && item.Character.x != 95") == []


def test_a_snapshot_that_was_not_rebuilt_has_no_items_and_no_number_of_them() -> None:
    opened = Opened(BUNDLED / "ddnet_ctf3_midsession_head.pcap.gz")
    failed = opened.snapshots("snapshot.status == no-base")
    assert failed
    assert not set(failed) & set(opened.snapshots("count(item.Character) >= 0 || snapshot.items >= 0"))
    assert set(failed) <= set(opened.snapshots("!item.Character"))
    opened.close()


def test_a_view_without_what_reads_bytes_says_so(tsunami: Opened) -> None:
    view = View(tsunami.tables, tsunami.registry.vocabulary)
    for text in ("message.input.ack_game_tick > 0", "item.Character"):
        with pytest.raises(NotAtHandError):
            parse(text, tsunami.registry).packets(view, 0, 100)
        assert parse(f"frame.number < 0 && {text}", tsunami.registry).packets(view, 0, 100).sum() == 0


def test_only_what_is_in_doubt_is_read(tsunami: Opened) -> None:
    asked: list[int] = []

    class Watched:
        def read(self, term: MessageTerm, messages: np.ndarray) -> tuple[np.ndarray, list[object]]:
            asked.extend(messages.tolist())
            return filtering.MessageReader(tsunami.tables, tsunami.query).read(term, messages)

    view = View(tsunami.tables, tsunami.registry.vocabulary, messages=Watched())
    chosen = parse("message.input.ack_game_tick == 110 && frame.number < 30", tsunami.registry)
    assert chosen.packets(view, 0, len(tsunami.tables.packets)).sum() == 2
    packets = tsunami.tables.messages.take("packet", np.array(asked)).tolist()
    assert packets == [10, 11, 12, 23, 26, 27]


def test_the_reader_of_items_gives_each_term_of_each_snapshot(tsunami: Opened) -> None:
    reader = tsunami.view.items
    assert reader is not None
    terms = [
        ItemTerm(False, "Character", "x"),
        ItemTerm(False, "ClientInfo", "name"),
        ItemTerm(True, "Character", "", "added"),
    ]
    first, second = tsunami.snapshots("snapshot.tick == 110")
    x, name, added = reader.read(terms, np.array([first, second]))
    assert x.owner.tolist() == [0, 0, 1, 1]
    assert sorted(x.values.tolist()) == [95, 95, 944, 944]
    assert name.table is not None
    assert {name.table[place] for place in name.values.tolist()} == {"bot0", "bot1", " "}
    assert (added.owner.tolist(), added.values.tolist()) == ([0, 0, 1, 1], [1, 1, 1, 1])
    assert sorted(added.id.tolist()) == [0, 0, 1, 1]


def test_what_a_mod_names_is_filterable(modded: Opened) -> None:
    assert len(modded.snapshots("item.Turret")) == SNAPSHOTS
    assert modded.snapshots("item.Shield.strength >= 0")
    assert modded.snapshots("item.Turret.mood == angry || item.Turret.mood == calm")
    assert modded.packets('message.sv_hello.text contains ""')
    assert modded.packets("message.name == Sv_Score && message.sv_score.score >= 0")


def test_without_its_schema_a_mod_has_no_fields() -> None:
    with pytest.raises(FilterError, match=r"there is no field item\.Turret"):
        parse("item.Turret", filtering.registry(PROTOCOLS))


def test_a_protocol_without_schemas_has_the_fields_of_every_capture() -> None:
    fields = filtering.registry([PONG])
    assert parse("packet.kind == message && snapshot.code == OK", fields).needs is Needs.COLUMNS
    assert all(info.in_columns for info in fields)


def test_the_sample_has_three_players() -> None:
    opened = Opened(SAMPLE)
    whole = len(opened.tables.packets)
    parts = [len(opened.packets(f'session.player == "bot{number}"')) for number in range(3)]
    assert min(parts) > 500
    assert sum(parts) <= whole
    opened.close()
