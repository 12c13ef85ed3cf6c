"""A large capture is what it promises: a full server, repeated with other ports and later times, all readable."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from capture_files import ROOT
from world.checks import Truth
from world.datagram import Plain, Snap
from world.full import FullServer

from analyzer.capture.source import Source
from analyzer.engine.capture import Capture
from analyzer.snapshots.status import Proof, Status
from scripts._long_capture import PORTS_AT, free_ports, make

CLIENTS, SECONDS, REPEATS = 3, 2.5, 3
Frame = tuple[int, bytes]


def frames(path: Path) -> list[Frame]:
    """Time and bytes of every frame."""
    source = Source.open(path)
    found = []
    while not source.at_end:
        batch = source.read(4096)
        for time_ns, offset, size in zip(batch.time_ns, batch.offset, batch.captured, strict=True):
            found.append((int(time_ns), source.data(int(offset), int(size))))
    assert source.problems == []
    source.close()
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repeated capture."""
    path = tmp_path_factory.mktemp("made") / "large.pcap"
    count = make(path, clients=CLIENTS, seconds=SECONDS, repeats=REPEATS)
    assert count == len(frames(path))
    return path


def test_every_snapshot_is_rebuilt_and_proved(made: Path) -> None:
    with Capture.open(made, strict=True) as capture:
        capture.decode()
        tables = capture.tables
    assert len(tables.flows) == CLIENTS * REPEATS
    assert set(tables.snapshots.array("status").tolist()) == {Status.OK}
    assert set(tables.snapshots.array("proof").tolist()) <= {Proof.OWN, Proof.BASE}
    assert len(tables.snapshots) > 90 * CLIENTS * REPEATS
    assert len(set(tables.flows.array("packets").reshape(REPEATS, CLIENTS).sum(axis=1).tolist())) == 1


def test_repetitions_differ_in_time_and_client_port_alone(made: Path) -> None:
    found = frames(made)
    each = len(found) // REPEATS
    times = np.array([time_ns for time_ns, _ in found]).reshape(REPEATS, each)
    assert np.all(np.diff(times, axis=1) >= 0)
    assert np.all(times[1:, 0] > times[:-1, -1])
    assert np.all(times - times[:, :1] == times[:1] - times[0, 0])
    ports = [{}, {}, {}]
    for number, (_, frame) in enumerate(found):
        repeat, place = divmod(number, each)
        first = found[place][1]
        assert frame[:PORTS_AT] + frame[PORTS_AT + 4 :] == first[:PORTS_AT] + first[PORTS_AT + 4 :]
        for at in (PORTS_AT, PORTS_AT + 2):
            ports[repeat].setdefault(first[at : at + 2], set()).add(frame[at : at + 2])
    server = (8303).to_bytes(2, "big")
    assert all(len(new) == 1 for renamed in ports for new in renamed.values())
    assert all(renamed.pop(server) == {server} for renamed in ports)
    assert len({new for renamed in ports for new in map(frozenset, renamed.values())}) == CLIENTS * REPEATS


def test_checksums_are_right_or_absent(made: Path) -> None:
    for _, frame in frames(made):
        words = int(np.frombuffer(frame, ">u2", 10, 14).sum(dtype=np.uint64))
        assert (words & 0xFFFF) + (words >> 16) == 0xFFFF
        assert frame[PORTS_AT + 6 : PORTS_AT + 8] == b"\0\0"


def test_formats_hold_the_same_and_the_seed_decides(made: Path, tmp_path: Path) -> None:
    other, same, unlike = (tmp_path / name for name in ("large.pcapng", "again.pcap", "unlike.pcap"))
    for path, seed in ((other, 1), (same, 1), (unlike, 2)):
        make(path, clients=CLIENTS, seconds=SECONDS, repeats=REPEATS, seed=seed)
    assert frames(other) == frames(made)
    assert same.read_bytes() == made.read_bytes()
    assert unlike.read_bytes() != made.read_bytes()


def test_loss_is_of_the_capture(made: Path, tmp_path: Path) -> None:
    path = tmp_path / "lossy.pcap"
    count = make(path, clients=CLIENTS, seconds=SECONDS, loss=0.1)
    assert {frame for _, frame in frames(path)} < {frame for _, frame in frames(made)}
    assert count < 0.95 * len(frames(made)) / REPEATS
    with Capture.open(path, strict=True) as capture:
        capture.decode()
        assert set(capture.tables.snapshots.array("status").tolist()) > {Status.OK}


def test_a_full_server_is_busy() -> None:
    """Some 150 items, 40 updates, snapshots of one to three parts, one in twenty behind a vital message."""
    server = FullServer(3, 64)
    server.play(75)
    world = server.world
    deltas = [sent for sent in world.server.sent if sent.base_tick >= 0]
    assert 140 < np.median([len(sent.items) for sent in deltas]) < 190
    assert 35 <= np.median([len(sent.delta.updates) for sent in deltas]) <= 45
    assert {sent.parts for sent in deltas} >= {1, 2, 3}
    firsts = [
        {type(chunk.message) for chunk in seen.datagram.chunks}
        for seen in world.tap.passes
        if any(isinstance(chunk.message, Snap) and chunk.message.part == 0 for chunk in seen.datagram.chunks)
    ]
    assert 0.03 < np.mean([Plain in kinds for kinds in firsts]) < 0.08


def test_a_full_server_is_read_as_its_truth_has_it(tmp_path: Path) -> None:
    server = FullServer(4, 12)
    server.play(150)
    server.world.server.change_map()
    server.play(100)
    truth = Truth(server.world)
    truth.against_the_world()
    path = tmp_path / "world.pcap"
    server.world.tap.write(path)
    with Capture.open(path, strict=True) as capture:
        capture.decode()
        query = capture.query()
        truth.compare(query.record(row, with_items=True) for row in range(len(capture.tables.snapshots)))
        query.close()


def test_ports_are_nobody_elses() -> None:
    firsts = free_ports(64, 900)
    taken = [port for first in firsts for port in range(first, first + 64)]
    assert len(set(taken)) == len(taken) == 64 * 900
    assert not {8303, *range(50000, 50064)} & set(taken)
    assert (min(taken), max(taken) < 65536) == (1024, True)
    with pytest.raises(ValueError, match="64 clients cannot have ports of their own 1101 times"):
        free_ports(64, 1100)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--seconds", "1", "--out", "large.cap"], 1, "make_capture: large.cap ends neither in .pcap nor in .pcapng"),
        (["--seconds", "0", "--out", "large.pcap"], 1, "make_capture: nothing passed in that time"),
        (["--seconds", "1", "--out", "nowhere/large.pcap"], 1, "make_capture: [Errno 2]"),
        (["--seconds", "1", "--repeat", "0", "--out", "large.pcap"], 2, "--repeat is at least 1"),
        (["--seconds", "1", "--clients", "65", "--out", "large.pcap"], 2, "invalid choice: 65"),
    ],
)
def test_script_says_what_it_cannot_do(arguments: list[str], code: int, sentence: str, tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "make_capture"), *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert sentence in done.stderr


def test_script_makes_a_capture(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "make_capture"), "--clients", "2", "--seconds", "1"]
    command += ["--repeat", "2", "--out", "small.pcapng"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"small.pcapng: {len(frames(tmp_path / 'small.pcapng'))} packets\n"
