"""The words of snapshot outcomes."""

from __future__ import annotations

from analyzer.snapshots.status import ClientHas, Code, LostBy, Proof, Status


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
