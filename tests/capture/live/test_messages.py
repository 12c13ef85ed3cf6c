"""What the sniffer says is understood, and what is no word of it is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.capture.live.messages import (
    Counts,
    Failed,
    Fault,
    Message,
    NetworkPlace,
    Reason,
    Running,
    Started,
    Stopped,
    decode,
    decode_places,
    encode,
    encode_places,
)

COUNTS = Counts(frames=5, size=900, received=9, dropped=4, interface_dropped=2, unwritten=1)
MESSAGES = [
    Started("lo", "ring", 1, 262144, "spool.pcapng", 17),
    Running(0.25, True, 0.0, COUNTS),
    Stopped(Reason.PACKETS, 1.5, COUNTS),
    Failed(Fault.RIGHT, "This user may not capture on lo."),
]
PLACES = [NetworkPlace("lo", "", ("127.0.0.1", "::1"), True, True), NetworkPlace("eth0", "a card", (), False, False)]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_comes_back(message: Message) -> None:
    line = encode(message)
    assert "\n" not in line
    assert decode(line) == message


def test_as_it_is_on_the_line() -> None:
    assert encode(MESSAGES[3]) == '{"state": "failed", "fault": "right", "text": "This user may not capture on lo."}'


def test_what_is_lost() -> None:
    assert COUNTS.lost == 4 + 2 + 1


@pytest.mark.parametrize(
    "line",
    [
        *("", "[sudo] password: ", "[]", "1", "null", '{"state": []}', '{"state": "begun"}', '{"state": "failed"}'),
        '{"state": "failed", "fault": "rain", "text": ""}',
        '{"state": "running", "seconds": 1, "up": true, "set_back_s": 0, "counts": 1}',
    ],
)
def test_another_line_is_no_message(line: str) -> None:
    assert decode(line) is None


@given(st.text())
def test_any_text(line: str) -> None:
    decode(line)


def test_the_list_of_interfaces_comes_back() -> None:
    assert decode_places(encode_places(PLACES)) == PLACES


@pytest.mark.parametrize("line", ["", "{", "1", "[1]", '[{"name": "lo"}]'])
def test_what_is_no_list(line: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        decode_places(line)
