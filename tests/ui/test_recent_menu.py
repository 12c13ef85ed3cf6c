"""The menu of recent captures: filled when it opens, and what is gone cannot be opened."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ui.recent_menu import RecentMenu
from ui.settings import Settings
