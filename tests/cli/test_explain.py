"""One frame, byte by byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_files import BUNDLED, SAMPLE

from analyzer.cli import main
from analyzer.transports.teeworlds_packet import PLAIN, SEVEN, Variant
from tests.capture.builders import pcap_file
from tests.cli.cut_capture import SLICES, first_records, udp_capture, without_records
from tests.encoder import chunk, control, message, packet

SERVER_INFO = [
    (
        94,
        'iext, extended server info: "H10a", dm1, 2 of 64 clients',
        [
            "captured:6+125 extended server info iext",
            'captured:10+4 message "iext"',
            "captured:14+8 token 0x1027c3",
            'captured:22+12 version "0.6.4, 16.4"',
            'captured:34+5 name "H10a"',
            "captured:43+11 map_crc f2159e6e",
            "captured:76+2 flags 0x00 (none)",
            'captured:110+21 client[1] "bot1"',
            'captured:115+4 clan "bot"',
            "captured:119+3 country -1 (none)",
            "captured:122+6 score -9999",
            "captured:128+2 is_player 1 (player)",
        ],
    ),
    (
        135,
        'inf3, server info: "H10b", dm1, 2 of 64 clients',
        [
            "captured:1+4 token 6c78b56f",
            "captured:5+4 response token e402e4b5",
            "captured:17+3 token 123646",
            'captured:36+3 game_type "DM"',
            "captured:40+1 skill_level 1 (normal)",
            'captured:46+12 client[0] "bot0"',
            "captured:57+1 type 0 (player)",
        ],
    ),
    (6, "TOKEN", ["captured:7+5 TOKEN", "captured:8+4 token e402e4b5"]),
]
"""Frame, its line, and some of its fields."""
SNAPSHOT_FRAME = 44
"""Of the sample: a snapshot of tick 92 on tick 90."""


def explained(capsys: pytest.CaptureFixture[str], capture: Path, frame: int) -> dict[str, object]:
    assert main(["explain", str(capture), "--frame", str(frame), "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found = json.loads(out, parse_constant=pytest.fail)
    assert isinstance(found, dict)
    return found


def nodes(fields: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    for field in fields:
        yield field
        children = field["children"]
        assert isinstance(children, list)
        yield from nodes(children)


@pytest.mark.parametrize("frame", [1, 5, 20, 29, SNAPSHOT_FRAME, 300])
def test_every_span_lies_in_its_buffer(capsys: pytest.CaptureFixture[str], head: Path, frame: int) -> None:
    packets = explained(capsys, head, frame)["packets"]
    assert isinstance(packets, list)
    (packet,) = packets
    assert packet["error"] == ""
    assert packet["buffers"][0]["length"] == packet["captured"]
    found = list(nodes(packet["fields"]))
    assert found
    for node in found:
        assert set(node) == {"name", "value", "text", "span", "mask", "note", "children"}
        span = node["span"]
        if isinstance(span, dict):
            assert 0 <= span["offset"] <= span["offset"] + span["length"]
            assert span["offset"] + span["length"] <= packet["buffers"][span["buffer"]]["length"]


def test_a_snapshot_and_its_base(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    packets = explained(capsys, head, SNAPSHOT_FRAME)["packets"]
    assert isinstance(packets, list)
    (snapshot,) = packets[0]["snapshots"]
    assert (snapshot["tick"], snapshot["base_tick"], snapshot["base_frame"]) == (92, 90, 29)
    assert (snapshot["status"], snapshot["proof"], snapshot["part_frames"]) == ("ok", "own", [SNAPSHOT_FRAME])


@pytest.mark.parametrize(("frame", "info", "fields"), SERVER_INFO)
def test_server_info(capsys: pytest.CaptureFixture[str], frame: int, info: str, fields: list[str]) -> None:
    assert main(["explain", str(BUNDLED / "serverinfo_and_play_head.pcap"), "--frame", str(frame)]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[2] == info
    assert [line for line in fields if line not in lines] == []


def test_the_text(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    assert main(["explain", str(head), "--frame", str(SNAPSHOT_FRAME)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Frame {SNAPSHOT_FRAME}, ")
    assert "127.0.0.1:8303 -> 127.0.0.1:40072" in out
    assert "Snapshot of tick 92 on tick 90 (frame 29): SNAPSINGLE, ok (OK)" in out
    assert "proved by its own checksum" in out


def test_a_part_of_a_snapshot_that_a_later_frame_completes(capsys: pytest.CaptureFixture[str], slices: Path) -> None:
    assert main(["explain", str(slices), "--frame", "1014"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "The packet carries part 2 of the snapshot of tick 170, which is completed by frame 1016."
    packets = explained(capsys, slices, 1014)["packets"]
    assert isinstance(packets, list)
    assert packets[0]["parts"] == [{"part": 1, "tick": 170, "frame": 1016, "status": "ok"}]
    assert packets[0]["snapshots"] == []


LOGINS = {
    "info": (PLAIN, message(1, True, b"0.6 626fce9a778df4d4\0hunter2")),
    "rcon": (PLAIN, message(18, True, b"me\0hunter2")),
    "info of 0.7": (SEVEN, message(1, True, b"0.7 802f1be60a05665f\0hunter2")),
    "rcon of 0.7": (SEVEN, message(22, True, b"hunter2")),
}
"""Messages with a password, up to the end of it."""


def told_of_login(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    variant: Variant,
    body: bytes,
    *,
    vital: bool = True,
    compress: bool = False,
    count: int = 2,
    cut: int = 0,
) -> Iterator[str]:
    """What is told of a login, which does not contain the password; the login is behind another chunk."""
    shift, token = variant.size_shift, 0x1234567 if variant is SEVEN else None
    first = chunk(message(14 if variant is PLAIN else 18, True), size_shift=shift)
    login = chunk(body, vital=vital, sequence=1 if vital else 0, size_shift=shift)
    data = bytearray(packet([first, login], token=token, variant=variant, compress=compress))
    data[2] = count
    payload = bytes(data[: len(data) - cut])
    start = [control(5, bytes(512), token=token, variant=SEVEN)] * 2 if variant is SEVEN else []
    opening = [*start, *(control(number, token=token, variant=variant) for number in (1, 2))]
    path = folder / "login.pcap"
    path.write_bytes(udp_capture([*opening, payload], from_server=(len(opening) - 1, *range(1, len(start)))))
    for options in ([], ["--json"]):
        assert main(["explain", str(path), "--frame", str(len(opening) + 1), *options]) == 0
        written = capsys.readouterr().out
        secrets = ["hunter", b"hunter".hex()]
        for secret in [*secrets, payload.hex()] if compress else secrets:
            assert secret not in written.replace(" ", "")
        yield written


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("login", LOGINS)
def test_a_password_is_shown_nowhere(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, login: str, compress: bool
) -> None:
    variant, body = LOGINS[login]
    more = b"\0\x85\x1c" if login == "info of 0.7" else b"\0"
    text, written = told_of_login(capsys, tmp_path, variant, body + more, compress=compress)
    assert "password  ********" in text
    assert '"********"' in written


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("login", LOGINS)
def test_a_password_without_an_end_is_shown_nowhere(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, login: str, compress: bool
) -> None:
    for written in told_of_login(capsys, tmp_path, *LOGINS[login], compress=compress):
        assert "password: no terminating zero byte" in written


@pytest.mark.parametrize("vital", [False, True])
@pytest.mark.parametrize("login", LOGINS)
def test_a_password_in_a_cut_packet_is_shown_nowhere(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, login: str, vital: bool
) -> None:
    for written in told_of_login(capsys, tmp_path, *LOGINS[login], vital=vital, cut=1):
        assert "announced" in written


@pytest.mark.parametrize("cut", [1, 4, 8])
@pytest.mark.parametrize("login", LOGINS)
def test_a_password_in_a_cut_compressed_packet_is_shown_nowhere(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, login: str, cut: int
) -> None:
    """Whoever has its compressed bytes can decompress them up to the cut."""
    for written in told_of_login(capsys, tmp_path, *LOGINS[login], compress=True, cut=cut):
        assert "cannot be decompressed to its end; a message in it has a password" in written
        assert "********" in written


@pytest.mark.parametrize("vital", [False, True])
@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize("login", LOGINS)
def test_a_password_behind_the_last_chunk_is_shown_nowhere(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, login: str, count: int, vital: bool
) -> None:
    """The header announces fewer chunks than there are."""
    for written in told_of_login(capsys, tmp_path, *LOGINS[login], vital=vital, count=count):
        assert "bytes after the last chunk" in written


def test_a_fragment_names_the_frame_that_makes_it_whole(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Sixteen payload bytes in two IPv4 fragments; the second begins 16 bytes into the packet."""
    udp = bytes.fromhex("1388 206f 0018 0000") + bytes(range(16))
    addresses = bytes.fromhex("0a000002 0a000001")
    first = bytes.fromhex("4500 0024 0007 2000 40 11 0000") + addresses + udp[:16]
    second = bytes.fromhex("4500 001c 0007 0002 40 11 0000") + addresses + udp[16:]
    path = tmp_path / "fragments.pcap"
    path.write_bytes(pcap_file([(0, 0, first), (1, 0, second)], link_field=101))
    assert main(["explain", str(path), "--frame", "1"]) == 0
    assert capsys.readouterr().out.endswith(" Its datagram is whole with frame 2.\n")
    assert main(["explain", str(path), "--frame", "2"]) == 0
    assert "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f" in capsys.readouterr().out


