"""Passwords under layouts of mods: INFO and RCON_AUTH stay masked, whatever a schema file makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.explain import explain
from analyzer.protocols.teeworlds.mods import Mods, use
from analyzer.protocols.teeworlds.schemas import SCHEMAS
from analyzer.wire.reader import Field, FieldTree
from analyzer.wire.secrets import Secrets
from tests.encoder import chunk, message, packet
from tests.modded import write_schema
from tests.protocols.teeworlds.played import TOKEN

PASSWORD = "XQ7-vJm9"
INFO = message(1, True, b"0.6 626fce9a778df4d4\0" + PASSWORD.encode() + b"\0")
RCON = message(18, True, b"admin\0" + PASSWORD.encode() + b"\0\1")
SEVEN_RCON = message(22, True, PASSWORD.encode() + b"\0")


def text(name: str, **more: object) -> dict[str, object]:
    return {"name": name, "kind": "str", **more}


def number(name: str, **more: object) -> dict[str, object]:
    return {"name": name, "kind": "int", **more}


@pytest.fixture(autouse=True)
def nothing_in_use() -> Iterator[None]:
    yield
    use(Mods())


def explained(folder: Path, body: bytes, *fields: dict[str, object], dialect: str = "ddnet", cut: int = 0) -> FieldTree:
    """The packet's tree under a mod that gives the message these fields."""
    layout = {"number": body[0] >> 1, "system": True, "name": "Login", "fields": list(fields)}
    mod = {"format": 1, "title": "mod", "dialects": [dialect], "messages": [layout]}
    SCHEMAS.use([write_schema(folder / "mod.json", mod)])
    variant = DIALECTS[dialect].variant
    chunks = [chunk(body, vital=True, sequence=1, size_shift=variant.size_shift)]
    payload = packet(chunks, token=TOKEN, variant=variant, compress=False)
    return explain(payload[: len(payload) - cut], SessionFacts(dialect, TOKEN, ()), None)


def shown(tree: FieldTree) -> dict[str, object]:
    """Name -> value of the fields that are not masked."""
    secrets = Secrets(tree)
    found: dict[str, object] = {}

    def add(field: Field) -> None:
        if field.value is not None and not secrets.hides(field):
            found[field.name] = field.value
        for child in field.children:
            add(child)

    for field in tree.fields:
        add(field)
    return found


def told(tree: FieldTree) -> str:
    """All that anybody may show, copy or write of a tree."""
    secrets = Secrets(tree)

    def of(field: Field) -> list[object]:
        below = [of(child) for child in field.children]
        return [field.name, str(secrets.value(field)), secrets.text(field), field.note, below]

    data = [secrets.buffer(number) for number in range(len(tree.buffers))]
    return json.dumps([[of(field) for field in tree.fields], [str(one) for one in data], tree.error])


def is_hidden(tree: FieldTree) -> bool:
    return PASSWORD[:3] not in told(tree) and PASSWORD[3:] not in told(tree)


@pytest.mark.parametrize("cut", [0, 1, 4])
@pytest.mark.parametrize(
    "fields",
    [
        (text("version"), text("password", optional=True)),
        (text("version"), text("key"), text("clan", optional=True)),
        (text("version"),),
        (),
        (text("key"), text("version")),
        (text("version"), {"name": "key", "kind": "text"}),
        (text("version"), {"name": "key", "kind": "raw", "rest": True}),
        ({"name": "all", "kind": "raw", "rest": True},),
        ({"name": "both", "kind": "group", "rest": True, "fields": [text("one")]},),
        (text("version"), {"name": "key", "kind": "raw4"}, {"name": "who", "kind": "uuid"}),
        (number("a", rest=True),),
        (text("version"), number("a", range=[0, 1]), number("n"), {"name": "b", "kind": "raw", "length": "n"}),
    ],
)
def test_a_layout_that_says_of_no_password_hides_all(
    tmp_path: Path, fields: tuple[dict[str, object], ...], cut: int
) -> None:
    tree = explained(tmp_path, INFO, *fields, cut=cut)
    assert is_hidden(tree)
    body = set(shown(tree)) & {str(field["name"]) for field in fields}
    assert body == set()
    assert is_hidden(explained(tmp_path, RCON, *fields, cut=cut))
    assert is_hidden(explained(tmp_path, SEVEN_RCON, *fields, dialect="0.7", cut=cut))


def test_numbers_of_a_hidden_message_are_told_nowhere(tmp_path: Path) -> None:
    """A number outside of its range has a remark, and so has one that asks for too many bytes."""
    fields = (number("a", range=[0, 1]), number("n"), {"name": "r", "kind": "raw", "length": "n"})
    body = b"\xa9\x01\x28\0"
    plain = told(explained(tmp_path, message(28, True, body), *fields))
    assert "a: 105 is not from 0 to 1" in plain
    assert "40 bytes wanted" in plain
    hidden = told(explained(tmp_path, message(1, True, body), *fields))
    assert "105" not in hidden
    assert "40" not in hidden
    assert "the message does not fit its layout" in hidden


def test_a_layout_that_says_where_the_password_is_shows_the_rest(tmp_path: Path) -> None:
    body = INFO + b"clan\0\5"
    tree = explained(tmp_path, body, text("version"), text("key", secret=True), text("clan"), number("country"))
    assert is_hidden(tree)
    found = shown(tree)
    assert (found["version"], found["clan"], found["country"]) == ("0.6 626fce9a778df4d4", "clan", 5)
    assert "key" not in found


def test_what_the_dialect_hides_stays_hidden_beside_another_secret(tmp_path: Path) -> None:
    """By its place, by its name, and where the message ends before the dialect's own layout does."""
    tree = explained(tmp_path, INFO + b"s\0", text("version"), text("key"), text("other", secret=True))
    assert is_hidden(tree)
    assert set(shown(tree)) & {"key", "other"} == set()
    body = message(18, True, b"admin\0x\0\1" + PASSWORD.encode() + b"\0")
    layout = (text("name"), text("realm", secret=True), number("commands"), text("password"))
    tree = explained(tmp_path, body, *layout)
    assert is_hidden(tree)
    assert shown(tree)["name"] == "admin"
    tree = explained(
        tmp_path, RCON[:-2], text("name"), {"name": "k", "kind": "text"}, text("o", secret=True, optional=True)
    )
    assert is_hidden(tree)


def test_messages_without_a_password_are_shown_as_the_mod_says(tmp_path: Path) -> None:
    tree = explained(tmp_path, message(2, True, b"dm1\0"), text("map"))
    assert shown(tree)["map"] == "dm1"
