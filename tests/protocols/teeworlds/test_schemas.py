"""Schema files as the program uses them: which count, what that means for rows, and what is documented."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from capture_files import ROOT

from analyzer.protocols.base import Effect, SchemaError
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.mods import Mods, in_use
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.protocols.teeworlds.schemas import SCHEMAS
from tests.modded import LONGER_FLAG, SCHEMA, X, write_mod, write_schema

pytestmark = pytest.mark.usefixtures("no_schemas_left")


def test_dialects_follow_what_is_in_use(tmp_path: Path) -> None:
    assert SCHEMAS.use([]) is Effect.NONE
    path = write_mod(tmp_path, items=[{"type": 70, "name": "A", "fields": [X]}])
    assert SCHEMAS.use([path]) is Effect.ROWS
    assert all(DIALECTS[name].schema.by_type[70].name == "A" for name in ("0.6", "ddnet") if name in DIALECTS)
    write_mod(tmp_path, items=[{"type": 70, "name": "A", "fields": [X | {"kind": "tick"}]}])
    assert SCHEMAS.use([path]) is Effect.WORDS
    assert DIALECTS["ddnet"].schema.by_type[70].fields[0].kind.name == "tick"
    write_mod(tmp_path, items=[{"type": 70, "name": "A", "pre_agreed": True, "fields": []}])
    with pytest.raises(SchemaError):
        SCHEMAS.use([path])
    assert DIALECTS["ddnet"].schema.by_type[70].size == 1
    write_mod(tmp_path, items=[LONGER_FLAG])
    assert SCHEMAS.use([path]) is Effect.ROWS
    assert SCHEMAS.use([]) is Effect.ROWS
    assert in_use() == Mods()
    assert DIALECTS["ddnet"].schema is default_schema()


def test_check_says_what_is_in_a_file(tmp_path: Path) -> None:
    path = write_schema(tmp_path / "mod.json", SCHEMA)
    assert SCHEMAS.check([path]) == ["My mod: 2 items, 2 messages, for 0.6, ddnet"]
    seven = write_mod(tmp_path, "seven.json", dialects=["0.7"], items=[{"type": 70, "name": "A", "fields": [X]}])
    assert SCHEMAS.check([seven]) == ["t: 1 item, 0 messages, for 0.7"]


def test_the_documented_example_is_right(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "schemas.md").read_text(encoding="utf-8")
    example = re.search(r"```json\n(.*?)```", text, re.DOTALL)
    assert example is not None
    path = tmp_path / "example.json"
    path.write_text(example[1], encoding="utf-8")
    assert SCHEMAS.check([path]) == ["My mod: 3 items, 2 messages, for 0.6, ddnet"]
    assert SCHEMAS.use([path]) is Effect.ROWS
    assert DIALECTS["ddnet"].schema.sizes[5] == 4
