"""What is stored comes back at the next start, and what is damaged counts as not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from ui.settings import FIRST_FILTERS, MAX_FILTERS, MAX_RECENT, Preferences, RecentCapture, SavedFilter, Settings

CHOSEN = Preferences("dark", "utc", "delta", 1200, system_fonts=True, zoom=1.5, memory_mib=512)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.ini"


def opened(file: Path) -> Settings:
    """The settings as the next start of the program reads them."""
    return Settings(QSettings(str(file), QSettings.Format.IniFormat))


def store(file: Path, key: str, value: object) -> None:
    settings = QSettings(str(file), QSettings.Format.IniFormat)
    settings.setValue(key, value)
    settings.sync()


def test_nothing_is_stored_at_first(file: Path) -> None:
    settings = opened(file)
    assert settings.preferences == Preferences()
    assert settings.recent == []
    assert settings.layout("state").isEmpty()


def test_preferences_come_back(file: Path) -> None:
    opened(file).preferences = CHOSEN
    assert opened(file).preferences == CHOSEN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Preferences()),
        ("{", Preferences()),
        ("[1, 2]", Preferences()),
        ('{"theme": "dark"}', Preferences(theme="dark")),
        ('{"theme": "mauve", "zoom": 1.5}', Preferences(zoom=1.5)),
        ('{"theme": 3, "base_age_limit_ms": "long"}', Preferences()),
        ('{"time_format": "never"}', Preferences()),
        ('{"zoom": 50.0}', Preferences(zoom=2.0)),
        ('{"zoom": 0.0}', Preferences(zoom=0.8)),
        ('{"memory_mib": -1}', Preferences(memory_mib=0)),
        ('{"memory_mib": 1099511627776}', Preferences(memory_mib=1048576)),
        ('{"of_a_later_version": true}', Preferences()),
    ],
)
def test_damaged_preferences(file: Path, text: str, expected: Preferences) -> None:
    store(file, "preferences", text)
    assert opened(file).preferences == expected


def test_newest_capture_comes_first_and_once(file: Path, tmp_path: Path) -> None:
    first, second = (RecentCapture(str(tmp_path / name), "2024-01-01T00:00:00") for name in ("a.pcap", "b.pcap"))
    again = RecentCapture(first.path, "2024-01-02T00:00:00", "24 clients", "warn")
    for capture in (first, second, again):
        opened(file).add_recent(capture)
    assert opened(file).recent == [again, second]
    opened(file).forget_recent(first.path)
    assert opened(file).recent == [second]


def test_only_some_captures_are_kept(file: Path, tmp_path: Path) -> None:
    names = [str(tmp_path / f"{number}.pcap") for number in range(MAX_RECENT + 3)]
    for name in names:
        opened(file).add_recent(RecentCapture(name, ""))
    assert [capture.path for capture in opened(file).recent] == names[:2:-1]


def test_relative_path_is_kept_whole(file: Path) -> None:
    opened(file).add_recent(RecentCapture("game.pcap", ""))
    assert [capture.path for capture in opened(file).recent] == [str(Path("game.pcap").absolute())]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"opened": "x"}]', '[{"path": 1}]', '[["path"]]', "nonsense"])
def test_damaged_list(file: Path, text: str) -> None:
    store(file, "recent", text)
    assert opened(file).recent == []


def test_whole_entries_of_a_damaged_list_are_kept(file: Path) -> None:
    store(file, "recent", json.dumps([{"path": "a"}, {"path": 1}, {"path": "b", "more": "x"}]))
    assert opened(file).recent == [RecentCapture("a", ""), RecentCapture("b", "")]


def test_layout(file: Path) -> None:
    opened(file).set_layout("state", QByteArray(b"\x00\x01"))
    opened(file).set_layout("geometry", QByteArray(b"\x02"))
    assert opened(file).layout("state") == QByteArray(b"\x00\x01")
    opened(file).forget_layout()
    assert opened(file).layout("state").isEmpty()
    assert opened(file).layout("geometry").isEmpty()


def test_damaged_layout(file: Path) -> None:
    store(file, "layout/state", "text")
    assert opened(file).layout("state").isEmpty()


def test_hidden_columns_are_stored_by_table_and_go_with_the_layout(file: Path) -> None:
    opened(file).set_hidden_columns("clients", ("ack", "parts"))
    assert opened(file).hidden_columns("clients") == ("ack", "parts")
    assert opened(file).hidden_columns("others") == ()
    store(file, "layout/hidden_columns/others", '["rate", 7]')
    assert opened(file).hidden_columns("others") == ("rate",)
    store(file, "layout/hidden_columns/others", "no list")
    assert opened(file).hidden_columns("others") == ()
    opened(file).forget_layout()
    assert opened(file).hidden_columns("clients") == ()


def test_filters_that_were_applied_come_back_the_newest_first(file: Path) -> None:
    for number in range(MAX_FILTERS + 5):
        opened(file).remember_filter(f"udp.length > {number}")
    opened(file).remember_filter("udp.length > 30")
    known = opened(file).filter_history
    assert known[:2] == ("udp.length > 30", f"udp.length > {MAX_FILTERS + 4}")
    assert len(known) == len(set(known)) == MAX_FILTERS
    opened(file).forget_filters()
    assert opened(file).filter_history == ()


def test_saved_filters_come_back(file: Path) -> None:
    assert opened(file).saved_filters == FIRST_FILTERS
    opened(file).saved_filters = (SavedFilter("Mine", "udp.length > 3"),)
    assert opened(file).saved_filters == (SavedFilter("Mine", "udp.length > 3"),)
    opened(file).saved_filters = ()
    assert opened(file).saved_filters == ()


@pytest.mark.parametrize(
    ("text", "saved"),
    [("{", FIRST_FILTERS), ("3", FIRST_FILTERS), ('[["a", "flow"], ["b"], 3, [1, "x"]]', (SavedFilter("a", "flow"),))],
)
def test_damaged_filters_count_as_not_there(file: Path, text: str, saved: tuple[SavedFilter, ...]) -> None:
    store(file, "filters/saved", text)
    store(file, "filters/history", text)
    assert opened(file).saved_filters == saved
    assert opened(file).filter_history == ()
