"""The page of the preferences for thresholds of expert rules: a field each, and a button that resets all."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from analyzer.expert.rule import Rule, Threshold
from analyzer.expert.rules import RULES
from ui import fonts

MOST = 10_000_000.0
"""Where a threshold has no bound of its own."""


class ThresholdPage(QWidget):
    """Fields in the order of the rules."""

    changed = Signal(object)
    """tuple[tuple[str, float], ...]: the thresholds that are not as usual."""

    def __init__(self, thresholds: tuple[tuple[str, float], ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._changed = dict(thresholds)
        self.fields: dict[str, QDoubleSpinBox] = {}
        self.reset = QPushButton(self.tr("Reset all thresholds"))
        self.reset.clicked.connect(self._reset)
        fields = QWidget()
        form = QFormLayout(fields)
        for rule in RULES.values():
            if rule.thresholds:
                self._add_rule(form, rule)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setWidget(fields)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # All of a field is seen beside the scroll bar.
        scroll.setMinimumWidth(fields.minimumSizeHint().width() + scroll.verticalScrollBar().sizeHint().width())
        for ground in (scroll.viewport(), fields):
            ground.setAutoFillBackground(False)
        foot = QHBoxLayout()
        foot.addStretch()
        foot.addWidget(self.reset)
        layout = QVBoxLayout(self)
        told = QLabel(self.tr("When a rule speaks up. A change counts at once; nothing is decoded again."))
        told.setWordWrap(True)
        layout.addWidget(told)
        layout.addWidget(scroll, 1)
        layout.addLayout(foot)
        self._say()

    def _add_rule(self, form: QFormLayout, rule: Rule) -> None:
        title = QLabel(rule.title)
        title.setFont(fonts.font(fonts.Use.GROUP_ROW, zoom=self._zoom()))
        title.setToolTip(f"{rule.name}\n{rule.explanation}")
        form.addRow(title)
        for threshold in rule.thresholds:
            form.addRow(_label(threshold), self._field(rule, threshold))

    def _zoom(self) -> float:
        pixels, _, _ = fonts.Use.TABLE.value
        return self.font().pixelSize() / pixels if self.font().pixelSize() > 0 else 1.0

    def _field(self, rule: Rule, threshold: Threshold) -> QDoubleSpinBox:
        name = f"{rule.name}.{threshold.name}"
        field = self.fields[name] = QDoubleSpinBox()
        whole = float(threshold.default).is_integer()
        field.setDecimals(0 if whole else 2)
        field.setRange(threshold.least, MOST)
        field.setSuffix(f" {threshold.unit}" if threshold.unit else "")
        field.setKeyboardTracking(False)
        field.setValue(self._changed.get(name, threshold.default))
        field.setToolTip(self.tr("{0}; usually {1:g} {2}").format(name, threshold.default, threshold.unit).rstrip())
        field.valueChanged.connect(partial(self._change, name, threshold.default))
        return field

    def _change(self, name: str, usual: float, value: float) -> None:
        self._changed.pop(name, None)
        if value != usual:
            self._changed[name] = value
        self._say()
        self.changed.emit(tuple(self._changed.items()))

    def _reset(self) -> None:
        self._changed.clear()
        for rule in RULES.values():
            for threshold in rule.thresholds:
                field = self.fields[f"{rule.name}.{threshold.name}"]
                field.blockSignals(True)
                field.setValue(threshold.default)
                field.blockSignals(False)
        self._say()
        self.changed.emit(())

    def _say(self) -> None:
        self.reset.setEnabled(bool(self._changed))


def _label(threshold: Threshold) -> str:
    return threshold.meaning[:1].upper() + threshold.meaning[1:]
