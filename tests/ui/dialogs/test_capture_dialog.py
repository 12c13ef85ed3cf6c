"""The capture options: interfaces, a filter that is checked as one types, names that are taken, the missing right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from analyzer.capture.live.control import SnifferError
from analyzer.capture.live.messages import Fault, NetworkPlace
from analyzer.capture.live.rights import Through, Ways
from tests.ui.conftest import WAIT_MS
from ui import fonts
from ui.dialogs.capture import CaptureDialog
from ui.dialogs.capture_filter import HOST, PRESETS
from ui.inquiry import Inquiry
from ui.settings import CaptureOptions
from ui.theme import DARK, LIGHT
from ui.traffic import Traffic

PLACES = [
    NetworkPlace("eth0", "", ("192.0.2.7", "fe80::1"), True, False),
    NetworkPlace("lo", "Loopback", ("127.0.0.1",), True, True),
    NetworkPlace("wlan0", "", (), False, False),
]
NO_WAYS = Ways((), "")
HINT = "dumpcap captures for members of the group wireshark."


def check(text: str) -> None:
    if "prt" in text:
        raise SnifferError(Fault.FILTER, "The capture filter cannot be used: syntax error.")


class Opened:
    """A dialog and what it asked for."""

    def __init__(self, qtbot: QtBot, options: CaptureOptions, ways: Ways, zoom: float, dark: bool) -> None:
        self.inquiry = Inquiry()
        traffic = Traffic(self.inquiry, self.inquiry)
        theme = DARK if dark else LIGHT
        self.dialog = CaptureDialog(theme, zoom, options, ways, self.inquiry, traffic, lambda: PLACES, check)
        self.wanted: list[CaptureOptions] = []
        self.dialog.wanted.connect(self.wanted.append)
        self.dialog.open()
        qtbot.waitUntil(lambda: bool(self.dialog.interfaces.name) and self.dialog.filter.is_known)


@pytest.fixture
def opened(qtbot: QtBot) -> Iterator[list[Opened]]:
    made: list[Opened] = []
    yield made
    for one in made:
        one.dialog.close()
        assert one.inquiry.wait(WAIT_MS / 1000)
        one.dialog.deleteLater()
        one.inquiry.deleteLater()


def show(
    opened: list[Opened],
    qtbot: QtBot,
    options: CaptureOptions,
    ways: Ways = NO_WAYS,
    zoom: float = 1.0,
    dark: bool = False,
) -> Opened:
    opened.append(Opened(qtbot, options, ways, zoom, dark))
    return opened[-1]


def test_what_is_chosen_is_asked_for(opened: list[Opened], qtbot: QtBot) -> None:
    options = CaptureOptions("lo", "udp", 128, False, "", 1000, 5, 60, "")
    one = show(opened, qtbot, options)
    assert one.dialog.options == options
    qtbot.keyClick(one.dialog.interfaces, Qt.Key.Key_Return)
    assert one.wanted == [options]
    assert not one.dialog.start.isEnabled()
    assert not one.dialog.interfaces.isEnabled()
    assert one.dialog.isVisible(), "it closes when the capture has begun"


def test_the_first_interface_is_chosen_where_the_last_one_has_gone(opened: list[Opened], qtbot: QtBot) -> None:
    one = show(opened, qtbot, CaptureOptions("gone0"))
    assert one.dialog.options.interface == "eth0"
    rows = [one.dialog.interfaces.topLevelItem(row) for row in range(3)]
    assert [row.text(0) for row in rows if row] == ["eth0", "lo (Loopback)", "wlan0"]
    assert [row.text(1) for row in rows if row] == ["192.0.2.7, fe80::1", "127.0.0.1", "–"]
    assert [row.text(2) for row in rows if row] == ["up", "this machine only", "down"]


def test_a_filter_is_checked_while_one_types(opened: list[Opened], qtbot: QtBot) -> None:
    dialog = show(opened, qtbot, CaptureOptions("lo")).dialog
    qtbot.keyClicks(dialog.filter.field, "udp prt 1")
    qtbot.waitUntil(lambda: dialog.filter.is_known)
    assert dialog.filter.verdict.text() == "The capture filter cannot be used: syntax error."
    assert dialog.filter.verdict.isVisible()
    assert not dialog.start.isEnabled()
    dialog.filter.set_text("udp port 1")
    assert dialog.start.isEnabled(), "the sniffer refuses it again where it is wrong"
    qtbot.waitUntil(lambda: dialog.filter.is_known)
    assert not dialog.filter.verdict.isVisible()
    assert dialog.start.isEnabled()


def test_presets(opened: list[Opened], qtbot: QtBot) -> None:
    dialog = show(opened, qtbot, CaptureOptions("lo")).dialog
    menu = dialog.filter.presets.menu()
    for action, (words, text) in zip(menu.actions(), PRESETS, strict=True):
        assert action.text() == words
        action.trigger()
        assert dialog.filter.text == text
        if HOST in text:
            assert dialog.filter.field.selectedText() == HOST
    qtbot.waitUntil(lambda: dialog.filter.is_known)


def test_a_name_that_is_taken(opened: list[Opened], qtbot: QtBot, tmp_path: Path) -> None:
    taken = tmp_path / "game.pcapng"
    taken.touch()
    dialog = show(opened, qtbot, CaptureOptions("lo")).dialog
    dialog.file.setText(str(taken))
    assert dialog.sentence.text() == "game.pcapng exists already; choose another name."
    assert not dialog.start.isEnabled()
    dialog.file.setText(str(tmp_path / "other.pcapng"))
    assert dialog.start.isEnabled()
    assert not dialog.sentence.isVisible()


def test_without_the_right_the_advice_can_be_copied(opened: list[Opened], qtbot: QtBot) -> None:
    one = show(opened, qtbot, CaptureOptions("lo"), Ways((Through.SUDO,), HINT))
    one.dialog.start.click()
    one.dialog.refuse("This user may not capture.", advise=True)
    assert one.dialog.sentence.text() == f"This user may not capture. {HINT}"
    assert one.dialog.start.isEnabled()
    one.dialog._copy.click()
    assert QGuiApplication.clipboard().text() == HINT


def test_without_the_right_another_way_is_offered(opened: list[Opened], qtbot: QtBot) -> None:
    one = show(opened, qtbot, CaptureOptions("lo"), Ways((Through.DUMPCAP, Through.SUDO, Through.PKEXEC), ""))
    assert one.dialog.through.count() == 3, "sudo asks where no window shows it"
    one.dialog.start.click()
    one.dialog.refuse("This user may not capture.", advise=True)
    assert "through dumpcap" in one.dialog.sentence.text()
    one.dialog.start.click()
    assert [options.through for options in one.wanted] == ["", "dumpcap"]


@pytest.mark.parametrize("dark", [False, True])
def test_twice_as_large_it_fits_a_small_screen(opened: list[Opened], qtbot: QtBot, dark: bool) -> None:
    one = show(opened, qtbot, CaptureOptions("lo", "udp prt 8303"), zoom=2.0, dark=dark)
    qtbot.waitUntil(lambda: one.dialog.filter.is_wrong)
    least = one.dialog.minimumSizeHint()
    assert least.width() <= 1280
    assert least.height() <= 760


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_a_small_screen_has_room(opened: list[Opened], qtbot: QtBot, zoom: float) -> None:
    """Of 853 x 533 a frame takes a part. Buttons and what is said are seen, whatever the fields leave of it."""
    before = QApplication.font()
    QApplication.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
    try:
        dialog = show(opened, qtbot, CaptureOptions("lo", ""), Ways((Through.DUMPCAP,), HINT, "x"), zoom).dialog
        screen = dialog.screen().availableSize()
        assert dialog.width() <= screen.width()
        assert dialog.height() <= screen.height()
        dialog.resize(837, 485)
        dialog.refuse("This user may not capture on lo.", advise=True)
        qtbot.waitUntil(lambda: dialog.sentence.isVisible() and dialog.height() == 485)
        QApplication.processEvents()
        for widget in (dialog.start, dialog.again, dialog.sentence):
            assert dialog.rect().contains(widget.rect().translated(widget.mapTo(dialog, QPoint())))
        assert dialog.sentence.height() >= dialog.sentence.heightForWidth(dialog.sentence.width())
        for field in (dialog.filter, dialog.snap, dialog.packets, dialog.file, dialog.through):
            assert field.height() >= field.minimumSizeHint().height()
        # The last field is reached by the keyboard alone.
        dialog.interfaces.setFocus()
        for _ in range(30):
            focused = QApplication.focusWidget()
            if focused is dialog.through:
                break
            qtbot.keyClick(focused, Qt.Key.Key_Tab)
        assert dialog.through.visibleRegion().boundingRect() == dialog.through.rect()
    finally:
        QApplication.setFont(before)
