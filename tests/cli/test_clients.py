"""What a person may type for a client."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.cli.clients import matches, sessions_of
from analyzer.cli.errors import CommandError
from analyzer.store.tables import Tables
from tests.stats.hand_made import tables


@pytest.mark.parametrize(
    ("client", "wanted"),
    [
        ("127.0.0.1:41414", "127.0.0.1:41414"),
        ("127.0.0.1:41414", "127.0.0.1"),
        ("[::1]:8303", "[::1]:8303"),
        ("[::1]:8303", "::1"),
        ("[::1]:8303", "[::1]"),
        ("[::1]:8303", "0:0:0:0:0:0:0:1"),
        ("[fe80::1%2]:8303", "fe80::1%2"),
        ("peer A", "peer A"),
    ],
)
def test_matching(client: str, wanted: str) -> None:
    assert matches(client, wanted)


@pytest.mark.parametrize(
    ("client", "wanted"),
    [
        ("127.0.0.1:41414", "127.0.0.1:4141"),
        ("127.0.0.1:41414", "127.0.0.2"),
        ("127.0.0.1:41414", "127.0.0.1:x"),
        ("127.0.0.1:41414", ":41414"),
        ("127.0.0.1:41414", ""),
        ("[::1]:8303", "[::1]:8304"),
        ("[::1]:8303", "::1:8303"),
        ("peer A", "peer"),
    ],
)
def test_not_matching(client: str, wanted: str) -> None:
    assert not matches(client, wanted)


@given(st.text())
def test_any_text_is_answered(wanted: str) -> None:
    assert matches("10.0.0.2:5000", wanted) in (True, False)


def test_sessions_of_a_client_leave_retired_readings_out() -> None:
    assert sessions_of(tables(), "10.0.0.2") == {1}
    assert sessions_of(tables(), "::1") == {2}


def test_an_unknown_client_is_told_who_is_there() -> None:
    with pytest.raises(CommandError, match=r"no client 10\.0\.0\.7 .* there are 10\.0\.0\.2:5000, \[::1\]:6000$"):
        sessions_of(tables(), "10.0.0.7")
    with pytest.raises(CommandError, match="it holds no UDP traffic"):
        sessions_of(Tables(), "10.0.0.7")
