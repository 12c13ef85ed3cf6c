"""Why a command has nothing to list, in one line: no frames, or traffic that was recognised but is not decoded."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from analyzer.cli.output import counted, note
from analyzer.stats.flows import FlowEnds, flow_ends, undecoded_packets
from analyzer.store.tables import Tables


def not_decoded(flows: Iterable[FlowEnds]) -> str:
    """What was recognised although this program does not decode it; empty: nothing."""
    found = [f"{dialect} ({counted(count, 'packet')})" for dialect, count in undecoded_packets(flows).items()]
    return f"Recognised, but not decoded by this release: {', '.join(found)}" if found else ""


def note_absence(file: Path, tables: Tables, *, warned: bool) -> None:
    """Say on standard error why nothing is listed, where the reason is known. `warned`: problems of the file were."""
    if not len(tables.frames):
        if not warned:
            note(f"{file}: no frames")
        return
    sentence = not_decoded(flow_ends(tables))
    if sentence:
        note(f"{file}: {sentence[0].lower()}{sentence[1:]}")
