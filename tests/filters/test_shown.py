"""Fields as columns: what is said of a packet is what filters find it by, however packets are chosen; orders rise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from capture_files import BUNDLED

from analyzer.engine import filtering
from analyzer.engine.capture import Capture
from analyzer.filters.fields import FieldInfo
from analyzer.filters.kinds import Kind
from analyzer.filters.parse import parse
from analyzer.filters.shown import UNSET, sort_keys, texts, unit
from analyzer.filters.view import View
from analyzer.protocols import PROTOCOLS

REGISTRY = filtering.registry(PROTOCOLS)
MIDSESSION = BUNDLED / "ddnet_ctf3_midsession_head.pcap.gz"
PLAIN = [info for info in REGISTRY if info.in_columns and info.kind is not Kind.PRESENCE]


class Opened:
    def __init__(self, path: Path) -> None:
        self.capture = Capture.open(path)
        self.capture.decode()
        self.count = len(self.capture.tables.packets)
        self.query = self.capture.query()
        self.view: View = filtering.view(self.capture.tables, self.query, REGISTRY)

    def present(self, info: FieldInfo) -> np.ndarray:
        flag = f"{info.name} == true || {info.name} == false"
        return parse(flag if info.kind is Kind.FLAG else info.name, REGISTRY).packets(self.view, 0, self.count)


@pytest.fixture(scope="module")
def opened() -> Iterator[Opened]:
    made = Opened(MIDSESSION)
    yield made
    made.query.close()
    made.capture.close()


@pytest.mark.parametrize("info", PLAIN, ids=lambda info: info.name)
def test_a_packet_has_a_text_where_a_filter_finds_a_value(opened: Opened, info: FieldInfo) -> None:
    said = texts(info, opened.view, np.arange(opened.count))
    assert [bool(text) for text in said] == opened.present(info).tolist()
    chosen = np.arange(3, opened.count, 7)
    assert texts(info, opened.view, chosen) == [said[packet] for packet in chosen.tolist()]
    assert texts(info, opened.view, np.arange(0)) == []
    keys = sort_keys(info, opened.view, opened.count)
    assert (keys == UNSET).tolist() == [not text for text in said]
    # Packets with the same single value stand together.
    by_text: dict[str, set[int]] = {}
    for text, key in zip(said, keys.tolist(), strict=True):
        if text and ", " not in text:
            by_text.setdefault(text, set()).add(key)
    if info.kind not in (Kind.DURATION, Kind.TIME):
        assert all(len(found) == 1 for found in by_text.values())


def test_numbers_are_those_of_the_tables(opened: Opened) -> None:
    info = REGISTRY.get("udp.length")
    assert info is not None
    lengths = opened.capture.tables.packets.integers("udp_length")
    assert texts(info, opened.view, np.arange(20)) == [str(length) for length in lengths[:20].tolist()]
    assert sort_keys(info, opened.view, opened.count).tolist() == lengths.tolist()


@pytest.mark.parametrize("name", ["message.input.ack_game_tick", "item.Character.x", "session.player", "ip.src"])
def test_orders_rise_with_the_first_value(opened: Opened, name: str) -> None:
    info = REGISTRY.get(name)
    assert info is not None
    said = texts(info, opened.view, np.arange(opened.count))
    assert any(said)
    keys = sort_keys(info, opened.view, opened.count)
    firsts = [text.split(", ")[0] for text in said]
    known = [(key, first) for key, first in zip(keys.tolist(), firsts, strict=True) if key != UNSET]
    assert len(known) == sum(map(bool, said))
    if name.startswith(("message", "item")):
        assert [int(first) for _, first in sorted(known)] == sorted(int(first) for _, first in known)
    else:
        assert [first for _, first in sorted(known)] == sorted((first for _, first in known), key=str.casefold)


def test_units_stand_in_the_head() -> None:
    units = {name: unit(REGISTRY.get(name) or PLAIN[0]) for name in ("snapshot.ack_delay", "frame.time", "udp.length")}
    assert units == {"snapshot.ack_delay": "ms", "frame.time": "UTC", "udp.length": ""}
