"""What is to be said of one finding, or of all of a rule, in plain words, with what can be done."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from analyzer.engine.expertise import Description
from analyzer.expert.rule import Rule
from analyzer.snapshots.autopsy import Autopsy
from ui import fonts
from ui.theme import Theme
from ui.views.chips import Chip, SignLabel
from ui.views.flow_layout import FlowLayout
from ui.words import quantity, signed

MOST_EXPLANATIONS = 30
"""Of a wrong checksum; of many small values each may fit."""


class FindingDetail(QWidget):
    """Says what it is given. Buttons that lead nowhere are not there."""

    go_wanted = Signal()
    cause_wanted = Signal()
    autopsy_wanted = Signal()
    copy_wanted = Signal()
    item_wanted = Signal(int, int)
    """Type and id of an item that an explanation is about."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._paragraphs: list[tuple[str, str]] = []
        self._autopsy: Autopsy | None = None
        self._zoom = 1.0
        self._title = SignLabel(theme, fonts.Use.PANE_TITLE)
        self._title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._rule = QLabel()
        self._rule.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.RichText)
        self._text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.go = Chip(theme)
        self.cause = Chip(theme)
        self.autopsy = Chip(theme)
        self.copy = Chip(theme)
        self._lay_out()
        self._set_up()
        self.set_zoom(1.0)

    @property
    def title(self) -> str:
        """What stands above all."""
        return self._title.text

    @property
    def text(self) -> str:
        """All that is said, a line a paragraph."""
        said = [f"{head}: {text}" if head else text for head, text in self._paragraphs]
        return "\n".join([*said, *self.autopsy_lines])

    @property
    def autopsy_lines(self) -> list[str]:
        """What explains a wrong checksum, a line each; nothing while nobody has asked."""
        if self._autopsy is None:
            return []
        shown = self._autopsy.explanations[:MOST_EXPLANATIONS]
        left = len(self._autopsy.explanations) - len(shown)
        more = [self.tr("... and {0} more").format(quantity(left))] if left else []
        return [self._verdict(self._autopsy), *(f"- {one.text}" for one in shown), *more]

    @property
    def rule(self) -> str:
        """The rule's name, at the right."""
        return self._rule.text()

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        for part in (self._title, self.go, self.cause, self.autopsy, self.copy):
            part.set_theme(theme)
        self._say(self._paragraphs)
        self.update()

    def set_zoom(self, zoom: float) -> None:
        """Other sizes of type."""
        self._zoom = zoom
        self._title.setFont(fonts.font(fonts.Use.PANE_TITLE, zoom=zoom))
        self._rule.setFont(fonts.font(fonts.Use.HEAD, zoom=zoom))
        for part in (self._text, self.go, self.cause, self.autopsy, self.copy):
            part.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))

    def show_nothing(self) -> None:
        """Nothing is chosen."""
        self._autopsy = None
        self._title.show_text("", self.tr("No finding selected"), "text2")
        self._rule.setText("")
        self._say([("", self.tr("Select a finding to read what it means and what to do."))])
        self._offer()

    def show_rule(self, rule: Rule, sign: str, told: str) -> None:
        """Of all findings of a rule; `told`: how many there are."""
        self._autopsy = None
        self._title.show_text(sign, rule.title, "text")
        self._rule.setText(rule.name)
        self._say(
            [
                ("", told),
                ("", rule.explanation),
                (self.tr("May be"), rule.causes),
                (self.tr("What to do"), rule.advice),
            ]
        )
        self._offer()

    def show_client(self, name: str, sign: str, told: str, rules: Sequence[tuple[str, str]]) -> None:
        """Of all findings of a client; `rules`: titles, each with how many there are."""
        self._autopsy = None
        self._title.show_text(sign, name, "text")
        self._rule.setText("")
        self._say([("", told), *rules])
        self._offer()

    def show_finding(
        self, rule: str, sign: str, words: Description, place: str, more: Sequence[tuple[str, str]] = ()
    ) -> None:
        """One finding; `place`: where it is, `more`: what else is known, each with a head."""
        self._autopsy = None
        self._title.show_text(sign, words.title, "text")
        self._rule.setText(rule)
        what = words.what[:1].upper() + words.what[1:]
        self._say(
            [
                ("", place),
                ("", what if what.endswith(".") else f"{what}."),
                *more,
                (self.tr("What it means"), words.explanation),
                (self.tr("What follows"), words.follows),
                (self.tr("May be"), words.causes),
                (self.tr("What to do"), words.advice),
            ]
        )

    def show_autopsy(self, autopsy: Autopsy | None) -> None:
        """Also say what explains a wrong checksum; None: nothing can be said."""
        self._autopsy = autopsy or Autopsy(0, ())
        self._say(self._paragraphs)
        self.autopsy.hide()
        self._scroll.verticalScrollBar().setValue(0)

    def offer(self, *, go: str, cause: str, autopsy: bool) -> None:
        """What can be done with the finding; an empty text: not that."""
        self._offer(go, cause, autopsy=autopsy, copy=True)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("raised"))
        painter.fillRect(QRectF(0, 0, self.width(), 1), self._theme.color("line"))
        painter.end()

    def _offer(self, go: str = "", cause: str = "", *, autopsy: bool = False, copy: bool = False) -> None:
        self.go.setText(go)
        self.cause.setText(cause)
        self.autopsy.setText(self.tr("Show autopsy"))
        self.copy.setText(self.tr("Copy"))
        for chip, shown in ((self.go, go), (self.cause, cause), (self.autopsy, autopsy), (self.copy, copy)):
            chip.updateGeometry()
            chip.setVisible(bool(shown))
        self._buttons.setVisible(copy)

    def _say(self, paragraphs: list[tuple[str, str]]) -> None:
        self._paragraphs = [(head, text) for head, text in paragraphs if text]
        quiet = self._theme.hex("text2")
        lines: list[str] = []
        for head, text in self._paragraphs:
            lead = f'<span style="color:{quiet}">{escape(head)}:</span> ' if head else ""
            body = escape(text).replace("\n", "<br/>")
            lines.append(f'<p style="margin-top:0px; margin-bottom:5px">{lead}{body}</p>')
        if self._autopsy is not None:
            lines[1:1] = self._autopsy_html(self._autopsy)
        text = "".join(lines)
        if text != self._text.text():
            self._text.setText(text)
        self._text.setAccessibleName(self.text)

    def _verdict(self, autopsy: Autopsy) -> str:
        difference = self.tr("{0} is to be added to the sum.").format(signed(autopsy.difference))
        return f"{autopsy.verdict} {difference}" if autopsy.explanations else autopsy.verdict

    def _autopsy_html(self, autopsy: Autopsy) -> list[str]:
        """The best explanations first; those about an item lead to it."""
        told = self._verdict(autopsy) if len(autopsy.best) != 1 else self.tr("One explanation fits best:")
        lines = [f'<p style="margin-top:0px; margin-bottom:4px"><b>{escape(told)}</b></p>']
        best = len(autopsy.best)
        for number, one in enumerate(autopsy.explanations[:MOST_EXPLANATIONS]):
            if number == best:
                lines.append(f'<p style="margin-top:6px; margin-bottom:3px">{escape(self.tr("Less likely:"))}</p>')
            text = escape(one.text[:1].upper() + one.text[1:])
            if one.type >= 0:
                text = f'<a href="{one.type}/{one.id}" style="color:{self._theme.hex("accent")}">{text}</a>'
            lines.append(f'<p style="margin-top:0px; margin-bottom:3px">{text}</p>')
        left = len(autopsy.explanations) - MOST_EXPLANATIONS
        if left > 0:
            lines.append(f'<p style="margin-top:3px">{escape(self.tr("... and {0} more").format(quantity(left)))}</p>')
        return lines

    @Slot(str)
    def _follow_link(self, link: str) -> None:
        kind, _, number = link.partition("/")
        self.item_wanted.emit(int(kind), int(number))

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self._title, 1)
        top.addWidget(self._rule)
        scroll = self._scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self._text)
        scroll.viewport().setAutoFillBackground(False)
        self._text.setAutoFillBackground(False)
        self._buttons = QWidget()
        flow = FlowLayout(self._buttons)
        for chip in (self.go, self.cause, self.autopsy, self.copy):
            flow.addWidget(chip)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self._buttons.setSizePolicy(policy)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 9, 8, 9)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(scroll, 1)
        column.addWidget(self._buttons)

    def _set_up(self) -> None:
        flags = Qt.TextInteractionFlag
        self._text.setTextInteractionFlags(flags.TextSelectableByMouse | flags.LinksAccessibleByMouse)
        self._text.linkActivated.connect(self._follow_link)
        self.go.clicked.connect(self.go_wanted)
        self.cause.clicked.connect(self.cause_wanted)
        self.autopsy.clicked.connect(self.autopsy_wanted)
        self.copy.clicked.connect(self.copy_wanted)
        self.go.setToolTip(self.tr("Select its packet (Enter)"))
        self.cause.setToolTip(self.tr("Select the snapshot with which the failure began"))
        self.autopsy.setToolTip(self.tr("List the single explanations that make the checksum fit"))
        self.copy.setToolTip(self.tr("Copy what is said of the finding, and where it is, as text"))
        self.show_nothing()
