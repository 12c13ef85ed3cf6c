"""The measurements of live capture, each a function that gives rows: `scripts/bench --live`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from scripts.benchmarks.children import run_task
from scripts.benchmarks.samples import prefix
from scripts.benchmarks.table import Row

REACH = 30_000.0
"""Packets a second, with everything decoded."""
ORDINARY = 3_200.0
"""Packets a second of 64 clients; scapy's own way loses packets from here on."""
FINER = 1.12
"""The last steps of a search."""
SENT_SHARE = 0.97
"""Of the rate that was wanted; a sender that stays below could not offer it."""
BEHIND_S = 2.0
"""Decoding that is so far behind at the end does not keep up."""


@dataclass(frozen=True, slots=True)
class LivePlan:
    """What is measured live and how often."""

    capture: Path
    small: Path
    """Its first packets."""
    runs: int
    seconds: float
    """Of a capture with everything decoded, and of that at an ordinary rate."""
    limit_seconds: float
    """Of a capture by the sniffer alone."""
    first: float
    """Packets a second that the search for the sniffer's limit begins with."""
    most: float
    """More is never offered."""


@dataclass(slots=True)
class Offers:
    """Captures at several rates."""

    plan: LivePlan
    decode: bool
    seconds: float
    best: dict[str, Any] = field(default_factory=dict)

    def __call__(self, rate: float) -> bool:
        """Whether nothing was dropped at a rate, nor left behind."""
        answer = self._run(rate, max(1, int(rate * self.seconds)))
        kept = answer["dropped"] == 0 and answer["captured"] == answer["sent"]
        kept &= not self.decode or (answer["decoded"] == answer["sent"] and answer["late"] < BEHIND_S)
        if kept:
            self.best = answer
        return kept and answer["sent"] / answer["seconds"] >= SENT_SHARE * rate

    def _run(self, rate: float, count: int) -> dict[str, Any]:
        plan = self.plan
        paths = {"path": str(plan.capture), "warm": str(plan.small)}
        answer = run_task("live", **paths, rate=rate, count=count, decode=self.decode)
        if "failed" in answer:
            raise OSError(answer["failed"])
        return answer


def highest(kept: Callable[[float], bool], first: float, most: float) -> float:
    """The highest rate that is kept, found in steps of a half and then of an eighth; 0: not even a sixteenth is."""
    rate, lowest = first, first / 16
    while not kept(rate):
        rate /= 2
        if rate < lowest:
            return 0.0
    for step in (1.5, FINER):
        while rate * step <= most and kept(rate * step):
            rate *= step
    return rate


def live_rows(plan: LivePlan, say: Callable[[str], None]) -> list[Row]:
    """All of them; a row says why nothing could be measured."""
    if sys.platform != "linux":
        return [Row("live capture", None, "packets/s", remark="only on Linux")]
    whole = plan.small.with_name("whole")
    available = prefix(plan.capture, sys.maxsize, whole)
    whole.unlink()
    say("live, with everything decoded")
    rows = decoded_rows(plan, available)
    say("live, the sniffer alone")
    rows += sniffer_rows(plan)
    say(f"live, {ORDINARY:,.0f} packets/s")
    return [*rows, *share_rows(plan)]


def decoded_rows(plan: LivePlan, available: int) -> list[Row]:
    """The highest rate at which all is captured and decoded meanwhile. No frame is sent twice: it would be late."""
    lasting = min(plan.most, available / plan.seconds)
    what = "live, loss-free with full decode"
    if lasting < min(REACH, plan.most):
        needed = f"{round(REACH * plan.seconds):,}"
        return [Row(what, None, "packets/s", remark=f"takes a capture of {needed} frames, this has {available:,}")]
    found = [searched(plan, decode=True, first=min(REACH, lasting), most=lasting) for _ in range(plan.runs)]
    rate = median(rate for rate, _ in found)
    late = median([answer.get("late", 0.0) for _, answer in found])
    limit = "no more was offered" if rate * FINER > lasting else "more is dropped or left behind"
    remark = f"for {plan.seconds:g} s, nothing dropped; all decoded {late:.1f} s after the last packet; {limit}"
    return [Row(what, rate, "packets/s", plan.runs, REACH, remark=remark)]


def sniffer_rows(plan: LivePlan) -> list[Row]:
    """The highest rate at which the sniffer writes everything, with nobody reading it."""
    found = [searched(plan, decode=False, first=plan.first, most=plan.most) for _ in range(plan.runs)]
    rates = [rate for rate, _ in found]
    offered = max(rates) * FINER > plan.most
    remark = f"for {plan.limit_seconds:g} s; {'no more was offered' if offered else 'more is dropped or not sent'}"
    return [Row("sniffer alone, without drops", median(rates), "packets/s", plan.runs, remark=remark)]


def searched(plan: LivePlan, *, decode: bool, first: float, most: float) -> tuple[float, dict[str, Any]]:
    """The highest rate of one run, as it was sent, and what was measured at it."""
    offers = Offers(plan, decode, plan.seconds if decode else plan.limit_seconds)
    if not highest(offers, first, most):
        return 0.0, {}
    return offers.best["sent"] / offers.best["seconds"], offers.best


def share_rows(plan: LivePlan) -> list[Row]:
    """What of a core the sniffer takes at an ordinary rate."""
    offers = Offers(plan, False, plan.seconds)
    shares = []
    for _ in range(plan.runs):
        if not offers(min(ORDINARY, plan.most)):
            return [Row("sniffer, share of a core", None, "%", remark="packets were dropped")]
        shares.append(100 * offers.best["share"])
    remark = f"processor time of its process at {min(ORDINARY, plan.most):,.0f} packets/s for {plan.seconds:g} s"
    return [Row("sniffer, share of a core", median(shares), "%", plan.runs, remark=remark)]
