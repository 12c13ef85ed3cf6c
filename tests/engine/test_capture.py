"""An opened capture: the same rows in whatever batches, and exceptions of ours that mark one packet only."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from capture_files import BUNDLED, SAMPLE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.capture.frames import CaptureError
from analyzer.engine.capture import Capture
from analyzer.net.kinds import FrameKind
from analyzer.protocols.flow import Reading, Verdict
from analyzer.store.rows import Rows
from tests.capture.builders import pcap_file, pcap_header, pcap_record
from tests.cli.cut_capture import first_records
from tests.engine.table_content import table_content
from tests.engine.toy import BUG, FOREIGN, MAYBE, RAISE, RAISE_AT_END, STUBBORN, SURE, TOY, ToyReading
from tests.net.builders import fragment_header, ipv4, ipv6, udp

RAW = 101
"""LINKTYPE_RAW: frames begin with the IP header."""
WHOLE = 1 << 20

HEADS = {
    "serverinfo_and_play_head.pcap": 500,
    "ddnet_ctf4_ipv6_head.pcap": 700,
    "ddnet_dm2_reconnect_mapchange.pcap": 1300,
    "ddnet_tsunami_badcrc_head.pcap": 600,
    "ddnet_ctf3_midsession_head.pcap.gz": 700,
    "ddnet_ctf1_24bots_slices.pcap.gz": 1000,
    "ddnet_dm6_snaplen220.pcap": 400,
}
"""Frames of each bundled capture that are decoded several times."""


def decoded(path: Path, batch: int = WHOLE) -> dict[str, list[object]]:
    with Capture.open(path, batch=batch, strict=True) as opened:
        opened.decode()
        return table_content(opened.tables)


@pytest.fixture(scope="module", params=HEADS)
def head(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("heads") / request.param.removesuffix(".gz")
    path.write_bytes(first_records(BUNDLED / request.param, HEADS[request.param]))
    return path


def test_batches_do_not_matter(head: Path) -> None:
    whole = decoded(head)
    assert len(whole["frames.kind"]) == HEADS.get(head.name, HEADS.get(f"{head.name}.gz"))
    assert len(whole["messages.name"]) > 100
    for batch in (1, 2, 7, 61, 500):
        some = decoded(head, batch)
        assert [name for name in whole if some[name] != whole[name]] == [], f"batches of {batch}"


@pytest.mark.parametrize("path", [SAMPLE, BUNDLED / "ddnet_tsunami_head.pcapng"], ids=lambda path: path.name)
def test_batches_of_whole_files_do_not_matter(path: Path) -> None:
    assert decoded(path, 97) == decoded(path)


class ToyFile:
    """Writes captures of toy datagrams; ports tell the flows apart."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, datagrams: Sequence[tuple[int, bytes]]) -> Path:
        """Datagrams of (client's port, payload), from the client to port 8303."""
        return self.write_frames([ipv4(udp(payload, source=port, destination=8303)) for port, payload in datagrams])

    def write_frames(self, frames: Sequence[bytes]) -> Path:
        self.path.write_bytes(pcap_file([(second, 0, frame) for second, frame in enumerate(frames)], link_field=RAW))
        return self.path


@pytest.fixture
def toy_file(tmp_path: Path) -> ToyFile:
    return ToyFile(tmp_path / "toy.pcap")


def read_toy(path: Path, batch: int = WHOLE, *, strict: bool = False) -> Capture:
    opened = Capture.open(path, protocols=(TOY,), batch=batch, strict=strict)
    with opened:
        opened.decode()
    return opened


