"""Snapshots on demand: parts from packets, states from deltas, items, changes and records."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.base import SessionFacts, SnapshotView
from analyzer.protocols.teeworlds.codec import TeeworldsCodec
from analyzer.protocols.teeworlds.codes import CODE_NUMBERS, CODES
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.state import EMPTY, State, make_state
from analyzer.snapshots.model import JoinedDelta
from analyzer.snapshots.status import ClientHas, LostBy, Proof
from analyzer.transports.teeworlds_packet import TAIL
from analyzer.wire.errors import DecodeError
from tests.encoder import chunk, delta, pack_varints, packet, snapshot
from tests.protocols.teeworlds.played import CRC_B, READY, SIZES, TOKEN, A, B, big_items, snap_empty

CODEC = TeeworldsCodec()
FACTS = SessionFacts("ddnet", TOKEN, SIZES)
STATE_A, STATE_B = (make_state({key: tuple(values) for key, values in items.items()}) for items in (A, B))
DELTA = pack_varints(delta(A, B, SIZES))


def joined(data: bytes) -> JoinedDelta:
    return JoinedDelta(data, ())


class TestParts:
    @pytest.mark.parametrize("compress", [False, True])
    @pytest.mark.parametrize("dialect", sorted(DIALECTS))
    def test_the_bytes_of_a_message_and_where_they_lie(self, compress: bool, dialect: str) -> None:
        variant = DIALECTS[dialect].variant
        (body,) = snapshot(102, 100, A, B, SIZES, seven=dialect == "0.7")
        chunks = [chunk(message, size_shift=variant.size_shift) for message in (READY, body)]
        payload = packet(chunks, token=TOKEN, variant=variant, compress=compress)
        part = CODEC.part(payload, SessionFacts(dialect, TOKEN, SIZES), 5, len(body))
        assert (part.data, part.compressed) == (DELTA, compress)
        assert part.source_offset == 5 + len(body) - len(DELTA)

    def test_an_empty_snapshot_has_no_bytes(self) -> None:
        body = snap_empty(104, 102)
        payload = packet([chunk(body)], token=TOKEN, variant=TAIL, compress=False)
        assert CODEC.part(payload, FACTS, 2, len(body)).data == b""

    @pytest.mark.parametrize("payload", [b"", b"\0\0", b"\x80\0\1", b"\0\0\1abcdefgh"])
    def test_other_bytes_raise(self, payload: bytes) -> None:
        with pytest.raises(DecodeError):
            CODEC.part(payload, FACTS, 2, 4)

    @pytest.mark.parametrize(("offset", "size", "code"), [(2, 900, "short"), (2, 3, "id"), (900, 1, "short")])
    def test_a_message_that_is_not_there_any_more(self, offset: int, size: int, code: str) -> None:
        payload = packet([chunk(READY)], token=TOKEN, variant=TAIL, compress=False)
        with pytest.raises(DecodeError, match=r"the payload ends|is no snapshot") as raised:
            CODEC.part(payload, FACTS, offset, size)
        assert raised.value.code == code

    def test_joined_again(self) -> None:
        data = pack_varints(delta({}, big_items(1), SIZES))
        parts = {number: data[start : start + 900] for number, start in enumerate(range(0, len(data), 900))}
        assert CODEC.join(parts, len(parts)) == (data, tuple(range(0, len(data), 900)))


class TestStates:
    def test_empty(self) -> None:
        assert CODEC.empty() == EMPTY

    def test_a_delta_makes_the_next(self) -> None:
        assert CODEC.apply(CODEC.empty(), pack_varints(delta({}, A, SIZES)), FACTS) == STATE_A
        assert CODEC.apply(STATE_A, DELTA, FACTS) == STATE_B

    def test_no_bytes_mean_no_difference(self) -> None:
        assert CODEC.apply(STATE_A, b"", FACTS) is STATE_A

    def test_sizes_are_the_facts(self) -> None:
        facts = SessionFacts("ddnet", TOKEN, (-1,) * 64)
        assert CODEC.apply(EMPTY, pack_varints([0, 1, 0, 4, 3, 1, 7]), facts) == make_state({4 << 16 | 3: (7,)})

    def test_a_bad_delta_raises(self) -> None:
        with pytest.raises(DecodeError):
            CODEC.apply(EMPTY, b"\0\1\0", FACTS)

    @pytest.mark.parametrize("state", [EMPTY, STATE_A, make_state({5: ()})])
    def test_packed_and_unpacked(self, state: State) -> None:
        assert CODEC.unpack(CODEC.pack(state)) == state


class TestShown:
    def test_items(self) -> None:
        pickup, info = CODEC.items(STATE_A, FACTS, 100)
        assert (pickup.type, pickup.id, pickup.name, pickup.values) == (4, 3, "Pickup", (100, 200, 2, 3))
        assert [field.name for field in pickup.fields] == ["x", "y", "type", "subtype"]
        assert (info.type, info.name) == (6, "GameInfo")

    def test_changes(self) -> None:
        (change,) = CODEC.changes(STATE_A, joined(DELTA), FACTS, 102)
        assert (change.kind, change.type, change.id, change.name) == ("changed", 4, 3, "Pickup")
        first = change.fields[0]
        assert (first.name, first.old, first.new, first.difference) == ("x", 100, 101, 1)

    def test_changes_without_base(self) -> None:
        (change,) = CODEC.changes(None, joined(DELTA), FACTS, 102)
        assert (change.kind, change.fields[0].new, change.fields[0].difference) == ("unknown", None, 1)

    @pytest.mark.parametrize("data", [b"", b"\0\1\0", b"\x80"])
    def test_no_changes_in_what_cannot_be_read(self, data: bytes) -> None:
        assert CODEC.changes(STATE_A, joined(data), FACTS, 102) == ()

    def test_a_type_declared_in_the_delta_has_its_name_without_a_base(self) -> None:
        """Spec section 22.1: DDNetCharacter as 7FFF."""
        declared = {0x7FFF: (1993229659, -102024632, -1378361269, -1810037668), 0x7FFF0000: (1, 0, 2)}
        data = pack_varints(delta({}, declared, SIZES))
        assert [change.name for change in CODEC.changes(None, joined(data), FACTS, 102)][1] == "DDNetCharacter"
        assert CODEC.changes(EMPTY, joined(data), FACTS, 102)[1].name == "DDNetCharacter"

    @pytest.mark.parametrize("base", [STATE_A, None])
    def test_changes_before_a_fault(self, base: State | None) -> None:
        data = pack_varints([1, 2, 0, 6 << 16, 4, 3, 1, 0, 0, 0, 0x8000, 1])
        changes = CODEC.changes(base, joined(data), FACTS, 102)
        assert [(change.kind, change.type, change.id) for change in changes] == [
            ("removed", 6, 0),
            ("unknown" if base is None else "changed", 4, 3),
        ]

    @given(st.binary(max_size=60))
    def test_any_delta(self, data: bytes) -> None:
        for base in (None, EMPTY, STATE_A):
            changes = CODEC.changes(base, joined(data), FACTS, 102)
            for change in changes:
                assert change.span is None or change.span.offset + change.span.length <= len(data)


class TestRecords:
    ROW: Mapping[str, object] = {
        "tick": 102,
        "base_tick": 100,
        "kind": 1,
        "parts": 1,
        "crc_wire": CRC_B,
        "deleted": 0,
        "updated": 1,
        "proof": int(Proof.OWN),
        "client_kept": True,
        "client_has": int(ClientHas.ACKED),
        "lost_by": int(LostBy.NOBODY),
    }

    def view(self, code: str, state: State | None, **changed: object) -> SnapshotView[State]:
        return SnapshotView(
            {**self.ROW, **changed}, CODES[CODE_NUMBERS[code]], "why", "c:1", "s:2", 3, FACTS, 44, None, state
        )

    def test_rebuilt(self) -> None:
        record = CODEC.record(self.view("OK", STATE_B), with_items=True)
        digest = record.pop("items_sha256")
        assert isinstance(digest, str)
        assert len(digest) == 64
        assert record == {
            "client": "c:1",
            "server": "s:2",
            "session": 3,
            "ver": 6,
            "tick": 102,
            "base_tick": 100,
            "kind": "SNAPSINGLE",
            "parts": 1,
            "crc": CRC_B,
            "crc_ok": True,
            "deleted": 0,
            "updated": 1,
            "frame": 44,
            "num_items": 2,
            "items": [[4, 3, [101, 200, 2, 3]], [6, 0, [0, 0, 0, 0, 20, 0, 1, 1]]],
            "status": "ok",
            "code": "OK",
            "reason": "why",
            "cause_frame": None,
            "client_kept": True,
            "client_has": "acked",
            "lost_by": "nobody",
        }

    @pytest.mark.parametrize(
        ("code", "changed", "crc_ok"),
        [("OK-E", {"kind": 0, "proof": 2}, None), ("C1", {"proof": 0}, False), ("OK", {}, True)],
    )
    def test_what_the_crc_says(self, code: str, changed: dict[str, object], crc_ok: bool | None) -> None:
        assert CODEC.record(self.view(code, STATE_B, **changed), with_items=False)["crc_ok"] is crc_ok

    def test_not_rebuilt(self) -> None:
        record = CODEC.record(self.view("B2", None, base_tick=-5, lost_by=int(LostBy.CAPTURE)), with_items=True)
        assert {"items", "items_sha256", "num_items"} & set(record) == set()
        assert (record["base_tick"], record["status"], record["lost_by"]) == (-1, "no-base", "capture")
