"""Every kind of frame has its words."""

from __future__ import annotations

from analyzer.cli.frame_words import SENTENCES, word
from analyzer.net.kinds import FrameKind


def test_every_kind_has_a_sentence_and_a_word() -> None:
    assert set(SENTENCES) == set(FrameKind)
    assert word(FrameKind.NOT_IP) == "not-ip"
    assert len({word(kind) for kind in FrameKind}) == len(FrameKind)
