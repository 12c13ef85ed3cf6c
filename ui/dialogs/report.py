"""A mistake of ours, as a report that a person can copy; the window goes on."""

from __future__ import annotations

import platform

from PySide6 import __version__ as qt_version
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

import analyzer
from ui import fonts


class ReportDialog(QDialog):
    """Says that Snapscope failed, and shows what to send."""

    def __init__(self, what: str, details: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Snapscope failed here"))
        self.resize(680, 420)
        headline = QLabel(
            self.tr("Snapscope made a mistake: {0}\nThe window goes on. The report below helps to mend it.").format(
                what
            )
        )
        headline.setWordWrap(True)
        self._text = QPlainTextEdit(f"{environment()}\n\n{details}")
        self._text.setReadOnly(True)
        self._text.setFont(fonts.font(fonts.Use.VALUE))
        self._text.setAccessibleName(self.tr("Report"))
        self._copy = QPushButton(self.tr("Copy report"))
        self._copy.clicked.connect(self._copy_report)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self._copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(headline)
        layout.addWidget(self._text)
        layout.addWidget(buttons)

    def _copy_report(self) -> None:
        QGuiApplication.clipboard().setText(self._text.toPlainText())
        self._copy.setText(self.tr("Report copied"))


def environment() -> str:
    """Versions, without anything that names the person or the machine."""
    return f"Snapscope {analyzer.__version__}, Python {platform.python_version()}, Qt {qt_version}, {platform.system()}"
