"""Why a list has no rows: a title and a sentence for the pane."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from ui.document import Document


def no_packets(document: Document | None) -> tuple[str, str]:
    """Nothing is open, nothing has come yet, or the capture has none."""
    if document is None:
        return _tr("No packets"), _tr("Open a capture to see its packets.")
    if document.is_live:
        return _tr("No packets yet"), _tr("The capture runs. Nothing has come yet that its filter lets through.")
    if not document.is_decoded:
        return _tr("No packets yet"), _tr("The capture is being read.")
    if len(document.tables.frames):
        return _tr("No datagram in this capture"), _tr("The file was read, and none of its packets is a UDP datagram.")
    empty = not document.worker.capture.source.file.size()
    text = _tr("The file is empty.") if empty else _tr("The file holds its header and no packet.")
    return _tr("No packet in this capture"), text


def _tr(text: str) -> str:
    return QCoreApplication.translate("PacketList", text)
