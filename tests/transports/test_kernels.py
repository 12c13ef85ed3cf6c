"""Compressed payloads of many datagrams at once against the plain reading of each."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.protocols.base import DatagramBatch
from analyzer.protocols.teeworlds.bulk import decompressor
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.transports.teeworlds import read_packet
from analyzer.transports.teeworlds_huffman import HUFFMAN


@settings(max_examples=200)
@given(
    st.sampled_from(sorted(DIALECTS)),
    st.lists(
        st.binary(max_size=30)
        | st.builds(
            lambda head, body, tail: head + HUFFMAN.compress(body) + tail,
            st.sampled_from([b"\x80\0\1", b"\x88\0\1\1\2\3\4", b"\xa0\0\1", b"\x90\0\0", b"\0\0\1"]),
            st.binary(max_size=1500),
            st.binary(max_size=2),
        ),
        max_size=6,
    ),
)
def test_payloads_are_those_of_the_plain_reading(dialect: str, datagrams: list[bytes]) -> None:
    variant = DIALECTS[dialect].variant
    lengths = np.array([len(datagram) for datagram in datagrams], dtype=np.int64)
    zeros = np.zeros(len(datagrams), dtype=np.int64)
    batch = DatagramBatch(
        zeros, zeros, zeros.astype(np.int8), np.cumsum(lengths) - lengths, lengths, lengths, zeros, b"".join(datagrams)
    )
    for datagram, plain in zip(datagrams, decompressor(variant)(batch), strict=True):
        packet = read_packet(datagram, variant)
        if plain is not None:
            assert packet.compressed
            assert packet.payload == plain
        elif packet.compressed:
            assert packet.error is not None
