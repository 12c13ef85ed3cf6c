"""The verdict of an autopsy."""

from __future__ import annotations

from analyzer.snapshots.autopsy import Autopsy, Explanation

SURE = Explanation("other-client", 1, "Flag 1: x is 1, not 2", 5, 1)
FITS = Explanation("one-value", 3, "one value of Flag 1 is off by +1", 5, 1)
ALSO = Explanation("missed-removal", 3, "Flag 1 should be gone, but was not removed", 5, 1)
ELSEWHERE = Explanation("one-value", 3, "one value of Flag 2 is off by +1", 5, 2)
BASE = Explanation("other-base", 3, "the baseline is tick 4, not the one that is named")


def test_the_best_and_what_is_said_of_them() -> None:
    assert Autopsy(1, ()).verdict == "No single change explains the difference."
    assert Autopsy(1, (SURE, FITS)).best == (SURE,)
    assert Autopsy(1, (SURE, FITS)).verdict == "One explanation fits best: Flag 1: x is 1, not 2."
    assert Autopsy(1, (FITS, ALSO)).verdict == "2 explanations fit equally well, all about one item."
    assert Autopsy(1, (FITS, ELSEWHERE)).verdict == "2 explanations fit equally well, about 2 items."
    assert Autopsy(1, (BASE, BASE)).verdict == "2 explanations fit equally well."
