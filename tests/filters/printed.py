"""What the commands print of a capture, as plain records, and the values of fields in them: slow and obvious."""

from __future__ import annotations

import ipaddress
import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analyzer import cli
from analyzer.protocols.teeworlds.schema import default_schema, seven_schema

Record = dict[str, Any]
CHUNK = "chunk "
FIRST_UUID_TYPE = 0x4000


class Records(list[Record]):
    """Records that are not written out wherever something fails."""

    def __repr__(self) -> str:
        return f"{len(self)} records"


class Printed:
    """Everything that is printed of a capture; packets and snapshots in the order of the tables' live rows."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        def run(*arguments: str) -> str:
            assert cli.main([*arguments, str(path)]) == 0
            return capsys.readouterr().out

        self.packets = Records(json.loads(line) for line in run("packets", "--format", "jsonl").splitlines())
        explained = json.loads(run("explain", "--json", "-Y", ""))["packets"]
        self.snapshots: list[Record] = json.loads(run("changes", "--json", "-Y", ""))["snapshots"]
        states = [json.loads(line) for line in run("snapshots", "--all", "--items", "--format", "jsonl").splitlines()]
        for snapshot, state in zip(self.snapshots, states, strict=True):
            assert (snapshot["frame"], snapshot["tick"]) == (state["frame"], state["tick"])
            snapshot["items"] = state.get("items")
            snapshot["crc_ok"] = state["crc_ok"]
            snapshot["dialect"] = "0.7" if state["ver"] == 7 else "0.6"
            snapshot["count"] = state.get("num_items")
        for packet, tree in zip(self.packets, explained, strict=True):
            assert packet["frame"] == tree["frame"]
            packet["tree"] = tree["fields"]
            packet["carried"] = self._carried(tree)

    def _carried(self, tree: Record) -> list[Record]:
        """The snapshots that a packet ended or carries a part of, each once."""
        keys = [(one["frame"], one["tick"], one["status"]) for one in (*tree["snapshots"], *tree["parts"])]
        return [one for one in self.snapshots if (one["frame"], one["tick"], one["status"]) in keys]


def chunks(packet: Record) -> Iterator[tuple[str, Record]]:
    """Name of each message in a chunk, and its field."""
    found = [field for field in packet["tree"] if field["name"].startswith(CHUNK)]
    if found:
        # Of a packet that the capture cut a chunk may be shown whose message could not be read.
        yield from zip(packet["messages"], found, strict=False)


def leaves(fields: list[Record], name: str) -> Iterator[Any]:
    """Values of the fields of a name at any depth, with or without an index behind it."""
    for field in fields:
        if field["name"].split("[")[0] == name and field["value"] is not None:
            yield field["value"]
        yield from leaves(field["children"], name)


def head(packet: Record, name: str) -> list[Any]:
    """A value in the head of each chunk that has it."""
    return [field["value"] for _, chunk in chunks(packet) for field in chunk["children"][:5] if field["name"] == name]


def message_values(packet: Record, messages: tuple[str, ...], name: str) -> list[Any]:
    """A field in the messages of some names, without what stands before the messages' own fields."""
    found: list[Any] = []
    for own, chunk in chunks(packet):
        if own in messages:
            names = [field["name"] for field in chunk["children"]]
            body = chunk["children"][names.index("id") + 1 :]
            found += leaves([field for field in body if field["name"] != "uuid"], name)
    return found


def item_values(snapshot: Record, type_name: str, field: str) -> list[Any] | None:
    """Numbers of a field in the items of a type; None of a snapshot that was not rebuilt. No field: 1 for each item."""
    if snapshot["items"] is None:
        return None
    schema = seven_schema() if snapshot["dialect"] == "0.7" else default_schema()
    declared = {id: values for type, id, values in snapshot["items"] if type == 0}
    found: list[Any] = []
    for type, id, values in snapshot["items"]:
        known = schema.by_type.get(type) if type < FIRST_UUID_TYPE else schema.by_uuid.get(_uuid(declared.get(type)))
        if known is None or known.name != type_name:
            continue
        if not field or field == "id":
            found.append(id if field else 1)
            continue
        at = known.int_names.index(field) if field in known.int_names else -1
        if 0 <= at < len(values):
            found.append(values[at])
    return found


def _uuid(values: list[int] | None) -> uuid.UUID:
    if values is None or len(values) < 4:
        return uuid.UUID(int=0)
    return uuid.UUID(int=sum((value & 0xFFFFFFFF) << 32 * (3 - place) for place, value in enumerate(values[:4])))


def change_values(snapshot: Record, type_name: str, what: str) -> list[Any]:
    """Of the changes of a type: 1 for each, or for each of a kind; bits or ids; or new values of a field."""
    own = [change for change in snapshot["changes"] if change["name"] == type_name]
    if not what or what in ("added", "changed", "removed", "rewritten", "readded", "unknown"):
        return [1 for change in own if not what or change["kind"] == what]
    if what in ("bits", "id"):
        return [change[what] for change in own]
    fields = [field for change in own for field in change["fields"] if field["name"].split("[")[0] == what]
    return [field["new"] for field in fields if field["new"] is not None and field["new"] != field["old"]]


def address(endpoint: str) -> tuple[Any, int]:
    """Address and port of an endpoint as it is printed."""
    host, _, port = endpoint.rpartition(":")
    return ipaddress.ip_address(host.strip("[]")), int(port)
