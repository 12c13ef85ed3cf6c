"""Rules about packets, messages, connections and what the capture lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analyzer.expert.findings import Findings
from analyzer.expert.rules import Thresholds
from analyzer.store.tables import Tables
from tests.encoder import Items, chunk, key
from tests.expert.made import Found, begun
from tests.protocols.teeworlds.played import CLIENT, SERVER, input_message

START: Items = {key(5, 1): (1, 2, 0)}
RESENT = 4


def test_another_token(tmp_path: Path) -> None:
    """A reconnect that the capture missed."""
    play = begun()
    play.snap(100, -1, {}, START)
    play.token = 0x55AA55AA
    for _ in range(4):
        play.send(CLIENT, chunk(input_message(100)))
        play.send(SERVER, chunk(input_message(100)))
    found = Found(play, tmp_path / "token.pcap")
    assert found.words["sess.token_change"] == ["note: the token is another one from here on"]
    assert len(found.all("proto.foreign")) == 5
    assert found.all("sess.token_change")[0].packet == found.all("proto.foreign")[-1].packet + 1


def test_a_new_map_that_was_not_seen(tmp_path: Path) -> None:
    play = begun()
    play.snap(5000, -1, {}, START)
    play.snap(100, -1, {}, START)
    found = Found(play, tmp_path / "map.pcap")
    (text,) = found.words["sess.epoch_inferred"]
    assert text.startswith("warn: a new epoch began unseen: ")


@pytest.mark.parametrize(("every_ms", "off_ms", "count"), [(40, 45, 1), (40, 35, 0), (40, 0, 0)])
def test_snapshots_that_come_unevenly(tmp_path: Path, every_ms: int, off_ms: int, count: int) -> None:
    play = begun()
    for step in range(200):
        late = off_ms if step % 10 == 5 else 0
        play.snap(100 + 2 * step, 98 + 2 * step if step else -1, START if step else {}, START)
        sent = play.datagrams[-1]
        play.datagrams[-1] = type(sent)((10_000 + every_ms * step + late) * 1_000_000, *_rest(sent))
    found = Found(play, tmp_path / "jitter.pcap")
    assert len(found.all("rate.jitter")) == count
    found.findings.use(Thresholds({"rate.jitter.p99_ms": 30}))
    assert len(found.all("rate.jitter")) == (off_ms > 30)


def _rest(sent: object) -> tuple[int, bytes, int]:
    direction, payload, length = (getattr(sent, name) for name in ("direction", "payload", "udp_length"))
    return direction, payload, length


def made_tables(times_ms: list[int], flags: list[int]) -> Tables:
    """A message in each packet of one flow."""
    tables, count = Tables(), len(times_ms)
    tables.frames.append(
        {
            "time_ns": np.array(times_ms, np.int64) * 1_000_000,
            **{name: np.zeros(count, np.int64) for name in ("offset", "captured", "original", "interface", "kind")},
        },
        count,
    )
    tables.flows.append({"address_a": ["a:1"], "address_b": ["b:2"], "first_packet": [0], "reading": [0]}, 1)
    tables.readings.append({"flow": [0], "protocol": ["toy"], "dialect": ["toy"], "number": [0]}, 1)
    tables.packets.append(
        {
            "frame": np.arange(count),
            **{name: np.zeros(count, np.int64) for name in ("flow", "direction", "start", "length", "udp_length")},
            "pieces": np.ones(count, np.int64),
        },
        count,
    )
    zeros = {name: np.zeros(count, np.int64) for name in ("reading", "name", "id", "sequence", "size", "offset")}
    tables.messages.append({"packet": np.arange(count), "flags": np.array(flags), **zeros}, count)
    return tables


@pytest.mark.parametrize("portions", [[60], [1] * 60, [30, 1, 29]])
def test_many_messages_sent_again(portions: list[int]) -> None:
    """25 within a second, then 19, and others that are sent for the first time."""
    times = [*range(0, 1000, 40), *range(5000, 5000 + 19 * 50, 50), *range(9000, 9016)]
    tables = made_tables(times, [RESENT] * 44 + [0] * 16)
    for table in (tables.frames, tables.flows, tables.readings, tables.packets):
        table.publish()
    findings, shown = Findings(tables, {}), 0
    for portion in portions:
        shown += portion
        tables.messages.publish(shown)
        findings.update()
    (storm,) = findings.of("net.resend_storm")
    assert (storm.packet, storm.first, storm.second, storm.severity.word) == (0, 25, 1000, "warn")
    findings.use(Thresholds({"net.resend_storm.messages": 19}))
    assert [one.first for one in findings.of("net.resend_storm")] == [25, 19]


def test_what_the_capture_says_it_lost() -> None:
    tables = made_tables([0, 1, 2], [0, 0, 0])
    tables.drops.append(
        {
            "since": [0, 2],
            "frame": [1, 3],
            "interface": [0, 0],
            "lost": [7, 9],
            "packet": [1, 3],
            "begin_ns": [0, 0],
            "end_ns": [0, 0],
            "vague": [False, False],
        },
        2,
    )
    tables.publish()
    findings = Findings(tables, {})
    findings.update()
    assert [(one.packet, one.first) for one in findings.of("cap.drops")] == [(1, 7), (2, 9)]
    assert findings.severities(0, 3).tolist() == [0, 2, 2]
