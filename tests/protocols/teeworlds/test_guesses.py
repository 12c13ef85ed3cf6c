"""Guesses as layouts: what is unknown, how it is shown, and that a written file loads again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.base import ItemSample, SessionFacts
from analyzer.protocols.teeworlds.explain import explain
from analyzer.protocols.teeworlds.guesses import Guesses, guess, guesses_of, is_unknown, schema_of, write
from analyzer.protocols.teeworlds.schemas import SCHEMAS
from analyzer.transports.teeworlds_packet import TAIL
from analyzer.wire.reader import Field
from tests.encoder import chunk, message, pack_varints, packet
from tests.modded import HELLO, SCORE_UUID, SHIELD_UUID, TURRET, items, unknown_name

SAMPLES = [
    ItemSample(30_000 + 2 * number, key & 0xFFFF, values)
    for number in range(20)
    for key, values in items(number, flag=False).items()
    if key >> 16 == TURRET
]
HELLOS = [pack_varints((number % 4,)) + f"hello {number}".encode() + b"\0" for number in range(12)]
MADE = guess(
    {"unknown type 70": SAMPLES, unknown_name(SHIELD_UUID): [ItemSample(1, 0, (4,))]},
    {f"game {HELLO}": HELLOS, f"game {SCORE_UUID}": [pack_varints((7,))], "system 99": [b"\x80"]},
)
FACTS = SessionFacts("ddnet", 1, guesses=MADE)


@pytest.mark.parametrize(
    "name", ["unknown type 70", unknown_name(SHIELD_UUID), "unknown game message 7", "unknown system message 99"]
)
def test_what_is_unknown(name: str) -> None:
    assert is_unknown(name)


@pytest.mark.parametrize("name", ["Flag", "NETMSG_SNAP", "unknown control message 9", "type 20000 (not declared)"])
def test_what_is_not(name: str) -> None:
    assert not is_unknown(name)


def test_items_are_shown_with_guesses() -> None:
    schema = schema_of(FACTS)
    item = schema.describe_item(TURRET, 0, SAMPLES[0].values, {}, 30_000)
    assert item.name == "unknown type 70"
    assert [(field.name, field.text) for field in item.fields] == [
        ("value[0] (guess: position x)", "640  20.00 tiles"),
        ("value[1] (guess: position y)", "800  25.00 tiles"),
        ("value[2] (guess: client id)", "0"),
        ("value[3] (guess: tick)", "29960  -0.80 s"),
        ("value[4] (guess: yes or no)", "0  no"),
        ("value[5-8] (guess: text)", '"nameless tee"'),
    ]
    assert list(schema.field_names(TURRET, 10, {})[4:]) == [
        "value[4] (guess: yes or no)",
        *(f"value[{number}] (guess: text)" for number in range(5, 9)),
        "extra[0]",
    ]


def leaves(fields: tuple[Field, ...]) -> list[Field]:
    return [leaf for field in fields for leaf in (leaves(field.children) or [field])]


def test_messages_are_shown_with_guesses() -> None:
    payload = packet([chunk(message(HELLO, False, HELLOS[3]))], token=1, variant=TAIL)
    found = {field.name: field.value for field in leaves(explain(payload, FACTS, None).fields)}
    assert found["value[0] (guess: enumeration)"] == 3
    assert found["value[1] (guess: text)"] == "hello 3"
    plain = {field.name for field in leaves(explain(payload, SessionFacts("ddnet", 1), None).fields)}
    assert "data" in plain


def test_a_message_that_a_guess_does_not_fit_is_bytes() -> None:
    payload = packet([chunk(message(HELLO, False, pack_varints((1, 2, 3))))], token=1, variant=TAIL)
    tree = explain(payload, FACTS, None)
    assert [field.value for field in leaves(tree.fields) if field.name == "data"] == [bytes((1, 2, 3))]
    assert not tree.error


def test_a_written_file_loads_again(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    path.write_text(write(MADE, 'My "mod"', ["ddnet", "0.6"]), encoding="utf-8")
    assert SCHEMAS.check([path]) == ['My "mod": 2 items, 3 messages, for 0.6, ddnet']
    written = json.loads(path.read_text(encoding="utf-8"))
    turret = next(item for item in written["items"] if item.get("type") == TURRET)
    assert [(field["name"], field["kind"]) for field in turret["fields"]] == [
        ("x_0", "pos"),
        ("y_1", "pos"),
        ("client_id_2", "cid"),
        ("tick_3", "tick"),
        ("flag_4", "bool"),
        ("str_5", "str4"),
    ]
    assert turret["fields"][4]["note"] == "guess: yes or no, 2 different values from 0 to 1"


@given(
    st.lists(st.lists(st.integers(-0x80000000, 0x7FFFFFFF), max_size=6).map(tuple), max_size=6),
    st.lists(st.binary(max_size=12), max_size=5),
)
def test_whatever_was_seen_a_written_file_loads_again(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, ...]], bodies: list[bytes]
) -> None:
    made = guess({"unknown type 70": [ItemSample(9, at, row) for at, row in enumerate(rows)]}, {"game 120": bodies})
    path = tmp_path_factory.mktemp("written") / "made.json"
    path.write_text(write(made, "t", []), encoding="utf-8")
    assert SCHEMAS.check([path]) == ["t: 1 item, 1 message, for 0.6, ddnet"]


def test_facts_without_guesses() -> None:
    assert guesses_of(SessionFacts("ddnet")) == Guesses()
    assert not schema_of(SessionFacts("ddnet")).guessed
