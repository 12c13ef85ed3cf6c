"""The menu of recent captures: filled when it opens; what is gone stays in it, and cannot be opened."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from ui.recent_menu import RecentMenu
from ui.settings import RecentCapture, Settings


def test_none_yet(settings: Settings, qtbot: QtBot) -> None:
    menu = RecentMenu(settings)
    qtbot.addWidget(menu)
    menu.aboutToShow.emit()
    assert [(action.text(), action.isEnabled()) for action in menu.actions()] == [("None yet", False)]


def test_newest_first_and_what_is_gone_cannot_be_opened(settings: Settings, qtbot: QtBot, tmp_path: Path) -> None:
    kept, gone = tmp_path / "kept.pcap", tmp_path / "gone.pcap"
    kept.touch()
    menu = RecentMenu(settings)
    qtbot.addWidget(menu)
    for path in (kept, gone):
        settings.add_recent(RecentCapture(str(path), "2024-01-01T00:00:00"))
        menu.aboutToShow.emit()
    assert [(action.text(), action.isEnabled()) for action in menu.actions()] == [
        ("gone.pcap", False),
        ("kept.pcap", True),
    ]
    with qtbot.waitSignal(menu.open_requested) as asked:
        menu.actions()[1].trigger()
    assert asked.args == [str(kept)]
