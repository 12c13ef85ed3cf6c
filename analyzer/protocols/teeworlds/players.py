"""Names of players: from what a client says of itself, from messages of the server, or from snapshots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from analyzer.protocols.teeworlds.state import State
from analyzer.protocols.teeworlds.values import readable, unpack_string
from analyzer.wire.errors import DecodeError
from analyzer.wire.varint import unpack

PLAYER_INFO = 10
CLIENT_INFO = 11
NAME_INTS = 4
MAX_NAME_BYTES = 64


def read_client_name(payload: bytes, body: int, end: int) -> str:
    """The name in a Cl_StartInfo or Cl_ChangeInfo. Raises `DecodeError` where it does not end."""
    stop = payload.find(b"\0", body, end)
    if stop < 0:
        raise DecodeError("short", body, "name: no terminating zero byte")
    return payload[body : min(stop, body + MAX_NAME_BYTES)].decode("utf-8", "backslashreplace")


def read_own_name(payload: bytes, body: int, end: int) -> str:
    """The name in a Sv_ClientInfo of 0.7 that says that it is the receiver's own, else empty. Raises `DecodeError`."""
    _, at = unpack(payload, body, end)
    local, at = unpack(payload, at, end)
    _, at = unpack(payload, at, end)
    return read_client_name(payload, at, end) if local else ""


def read_client_info(payload: bytes, body: int, end: int) -> tuple[int, str]:
    """Client id and name in a Sv_ClientInfo of 0.7; a name that is cut off is none. Raises `DecodeError`."""
    id, at = unpack(payload, body, end)
    _, at = unpack(payload, at, end)
    _, at = unpack(payload, at, end)
    stop = payload.find(b"\0", at, end)
    return id, readable(payload[at : min(stop, at + MAX_NAME_BYTES)]) if stop >= 0 else ""


def client_name(items: Mapping[int, tuple[int, ...]], id: int) -> str:
    """The name that a snapshot gives to a client id; empty if it has none."""
    info = items.get(CLIENT_INFO << 16 | id) if 0 <= id <= 0xFFFF else None
    return name_of(info) if info is not None and len(info) >= NAME_INTS else ""


def name_of(ints: Sequence[int]) -> str:
    """The name in the first ints of a ClientInfo."""
    return _unpacked(tuple(ints[:NAME_INTS]))


@lru_cache(maxsize=1024)
def _unpacked(ints: tuple[int, ...]) -> str:
    return readable(unpack_string(ints))


def name_in_state(state: State) -> str:
    """The name of the receiving client, whose PlayerInfo says that it is the local one; empty if it is not there."""
    for key, values in state.items.items():
        if key >> 16 == PLAYER_INFO and values and values[0] == 1:
            return client_name(state.items, key & 0xFFFF)
    return ""
