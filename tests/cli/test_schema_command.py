"""`schema check` and `schema infer`, and the option --schema of the commands that decode."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer.cli import main
from tests.modded import LONG_SCHEMA, SCHEMA, write_capture, write_schema


@pytest.fixture(scope="module")
def modded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_capture(tmp_path_factory.mktemp("modded") / "mod.pcap")


def output(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> tuple[str, str]:
    assert main([str(argument) for argument in arguments]) == code
    out, err = capsys.readouterr()
    return out, err


def test_check(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write_schema(tmp_path / "mod.json")
    assert output(capsys, "schema", "check", path) == ("My mod: 2 items, 2 messages, for 0.6, ddnet\n", "")


def test_check_says_it_in_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write_schema(tmp_path / "mod.json", {**SCHEMA, "title": "My\n\x1b[31mmod"})
    assert output(capsys, "schema", "check", path)[0] == "My\\n\\x1b[31mmod: 2 items, 2 messages, for 0.6, ddnet\n"


def test_check_names_line_and_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write_schema(
        tmp_path / "mod.json", {**SCHEMA, "items": [{"type": 70, "name": "A", "fields": [{"name": "x"}]}]}
    )
    out, err = output(capsys, "schema", "check", path, code=1)
    assert out == ""
    assert err.startswith(
        "snapscope-cli: mod.json, line 15: items[0].fields[0]: expected an object with 'kind', found "
    )
    path.write_text('{"format": 1,\n}', encoding="utf-8")
    _, err = output(capsys, "schema", "check", path, code=1)
    assert err == "snapscope-cli: mod.json, line 1, column 13: not JSON: no comma is expected before }\n"


def test_a_file_that_is_given_twice_counts_once(
    capsys: pytest.CaptureFixture[str], modded: Path, tmp_path: Path
) -> None:
    path = write_schema(tmp_path / "mod.json")
    link = tmp_path / "link.json"
    link.symlink_to(path)
    once = output(capsys, "snapshots", modded, "--schema", path)
    assert once[1] == ""
    for other in (path, link, tmp_path / "." / ".." / tmp_path.name / "mod.json"):
        assert output(capsys, "snapshots", modded, "--schema", path, "--schema", other) == once


def test_infer_to_the_output_and_to_a_file(capsys: pytest.CaptureFixture[str], modded: Path, tmp_path: Path) -> None:
    out, err = output(capsys, "schema", "infer", modded, "--title", "Made")
    assert err == ""
    assert [item["name"] for item in json.loads(out)["items"]][-1] == "type_70"
    path = tmp_path / "made.json"
    assert output(capsys, "schema", "infer", modded, "--title", "Made", "--out", path)[1] == (
        f"snapscope-cli: {path}: 4 layouts written\n"
    )
    assert path.read_text(encoding="utf-8") == out
    assert output(capsys, "schema", "check", path)[0] == "Made: 2 items, 2 messages, for ddnet\n"
    again = output(capsys, "schema", "infer", modded, "--out", path, code=1)
    assert again == ("", f"snapscope-cli: {path}: there is such a file already\n")
    assert output(capsys, "schema", "infer", modded, "--out", tmp_path / "no" / "x", code=1)[1].endswith(
        ": No such file or directory\n"
    )
    assert output(capsys, "schema", "infer", modded, "--title", " ", code=2)[0] == ""


def test_nothing_to_infer(capsys: pytest.CaptureFixture[str], modded: Path, tmp_path: Path) -> None:
    path = write_schema(tmp_path / "mod.json")
    out, err = output(capsys, "schema", "infer", modded, "--schema", path)
    assert json.loads(out) == {"format": 1, "title": "My mod", "items": [], "messages": []}
    assert err == f"snapscope-cli: {modded}: every item and message in it is known\n"


def test_option_names_items_and_messages(capsys: pytest.CaptureFixture[str], modded: Path, tmp_path: Path) -> None:
    where = ("--client", "10.0.0.1", "--tick", "30060")
    plain, _ = output(capsys, "changes", modded, *where)
    assert "unknown type 70 0" in plain
    assert "value[3] (guess: tick)  " in plain
    path = write_schema(tmp_path / "mod.json")
    named, _ = output(capsys, "changes", modded, *where, "--schema", path)
    assert "~ Turret 0  (" in named
    assert "    mood        1 (angry) -> 0 (calm)" in named
    assert "guess" not in named
    listed, _ = output(capsys, "packets", modded, "--schema", path)
    assert "Sv_Hello" in listed
    assert "unknown" not in listed
    # It counts for one command only.
    assert output(capsys, "changes", modded, *where)[0] == plain


def test_option_changes_sizes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    capture = write_capture(tmp_path / "long.pcap", flag=True)
    path = write_schema(tmp_path / "long.json", LONG_SCHEMA)
    good, _ = output(capsys, "snapshots", capture, "--all", "--format", "jsonl", "--schema", path)
    assert {json.loads(line)["code"] for line in good.splitlines()} == {"OK"}
    bad, _ = output(capsys, "snapshots", capture, "--all", "--format", "jsonl")
    assert {json.loads(line)["code"] for line in bad.splitlines()} > {"OK"}


@pytest.mark.parametrize("command", ["summary", "snapshots", "packets"])
def test_wrong_file_is_told_in_a_line(
    capsys: pytest.CaptureFixture[str], modded: Path, tmp_path: Path, command: str
) -> None:
    one = write_schema(tmp_path / "one.json")
    two = write_schema(tmp_path / "two.json", {**SCHEMA, "messages": [], "enums": {"MOOD": {}}})
    out, err = output(capsys, command, modded, "--schema", one, "--schema", two, code=1)
    assert out == ""
    assert err.startswith("snapscope-cli: two.json, line ")
    assert ": item Turret has the number or UUID of Turret in one.json, line " in err
    assert output(capsys, command, modded, "--schema", tmp_path / "none.json", code=1)[1] == (
        "snapscope-cli: none.json: cannot be read: No such file or directory\n"
    )
