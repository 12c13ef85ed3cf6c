"""Going through items bit by bit finds what going through at once finds, compiled or not."""

from __future__ import annotations

from pathlib import Path

import pytest
from capture_files import BUNDLED, SAMPLE

from analyzer.engine import item_walk
from analyzer.engine.capture import Capture
from analyzer.expert.item_rules import RULES
from tests.expert.following import every

Found = dict[str, list[list[int]]]
SOME = [SAMPLE, BUNDLED / "tw07_dm7_any_sll2_nano_head.pcap", BUNDLED / "ddnet_ctf3_midsession_head.pcap.gz"]


def seen_in(path: Path, *, compiled: bool) -> tuple[Found, dict[tuple[str, int], str]]:
    """Records of all that was seen, and its words."""
    with Capture.open(path, strict=True, compiled=compiled) as capture:
        capture.decode()
        query = capture.query()
        assert not query.look_at_items()
        assert query.items_looked_at == (len(capture.tables.snapshots),) * 2
        items = query.findings.items
        found = {rule.name: items.records(rule.name).tolist() for rule in RULES}, dict(items.texts)
        query.close()
        return found


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.name)
def test_compiled_is_as_plain(path: Path) -> None:
    found = seen_in(path, compiled=True)
    assert found == seen_in(path, compiled=False)
    assert found[0]["ids.high_water"]


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.name)
def test_while_it_is_decoded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In small portions, of few states at once."""
    whole = seen_in(path, compiled=False)
    monkeypatch.setattr(item_walk, "AT_ONCE", 7)
    monkeypatch.setattr(item_walk, "MOST_BYTES", 5000)
    with Capture.open(path, strict=True, compiled=False, batch=100) as capture:
        query = capture.query()
        while capture.step():
            query.look_at_items(0.0)
            query.findings.update()
        while query.look_at_items(0.0):
            query.findings.update()
        query.findings.update()
        items = query.findings.items
        assert ({rule.name: items.records(rule.name).tolist() for rule in RULES}, items.texts) == whole
        found = every(query.findings)
        query.findings.use(query.findings.thresholds)
        assert every(query.findings) == found
        query.close()
