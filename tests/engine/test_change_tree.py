"""The tree of a snapshot: what changed, with names, values and costs; and all that did not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_files import BUNDLED, SAMPLE

from analyzer.engine.capture import Capture
from analyzer.engine.change_tree import ChangeTree, FieldNode, ItemNode, TypeNode, Value, change_tree
from analyzer.engine.query import Query
from analyzer.snapshots.status import Proof, Status
from analyzer.store.tables import Tables
from tests.cli.cut_capture import SLICES, first_records


class Opened:
    """A decoded capture and answers about it."""

    def __init__(self, path: Path) -> None:
        self.capture = Capture.open(path)
        while self.capture.step():
            pass
        self.tables: Tables = self.capture.tables
        self.query: Query = self.capture.query()

    def tree(self, row: int) -> ChangeTree:
        return change_tree(self.query, self.tables, row)

    def row(self, player: str, tick: int) -> int:
        """The snapshot of a tick for a player."""
        snapshots, sessions = self.tables.snapshots, self.tables.sessions
        return next(
            row
            for row in range(len(snapshots))
            if snapshots.integer("tick", row) == tick
            and sessions.text("player", snapshots.integer("session", row)) == player
        )

    def rows_with(self, status: Status) -> list[int]:
        return [row for row, found in enumerate(self.tables.snapshots.integers("status").tolist()) if found == status]


@pytest.fixture(scope="module")
def few() -> Iterator[Opened]:
    """The sample: three clients."""
    opened = Opened(SAMPLE)
    yield opened
    opened.query.close()
    opened.capture.close()


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """The head of a capture of 24 clients, two parts a snapshot."""
    path = tmp_path_factory.mktemp("many") / "many.pcap"
    path.write_bytes(first_records(SLICES, 2400))
    opened = Opened(path)
    yield opened
    opened.query.close()
    opened.capture.close()


@pytest.fixture
def midsession() -> Iterator[Opened]:
    """Its first baselines lie before the capture."""
    opened = Opened(BUNDLED / "ddnet_ctf3_midsession_head.pcap.gz")
    yield opened
    opened.query.close()
    opened.capture.close()


@pytest.fixture
def badcrc() -> Iterator[Opened]:
    """Some checksums are wrong."""
    opened = Opened(BUNDLED / "ddnet_tsunami_badcrc_head.pcap")
    yield opened
    opened.query.close()
    opened.capture.close()


def item(tree: ChangeTree, name: str, id: int) -> ItemNode:
    (found,) = [node for node in kind(tree, name).items if node.id == id]
    return found


def kind(tree: ChangeTree, name: str) -> TypeNode:
    (found,) = [node for node in tree.types if node.name == name]
    return found


def field(node: ItemNode, name: str) -> FieldNode:
    (found,) = [field for field in node.fields if field.name == name]
    return found


def test_known_change(many: Opened) -> None:
    tree = many.tree(many.row("bot0", 234))
    head = tree.head
    assert (head.tick, head.base_tick, head.added, head.changed, head.removed) == (234, 230, 15, 58, 7)
    assert (head.status, head.proof, f"{head.crc_wire:08x}") == (Status.OK, Proof.OWN, "17310655")
    assert (head.wire_bytes, [part.packet >= 0 for part in head.parts]) == (761, [True, True])
    assert many.tables.snapshots.integer("tick", head.base) == 230
    characters = tree.types[0]
    assert (characters.name, characters.bits, len(characters.items)) == ("Character", 2277, 24)
    character = item(tree, "Character", 23)
    assert (character.kind, character.owner, character.bits, character.changed) == ("changed", "bot23", 64, 4)
    assert field(character, "y") == FieldNode(
        "y", Value("114", "114  3.56 tiles"), Value("126", "126  3.94 tiles"), 12, "12", 7, False, "+0.38 tiles"
    )
    assert sum(same.bits for same in character.fields if same.same) == 18


def test_order(many: Opened) -> None:
    tree = many.tree(many.row("bot0", 234))
    sent = [node for node in tree.types if node.bits]
    assert [node.bits for node in sent] == sorted((node.bits for node in sent), reverse=True)
    sounds = kind(tree, "SoundWorld")
    assert [(node.kind, node.id) for node in sounds.items] == [
        ("removed", 3),
        ("removed", 15),
        ("added", 1),
        ("added", 33),
        ("changed", 0),
        ("changed", 2),
    ]
    assert all(node.event for node in sounds.items)
    assert tree.bits == sum(change.bits for change in many.query.changes(tree.head.snapshot))


def test_added_and_removed_have_one_side(many: Opened) -> None:
    tree = many.tree(many.row("bot0", 234))
    added, removed = item(tree, "SoundWorld", 1), item(tree, "SoundWorld", 3)
    assert field(added, "sound_id") == FieldNode("sound_id", None, Value("0", "0  gun_fire"), None, "0", 1, False)
    assert all(node.old is not None and node.new is None and not node.bits for node in removed.fields)
    assert removed.fields


@pytest.mark.parametrize("step", [0, 1])
def test_every_item_is_there_once(many: Opened, step: int) -> None:
    row = many.row("bot0", 234 + 2 * step)
    tree = many.tree(row)
    nodes = [node for group in tree.types for node in group.items]
    assert len({(node.type, node.id) for node in nodes}) == len(nodes)
    shown = {(node.type, node.id): node for node in nodes if node.kind != "removed"}
    items = many.query.items(row)
    assert len(items) == len(shown) == tree.head.items
    for found in items:
        node = shown[found.type, found.id]
        values = [new.raw for new in (field.new for field in node.fields) if new is not None]
        assert " ".join(filter(None, values)) == " ".join(map(str, found.values))


def test_text_of_several_ints_is_one_field(many: Opened) -> None:
    first = next(row for row in range(20) if any(c.name == "ClientInfo" for c in many.query.changes(row)))
    node = kind(many.tree(first), "ClientInfo").items[0]
    name = field(node, "name")
    assert name.new is not None
    assert name.new.text == f'"{node.owner}"'
    assert len(name.new.raw.split()) == 4
    assert name.difference is None


def test_unknown_baseline(midsession: Opened) -> None:
    row = midsession.rows_with(Status.NO_BASE)[-1]
    tree = midsession.tree(row)
    assert not tree.head.rebuilt
    assert tree.head.cause >= 0
    assert tree.head.cause_tick == midsession.tables.snapshots.integer("tick", tree.head.cause)
    nodes = [node for group in tree.types for node in group.items]
    assert {node.kind for node in nodes} >= {"unknown", "there", "absent"}
    sent = [field for node in nodes if node.kind == "unknown" for field in node.fields]
    assert sent
    assert all(field.old is None and field.new is None and field.wire and not field.same for field in sent)


def test_wrong_checksum(badcrc: Opened) -> None:
    tree = badcrc.tree(badcrc.rows_with(Status.CRC)[0])
    assert tree.head.rebuilt
    assert tree.head.crc_wire != tree.head.crc_computed
    assert {node.kind for group in tree.types for node in group.items} >= {"changed", "same"}


def test_fields_that_are_not_sent_say_what_they_are_read_as(few: Opened) -> None:
    tree = few.tree(few.row("bot0", 234))
    changed = next(node for node in kind(tree, "DDNetCharacter").items if node.kind == "changed")
    same = next(node for node in kind(tree, "DDNetCharacter").items if node.kind == "same")
    absent = Value("", "not sent, read as -1 (none)")
    for node in (changed, same):
        last = field(node, "tune_zone_override")
        assert (last.old, last.new, last.difference, last.same, last.sent) == (absent, absent, None, True, False)
        assert all(other.sent for other in node.fields if other is not last)
