"""Whatever a person points at becomes a filter that is true of it: each text is applied to where it came from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from capture_files import capture_paths

from analyzer.engine.capture import Capture
from analyzer.engine.filtering import registry, view
from analyzer.engine.query import Query
from analyzer.filters.parse import parse
from analyzer.filters.registry import Registry
from analyzer.filters.view import View
from analyzer.protocols import PROTOCOLS
from analyzer.stats.series import Metric
from analyzer.wire.reader import Field
from analyzer.wire.secrets import Secrets
from ui.models.filter_texts import FilterTexts, quoted
from ui.models.packet_cells import Column, TimeFormat

CAPTURES = ("ddnet_learntoplay", "tw07_dm7_any_sll2", "ddnet_ctf4_ipv6")


@dataclass
class Opened:
    capture: Capture
    query: Query
    fields: Registry
    view: View
    texts: FilterTexts

    def is_true(self, text: str, packet: int) -> bool:
        return bool(parse(text, self.fields).packets(self.view, packet, packet + 1)[0])


@pytest.fixture(scope="module", params=CAPTURES)
def opened(request: pytest.FixtureRequest) -> Iterator[Opened]:
    path = next(path for path in capture_paths() if path.name.startswith(request.param))
    capture = Capture.open(path)
    while capture.step():
        pass
    capture.settle()
    query, fields = capture.query(), registry(PROTOCOLS)
    yield Opened(capture, query, fields, view(capture.tables, query, fields), FilterTexts(fields))
    query.close()
    capture.close()


def some_packets(opened: Opened, count: int = 60) -> list[int]:
    total = len(opened.capture.tables.packets)
    return sorted({*range(min(12, total)), *np.linspace(0, total - 1, min(count, total)).astype(int).tolist()})


@pytest.mark.parametrize("column", [column for column in Column if column is not Column.GUTTER])
def test_every_cell_is_a_filter_that_its_packet_passes(opened: Opened, column: Column) -> None:
    tables = opened.capture.tables
    for packet in some_packets(opened):
        for form in TimeFormat:
            text = opened.texts.cell(tables, packet, column, form)
            assert text, (packet, column)
            assert opened.is_true(text, packet), (packet, text)


def test_a_number_means_one_packet(opened: Opened) -> None:
    tables = opened.capture.tables
    text = opened.texts.cell(tables, 3, Column.NUMBER)
    found = parse(text, opened.fields).packets(opened.view, 0, len(tables.packets))
    assert np.flatnonzero(found).tolist() == [3]


def paths(fields: Sequence[Field], above: tuple[Field, ...] = ()) -> Iterator[tuple[Field, ...]]:
    for field in fields:
        yield (*above, field)
        yield from paths(field.children, (*above, field))


def test_fields_of_messages_are_filters_that_their_packet_passes(opened: Opened) -> None:
    made = set()
    for packet in some_packets(opened, 30):
        tree = opened.query.explain(packet)
        for path in paths(tree.fields):
            text = opened.texts.field(path)
            if text:
                made.add(text.split(" ")[0])
                assert opened.is_true(text, packet), (packet, text, path[-1].name)
    assert {"message.name", "message.size", "message.vital", "packet.ack", "packet.chunks"} <= made
    assert len([name for name in made if name.count(".") == 2]) > 10


def test_of_a_password_nothing_is_said(opened: Opened) -> None:
    for packet in range(min(20, len(opened.capture.tables.packets))):
        tree = opened.query.explain(packet)
        for path in paths(tree.fields):
            if Secrets(tree).is_secret(path[-1]):
                assert opened.texts.field(path) == ""


def test_items_and_their_fields_are_filters(opened: Opened) -> None:
    tables = opened.capture.tables
    tried = 0
    for snapshot in np.linspace(0, len(tables.snapshots) - 1, 12).astype(int).tolist():
        packet = tables.snapshots.integer("packet", snapshot)
        declared = [item for item in opened.query.items(snapshot) if "not declared" not in item.name]
        for item in declared[:6]:
            texts = [opened.texts.type(item.name), opened.texts.item(item.name, item.id)]
            for field in item.fields:
                value = field.values[0] if len(field.values) == 1 else None
                if value is not None:
                    texts.append(opened.texts.item_field(item.name, field.name, "new", value))
            for text in texts:
                assert text, item.name
                assert opened.is_true(text, packet), (snapshot, text)
                tried += 1
    assert tried > 100


def test_changes_are_filters(opened: Opened) -> None:
    tables = opened.capture.tables
    tried = 0
    for snapshot in np.linspace(1, len(tables.snapshots) - 1, 12).astype(int).tolist():
        packet = tables.snapshots.integer("packet", snapshot)
        for change in opened.query.changes(snapshot)[:6]:
            texts = [opened.texts.change(change, None), opened.texts.bits(change.name, change.bits)]
            for field in change.fields:
                if field.new is not None and field.new != field.old:
                    texts.append(opened.texts.change(change, field))
                if field.difference:
                    texts.append(opened.texts.item_field(change.name, field.name, "difference", field.difference))
            for text in filter(None, texts):
                assert opened.is_true(text, packet), (snapshot, text)
                tried += 1
    assert tried > 50


def test_sessions_snapshots_and_points(opened: Opened) -> None:
    tables = opened.capture.tables
    for session in range(len(tables.sessions)):
        text = opened.texts.session(tables, session)
        found = parse(text, opened.fields).packets(opened.view, 0, len(tables.packets))
        own = tables.packets.array("session") == session
        # What the only session of a client is called includes what came before it.
        assert found[own].all()
        assert (found == own).all() or "number" not in text
    for snapshot in np.linspace(0, len(tables.snapshots) - 1, 10).astype(int).tolist():
        packet = tables.snapshots.integer("packet", snapshot)
        assert opened.is_true(opened.texts.snapshot(tables, snapshot), packet)
        text = opened.texts.point(Metric.WIRE_BYTES, float(tables.snapshots.integer("wire_bytes", snapshot)))
        assert opened.is_true(text, packet)
    assert opened.texts.point(Metric.ACK_MS, 20.5) == "snapshot.ack_delay >= 20.5ms"
    assert opened.texts.point(Metric.ITEMS, float("nan")) == ""


@pytest.mark.parametrize(
    ("name", "said", "text"),
    [
        ("snapshot.tick", "234", "snapshot.tick == 234"),
        ("snapshot.ack_delay", "80.123", "snapshot.ack_delay in {80.1225ms..80.1235ms}"),
        ("message.vital", "yes", "message.vital == true"),
        ("message.name", "NETMSG_INPUT, NETMSG_INFO", 'message.name == "NETMSG_INPUT"'),
        ("session.player", "bot0", 'session.player == "bot0"'),
        ("snapshot.status", "ok", 'snapshot.status == "ok"'),
        ("ip.src", "127.0.0.1:8303", "ip.src == 127.0.0.1:8303"),
        ("snapshot.tick", "", ""),
        ("nothing.known", "1", ""),
    ],
)
def test_cells_of_added_columns(name: str, said: str, text: str) -> None:
    assert FilterTexts(registry(PROTOCOLS)).added(name, said) == text


@pytest.mark.parametrize("name", ["plain", 'a "quote"', "back\\slash", "new\nline \t\x01\x7f", "é ✓ \u202e", "🐻"])
def test_any_text_can_be_quoted(name: str) -> None:
    chosen = parse(f"session.player == {quoted(name)}", registry(PROTOCOLS))
    (comparison,) = [chosen.node]
    assert comparison.test.one(name)  # type: ignore[union-attr]
    assert not comparison.test.one(name + "x")  # type: ignore[union-attr]
