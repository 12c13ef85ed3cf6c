"""Raw IP packets, as our own reader and as scapy reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6

from analyzer.export.raw_ip import LINKTYPE_RAW, raw_packet
from analyzer.net.datagrams import Datagram, Network
from analyzer.net.flows import format_endpoint


@pytest.mark.parametrize(
    ("source", "destination"), [("127.0.0.1:8303", "10.0.0.2:65535"), ("[::1]:8303", "[fe80::1:2]:50000")]
)
@given(payload=st.binary(max_size=1300))
def test_what_is_written_is_read(source: str, destination: str, payload: bytes) -> None:
    data = raw_packet(source, destination, payload)
    found = Network().read(0, 0, LINKTYPE_RAW, data, len(data))
    assert isinstance(found, Datagram)
    assert found.payload == payload
    assert (found.udp_length, found.cut) == (len(payload), False)
    assert format_endpoint(found.source, found.source_port) == source
    assert format_endpoint(found.destination, found.destination_port) == destination


@pytest.mark.parametrize("payload", [b"", b"\x01", b"snap", b"\xff" * 901])
def test_checksums(payload: bytes) -> None:
    for layer, data in (
        (IP, raw_packet("127.0.0.1:8303", "10.0.0.2:50000", payload)),
        (IPv6, raw_packet("[::1]:8303", "[fe80::1:2]:50000", payload)),
    ):
        again = layer(data)
        for header in (again, again[UDP]):
            # scapy counts anew what is deleted.
            if "chksum" in header.fields:
                del header.chksum
        assert bytes(again) == data


def test_a_checksum_of_zero_is_written_as_ones() -> None:
    # The payload is chosen so that the sum comes out as zero, which would mean that there is none.
    plain = raw_packet("127.0.0.1:8303", "10.0.0.2:50000", b"\0\0")
    checksum = plain[26:28]
    data = raw_packet("127.0.0.1:8303", "10.0.0.2:50000", checksum)
    assert data[26:28] == b"\xff\xff"
