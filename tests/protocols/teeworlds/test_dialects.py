"""The dialects that are read."""

from __future__ import annotations

from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.transports.teeworlds_packet import HEADER, PLAIN, TAIL

# Spec section 10.
AGREED = [10, 6, 5, 4, 3, 8, 4, 15, 22, 5, 17, 3, 2, 2, 2, 2, 3, 3, 3, 3]


def test_dialects_by_name() -> None:
    assert {name: (dialect.name, dialect.variant, dialect.version) for name, dialect in DIALECTS.items()} == {
        "0.6": ("0.6", PLAIN, 6),
        "ddnet": ("ddnet", TAIL, 6),
        "0.6.5": ("0.6.5", HEADER, 6),
    }
    assert len({dialect.title for dialect in DIALECTS.values()}) == 3


def test_all_agree_on_the_sizes_of_0_6() -> None:
    for dialect in DIALECTS.values():
        assert list(dialect.schema.sizes) == [-1, *AGREED, *[-1] * 43]
