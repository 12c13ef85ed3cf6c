"""Reads the tables of the format description, so that the schemas can be held against them.

`spec_tables.json` is a bare copy of these tables: names, numbers, types, sizes and ranges. Where the description itself
is at hand (the environment variable names its folder), the copy is compared with it.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

SPEC_FOLDER = "SNAPSCOPE_SPEC"
COPY = Path(__file__).with_name("spec_tables.json")

Row = list[object]
Table = list[Row]

DIRECTIONS = {"S>C": "server", "C>S": "client", "both": "both", "-": "none", "demo only": "none"}
BOUNDS = {"min": -0x80000000, "max": 0x7FFFFFFF}
FIELD = re.compile(r"(\w+)(?:: ([a-z]+[!\d]*|item:\w+))?(?:\[(\S+?)\.\.(\S+?)\])?(?: (x\d+|rest|times \w+))?$")

HEADS = ("at", "id", "name", "enum", "flags")
"""First cells of the rows that name the columns."""
PROSE = (
    ("unused (vanilla 0.6: Sv_ExtraProjectile, the 6 varints of a Projectile)", "projectile: item:Projectile"),
    ("size_bytes/4 varints = PlayerInput, then ", "input: item:PlayerInput, "),
    ("size_bytes/4 varints = PlayerInput", "input: item:PlayerInput"),
    ("tick - base tick", "delta_tick"),
    ("number of parts", "parts"),
    (": ints", ": int"),
    ("length bytes", "data: raw"),
    ("raw map bytes up to the end of the chunk", "data: raw rest"),
    ("then num strings (description: str!!)", "description: str!! times num"),
    ("then always 15 strings description0 to description14: str!!", "description: str!! x15"),
    (", repeated until the data ends", " rest"),
    ("ints, each value/100 (tuning lists below), up to the end of the chunk", "tune: int rest"),
    ("ints: team number per client id, up to the end of the chunk", "team: int rest"),
    (", then 0, 1 or 3 ints, see GAMEMSG7", ""),
    ("as NETMSG_EX on DDNet servers: ", ""),
    ("raw16 UUID follows", ""),
    ("raw16 UUID, then the message of the next table", ""),
    ("(none); the server counts chunks itself", ""),
    ("(none)", ""),
    ("never sent", ""),
    ("as 0.6 id 5", "tick, delta_tick, parts, part, crc, length: int, data: raw"),
    ("as 0.6 id 6", "tick, delta_tick: int"),
    ("as 0.6 id 7", "tick, delta_tick, crc, length: int, data: raw"),
)
"""What the table says in words, as fields."""


def spec_text(name: str) -> str | None:
    """A page of the description; None if it is not at hand."""
    folder = os.environ.get(SPEC_FOLDER)
    return (Path(folder) / name).read_text(encoding="utf-8") if folder else None


def parse(text: str) -> dict[str, object]:
    """All tables of the page."""

    def part(start: str, stop: str) -> str:
        begin = text.index(start)
        return text[begin : text.index(stop, begin)]

    return {
        "items 0.6": _items(part("## Snap items: 0.6 and DDNet", "## Snap items: DDNet")),
        "items ddnet": _uuid_items(part("## Snap items: DDNet", "## Snap items: 0.7")),
        "items 0.7": _items(part("## Snap items: 0.7", "## System messages: 0.6")),
        "system 0.6": _messages(part("## System messages: 0.6", "### System messages named")),
        "system ddnet": _uuid_messages(part("### System messages named", "## Game messages: 0.6")),
        "game 0.6": _messages(part("## Game messages: 0.6", "### Game messages named")),
        "game ddnet": _uuid_messages(part("### Game messages named", "### Tuning lists")),
        "system 0.7": _messages(part("## System messages: 0.7", "## Game messages: 0.7")),
        "game 0.7": _messages(part("## Game messages: 0.7", "## Enumerations")),
        "tuning": _tuning(part("### Tuning lists", "## System messages: 0.7")),
        "ints of Sv_GameMsg": _game_message_ints(part("| GAMEMSG7", "\n")),
        "enums": _enums(part("## Enumerations", "## Flag sets")),
        "flags": _flags(part("## Flag sets", "## Where third-party")),
    }


def _cells(block: str, columns: int) -> list[list[str]]:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in block.splitlines() if line.startswith("| ")]
    return [row for row in rows if len(row) == columns and not row[0].startswith("--") and row[0] not in HEADS]


def _items(block: str) -> Table:
    """[type, name, ints, size agreed before, fields]."""
    found: Table = []
    for item in block.split("#### ")[1:]:
        head = re.match(r"(\d+) (\w+) — (\d+) ints? \((pre-agreed|size on the wire)\)", item)
        assert head is not None
        found.append([int(head[1]), head[2], int(head[3]), head[4] == "pre-agreed", _item_fields(item)])
    return found


def _uuid_items(block: str) -> Table:
    """[UUID, name of the UUID, name, ints, fields]."""
    found: Table = []
    for item in block.split("#### ")[1:]:
        head = re.match(r"(\w+) — `(\S+)`\s+UUID `(\S+)`, as four ints .*?\. (\d+) ints", item)
        assert head is not None
        found.append([head[3], head[2], head[1], int(head[4]), _item_fields(item)])
    return found


def _item_fields(block: str) -> Table:
    """[index of the first int, of the last, name, kind, repetitions, clamp, default]."""
    fields: Table = []
    for at, name, kind, clamp, note in _cells(block, 5):
        if not at[0].isdigit():
            continue
        first, _, last = at.partition("-")
        base, _, times = kind.partition(" x")
        default = re.search(r"default (-?\d+)$", note)
        bounds = clamp if clamp in ("", "masked") else [_bound(end) for end in clamp.split("..")]
        value = int(default[1]) if default else None
        fields.append([int(first), int(last or first), name, base, int(times or 1), bounds, value])
    return fields


def _bound(text: str) -> int | str:
    return BOUNDS[text] if text in BOUNDS else text if text.startswith("C") else int(text)


def _messages(block: str) -> Table:
    """[number, name, who sends it, vital (None: not said), fields]."""
    found: Table = []
    for columns in (5, 4):
        for row in _cells(block, columns):
            if not row[0][0].isdigit():
                continue
            vital = row[3] == "V" if columns == 5 else None
            numbers = [int(number) for number in row[0].split(",")]
            found += [[number, row[1], DIRECTIONS[row[2]], vital, _message_fields(row[-1])] for number in numbers]
    return found


def _uuid_messages(block: str) -> Table:
    """[UUID, name of the UUID, name, who sends it, fields]."""
    return [
        [identity.strip("`"), uuid_name.strip("`"), name, DIRECTIONS[direction], _message_fields(text)]
        for name, uuid_name, identity, direction, text in _cells(block, 5)
    ]


def _message_fields(text: str) -> Table:
    """[name, kind, range or None, repetition: "", a number, "rest", or the field that says how often]."""
    for words, fields in PROSE:
        text = text.replace(words, fields)
    text = re.sub(r" \(.*?\)", "", re.sub(r'\("[^"]*"\)', "", text)).strip()
    if not text or text == "unused":
        return []
    found: Table = []
    for entry in reversed(re.split(r"[,;] ", text)):
        match = FIELD.match(entry.strip())
        assert match is not None, entry
        name, kind, low, high, times = match.groups()
        kind = kind or found[-1][1]
        bounds = None if low is None else [_bound(low), _bound(high)]
        found.append([name, kind, bounds, (times or "").removeprefix("x").removeprefix("times ")])
    return found[::-1]


def _tuning(block: str) -> list[list[str]]:
    """Names for 0.6, for 0.7, and for DDNet."""
    words = re.sub(r"\s+", " ", block)
    first = re.search(r"Order in 0\.6: (.*?) \(33 values\)", words)
    more = re.search(r"list: (.*?) \(47 values\)", words)
    assert first is not None
    assert more is not None
    vanilla = first[1].split(", ")
    return [vanilla, [name for name in vanilla if name != "laser_damage"], [*vanilla, *more[1].split(", ")]]


def _game_message_ints(line: str) -> list[int]:
    """How many ints follow, by the number of the message in the message."""
    return [int(count) for count in re.findall(r"\d+ \w+ \((\d)\)", line)]


def _enums(block: str) -> dict[str, dict[str, str]]:
    found = {}
    for name, text in _cells(block, 2):
        values = re.findall(r"(-?\d+) ([a-zA-Z_][a-zA-Z_ ]*[a-zA-Z_]|[a-z]+)", re.sub(r" \([^)]*\)", "", text))
        found[re.sub(r" \(.*\)", "", name)] = dict(values)
    return found


def _flags(block: str) -> dict[str, list[str]]:
    found = {}
    for name, text in _cells(block, 2):
        pairs = re.findall(r"(\d+) (\w+)", text)
        assert [int(bit) for bit, _ in pairs] == list(range(len(pairs)))
        found[name.partition(" ")[0]] = [word for _, word in pairs]
    return found


def write(tables: dict[str, object], path: Path = COPY) -> None:
    """One line to an entry, so that a difference can be read."""
    parts = []
    for name, table in tables.items():
        rows = table.items() if isinstance(table, dict) else table
        is_object = isinstance(table, dict)
        lines = [
            f"    {json.dumps(row[0])}: {json.dumps(row[1])}" if is_object else f"    {json.dumps(row)}" for row in rows
        ]
        start, stop = "{}" if is_object else "[]"
        parts.append(f"  {json.dumps(name)}: {start}\n" + ",\n".join(lines) + f"\n  {stop}")
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def read() -> dict[str, object]:
    """The copy."""
    found: dict[str, object] = json.loads(COPY.read_text(encoding="utf-8"))
    return found
