"""The question what is to become of a capture that no file with a name keeps."""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox, QWidget

from ui import words


class UnsavedQuestion(QMessageBox):
    """Save, discard or cancel."""

    def __init__(self, packets: int, parent: QWidget, *, runs: bool) -> None:
        """`packets`: how many would be lost. `runs`: more are still being captured."""
        super().__init__(parent)
        buttons = QMessageBox.StandardButton
        self.setWindowTitle(self.tr("Unsaved capture"))
        counted = words.count(packets, self.tr("packet"), self.tr("packets"))
        text = self.tr("The capture runs, and its {0} are not saved.") if runs else self.tr("{0} are not saved.")
        self.setText(text.format(counted))
        self.setInformativeText(self.tr("What is not saved now is lost."))
        self.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        self.setDefaultButton(buttons.Save)
        self.button(buttons.Save).setText(self.tr("Save..."))
        self.button(buttons.Discard).setText(self.tr("Discard"))
