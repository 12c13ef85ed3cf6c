"""Compiled reading of a snapshot message's fields against the plain one.

That snapshots are made as by plain reading is test_flow_kernels's matter.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds import flow_columns as flow
from analyzer.protocols.teeworlds.messages import SNAP, SNAPEMPTY, SNAPSINGLE, read_snap
from analyzer.protocols.teeworlds.snap_kernels import read_fields
from analyzer.wire.errors import DecodeError
from analyzer.wire.varint import pack

NUMBERS = st.sampled_from([-0x80000000, -1, 0, 1, 2, 63, 64, 65, 900, 901, 0x7FFFFFFF])
MESSAGES = st.lists(st.integers(0, 70) | NUMBERS, max_size=8).map(lambda ints: b"".join(map(pack, ints)))


@pytest.mark.parametrize("kind", [SNAPEMPTY, SNAPSINGLE, SNAP])
@given(data=MESSAGES | st.binary(max_size=12), before=st.integers(0, 2), more=st.sampled_from([0, 0, 1, 900]))
@example(data=b"".join(map(pack, [10, 0x7FFFFFFF, 2, 1, -5, 3])), before=0, more=3)
@example(data=b"".join(map(pack, [-0x80000000, 1, 1, 0, 0, 900])), before=1, more=900)
def test_fields(kind: int, data: bytes, before: int, more: int) -> None:
    data = b"\x80" * before + data + bytes(more)
    fields = np.zeros(9, dtype=np.int64)
    is_whole = read_fields(np.frombuffer(data, dtype=np.uint8), kind, before, len(data), fields)
    try:
        plain = read_snap(data, kind, before, len(data))
    except DecodeError:
        assert not is_whole
        return
    assert is_whole
    places = [flow.TICK, flow.BASE_TICK, flow.KIND, flow.PARTS, flow.PART, flow.CHECKSUM, flow.DATA, flow.DATA_SIZE]
    expected = [plain.tick, plain.base_tick, plain.kind, plain.parts, plain.part, plain.crc]
    assert fields[places].tolist() == [*expected, plain.data_offset, plain.length]
