"""The heads of the packet list: they move, the last one stretches, and a third click on a head gives up its order."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ui.theme import Theme
from ui.views.heads import TableHead


class PacketHead(TableHead):
    """The heads of the packet list."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent, sortable=True)
        self.setSectionsMovable(True)
        self.setFirstSectionMovable(False)
        self.setStretchLastSection(True)
        self.setMinimumSectionSize(20)
