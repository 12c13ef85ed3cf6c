"""What a person wants flows read as, as text and for flows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine.pins import NO_PINS, NOT_DECODED, Choice, Pin, Pins, Place, choices, flow_place, parse_pin
from analyzer.protocols import PROTOCOLS

DDNET = Choice("teeworlds", "ddnet")


@pytest.mark.parametrize(
    ("text", "pin", "again"),
    [
        ("8303=ddnet", Pin(Place("8303"), DDNET), ""),
        (" 08303 = DDNet ", Pin(Place("8303"), DDNET), "8303=ddnet"),
        ("10.0.0.2:8303=none", Pin(Place("10.0.0.2:8303"), NOT_DECODED), ""),
        ("[::1]:8303=auto", Pin(Place("[::1]:8303"), None), ""),
        (
            "[0:0::1]:1-[FE80::2]:8303=0.6",
            Pin(Place("[fe80::2]:8303", "[::1]:1"), Choice("teeworlds", "0.6")),
            "[::1]:1-[fe80::2]:8303=0.6",
        ),
        ("10.0.0.9:5-10.0.0.2:8303=0.6.5", Pin(Place("10.0.0.2:8303", "10.0.0.9:5"), Choice("teeworlds", "0.6.5")), ""),
    ],
)
def test_text(text: str, pin: Pin, again: str) -> None:
    assert parse_pin(text, PROTOCOLS) == pin
    assert str(pin) == (again or text)
    assert parse_pin(str(pin), PROTOCOLS) == pin


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=",
        "8303=",
        "=ddnet",
        "0=ddnet",
        "1.2.3=ddnet",
        "1.2.3.999:1=ddnet",
        "[1.2.3.4]:1=ddnet",
        "1.2.3.4:70000=ddnet",
        "1.2.3.4:1-=ddnet",
        "8303-1.2.3.4:1=ddnet",
        "\u0668=ddnet",
        "8303=ddnet=0.6",
    ],
)
def test_what_is_no_pin(text: str) -> None:
    with pytest.raises(ValueError, match="no "):
        parse_pin(text, PROTOCOLS)


@given(st.text(st.sampled_from("0123456789.:[]-=dnetauo"), max_size=40))
def test_any_text_is_a_pin_or_told_to_be_none(text: str) -> None:
    try:
        pin = parse_pin(text, PROTOCOLS)
    except ValueError:
        return
    assert parse_pin(str(pin), PROTOCOLS) == pin


def test_every_dialect_can_be_chosen() -> None:
    for protocol in PROTOCOLS:
        assert protocol.dialects
        for dialect, title in protocol.dialects.items():
            assert choices(PROTOCOLS)[dialect] == (Choice(protocol.name, dialect), title)


def test_the_closest_counts_whichever_end_sent_first() -> None:
    client, server = "10.0.0.9:5000", "10.0.0.2:8303"
    port, end, flow = Pin(Place("8303"), DDNET), Pin(Place(server), NOT_DECODED), Pin(Place(server, client), None)
    assert Pins((flow, end, port)).find(client, server) == (flow, 1)
    assert Pins((flow, end, port)).find(server, client) == (flow, 0)
    assert Pins((end, port)).find("10.0.0.8:1", server) == (end, 1)
    assert Pins((port,)).find("10.0.0.3:8303", "10.0.0.8:1") == (port, 0)
    assert Pins((port,)).find("10.0.0.3:1", "10.0.0.8:1") is None
    assert Pins((port,)).find("10.0.0.3:8303", "10.0.0.8:8303") == (port, 1)


def test_a_pin_replaces_that_of_the_same_flows() -> None:
    port = Place("8303")
    pins = NO_PINS.with_pin(Pin(port, DDNET)).with_pin(Pin(Place("1"), DDNET)).with_pin(Pin(port, None))
    assert [str(pin) for pin in pins] == ["1=ddnet", "8303=auto"]
    assert [str(pin) for pin in pins.without(port)] == ["1=ddnet"]


def test_what_is_recognised_is_pinned_as_an_exception_only() -> None:
    ends = client, server = "10.0.0.9:5000", "10.0.0.2:8303"
    flow, port = Place(server, client), Place("8303")
    assert NO_PINS.chosen(Pin(flow, None), *ends) == NO_PINS
    pins = NO_PINS.chosen(Pin(port, DDNET), *ends).chosen(Pin(flow, None), *ends)
    assert [str(pin) for pin in pins] == ["8303=ddnet", f"{client}-{server}=auto"]
    assert [str(pin) for pin in pins.chosen(Pin(port, None), *ends)] == [f"{client}-{server}=auto"]
    assert pins.chosen(Pin(port, None), *ends).chosen(Pin(flow, None), *ends) == NO_PINS


def test_a_flow_with_no_known_server_has_that_with_the_lower_port() -> None:
    a, b = "10.0.0.9:5000", "[::1]:8303"
    assert [str(flow_place(a, b, server)) for server in (-1, 0, 1)] == [f"{b}-{a}", f"{b}-{a}", f"{a}-{b}"]