TOY_DATAGRAM = st.tuples(
    st.sampled_from((5000, 5001, 5002)),
    st.tuples(
        st.sampled_from((b"", b"abcd", b"toy", SURE, MAYBE, FOREIGN)),
        st.lists(st.sampled_from((1, 2, RAISE, RAISE_AT_END)), max_size=3).map(bytes),
    ).map(b"".join),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(datagrams=st.lists(TOY_DATAGRAM, max_size=20), batch=st.integers(1, 21))
def test_batches_do_not_matter_where_readings_raise(
    toy_file: ToyFile, datagrams: list[tuple[int, bytes]], batch: int
) -> None:
    path = toy_file.write(datagrams)
    logging.disable()
    try:
        whole, some = read_toy(path), read_toy(path, batch)
    finally:
        logging.disable(logging.NOTSET)
    assert table_content(some.tables) == table_content(whole.tables)
    assert len(whole.tables.packets) == len(datagrams)


def test_a_bug_marks_its_packet_only(toy_file: ToyFile, caplog: pytest.LogCaptureFixture) -> None:
    path = toy_file.write([(5000, SURE), (5000, bytes((1, RAISE, 2))), (5001, SURE), (5000, b"\x03")])
    tables = read_toy(path).tables
    assert tables.packets.array("code").tolist() == [0, BUG, 0, 0]
    names = [tables.names[number] for number in tables.messages.integers("name")]
    assert names[4:6] == ["byte 1", "byte 116"]
    assert names[-1] == "byte 3"
    assert tables.packets.array("session").tolist() == [0, 0, 1, 0]
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert "01ee02" not in record.getMessage()  # bytes of a packet may hold a password
    assert "packet 1 " in record.getMessage()
    assert record.exc_info is not None


def test_a_bug_before_the_packet_is_begun_marks_it_too(toy_file: ToyFile, caplog: pytest.LogCaptureFixture) -> None:
    path = toy_file.write([(5000, STUBBORN), (5000, bytes((1, RAISE))), (5000, b"\x03")])
    tables = read_toy(path, 1).tables
    assert tables.packets.array("code").tolist() == [0, BUG, 0]
    assert tables.packets.array("session").tolist() == [0, -1, 0]
    assert len(caplog.records) == 1


def test_a_bug_at_the_end_marks_the_last_packet(toy_file: ToyFile, caplog: pytest.LogCaptureFixture) -> None:
    tables = read_toy(toy_file.write([(5000, SURE), (5000, bytes((RAISE_AT_END,))), (5001, SURE)])).tables
    assert tables.packets.array("code").tolist() == [0, BUG, 0]
    assert tables.packets.array("severity").tolist() == [0, 1, 1]
    assert tables.packets.array("first_message").tolist() == [0, 4, 5]
    assert tables.findings.array("packet").tolist() == [1, 2]
    assert len(caplog.records) == 1


@pytest.mark.parametrize("payload", [bytes((RAISE,)), bytes((RAISE_AT_END,))], ids=["receive", "finish"])
def test_strict_lets_bugs_through(toy_file: ToyFile, payload: bytes) -> None:
    path = toy_file.write([(5000, SURE), (5000, payload)])
    with pytest.raises(RuntimeError, match="a bug"):
        read_toy(path, strict=True)


def test_undecided_flows_keep_their_packets(toy_file: ToyFile) -> None:
    tables = read_toy(toy_file.write([(5000, b"other"), (5000, b"more"), (5001, b"toy...")])).tables
    assert tables.flows.array("reading").tolist() == [-1, -1]
    assert tables.flows.array("packets").tolist() == [2, 1]
    assert tables.flows.array("address_a").tolist() == ["10.0.0.1:5000", "10.0.0.1:5001"]
    assert tables.packets.array("kind").tolist() == [0, 0, 0]
    assert tables.packets.array("flow").tolist() == [0, 0, 1]
    assert len(tables.readings) == len(tables.messages) == len(tables.sessions) == 0


def test_a_flow_is_read_from_its_first_packet(toy_file: ToyFile) -> None:
    """Also when a later packet decided, or the end of the capture did."""
    path = toy_file.write([(5000, b"\x01"), (5001, b"\x02"), (5001, MAYBE), (5000, SURE), (5001, b"\x03")])
    for batch in (1, 2, WHOLE):
        opened = read_toy(path, batch)
        tables = opened.tables
        assert tables.flows.array("reading").tolist() == [0, 1]
        assert tables.readings.array("dialect").tolist() == ["sure", "maybe"]
        assert tables.packets.array("kind").tolist() == [1] * 5
        assert tables.messages.array("packet").tolist() == [0, 3, 3, 3, 3, 1, 2, 2, 2, 2, 4]
        assert tables.flows.array("server").tolist() == [0, 0]


def test_nothing_is_claimed_at_the_end_before_the_end(toy_file: ToyFile) -> None:
    path = toy_file.write([(5000, MAYBE)] * 3)
    with Capture.open(path, protocols=(TOY,), batch=2) as opened:
        assert opened.step()
        assert len(opened.tables.packets) == 2
        assert opened.step()
        assert not opened.finished
        assert len(opened.tables.readings) == 0
        assert not opened.step()
        assert opened.finished
        assert opened.tables.flows.integer("reading", 0) == 0
        assert not opened.step()


def test_a_dialect_that_is_not_decoded_is_named(toy_file: ToyFile) -> None:
    tables = read_toy(toy_file.write([(5000, FOREIGN), (5000, SURE), (5000, b"\x01")])).tables
    assert tables.flows.row(0)["recognised"] == "Toy foreign"
    assert tables.flows.integer("reading", 0) == -1
    assert tables.flows.integer("server", 0) == 0
    assert tables.packets.array("kind").tolist() == [0, 0, 0]


def test_silent_flows_rest_and_go_on(tmp_path: Path) -> None:
    """Whether the engine or the next datagram found the silence, and however often."""
    minutes = [(0, 5000, SURE), (0, 5001, SURE), (2, 5001, b"\x01"), (4, 5000, b"\x02"), (9, 5001, b"\x03")]
    frames = [(60 * minute, 0, ipv4(udp(payload, source=port))) for minute, port, payload in minutes]
    path = tmp_path / "silent.pcap"
    path.write_bytes(pcap_file(frames, link_field=RAW))
    for batch in (1, 2, WHOLE):
        readings: list[ToyReading] = []

        def open_reading(rows: Rows, verdict: Verdict, made: list[ToyReading] = readings) -> Reading:
            made.append(ToyReading(rows, verdict))
            return made[-1]

        with Capture.open(path, protocols=(replace(TOY, open_reading=open_reading),), batch=batch) as opened:
            opened.decode()
            assert opened.tables.packets.array("kind").tolist() == [1] * 5
            assert opened.tables.messages.array("packet").tolist() == [0] * 4 + [1] * 4 + [2, 3, 4]
        assert all(reading.rests for reading in readings)
        assert len(readings) == 2


def test_a_step_reads_fewer_frames_where_time_counts(head: Path) -> None:
    with Capture.open(head, compiled=False, strict=True) as opened:
        counts = [0]
        while opened.step(0.0):
            counts.append(len(opened.tables.frames))
        steps = [after - before for before, after in pairwise(counts)]
        assert steps == sorted(steps, reverse=True) or steps[0] == counts[-1]
        assert table_content(opened.tables) == decoded(head)
    # A step takes longer than no time, but hardly an hour.
    with Capture.open(head, compiled=False, batch=200) as opened:
        for seconds, frames in ((0.0, 200), (3600.0, 328)):
            opened.step(seconds)
            assert len(opened.tables.frames) == frames


def test_progress_and_problems(toy_file: ToyFile) -> None:
    path = toy_file.write([(5000, SURE)] * 10)
    path.write_bytes(path.read_bytes()[:-3])
    seen: list[tuple[int, int]] = []
    with Capture.open(path, protocols=(TOY,), batch=4) as opened:
        opened.decode(lambda done, total: seen.append((done, total)))
        assert seen == sorted(seen)
        assert all(0 < done <= total for done, total in seen)
        assert len(opened.problems) == 1
        assert len(opened.tables.packets) == 9


def test_a_file_that_is_no_capture(tmp_path: Path) -> None:
    path = tmp_path / "x.pcap"
    path.write_bytes(b"neither of them")
    with pytest.raises(CaptureError, match=r"x\.pcap is not a capture file"):
        Capture.open(path)


def test_no_frames_at_all(toy_file: ToyFile) -> None:
    opened = read_toy(toy_file.write([]))
    assert opened.finished
    assert sum(map(len, opened.tables)) == 0


def test_every_frame_has_a_row_and_a_kind(toy_file: ToyFile) -> None:
    tcp = ipv4(bytes(20), protocol=6)
    tables = read_toy(toy_file.write_frames([b"\x00", tcp, ipv4(udp(SURE)), ipv4(udp(b"x"))[:24]])).tables
    kinds = [FrameKind(kind) for kind in tables.frames.integers("kind")]
    assert kinds[1:3] == [FrameKind.OTHER_IP, FrameKind.UDP]
    assert FrameKind.UDP not in (kinds[0], kinds[3])
    assert tables.packets.array("frame").tolist() == [2]


def test_a_cut_frame_keeps_what_there_is(tmp_path: Path) -> None:
    frame = ipv4(udp(SURE + bytes(10)))
    path = tmp_path / "cut.pcap"
    path.write_bytes(pcap_header(link_field=RAW) + pcap_record(0, 0, frame[:-6], original=len(frame)))
    tables = read_toy(path).tables
    row = tables.packets.row(0)
    assert (row["length"], row["udp_length"], row["kind"]) == (8, 14, 2)


@pytest.mark.parametrize("size", [0x10000 - 28, 0x10000, 200_000])
def test_no_length_is_too_much(toy_file: ToyFile, size: int) -> None:
    """A buffer for segmentation offload has no length in its headers, so that the frame's counts."""
    frame = ipv4(udp(SURE + bytes(size), length=0), total=0)
    six = ipv6(udp(SURE + bytes(size), length=0), length=0)
    opened = read_toy(toy_file.write_frames([frame, ipv4(udp(SURE)), six]))
    tables = opened.tables
    assert len(tables.frames) == 3
    assert FrameKind(tables.frames.integer("kind", 1)) is FrameKind.UDP
    if size + 4 > 0xFFFF:
        assert FrameKind(tables.frames.integer("kind", 0)) is FrameKind.MALFORMED_UDP
        assert len(tables.packets) == 1
    else:
        assert tables.packets.array("length").tolist() == [size + 4, 4, size + 4]


def test_a_payload_may_begin_deep_in_its_frame(tmp_path: Path) -> None:
    """The last bytes of a large fragment, whose others came before, lie past 65,535 of its frame."""
    packet = udp(SURE + bytes(65_475))
    most = len(packet) // 8 * 8 - 8
    ranges = ((0, most), (0, most + 8), (most + 8, len(packet)))
    frames = [
        bytes(12)
        + bytes.fromhex("8100 0001" * 4 + "86dd")
        + ipv6(fragment_header(17, start, stop < len(packet)) + packet[start:stop], protocol=44)
        for start, stop in ranges
    ]
    path = tmp_path / "deep.pcap"
    path.write_bytes(pcap_file([(0, number, frame) for number, frame in enumerate(frames)], snap_length=262144))
    with Capture.open(path, protocols=(TOY,)) as opened:
        opened.decode()
        assert opened.tables.fragments.array("frame").tolist() == [0, 1, 2]
        assert opened.tables.fragments.integer("start", 1) > 0xFFFF


def test_what_threads_are_reading_yet_is_settled() -> None:
    """A step leaves a batch to the threads; where no step follows, its rows are asked for."""
    with Capture.open(BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap", batch=512, compiled=True, threads=2) as capture:
        packets = capture.tables.packets
        while len(packets) == packets.appended:
            assert capture.step()
        taken_in = packets.appended
        capture.settle()
        assert len(packets) == taken_in
        assert (packets.array("kind") > 0).any()
        capture.settle()
        assert len(packets) == taken_in
