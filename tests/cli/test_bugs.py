"""A mistake of ours is one line on stderr."""

from __future__ import annotations

import logging

import pytest

from analyzer.cli.bugs import MAX_TOLD, TRACEBACK_VARIABLE, tell, told

LOG = logging.getLogger("analyzer.engine.flow_readings")


def strike(times: int = 1) -> None:
    for _ in range(times):
        try:
            raise KeyError("chunk")
        except KeyError:
            LOG.exception("packet %d could not be read", 5)


def test_what_the_engine_logs_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TRACEBACK_VARIABLE, raising=False)
    with told():
        strike()
    assert capsys.readouterr().err == (
        "snapscope-cli: internal error: KeyError: 'chunk' (please report; set SNAPSCOPE_TRACEBACK=1 for details)\n"
    )


def test_many_are_told_a_few_times(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TRACEBACK_VARIABLE, raising=False)
    with told():
        strike(times=40)
    assert len(capsys.readouterr().err.splitlines()) == MAX_TOLD


def test_the_traceback_is_there_for_those_who_ask(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TRACEBACK_VARIABLE, "1")
    with told():
        strike()
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert b"hunter2".hex() not in err


def test_an_exception_without_text(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TRACEBACK_VARIABLE, raising=False)
    tell(RecursionError())
    assert capsys.readouterr().err.startswith("snapscope-cli: internal error: RecursionError (please report;")
