"""One frame, byte by byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.cli import main
from tests.capture.builders import pcap_file
from tests.cli.cut_capture import udp_capture
from tests.encoder import chunk, control, message, packet

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
        assert set(node) == {"name", "value", "text", "span", "note", "children"}
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


def test_the_text(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    assert main(["explain", str(head), "--frame", str(SNAPSHOT_FRAME)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Frame {SNAPSHOT_FRAME}, ")
    assert "127.0.0.1:8303 -> 127.0.0.1:40072" in out
    assert "Snapshot of tick 92 on tick 90 (frame 29): SNAPSINGLE, ok (OK)" in out
    assert "proved by its own checksum" in out


@pytest.mark.parametrize("compress", [False, True])
def test_a_password_is_shown_nowhere(capsys: pytest.CaptureFixture[str], tmp_path: Path, compress: bool) -> None:
    info = chunk(message(1, True, b"0.6 626fce9a778df4d4\0hunter2\0"), vital=True, sequence=1)
    path = tmp_path / "login.pcap"
    payloads = [control(1), control(2), control(3), packet([info], compress=compress)]
    path.write_bytes(udp_capture(payloads, from_server=(1,)))
    assert main(["explain", str(path), "--frame", "4"]) == 0
    text = capsys.readouterr().out
    assert "password  ********" in text
    assert main(["explain", str(path), "--frame", "4", "--json"]) == 0
    written = capsys.readouterr().out
    for secret in ("hunter2", b"hunter2".hex(), payloads[3].hex()):
        assert secret not in written
        assert secret not in text.replace(" ", "")


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
