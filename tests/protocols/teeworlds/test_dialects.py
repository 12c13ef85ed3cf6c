"""The dialects that are read."""

from __future__ import annotations

from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.transports.teeworlds_packet import HEADER, PLAIN, SEVEN, TAIL

# Spec section 10.
AGREED_06 = [10, 6, 5, 4, 3, 8, 4, 15, 22, 5, 17, 3, 2, 2, 2, 2, 3, 3, 3, 3]
AGREED_07 = [10, 6, 5, 3, 3, 3, 2, 4, 15, 22, 3, 4, 58, 5, 32, 2, 2, 2, 2, 3, 3, 7]


def test_dialects_by_name() -> None:
    assert {name: (dialect.name, dialect.variant, dialect.version) for name, dialect in DIALECTS.items()} == {
        "0.6": ("0.6", PLAIN, 6),
        "ddnet": ("ddnet", TAIL, 6),
        "0.6.5": ("0.6.5", HEADER, 6),
        "0.7": ("0.7", SEVEN, 7),
    }
    assert len({dialect.title for dialect in DIALECTS.values()}) == 4


def test_all_of_a_version_agree_on_the_sizes() -> None:
    for dialect in DIALECTS.values():
        agreed = AGREED_06 if dialect.version == 6 else AGREED_07
        assert list(dialect.schema.sizes) == [-1, *agreed, *[-1] * (63 - len(agreed))]