def test_a_foreign_datagram_shows_its_bytes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "foreign.pcap"
    path.write_bytes(udp_capture([b"what is this?\x00\xff\x01\x02"]))
    assert main(["explain", str(path), "--frame", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "0000  77 68 61 74 20 69 73 20 74 68 69 73 3f 00 ff 01  what is this?...",
        "0010  02                                               .",
    ]


def test_a_frame_without_a_datagram_says_what_it_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An ARP request."""
    arp = bytes.fromhex("ffffffffffff0200000000010806 0001080006040001 0200000000010a000001 0000000000000a000002")
    path = tmp_path / "arp.pcap"
    path.write_bytes(pcap_file([(0, 0, arp)]))
    assert main(["explain", str(path), "--frame", "1"]) == 0
    out, err = capsys.readouterr()
    assert out == "Frame 1 holds no UDP datagram: it is not IP.\n"
    assert err == ""
    found = explained(capsys, path, 1)
    assert (found["packets"], found["note"]) == ([], out.strip())


@pytest.fixture
def repeated(tmp_path: Path) -> Path:
    """The sample up to its frame 44, and that once more."""
    head, before = first_records(SAMPLE, SNAPSHOT_FRAME), first_records(SAMPLE, SNAPSHOT_FRAME - 1)
    path = tmp_path / "repeated.pcap"
    path.write_bytes(head + head[len(before) :])
    return path


def test_a_repetition_points_at_what_it_repeats(capsys: pytest.CaptureFixture[str], repeated: Path) -> None:
    assert main(["explain", str(repeated), "--frame", "45"]) == 0
    out = capsys.readouterr().out
    assert f"\n  fate     a repeat; see frame {SNAPSHOT_FRAME} for what the client made of it\n" in out
    assert "acknowledged" not in out


def test_a_delta_has_the_names_of_its_items(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    assert main(["explain", str(head), "--frame", str(SNAPSHOT_FRAME)]) == 0
    out = capsys.readouterr().out
    assert "  tick  90 -> 92 (\u00b10.00 s) (+2 ticks, +0.04 s)\n" in out
    assert "captured:0+1 mask 0x80 " in out
    packets = explained(capsys, head, SNAPSHOT_FRAME)["packets"]
    assert isinstance(packets, list)
    named = {node["name"]: node for node in nodes(packets[0]["fields"])}
    assert any(str(name).startswith("Character ") for name in named)
    assert named["compression"]["mask"] == 0x80
    assert named["vel_x"]["mask"] == 0


def test_only_buffers_with_bytes_are_listed(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    """Frame 29 is not compressed, 44 is."""
    for frame, expected in ((29, ["captured", "joined delta"]), (44, ["captured", "decompressed", "joined delta"])):
        packets = explained(capsys, head, frame)["packets"]
        assert isinstance(packets, list)
        assert [buffer["name"] for buffer in packets[0]["buffers"]] == expected
        (delta,) = (node for node in packets[0]["fields"] if node["name"] == "delta")
        assert delta["span"]["buffer"] == len(expected) - 1


def test_a_snapshot_given_up_where_none_of_its_parts_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Without the frames of its last two parts the snapshot of frame 1013 is open until the capture ends."""
    path = tmp_path / "gap.pcap"
    path.write_bytes(without_records(SLICES, range(1014, 1016), 1100))
    assert main(["explain", str(path), "--frame", "1057"]) == 0
    out = capsys.readouterr().out
    assert "  reason   parts missing: 3, 4 of 4 (part 1 in frame 1013, part 2 in frame 1014)\n" in out
    assert "  here     decided here; none of its parts is in this packet\n" in out


def test_client_ids_of_seven_go_by_the_names_that_messages_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(BUNDLED / "tw07_dm7_any_sll2_nano_head.pcap"), "--frame", "56"]) == 0
    lines = [line.split(maxsplit=1)[1] for line in capsys.readouterr().out.splitlines() if " client_id " in line]
    assert lines == ["client_id  0 (bot0)", "client_id  1 (bot1)", "client_id  2 (bot2)"]
