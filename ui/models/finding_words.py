"""What the pane of findings says while there is nothing to list, and of what cannot be judged."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from ui.document import Document
from ui.models.finding_source import FindingSource, Found
from ui.words import count, quantity


def _tr(text: str) -> str:
    return QCoreApplication.translate("Findings", text)


def empty_state(document: Document | None, source: FindingSource, *, any_hidden: bool) -> tuple[str, str, str]:
    """Title, sentence and button; `any_hidden`: a person switched off the severities that there are."""
    if document is None:
        return _tr("No capture open"), _tr("What is wrong in a capture is listed as soon as one is open."), ""
    if any_hidden:
        hidden = quantity(sum(source.found.arranged.counts.values()))
        return (
            _tr("Nothing is shown"),
            _tr("All {0} findings are hidden by the buttons above.").format(hidden),
            (_tr("Show all")),
        )
    if document.is_live:
        text = _tr("The capture runs. What is found wrong is listed as it happens.")
        return _tr("Nothing found yet"), text, ""
    if not document.is_decoded or not source.is_complete:
        return _tr("Looking"), _tr("What is found wrong is listed while the capture is being read."), ""
    if document.selection.session >= 0 and source.found.worst is not None:
        return (
            _tr("Nothing found here"),
            _tr("No rule finds anything in the only session that is shown."),
            (_tr("Show all sessions")),
        )
    if not len(document.tables.sessions):
        return _tr("Nothing to judge"), _tr("The capture holds no session of a game that is decoded."), ""
    unknown = not_judged(source.found.unknown)
    looked = _tr("No rule finds anything wrong in {0}.").format(
        count(len(document.tables.packets), _tr("packet"), _tr("packets"))
    )
    return _tr("Nothing found"), f"{looked} {unknown}".strip(), ""


def hint(found: Found) -> str:
    """Below the list: what is still being looked at, or what nobody can judge."""
    if found.items_done < 1:
        return _tr("Items are being looked at: {0} %").format(int(100 * found.items_done))
    return not_judged(found.unknown)


def not_judged(unknown: int) -> str:
    """That a part of the capture says nothing of itself; empty where all is judged."""
    if not unknown:
        return ""
    one, many = _tr("snapshot cannot be judged"), _tr("snapshots cannot be judged")
    why = _tr("what it rests on was not captured") if unknown == 1 else _tr("what they rest on was not captured")
    return f"{count(unknown, one, many)}: {why}."
