"""What schema files say beside what they add to."""

from __future__ import annotations

import uuid

from analyzer.protocols.teeworlds.schema_tables import Tables, uuid_of


def test_uuid_of_a_name() -> None:
    assert uuid_of("character@netobj.ddnet.tw") == uuid.UUID("76ce455b-f9eb-3a48-add7-e04b941d045c")


def test_what_is_added_comes_before_what_it_is_added_to() -> None:
    below = Tables(enums={"A": {0: "a"}, "B": {0: "b"}}, flags={"F": ("f",)}, name_lists={"N": ("n",)})
    above = Tables(enums={"A": {0: "new"}}, flags={"G": ("g",)}, known=below)
    assert above.all_enums() == {"A": {0: "new"}, "B": {0: "b"}}
    assert above.all_flags() == {"F": ("f",), "G": ("g",)}
    assert above.all_name_lists() == {"N": ("n",)}
    assert above.all_items() == {}
    assert below.all_enums() == {"A": {0: "a"}, "B": {0: "b"}}
