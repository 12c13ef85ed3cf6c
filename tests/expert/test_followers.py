"""Causes may become known, change, and be published after the rows that name them."""

from __future__ import annotations

import numpy as np

from analyzer.expert.followers import Followers
from analyzer.snapshots.status import Status
from analyzer.store.tables import SNAPSHOTS, Tables


def rows(causes: list[int], statuses: list[Status]) -> dict[str, list[int]]:
    values = {spec.name: [0] * len(causes) for spec in SNAPSHOTS}
    return values | {"cause": causes, "status": [int(status) for status in statuses]}


def test_followers() -> None:
    tables = Tables()
    journal, followers = tables.journal.reader(), Followers(tables)
    tables.snapshots.append(rows([-1, 0, 3], [Status.CRC, Status.NO_BASE, Status.NO_BASE]), 3)
    tables.snapshots.publish()
    assert followers.update(journal.take(), 3)
    assert followers.of(np.arange(3)).tolist() == [1, 0, 0]
    tables.snapshots.append(rows([-1, 3, 3], [Status.INCOMPLETE, Status.NO_BASE, Status.LATE]), 3)
    tables.snapshots.publish()
    assert followers.update(journal.take(), 6)
    assert followers.of(np.arange(6)).tolist() == [1, 0, 0, 2, 0, 0]
    assert not followers.update(journal.take(), 6)
    tables.snapshots.amend("cause", [1, 2], [3, -1])
    assert followers.update(journal.take(), 6)
    assert followers.of(np.arange(6)).tolist() == [0, 0, 0, 2, 0, 0]
    assert len(followers) == 6
