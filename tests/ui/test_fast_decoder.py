"""A first start: kernels are compiled beside the window, then what is being decoded is decoded with them."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from analyzer import kernel_cache
from analyzer.engine.capture import Capture
from analyzer.engine.pins import NO_PINS, parse_pin
from analyzer.protocols import PROTOCOLS
from tests.ui.conftest import WAIT_MS, find_capture
from ui.fast_decoder import FastDecoder
from ui.main_window import MainWindow
from ui.selection import Place

BOTS = "ddnet_ctf1_24bots_slices"


class Kernels:
    """Stands for the cache: filled or not, as a test wants it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.filled = False
        monkeypatch.setattr(kernel_cache, "ready", lambda: self.filled)

    def fill(self, stop: threading.Event) -> str:
        self.filled = True
        return ""


def said(window: MainWindow) -> list[str]:
    return [label.text() for label in window.status.findChildren(QLabel)]


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> Kernels:
    return Kernels(monkeypatch)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Without kernels decoding waits in its middle for this, as in a file of many minutes."""
    go_on, step = threading.Event(), Capture.step

    def wait_then_step(capture: Capture, seconds: float | None = None) -> bool:
        while not capture.compiled and len(capture.tables.packets) > 3000 and not go_on.wait(0.01):
            if capture.is_rereading:
                capture.reread(seconds)
                return True
        return step(capture, seconds)

    monkeypatch.setattr(Capture, "step", wait_then_step)
    yield go_on
    go_on.set()


def test_what_is_being_decoded_is_decoded_with_kernels(
    qtbot: QtBot, window: MainWindow, kernels: Kernels, slow: threading.Event
) -> None:
    go = threading.Event()

    def fill(stop: threading.Event) -> str:
        go.wait()
        return kernels.fill(stop)

    decoder = FastDecoder(fill)
    window.prepare(decoder)
    assert window.opening.open_path(find_capture(BOTS))
    plain = window.document
    assert plain is not None
    assert not plain.worker.capture.compiled
    qtbot.waitUntil(lambda: len(plain.tables.snapshots) > 200)
    snapshot = 150
    plain.selection.select(plain.tables.snapshots.integer("packet", snapshot), snapshot)
    place, frame = plain.selection.place, plain.tables.packets.integer("frame", plain.selection.place.packet)
    plain.selection.limit_to(plain.tables.snapshots.integer("session", snapshot))
    session = plain.selection.session
    go.set()
    qtbot.waitUntil(lambda: window.document is not plain)
    fast = window.document
    assert fast is not None
    assert fast.worker.capture.compiled
    assert fast.selection.place == place
    assert fast.selection.session == session
    assert fast.tables.packets.integer("frame", fast.selection.place.packet) == frame
    qtbot.waitUntil(lambda: fast.is_decoded)
    assert window.document is fast
    decoder.stop(WAIT_MS / 1000)


@pytest.mark.parametrize("late", [False, True])
def test_what_was_read_anew_meanwhile_is_decoded_with_kernels(
    qtbot: QtBot, window: MainWindow, kernels: Kernels, slow: threading.Event, late: bool
) -> None:
    """`late`: flows are read anew when the kernels are there already, but nothing else is decoded with them yet."""
    assert window.opening.open_path(find_capture(BOTS))
    plain = window.document
    assert plain is not None
    qtbot.waitUntil(lambda: len(plain.tables.snapshots) > 200)
    tables = plain.tables
    if late:
        kernels.fill(threading.Event())
        window.opening.decode_again()
    snapshot = 150
    packet, tick = (tables.snapshots.integer(name, snapshot) for name in ("packet", "tick"))
    session = tables.snapshots.integer("session", snapshot)
    client = tables.sessions.text("player", session)
    plain.selection.select(packet, snapshot)
    plain.selection.limit_to(session)
    # A pin that is met by nothing begins anew what is being decoded with kernels.
    window.opening.pin(NO_PINS.with_pin(parse_pin("1=ddnet", PROTOCOLS)))
    plain.reinterpret()
    if not late:
        qtbot.waitUntil(lambda: not tables.readings.array("alive").all(), timeout=WAIT_MS)
        assert window.document is plain
        kernels.fill(threading.Event())
        window.opening.decode_again()
    qtbot.waitUntil(lambda: window.document is not plain, timeout=WAIT_MS)
    fast = window.document
    assert fast is not None
    assert fast.worker.capture.compiled
    qtbot.waitUntil(lambda: fast.is_decoded, timeout=WAIT_MS)
    place = fast.selection.place
    assert (place.packet, fast.tables.snapshots.integer("tick", place.snapshot)) == (packet, tick)
    assert fast.tables.sessions.text("player", fast.selection.session) == client


def test_it_is_said_while_it_lasts(qtbot: QtBot, window: MainWindow, kernels: Kernels) -> None:
    go = threading.Event()

    def fail(stop: threading.Event) -> str:
        go.wait()
        return "The kernels could not be compiled: no room."

    decoder = FastDecoder(fail)
    window.prepare(decoder)
    assert "Preparing the fast decoder" in said(window)
    go.set()
    qtbot.waitUntil(lambda: "Preparing the fast decoder" not in said(window))
    assert window.banner.text == (
        "The kernels could not be compiled: no room. Captures are decoded all the same, only slower."
    )
    decoder.stop(WAIT_MS / 1000)


def test_nothing_is_compiled_twice(window: MainWindow, kernels: Kernels) -> None:
    kernels.filled = True
    compiled, loaded = threading.Event(), threading.Event()

    def fill(stop: threading.Event) -> str:
        compiled.set()
        return ""

    decoder = FastDecoder(fill, loaded.set)
    window.prepare(decoder)
    assert "Preparing the fast decoder" not in said(window)
    assert not decoder.start()
    decoder.stop(WAIT_MS / 1000)
    assert loaded.is_set()
    assert not compiled.is_set()


def test_closing_ends_it(window: MainWindow, kernels: Kernels) -> None:
    def wait(stop: threading.Event) -> str:
        stop.wait()
        return "Compiling was stopped."

    decoder = FastDecoder(wait)
    window.prepare(decoder)
    decoder.stop(WAIT_MS / 1000)
    assert window.banner.text == ""


def test_an_empty_window_stays_empty(qtbot: QtBot, window: MainWindow, kernels: Kernels) -> None:
    decoder = FastDecoder(kernels.fill)
    window.prepare(decoder)
    qtbot.waitUntil(lambda: "Preparing the fast decoder" not in said(window))
    assert window.document is None
    assert kernels.filled
    decoder.stop(WAIT_MS / 1000)


def test_a_selection_is_taken_over_whole(qtbot: QtBot, window: MainWindow) -> None:
    assert window.opening.open_path(find_capture("serverinfo_and_play_head"))
    first = window.document
    assert first is not None
    qtbot.waitUntil(lambda: first.is_decoded)
    first.selection.select(3, -1)
    first.selection.select(5, -1)
    first.selection.back()
    kept = first.selection
    assert window.opening.open_path(first.path)
    second = window.document
    assert second is not None
    qtbot.waitUntil(lambda: second.is_decoded)
    second.selection.take_over(kept, lambda _packet, row: row, lambda row: row)
    assert second.selection.place == Place(packet=3)
    assert second.selection.can_go_forward
    second.selection.forward()
    assert second.selection.place.packet == 5
