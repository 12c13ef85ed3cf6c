"""What is opened, refused and left behind: sentences in the banner, the capture that stays, nothing kept of the old."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from capture_files import BUNDLED
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSettings
from pytestqt.qtbot import QtBot

from analyzer.engine.machine import default_memory_limit
from analyzer.engine.query import Query
from tests.ui.conftest import WAIT_MS, find_capture
from ui.document import Document
from ui.main_window import FILE_FILTER
from ui.opening import Opening
from ui.settings import Preferences, Settings
from ui.theme import LIGHT
from ui.views.banner import Banner

SMALL_NAME = "serverinfo_and_play_head"


@pytest.fixture
def banner(qtbot: QtBot) -> Iterator[Banner]:
    banner = Banner(LIGHT)
    yield banner
    banner.deleteLater()


@pytest.fixture
def opening(banner: Banner, tmp_path: Path) -> Iterator[Opening]:
    settings = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    opening = Opening(settings, banner, banner)
    yield opening
    opening.close()
    assert opening.wait(WAIT_MS / 1000)


def decoded(opening: Opening, qtbot: QtBot, path: Path) -> Document:
    assert opening.open_path(path)
    document = opening.document
    assert document is not None
    qtbot.waitUntil(lambda: document.is_decoded)
    return document


@pytest.mark.parametrize("content", [b"no capture at all", None, "folder"])
def test_what_is_no_capture_is_refused_in_words(
    opening: Opening, banner: Banner, qtbot: QtBot, tmp_path: Path, content: bytes | str | None
) -> None:
    path = tmp_path / "notes.txt"
    if content == "folder":
        path.mkdir()
    elif isinstance(content, bytes):
        path.write_bytes(content)
    assert not opening.open_path(path)
    assert banner.text.startswith("notes.txt ")
    assert banner.text.endswith("choose a pcap or pcapng file, plain or packed with gzip.")
    document = decoded(opening, qtbot, find_capture(SMALL_NAME))
    assert not opening.open_path(path)
    assert opening.document is document
    assert banner.text.endswith(f"{document.path.name} stays open.")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(opening: Opening, banner: Banner, tmp_path: Path) -> None:
    path = tmp_path / "secret.pcap"
    path.write_bytes(b"")
    path.chmod(0)
    assert not opening.open_path(path)
    assert "may not be read" in banner.text


@pytest.mark.parametrize(
    ("name", "keep", "said"),
    [("a.pcap", 0, "The file is empty."), ("ddnet_dm2", 50_001, "stops in the middle")],
)
def test_a_file_that_is_cut_says_where_and_what_is_shown(
    opening: Opening, banner: Banner, qtbot: QtBot, tmp_path: Path, name: str, keep: int, said: str
) -> None:
    path = tmp_path / "cut.pcap"
    path.write_bytes(find_capture(name).read_bytes()[:keep] if keep else b"")
    decoded(opening, qtbot, path)
    assert said in banner.text
    assert ("(byte " in banner.text) == bool(keep)
    assert ("All packets that can be read are shown." if keep else "open another capture.") in banner.text


def test_a_gzip_file_that_is_cut(opening: Opening, banner: Banner, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "cut.pcap.gz"
    path.write_bytes(find_capture("ddnet_learntoplay").read_bytes()[:30_000])
    assert len(decoded(opening, qtbot, path).tables.packets) > 0
    assert "ends too early" in banner.text


def test_of_several_files_the_first_is_opened_and_the_rest_is_said(opening: Opening, banner: Banner) -> None:
    path = str(find_capture(SMALL_NAME))
    opening.open_dropped([path, "/b.pcap", "/c.pcap"])
    assert opening.document is not None
    assert "2 other files were left out" in banner.text


def test_closing_waits_for_no_question(opening: Opening, qtbot: QtBot) -> None:
    document = decoded(opening, qtbot, find_capture(SMALL_NAME))
    entered, leave = threading.Event(), threading.Event()

    def question(query: Query) -> int:
        entered.set()
        leave.wait(60.0)
        return 1

    document.ask("long", question, pytest.fail)
    assert entered.wait(60.0)
    opening.close()
    assert not opening.wait(0.0)
    leave.set()
    assert opening.wait(60.0)


def test_thirty_captures_one_after_another_leave_nothing(opening: Opening, qtbot: QtBot) -> None:
    left = []
    path = find_capture(SMALL_NAME)
    for number in range(30):
        assert opening.open_path(path)
        document = opening.document
        assert document is not None
        if number % 3 == 0:
            qtbot.waitUntil(lambda document=document: document.is_decoded)
        left.append(weakref.ref(document.tables))
    opening.close()
    assert opening.wait(60.0)
    del document
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert [tables for tables in left if tables() is not None] == []
    assert opening.findChildren(QObject) == []


def test_the_file_dialog_lists_captures_alone() -> None:
    captures, everything = FILE_FILTER.split(";;")
    patterns = captures.partition("(")[2].rstrip(")").split()
    assert "(*)" in everything
    for path in BUNDLED.iterdir():
        listed = any(fnmatch(path.name, pattern) for pattern in patterns)
        assert listed == path.name.endswith((".pcap", ".pcapng", ".pcap.gz", ".pcapng.gz"))


def test_tables_take_the_memory_that_is_preferred(opening: Opening, qtbot: QtBot, tmp_path: Path) -> None:
    settings = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    for preferred, limit in ((0, default_memory_limit()), (512, 512 << 20)):
        settings.preferences = Preferences(memory_mib=preferred)
        assert decoded(opening, qtbot, find_capture(SMALL_NAME)).tables.chunks.limit == limit
