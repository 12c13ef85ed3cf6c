"""What the commands print of a capture, as plain records, and the values of fields in them: slow and obvious."""

from __future__ import annotations

import ipaddress
import json
import uuid
from collections.abc import Container, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from analyzer import cli
from analyzer.protocols.teeworlds.schema import default_schema, seven_schema
from tests.filters.slow_frames import frames

Record = dict[str, Any]
CHUNK = "chunk "
NAMED_BY_UUID = "a UUID follows"
FIRST_UUID_TYPE = 0x4000


class Records(list[Record]):
    """Records that are not written out wherever something fails."""

    def __repr__(self) -> str:
        return f"{len(self)} records"


class Printed:
    """Everything that is printed of a capture; packets and snapshots in the order of the tables' live rows.

    A snapshot is a record of the packet that ended it, with itself alone as what the packet carries.
    """

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        def run(*arguments: str) -> str:
            assert cli.main([*arguments, str(path)]) == 0
            return capsys.readouterr().out

        self.packets = Records(json.loads(line) for line in run("packets", "--format", "jsonl").splitlines())
        trees = json.loads(run("explain", "--json", "-Y", ""))["packets"]
        self.snapshots = Records(json.loads(run("changes", "--json", "-Y", ""))["snapshots"])
        states = [json.loads(line) for line in run("snapshots", "--all", "--items", "--format", "jsonl").splitlines()]
        self.summary: Record = json.loads(run("summary", "--json"))
        findings = json.loads(run("findings", "--json"))["findings"]
        self.frames = frames(path)
        self.numbers = {packet["frame"]: number for number, packet in enumerate(self.packets, 1)}
        self.start_ns = _when(self.summary["start"])
        for snapshot, state in zip(self.snapshots, states, strict=True):
            _join_state(snapshot, state)
        for packet, tree in zip(self.packets, trees, strict=True):
            assert packet["frame"] == tree["frame"]
            packet["tree"] = tree["fields"]
            packet["carried"] = self._carried(tree)
            packet["findings"] = [one for one in findings if one["frame"] == packet["frame"]]
            packet["memo"] = {}
        self._join_flows()
        self._join_delays()
        by_frame = {packet["frame"]: packet for packet in self.packets}
        self.ended = Records(
            {
                **by_frame[one["frame"]],
                "carried": [one],
                "findings": [found for found in findings if _rests_on(found, one)],
                "memo": {},
            }
            for one in self.snapshots
        )

    def _carried(self, tree: Record) -> list[Record]:
        """The snapshots that a packet ended or carries a part of, each once."""
        keys = [(one["frame"], one["tick"], one["status"]) for one in (*tree["snapshots"], *tree["parts"])]
        return [one for one in self.snapshots if (one["frame"], one["tick"], one["status"]) in keys]

    def _join_flows(self) -> None:
        """Flow and session of each packet: a session is all of a flow from its first frame to its last."""
        flows = {frozenset((flow["client"], flow["server"])): flow for flow in self.summary["flows"]}
        for packet in self.packets:
            ends = packet["source"], packet["destination"]
            packet["flow"] = flow = flows[frozenset(ends)]
            own = [
                session
                for session in self.summary["sessions"]
                if {session["client"], session["server"]} == set(ends)
                and session["first_frame"] <= packet["frame"] <= session["last_frame"]
            ]
            assert len(own) < 2
            packet["session"] = own[0] if own else None
            packet["up"] = packet["destination"] == flow["server"] if flow["server_known"] else None

    def _join_delays(self) -> None:
        """Nanoseconds from a snapshot's base to it, and from it to the first input that acknowledges it."""
        times = {packet["frame"]: nanoseconds(packet) for packet in self.packets}
        acknowledged: dict[tuple[str, int, int], int] = {}
        for packet in self.packets:
            if packet["session"] is not None:
                for tick in message_values(packet, ("NETMSG_INPUT",), "ack_game_tick"):
                    acknowledged.setdefault((packet["source"], packet["session"]["number"], tick), packet["frame"])
        for one in self.snapshots:
            frame = acknowledged.get((one["client"], one["session"], one["tick"]))
            rebuilt = one["items"] is not None
            one["ack_delay"] = times[frame] - times[one["frame"]] if rebuilt and frame is not None else None
            base = one["base_frame"]
            one["base_time"] = None if base is None else times[one["frame"]] - times[base]


