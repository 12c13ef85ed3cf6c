"""The field that a display filter is typed into: coloured by token, with what is wrong underlined."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent, QPalette, QTextCharFormat
from PySide6.QtWidgets import QLineEdit, QWidget

from ui import fonts
from ui.models.filter_judgement import Token, tokens
from ui.theme import Theme
from ui.views.completion_popup import CompletionPopup

Attribute = QInputMethodEvent.Attribute


class FilterField(QLineEdit):
    """Does not know what a filter is: whoever it belongs to says by `show_wrong` what of it is wrong."""

    typed = Signal(str)
    """The whole text, changed by hand."""
    applied = Signal()
    """Enter was pressed."""
    left = Signal()
    """Esc was pressed."""
    walked = Signal(int)
    """To the filter before (-1) or after (1) in the history."""
    completion_wanted = Signal(bool)
    """At the cursor; whether a person asked for it by a key."""
    focused = Signal()
    """The focus came, or went."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._wrong = (0, 0)
        self._putting = False
        self.popup = CompletionPopup(theme, self)
        self.popup.chosen.connect(self._insert)
        self.setFrame(False)
        self.setAccessibleName(self.tr("Display filter"))
        self.setPlaceholderText(self.tr("Filter packets, for example  snapshot.status != ok"))
        self.textEdited.connect(self._on_edited)
        self.textChanged.connect(self._colour)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        palette = self.palette()
        # The bar paints the ground.
        palette.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
        palette.setColor(QPalette.ColorRole.Text, theme.color("text"))
        palette.setColor(QPalette.ColorRole.PlaceholderText, theme.color("text3"))
        palette.setColor(QPalette.ColorRole.Highlight, theme.color("select"))
        palette.setColor(QPalette.ColorRole.HighlightedText, theme.color("text"))
        self.setPalette(palette)
        self.popup.set_theme(theme)
        self._colour()

    def set_zoom(self, zoom: float, *, system: bool = False) -> None:
        """Another size of type."""
        self.setFont(fonts.font(fonts.Use.VALUE, zoom=zoom, system=system))
        self.popup.set_zoom(zoom, system=system)
        self._colour()

    def show_wrong(self, start: int, end: int) -> None:
        """Underline characters; none where both are alike."""
        if (start, end) != self._wrong:
            self._wrong = start, end
            self._colour()

    def put(self, text: str) -> None:
        """Replace the whole text, as typing would: it can be undone."""
        self._putting = True
        if text != self.text():
            self.selectAll()
            if text:
                self.insert(text)
            else:
                self.del_()
        self._putting = False
        self.setCursorPosition(len(text) if self.hasFocus() else 0)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            keys = (Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Up, Qt.Key.Key_Down)
            if event.key() in keys and not event.modifiers():
                event.accept()
                return True
        pressed = event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent)
        # Before Qt moves the focus by it.
        if pressed and event.key() == Qt.Key.Key_Tab and self._complete():  # type: ignore[attr-defined]
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, plain = event.key(), not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.modifiers() == Qt.KeyboardModifier.ControlModifier and key == Qt.Key.Key_Space:
            self.completion_wanted.emit(True)
        elif not plain or not self._take(Qt.Key(key)):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.popup.hide()
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            # Of a long text the beginning is seen.
            self.setCursorPosition(0)
        self.focused.emit()

    def _take(self, key: Qt.Key) -> bool:
        """Do what a key stands for; False: nothing here."""
        open_ = self.popup.isVisible()
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8}
        if key in steps and open_:
            self.popup.step(steps[key])
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.walked.emit(steps[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if open_ and self.popup.is_picked:
                self.popup.choose()
            else:
                self.popup.hide()
                self.applied.emit()
        elif key == Qt.Key.Key_Escape and open_:
            self.popup.hide()
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            return False
        return True

    def _complete(self) -> bool:
        """Tab takes the candidate; False: there is none, and the focus goes on."""
        if not self.popup.isVisible():
            return False
        self.popup.choose()
        return True

    @Slot(int, int, str)
    def _insert(self, start: int, end: int, text: str) -> None:
        """Put a candidate in place of what was typed of it, and ask for what may follow."""
        behind = self.text()[end : end + 1]
        self.setSelection(start, end - start)
        if end == start:
            self.setCursorPosition(start)
        self.insert(text if text.endswith(("(", "{")) or behind in (" ", ")", "}", ",") else f"{text} ")

    @Slot(str)
    def _on_edited(self, text: str) -> None:
        """Qt says so of what is put here, too."""
        if not self._putting:
            self.typed.emit(text)
            self.completion_wanted.emit(False)

    @Slot()
    def _colour(self) -> None:
        """Formats of a line edit's text can only be set as an input method would."""
        cursor = self.cursorPosition()
        formats = [
            Attribute(QInputMethodEvent.AttributeType.TextFormat, token.start - cursor, token.end - token.start, form)
            for token, form in self._formats(tokens(self.text()))
        ]
        if self.isVisible() or formats:
            QCoreApplication.sendEvent(self, QInputMethodEvent("", formats))

    def _formats(self, found: Sequence[Token]) -> list[tuple[Token, QTextCharFormat]]:
        made = []
        for token in found:
            form = QTextCharFormat()
            form.setForeground(self._theme.color(token.tone))
            if token.start < self._wrong[1] and token.end > self._wrong[0]:
                form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
                form.setUnderlineColor(self._theme.color("error"))
            made.append((token, form))
        return made
