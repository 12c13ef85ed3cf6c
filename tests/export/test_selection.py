"""What is chosen, as frames; fragments of one datagram stay together."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from analyzer.engine.capture import Capture
from analyzer.export import selection
from analyzer.export.excerpt import plan
from analyzer.export.formats import Format
from analyzer.export.raw_ip import raw_packet
from analyzer.export.save import save
from analyzer.export.selection import Bools
from tests.capture.builders import pcap_file, pcap_header, pcap_record

CLIENT, SERVER = "10.0.0.2:5000", "10.0.0.1:8303"
MORE = 0x2000


def fragments(payload: bytes, identification: int, size: int = 64) -> list[bytes]:
    """A datagram in raw IPv4 packets of `size` bytes of content."""
    whole = raw_packet(SERVER, CLIENT, payload)
    content = whole[20:]
    pieces = []
    for start in range(0, len(content), size):
        piece = content[start : start + size]
        word = start // 8 | (MORE if start + size < len(content) else 0)
        head = (
            struct.pack("!BBHHH", 0x45, 0, 20 + len(piece), identification, word) + whole[8:10] + b"\0\0" + whole[12:20]
        )
        pieces.append(head + piece)
    return pieces


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Capture]:
    """Frame 0 alone, a datagram in frames 1, 3 and 5, one in 2 and 4, 6 of ARP, 7 a fragment that stays alone."""
    one, two = fragments(b"x" * 150, 7), fragments(b"y" * 70, 8)
    lonely = fragments(b"z" * 70, 9)[0]
    data = [raw_packet(CLIENT, SERVER, b"first"), one[0], two[1], one[1], two[0], one[2], b"\x99", lonely]
    path = tmp_path_factory.mktemp("selection") / "game.pcap"
    path.write_bytes(pcap_file([(number, 0, frame) for number, frame in enumerate(data)], link_field=101))
    with Capture.open(path) as opened:
        opened.decode()
        assert len(opened.tables.packets) == 3
        yield opened


def rows(chosen: Bools) -> list[int]:
    return np.flatnonzero(chosen).tolist()


def test_every_way_to_choose(game: Capture) -> None:
    tables, second = game.tables, 1_000_000_000
    assert rows(selection.everything(tables)) == list(range(8))
    assert rows(selection.in_time(tables, None, None)) == list(range(8))
    assert rows(selection.in_time(tables, 6 * second, None)) == [6, 7]
    assert rows(selection.in_time(tables, None, 0)) == [0]
    assert rows(selection.in_time(tables, 5 * second, 6 * second)) == [1, 3, 5, 6]
    assert rows(selection.in_time(tables, 2 * second, 2 * second)) == [2, 4]
    assert rows(selection.in_time(tables, 7 * second, 2 * second)) == []
    assert rows(selection.of_frames(tables, np.array([1]))) == [1, 3, 5]
    assert rows(selection.of_frames(tables, np.array([7, 4]))) == [2, 4, 7]
    by_frame = tables.packets.array("frame").tolist()
    assert rows(selection.of_packets(tables, np.array([by_frame.index(5)]))) == [1, 3, 5]
    assert rows(selection.of_packets(tables, np.array([], dtype=np.int64))) == []
    assert rows(selection.of_session(tables, 0)) == []


def test_fragments_without_payload_are_part_of_their_datagram(tmp_path: Path) -> None:
    """The first holds the UDP header alone; behind one that the capture cut the last gives nothing."""
    frames = fragments(bytes(20), 1, size=8)
    for cut in (0, 5):
        path = tmp_path / f"{cut}.pcap"
        records = [
            pcap_record(0, 0, frame[: len(frame) - cut * (number == 1)], original=len(frame))
            for number, frame in enumerate(frames)
        ]
        path.write_bytes(pcap_header(link_field=101) + b"".join(records))
        with Capture.open(path) as opened:
            opened.decode()
            assert opened.tables.packets.integers("length").tolist() == [3 if cut else 20]
            assert rows(selection.of_packets(opened.tables, np.array([0]))) == [0, 1, 2, 3]
            assert rows(selection.of_frames(opened.tables, np.array([0]))) == [0, 1, 2, 3]


@pytest.mark.parametrize("form", list(Format))
def test_a_datagram_in_fragments_is_saved_whole(game: Capture, form: Format, tmp_path: Path) -> None:
    query = game.query()
    excerpt = plan(game, selection.of_frames(game.tables, np.array([3])), form)
    save(game, query, excerpt, tmp_path / "part")
    query.close()
    with Capture.open(tmp_path / "part") as part:
        part.decode()
        again = part.query()
        assert again.payload(0) == b"x" * 150
        again.close()
        assert len(part.tables.frames) == 3