def _join_state(snapshot: Record, state: Record) -> None:
    assert (snapshot["frame"], snapshot["tick"]) == (state["frame"], state["tick"])
    snapshot["items"] = state.get("items")
    snapshot["crc_ok"] = state["crc_ok"]
    snapshot["dialect"] = "0.7" if state["ver"] == 7 else "0.6"
    snapshot["count"] = state.get("num_items")


def _rests_on(finding: Record, snapshot: Record) -> bool:
    return all(finding[key] == snapshot[key] for key in ("frame", "client", "server", "session", "tick"))


def _when(text: str) -> int:
    """Nanoseconds since 1970 of a time as it is printed, in UTC."""
    whole, _, parts = text.removesuffix("Z").partition(".")
    return int(datetime.fromisoformat(f"{whole}+00:00").timestamp()) * 1_000_000_000 + int(parts)


def nanoseconds(packet: Record) -> int:
    """Since the first frame of the file."""
    return round(packet["time"] * 1_000_000_000)


def chunks(packet: Record) -> Iterator[tuple[str, Record]]:
    """Name of each message in a chunk, and its field."""
    found = [field for field in packet["tree"] if field["name"].startswith(CHUNK)]
    if found:
        # Of a packet that the capture cut a chunk may be shown whose message could not be read.
        yield from zip(packet["messages"], found, strict=False)


def is_in_chunks(packet: Record) -> bool:
    """Control messages and those outside of connections are in none."""
    return any(True for _ in chunks(packet))


def is_meant(own: str, wanted: str) -> bool:
    """Is a field, one of several repetitions maybe, meant by a name? Without an index it means all of them."""
    return own == wanted or own.startswith(f"{wanted}[")


def leaves(fields: list[Record], name: str) -> Iterator[Any]:
    """Values of the fields of a name at any depth, with or without an index behind it."""
    for field in fields:
        if is_meant(field["name"], name) and field["value"] is not None:
            yield field["value"]
        yield from leaves(field["children"], name)


def head(packet: Record, name: str) -> list[Any]:
    """A value in the head of each chunk that has it."""
    return [field["value"] for _, chunk in chunks(packet) for field in chunk["children"][:5] if field["name"] == name]


def bodies(packet: Record) -> Iterator[tuple[str, list[Record]]]:
    """Name of each message and its own fields, without what stands before them."""
    if is_in_chunks(packet):
        for name, chunk in chunks(packet):
            body = _behind("id", chunk["children"])
            named = any(field["name"] == "id" and field["text"] == NAMED_BY_UUID for field in chunk["children"][:5])
            yield name, _behind("uuid", body) if named else body
    elif len(packet["messages"]) == 1:
        (name,) = packet["messages"]
        for group in packet["tree"]:
            own = [field["name"] for field in group["children"]]
            for first in ("control message", "message"):
                if first in own and group["name"] != "header":
                    yield name, _behind(first, group["children"])


def _behind(first: str, fields: list[Record]) -> list[Record]:
    """Those behind the first of a name; none where the capture cut it."""
    names = [field["name"] for field in fields]
    return fields[names.index(first) + 1 :] if first in names else []


def message_values(packet: Record, messages: Container[str], name: str) -> list[Any]:
    """A field in the messages of some names."""
    return [value for own, fields in bodies(packet) if own in messages for value in leaves(fields, name)]


