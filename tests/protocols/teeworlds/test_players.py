"""Names of players."""

from __future__ import annotations

import pytest

from analyzer.protocols.teeworlds.players import name_in_state, read_client_info, read_client_name, read_own_name
from analyzer.protocols.teeworlds.state import make_state
from analyzer.wire.errors import DecodeError

NAMELESS = (-287183387, -320474125, -1594563099, -2139062272)
LOCAL, OTHER = (1, 0, 0, 0, 0), (0, 0, 0, 0, 0)
REST = (0,) * 13
INFO, CLIENT = 10 << 16, 11 << 16


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b"tee\0clan\0", "tee"),
        (b"\0", ""),
        ("Ü".encode() + b"\0", "Ü"),
        (b"a\xffb\0", "a\\xffb"),
        (b"x" * 100 + b"\0", "x" * 64),
    ],
)
def test_what_a_client_says(body: bytes, name: str) -> None:
    assert read_client_name(b"head" + body + b"\0\0", 4, 4 + len(body)) == name


@pytest.mark.parametrize(
    ("body", "name"), [("05 01 00 74656500 6300", "tee"), ("05 00 00 74656500", ""), ("8001 01 40 7400", "t")]
)
def test_what_a_server_says(body: str, name: str) -> None:
    data = bytes.fromhex(body)
    assert read_own_name(b"head" + data, 4, 4 + len(data)) == name


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("05 00 00 74656500 6300", (5, "tee")),
        ("8001 01 40 c3bc0a00", (64, "ü\\n")),
        ("05 00 00 00", (5, "")),
        ("05 00 00 746565", (5, "")),
        ("05 00 00" + 100 * "78" + "00", (5, 64 * "x")),
    ],
)
def test_who_a_client_is(body: str, told: tuple[int, str]) -> None:
    data = bytes.fromhex(body)
    assert read_client_info(b"head" + data + b"\0", 4, 4 + len(data)) == told


@pytest.mark.parametrize("body", ["", "05", "05 01"])
def test_who_a_client_is_cut_off(body: str) -> None:
    data = bytes.fromhex(body)
    with pytest.raises(DecodeError):
        read_client_info(data + bytes(3), 0, len(data))


@pytest.mark.parametrize("body", ["", "05", "05 01", "05 01 00", "05 01 00 746565"])
def test_what_a_server_says_cut_off(body: str) -> None:
    data = bytes.fromhex(body)
    with pytest.raises(DecodeError):
        read_own_name(data + bytes(3), 0, len(data))


@pytest.mark.parametrize("body", [b"", b"tee"])
def test_a_name_without_end(body: bytes) -> None:
    with pytest.raises(DecodeError):
        read_client_name(body + b"\0", 0, len(body))


@pytest.mark.parametrize(
    ("items", "name"),
    [
        ({}, ""),
        ({INFO | 3: LOCAL, CLIENT | 3: NAMELESS + REST, CLIENT | 4: (0,) * 17}, "nameless tee"),
        ({INFO | 3: OTHER, CLIENT | 3: NAMELESS + REST}, ""),
        ({INFO | 3: LOCAL, CLIENT | 4: NAMELESS + REST}, ""),
        ({INFO | 3: (), CLIENT | 3: NAMELESS + REST}, ""),
        ({INFO | 3: LOCAL, CLIENT | 3: NAMELESS[:3]}, ""),
        ({INFO | 3: LOCAL, CLIENT | 3: NAMELESS}, "nameless tee"),
    ],
)
def test_the_local_player_of_a_snapshot(items: dict[int, tuple[int, ...]], name: str) -> None:
    assert name_in_state(make_state(items)) == name
