"""Whose snapshots a live capture goes on with when a session ends."""

from __future__ import annotations

from capture_files import BUNDLED

from analyzer.stats.flows import session_flow
from tests.ui.charts.conftest import OpenCharts
from ui.charts.scope import Scope

MAP_CHANGE = BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap"


def opened(charts_of: OpenCharts) -> Scope:
    """A scope of a capture of which everything is taken in."""
    _, document = charts_of(MAP_CHANGE)
    scope = Scope(document)
    while not scope.data.update():
        pass
    return scope


def last_s(scope: Scope, session: int) -> float:
    return float(scope.data.track(session).time_s[-1])


def test_the_clients_next_session_follows(charts_of: OpenCharts) -> None:
    scope = opened(charts_of)
    tables = scope.document.tables
    scope.choose()
    first = scope.own
    scope.keep_up(last_s(scope, first), 0.0)
    assert scope.own == first, "something came"
    scope.document.selection.select(0, -1)
    scope.keep_up(last_s(scope, first) + 0.01, 0.0)
    assert scope.own != first
    assert session_flow(tables, scope.own) == session_flow(tables, first)
    assert last_s(scope, scope.own) > last_s(scope, first)


def test_without_one_and_without_a_selection_whoever_sent_last(charts_of: OpenCharts) -> None:
    scope = opened(charts_of)
    ends = {session: last_s(scope, session) for session in scope.data.newest_sessions(0.0)}
    assert list(ends.values()) == sorted(ends.values(), reverse=True)
    newest = next(iter(ends))
    flows = {session: session_flow(scope.document.tables, session) for session in ends}
    other = next(session for session in ends if flows[session] != flows[newest] and ends[session] < ends[newest])
    scope.own = other
    since = max(end for session, end in ends.items() if flows[session] == flows[other]) + 1e-6
    scope.keep_up(since, 0.0)
    assert scope.own == other, "it may come back"
    scope.keep_up(since, since)
    assert scope.own == newest
    scope.own = other
    scope.document.selection.limit_to(other)
    scope.keep_up(since, since)
    assert scope.own == other, "every pane shows one session only"
