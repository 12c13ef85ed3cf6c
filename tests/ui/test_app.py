"""The `snapscope` command shows what `snapscope-cli summary` shows."""

from __future__ import annotations

import sys

import pytest
from capture_files import BUNDLED, SAMPLE

from analyzer import cli
from ui import app


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [([], SAMPLE), ([str(BUNDLED / "ddnet_dm6_snaplen220.pcap")], BUNDLED / "ddnet_dm6_snaplen220.pcap")],
    ids=["bundled sample", "capture"],
)
def test_summary(
    arguments: list[str], shown: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["snapscope", *arguments])
    assert app.main() == 0
    printed = capsys.readouterr().out
    assert cli.main(["summary", str(shown)]) == 0
    assert printed == capsys.readouterr().out != ""


def test_absent_capture(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["snapscope", "absent.pcap"])
    assert app.main() != 0
    assert "absent.pcap" in capsys.readouterr().err
