"""The journal of amendments."""

from __future__ import annotations

from analyzer.store.journal import Amendment, Journal


def test_a_reader_asks_for_what_is_new() -> None:
    journal = Journal()
    assert (len(journal), journal.since(0)) == (0, ())
    journal.log("packets", "code", 3, 9)
    seen = len(journal)
    journal.log("packets", "code", 3, 9)
    journal.log("flows", "server", 0, 1)
    assert journal.since(seen) == (Amendment("packets", "code", 3, 9), Amendment("flows", "server", 0, 1))
    assert len(journal.since(0)) == len(journal) == 3
    assert journal.since(3) == journal.since(99) == ()
