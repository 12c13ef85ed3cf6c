"""The journal of amendments: every reader gets every entry once, and nothing is kept for those that got it."""

from __future__ import annotations

from analyzer.store.journal import MOST_WAITING, Amendment, Journal


def test_each_reader_gets_what_was_logged_since() -> None:
    journal = Journal()
    journal.log("packets", "code", 3, 9)
    first = journal.reader()
    assert first.take() == ()
    journal.log("packets", "code", 3, 9)
    second = journal.reader()
    journal.log("flows", "server", 0, 1)
    assert first.take() == (Amendment("packets", "code", 3, 9), Amendment("flows", "server", 0, 1))
    assert second.take() == (Amendment("flows", "server", 0, 1),)
    assert first.take() == second.take() == ()


def test_what_nobody_takes_is_joined_and_never_lost() -> None:
    journal = Journal()
    reader = journal.reader()
    for row in range(10 * MOST_WAITING):
        journal.log("snapshots", ("cause", "status")[row % 2], 100 + row, 101 + row)
        assert len(reader) <= MOST_WAITING
    entries = reader.take()
    for parity, column in enumerate(("cause", "status")):
        rows = {row for entry in entries if entry.column == column for row in range(entry.start, entry.stop)}
        assert rows >= set(range(100 + parity, 100 + 10 * MOST_WAITING, 2))
    assert len(reader) == 0


def test_a_reader_that_is_gone_is_forgotten() -> None:
    journal = Journal()
    reader = journal.reader()
    kept = journal.reader()
    del reader
    journal.log("packets", "code", 3, 9)
    assert kept.take() == (Amendment("packets", "code", 3, 9),)