@dataclass(frozen=True)
class KnownItem:
    """An item with a layout."""

    names: tuple[str, ...]
    """Of its type; two of an item that stands for another."""
    id: int
    layout: Any
    values: list[int]

    def of_field(self, name: str) -> Iterator[Any]:
        """Numbers or texts of a field."""
        for field in self.layout.fields:
            width = field.kind.ints
            for number in range(field.count):
                own = self.values[field.at + number * width :][:width]
                full = field.name if field.count == 1 else f"{field.name}[{number}]"
                if is_meant(full, name) and len(own) == width:
                    yield own[0] if width == 1 else _text(field.kind.base, own)


def _text(base: str, ints: list[int]) -> str:
    """Four characters a number, the first one highest, each 128 too high, up to the first zero; or a UUID."""
    if base == "uuid":
        declared = _uuid(ints)
        return f"{default_schema().uuid_names.get(declared, 'unknown')} ({declared})"
    assert base == "str"
    signs = [(number >> shift & 0xFF) - 128 & 0xFF for number in ints for shift in (24, 16, 8, 0)]
    signs[-1] = 0
    return bytes(signs[: signs.index(0)]).decode("utf-8")


def known_items(snapshot: Record) -> list[KnownItem]:
    """The items of a rebuilt snapshot whose type the schema names."""
    if "known_items" not in snapshot:
        snapshot["known_items"] = list(_known_items(snapshot))
    found: list[KnownItem] = snapshot["known_items"]
    return found


def _known_items(snapshot: Record) -> Iterator[KnownItem]:
    schema = seven_schema() if snapshot["dialect"] == "0.7" else default_schema()
    declared = {id: values for type, id, values in snapshot["items"] if type == 0}
    for type, id, values in snapshot["items"]:
        known = schema.by_type.get(type) if type < FIRST_UUID_TYPE else schema.by_uuid.get(_uuid(declared.get(type)))
        if known is None:
            continue
        mark, real = known.disguise, known
        if mark is not None and len(values) > mark.at and values[mark.at] >= 0 and values[mark.at] >> mark.bit & 1:
            real = schema.by_name.get(mark.item, known)
        yield KnownItem(tuple({known.name, real.name}), id, real, values)


def item_values(snapshot: Record, type_name: str, field: str = "", part: str = "") -> list[Any] | None:
    """Of the items of a type: 1 for each, or ids, or names of owners, or values of a field; None: not rebuilt."""
    if snapshot["items"] is None:
        return None
    own = [item for item in known_items(snapshot) if type_name in item.names]
    if field:
        return [value for item in own for value in item.of_field(field)]
    if part == "owner":
        # Of 0.6 and DDNet: in 0.7 snapshots hold no names.
        infos = [item for item in known_items(snapshot) if "ClientInfo" in item.names]
        names = {info.id: next(info.of_field("name")) for info in infos}
        return [names[item.id] for item in own if item.layout.ids == "client" and names.get(item.id)]
    return [item.id if part == "id" else 1 for item in own]


def _uuid(values: list[int] | None) -> uuid.UUID:
    if values is None or len(values) < 4:
        return uuid.UUID(int=0)
    return uuid.UUID(int=sum((value & 0xFFFFFFFF) << 32 * (3 - place) for place, value in enumerate(values[:4])))


def change_values(snapshot: Record, type_name: str, field: str = "", part: str = "") -> list[Any]:
    """Of the changes of a type: 1 for each, or for each of a kind; bits or ids; or `new`, `old`, `difference`."""
    own = [change for change in snapshot["changes"] if type_name in change["name"].rstrip(")").split(" (")]
    if field:
        fields = [one for change in own for one in change["fields"] if is_meant(one["name"], field)]
        if part == "difference":
            return [one[part] for one in fields if one[part]]
        return [one[part] for one in fields if one[part] is not None and one["new"] != one["old"]]
    if part in ("bits", "id"):
        return [change[part] for change in own]
    return [1 for change in own if not part or change["kind"] == part]


def address(endpoint: str) -> tuple[Any, int]:
    """Address and port of an endpoint as it is printed."""
    host, _, port = endpoint.rpartition(":")
    return ipaddress.ip_address(host.strip("[]")), int(port)
