"""Excerpts of a session seen from its middle: a snapshot that was rebuilt without its base is so in them as well."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analyzer.export import selection
from analyzer.export.formats import Format
from analyzer.snapshots.status import Status
from tests.capture.builders import pcap_file
from tests.encoder import Items, key
from tests.export.excerpts import assert_same, assert_same_frames, cut, decoded
from tests.net.builders import ipv4, udp
from tests.protocols.teeworlds.played import SERVER, A, B, Played, snap_empty

FLAG: Items = {key(5, 1): (1, 2, 3)}
FLAGS: Items = {key(5, 1): (2, 2, 3), key(5, 2): (4, 5, 6)}
PROMOTED, NEXT = 3, 4


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """102 to 106 are known in part, on a base before the capture; 108, which they make known, in full; 110 is on it."""
    play = Played()
    play.handshake()
    play.login()
    play.snap(102, 100, {**A, **FLAG, key(5, 2): (0, 0, 1)}, FLAG)
    play.snap(104, 102, FLAG, FLAGS)
    play.messages([snap_empty(106, 104)])
    play.snap(108, 106, FLAGS, A)
    play.snap(110, 108, A, B)
    frames = []
    for sent in play.datagrams:
        source, destination = (8303, 50000) if sent.direction == SERVER else (50000, 8303)
        frames.append((0, sent.time_ns // 1000, ipv4(udp(sent.payload, source=source, destination=destination))))
    path = tmp_path / "game.pcap"
    path.write_bytes(pcap_file(frames, link_field=101))
    return path


@pytest.mark.parametrize("form", list(Format))
def test_what_a_promoted_snapshot_rests_on_is_fetched(game: Path, form: Format, tmp_path: Path) -> None:
    with decoded(game, compiled=False) as whole:
        tables = whole.capture.tables
        assert tables.snapshots.integers("status").tolist() == [Status.NO_BASE] * 3 + [Status.OK] * 2
        chosen = selection.of_packets(tables, np.array([tables.snapshots.integer("packet", PROMOTED)]))
        target = tmp_path / "part.pcapng"
        excerpt, saved = cut(whole, chosen, target, form)
        assert saved.made == 0
        with decoded(target, compiled=False) as part:
            assert_same_frames(whole, excerpt, part)
            assert assert_same(whole, excerpt, part) == 4
            assert part.capture.tables.snapshots.integers("status").tolist()[-1] == Status.OK


def test_one_that_is_based_on_it_needs_it_alone(game: Path, tmp_path: Path) -> None:
    with decoded(game, compiled=False) as whole:
        tables = whole.capture.tables
        chosen = selection.of_packets(tables, np.array([tables.snapshots.integer("packet", NEXT)]))
        excerpt, saved = cut(whole, chosen, tmp_path / "part.pcapng")
        assert saved.made == 1
        with decoded(tmp_path / "part.pcapng", compiled=False) as part:
            assert assert_same(whole, excerpt, part) == 1
