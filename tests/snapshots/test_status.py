"""The words of snapshot outcomes."""

from __future__ import annotations

from analyzer.snapshots.status import ClientHas, Code, LostBy, Proof, Status, is_judged


def test_words_of_records_and_filters() -> None:
    assert [status.word for status in Status] == [
        "ok",
        "crc",
        "incomplete",
        "no-base",
        "malformed",
        "late",
        "duplicate",
        "bug",
        "partial",
        "error",
    ]
    assert [has.word for has in ClientHas] == ["never", "later", "acked"]
    assert [loser.word for loser in LostBy] == ["nobody", "capture", "network", "game", "unknown", "limit"]


def test_numbers_fit_their_columns_and_unset_means_nothing_known() -> None:
    for words in (Status, ClientHas, LostBy, Proof):
        assert [word.value for word in words] == list(range(len(words)))
    assert (ClientHas(0), LostBy(0), Proof(0)) == (ClientHas.NEVER, LostBy.NOBODY, Proof.NONE)


def test_a_code_is_compared_whole() -> None:
    assert Code("C1", Status.CRC, "checksum differs by {detail}") == Code(
        "C1", Status.CRC, "checksum differs by {detail}"
    )


def test_a_legend_has_no_numbers_of_one_snapshot() -> None:
    assert (
        Code("P1", Status.INCOMPLETE, "parts missing: {missing} of {parts}", "parts missing").legend == "parts missing"
    )
    assert Code("F1", Status.MALFORMED, "malformed message").legend == "malformed message"
    assert Code("D", Status.MALFORMED, "wrong at byte {detail}").legend == ""


def test_acknowledgements_are_compared_with_what_was_read_once() -> None:
    assert is_judged(Status.OK, 1)
    assert is_judged(Status.INCOMPLETE, 2)
    assert not is_judged(Status.MALFORMED, 0)
    assert not any(is_judged(status, 1) for status in (Status.DUPLICATE, Status.LATE, Status.BUG))
