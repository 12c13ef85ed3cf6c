"""The report codes are those of spec section 17.7, with the statuses that they belong to."""

from __future__ import annotations

from analyzer.protocols.teeworlds.codes import (
    CHUNKS,
    CODE_NUMBERS,
    CODES,
    CONNLESS_07,
    CONNLESS_EXTENDED,
    CUT,
    FOREIGN,
    MALFORMED,
    PACKET_CODE_NUMBERS,
    PACKET_CODES,
    PACKET_KINDS,
    SNAPSHOT_KINDS,
    STUN,
)
from analyzer.protocols.teeworlds.messages import SNAP, SNAPEMPTY, SNAPSINGLE
from analyzer.snapshots.status import Status


def test_each_code_has_its_status() -> None:
    by_status: dict[Status, list[str]] = {}
    for code in CODES:
        by_status.setdefault(code.status, []).append(code.name)
    assert by_status == {
        Status.OK: ["OK", "OK-E", "OK-P"],
        Status.MALFORMED: ["F1", "B5", "D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9"],
        Status.LATE: ["S1"],
        Status.DUPLICATE: ["S2", "S3"],
        Status.INCOMPLETE: ["P1"],
        Status.NO_BASE: ["B1", "B2", "B3", "B4"],
        Status.CRC: ["C1"],
        Status.BUG: ["BUG"],
    }
    assert [CODES[number].name for number in CODE_NUMBERS.values()] == list(CODE_NUMBERS)


def test_kinds_have_their_numbers() -> None:
    named = {
        number: PACKET_KINDS[number]
        for number in (CHUNKS, CONNLESS_EXTENDED, STUN, FOREIGN, CUT, MALFORMED, CONNLESS_07)
    }
    assert list(named.values()) == [
        "chunks",
        "connless-extended",
        "stun",
        "foreign",
        "cut",
        "malformed",
        "connless-0.7",
    ]
    assert [SNAPSHOT_KINDS[kind] for kind in (SNAPEMPTY, SNAPSINGLE, SNAP)] == ["SNAPEMPTY", "SNAPSINGLE", "SNAP"]


def test_packet_codes_begin_with_their_name() -> None:
    assert all(PACKET_CODES[number].partition(":")[0] == name for name, number in PACKET_CODE_NUMBERS.items())


def test_a_reason_reads_as_a_sentence() -> None:
    text = CODES[CODE_NUMBERS["C1"]].text
    assert text.format(crc_wire=3, crc_computed=5, detail=2) == "crc mismatch: 3 on the wire, 5 computed, difference +2"


def test_every_code_has_a_legend() -> None:
    assert all(code.legend and "{" not in code.legend for code in CODES)
