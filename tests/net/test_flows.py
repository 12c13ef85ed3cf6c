"""Numbering flows: the first sender is endpoint a, and both directions are one flow."""

from __future__ import annotations

import pytest

from analyzer.net.datagrams import Datagram
from analyzer.net.flows import FlowTable, format_endpoint

SERVER, CLIENT = bytes([127, 0, 0, 1]), bytes([10, 0, 0, 9])


def datagram(source: bytes, source_port: int, destination: bytes, destination_port: int) -> Datagram:
    return Datagram(0, 0, source, source_port, destination, destination_port, b"", 42, 0, False)


def test_both_directions_are_one_flow() -> None:
    table = FlowTable()
    assert table.assign(datagram(CLIENT, 50000, SERVER, 8303)) == (0, 0)
    assert table.assign(datagram(SERVER, 8303, CLIENT, 50000)) == (0, 1)
    assert table.assign(datagram(SERVER, 8303, CLIENT, 50001)) == (1, 0)
    assert table.assign(datagram(CLIENT, 50001, SERVER, 8303)) == (1, 1)
    assert table.assign(datagram(CLIENT, 50000, SERVER, 8303)) == (0, 0)
    assert table.flows == [(CLIENT, 50000, SERVER, 8303), (SERVER, 8303, CLIENT, 50001)]


def test_an_endpoint_that_sends_to_itself() -> None:
    table = FlowTable()
    assert table.assign(datagram(SERVER, 1, SERVER, 1)) == (0, 0)
    assert table.assign(datagram(SERVER, 1, SERVER, 1)) == (0, 0)
    assert len(table.flows) == 1


@pytest.mark.parametrize(
    ("address", "port", "text"),
    [
        (SERVER, 8303, "127.0.0.1:8303"),
        (bytes(15) + b"\1", 8303, "[::1]:8303"),
        (bytes.fromhex("20010db8000000000000000000000001"), 0, "[2001:db8::1]:0"),
        (bytes(16), 65535, "[::]:65535"),
    ],
)
def test_endpoint_text(address: bytes, port: int, text: str) -> None:
    assert format_endpoint(address, port) == text
