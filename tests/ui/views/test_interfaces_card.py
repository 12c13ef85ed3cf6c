"""The card of the welcome page that captures: interfaces with their traffic, the filter, what to do for the right."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from analyzer.capture.live.control import SnifferError
from analyzer.capture.live.messages import Fault, NetworkPlace
from analyzer.capture.live.rights import Through, Ways
from tests.capture.live.network import needs_right, sockets
from tests.ui.conftest import WAIT_MS
from ui.machine import Machine
from ui.models.places import PlaceModel
from ui.settings import CaptureOptions
from ui.theme import DARK, LIGHT
from ui.traffic import Traffic
from ui.views.interfaces_card import InterfacesCard

PLACES = [
    NetworkPlace("eth0", "Fast card", ("192.0.2.7", "fe80::1"), True, False),
    NetworkPlace("lo", "", ("127.0.0.1",), True, True),
    NetworkPlace("wlan0", "", (), False, False),
]
COMMAND = "sudo usermod -aG wireshark $USER"


def check(text: str) -> None:
    if "prt" in text:
        raise SnifferError(Fault.FILTER, "The capture filter cannot be used: syntax error.")


Make = Callable[..., InterfacesCard]


@pytest.fixture
def card(qtbot: QtBot) -> Iterator[Make]:
    """`card(places=PLACES, ways=None)`: shown, with its interfaces; `ways`: the user has no right."""
    made: list[InterfacesCard] = []

    def make(places: list[NetworkPlace] | Exception = PLACES, ways: Ways | None = None) -> InterfacesCard:
        def list_interfaces() -> list[NetworkPlace]:
            if isinstance(places, Exception):
                raise places
            return places

        found = InterfacesCard(
            LIGHT, Machine(list_interfaces, check, lambda: ways is None, lambda: ways or Ways((), ""))
        )
        made.append(found)
        found.resize(600, 400)
        found.show()
        qtbot.waitUntil(lambda: found.list.isVisible() or "Asking" not in found.state.text())
        return found

    yield make
    for one in made:
        one.close()
        assert one.wait(WAIT_MS / 1000)
        one.deleteLater()


def test_rows(card: Make, qtmodeltester: ModelTester) -> None:
    made = card()
    qtmodeltester.check(made.places)
    rows = [made.places.row_at(row) for row in range(made.places.rowCount())]
    assert [(row.name, row.text, row.up) for row in rows] == [
        ("eth0", "Fast card · 192.0.2.7 · fe80::1", True),
        ("lo", "This machine only · 127.0.0.1", True),
        ("wlan0", "down", False),
    ]
    assert rows[2].rate == ""
    assert "Fast card" in made.places.index(0).data(Qt.ItemDataRole.ToolTipRole)
    assert made.places.index(1).data(Qt.ItemDataRole.AccessibleTextRole).startswith("lo, ")
    made.set_theme(DARK)
    made.set_zoom(1.5)
    assert not made.grab().isNull()


def test_what_was_captured_last_is_proposed_and_started(card: Make, qtbot: QtBot) -> None:
    made = card()
    assert made.list.chosen == "eth0"
    made.show_last(CaptureOptions("lo", "udp port 8303"))
    assert made.list.chosen == "lo"
    with qtbot.waitSignal(made.wanted) as asked:
        made.start.click()
    assert asked.args == ["lo", "udp port 8303"]
    with qtbot.waitSignal(made.wanted):
        qtbot.keyClick(made.list, Qt.Key.Key_Return)
    with qtbot.waitSignal(made.wanted):
        qtbot.keyClick(made.filter.field, Qt.Key.Key_Return)


def test_a_wrong_filter_cannot_be_started(card: Make, qtbot: QtBot) -> None:
    made = card()
    made.filter.set_text("udp prt 8303")
    qtbot.waitUntil(lambda: made.filter.is_wrong)
    assert not made.start.isEnabled()
    assert "syntax error" in made.filter.verdict.text()
    made.filter.set_text("udp port 8303")
    assert made.start.isEnabled()


def test_why_there_is_no_list(card: Make) -> None:
    made = card(SnifferError(Fault.LIBRARY, "libpcap is missing."))
    assert made.state.text() == "libpcap is missing."
    assert not made.start.isEnabled()
    assert not made.list.isVisible()


def test_a_machine_without_interfaces(card: Make) -> None:
    assert "no network interface" in card([]).state.text()


def test_without_the_right_there_is_advice_to_copy(card: Make, qtbot: QtBot) -> None:
    made = card(ways=Ways((), f"dumpcap captures for members of the group wireshark: {COMMAND}.", COMMAND))
    qtbot.waitUntil(made.right.isVisible)
    assert made.right.text().startswith("This user may not capture. dumpcap captures")
    made.copy.click()
    assert QGuiApplication.clipboard().text() == COMMAND


@pytest.mark.parametrize(
    ("way", "words"), [(Through.DUMPCAP, "captures in its place"), (Through.PKEXEC, "administrator's password")]
)
def test_who_captures_in_place_of_the_user(card: Make, qtbot: QtBot, way: Through, words: str) -> None:
    made = card(ways=Ways((way,), ""))
    qtbot.waitUntil(made.right.isVisible)
    assert words in made.right.text()
    assert not made.copy.isVisible()


def test_with_the_right_nothing_is_said(card: Make) -> None:
    assert not card().right.isVisible()


@needs_right
def test_traffic_is_counted_while_it_is_seen(card: Make, qtbot: QtBot) -> None:
    made = card()
    row = made.places.row_of("lo")

    def is_counted() -> bool:
        one.send(b"x")
        rates = made.places.row_at(row).rates
        return bool(rates) and max(rates) > 0

    with sockets() as (one, _):
        qtbot.waitUntil(is_counted, timeout=WAIT_MS)
    assert made.places.row_at(row).rate.endswith(" packets/s")
    made.hide()
    assert made.traffic.rates("lo", loopback=True)
    made.show()
    qtbot.waitUntil(lambda: not made.traffic.rates("lo", loopback=True), timeout=WAIT_MS)


def test_nothing_is_known_of_an_interface_that_is_not_counted(qtbot: QtBot, card: Make) -> None:
    model = PlaceModel(Traffic(card()._inquiry))
    model.show(PLACES)
    assert model.row_at(0).rates == ()
    assert model.row_at(0).rate == ""
