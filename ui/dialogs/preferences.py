"""Preferences: theme, time format, units, zoom, memory, fonts, mods, thresholds. All but memory shows at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from ui.dialogs.schema_list import SchemaList
from ui.dialogs.thresholds import ThresholdPage
from ui.settings import MAX_MEMORY_MIB, ZOOM_RANGE, Preferences


class PreferencesDialog(QDialog):
    """Edits `Preferences`."""

    changed = Signal(object)
    """The `Preferences` as they are now."""

    def __init__(
        self, preferences: Preferences, refused: Callable[[Sequence[str]], str], parent: QWidget | None = None
    ) -> None:
        """`refused`: what is wrong with some schema files, empty if nothing is."""
        super().__init__(parent)
        self.setWindowTitle(self.tr("Preferences"))
        self._preferences = preferences
        general = QWidget()
        form = QFormLayout(general)
        self._choice(
            form,
            self.tr("Colours"),
            "theme",
            {"system": self.tr("As the system"), "light": self.tr("Light"), "dark": self.tr("Dark")},
        )
        self._choice(
            form,
            self.tr("Time in the packet list"),
            "time_format",
            {
                "first": self.tr("Seconds since the first packet"),
                "previous": self.tr("Seconds since the packet shown before"),
                "reference": self.tr("Seconds since the time reference"),
                "utc": self.tr("Time of day (UTC)"),
            },
        )
        self._choice(
            form,
            self.tr("Snapshot size in charts"),
            "size_unit",
            {"wire": self.tr("Bytes on the wire"), "delta": self.tr("Bytes of the delta")},
        )
        low, high = ZOOM_RANGE
        self._number(form, self.tr("Baseline counts as delayed after"), "base_age_limit_ms", 20, 10_000, " ms", 1)
        self._number(form, self.tr("Zoom"), "zoom", round(low * 100), round(high * 100), " %", 100)
        memory = self._number(form, self.tr("Memory for tables"), "memory_mib", 0, MAX_MEMORY_MIB, " MiB", 1)
        memory.setSpecialValueText(self.tr("A quarter of the machine's"))
        memory.setToolTip(self.tr("Of the next capture that is opened; further tables are in a temporary file."))
        fonts = QCheckBox(self.tr("Use the system's fonts"))
        fonts.setChecked(preferences.system_fonts)
        fonts.toggled.connect(lambda on: self._change("system_fonts", on))
        form.addRow("", fonts)
        schemas = SchemaList(preferences.schemas, refused)
        schemas.changed.connect(lambda paths: self._change("schemas", paths))
        form.addRow(self.tr("Schema files of mods"), schemas)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.accept)
        layout = QVBoxLayout(self)
        self.tabs = QTabWidget()
        self.tabs.addTab(general, self.tr("General"))
        self.thresholds = ThresholdPage(preferences.thresholds)
        self.thresholds.changed.connect(lambda thresholds: self._change("thresholds", thresholds))
        self.tabs.addTab(self.thresholds, self.tr("Findings"))
        layout.addWidget(self.tabs)
        layout.addWidget(buttons)

    @property
    def preferences(self) -> Preferences:
        """As they are now."""
        return self._preferences

    def _choice(self, form: QFormLayout, label: str, name: str, choices: dict[str, str]) -> None:
        box = QComboBox()
        for value, text in choices.items():
            box.addItem(text, value)
        box.setCurrentIndex(list(choices).index(getattr(self._preferences, name)))
        box.currentIndexChanged.connect(lambda index: self._change(name, box.itemData(index)))
        form.addRow(label, box)

    def _number(self, form: QFormLayout, label: str, name: str, low: int, high: int, unit: str, scale: int) -> QSpinBox:
        box = QSpinBox()
        box.setRange(low, high)
        box.setSuffix(unit)
        box.setSingleStep(10)
        box.setValue(round(getattr(self._preferences, name) * scale))
        box.valueChanged.connect(lambda value: self._change(name, value if scale == 1 else value / scale))
        form.addRow(label, box)
        return box

    def _change(self, name: str, value: object) -> None:
        values = {**{field: getattr(self._preferences, field) for field in Preferences.__slots__}, name: value}
        self._preferences = replace(self._preferences, **values)
        self.changed.emit(self._preferences)
