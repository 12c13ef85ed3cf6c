"""Plays datagrams of one flow into a reading and gives back its rows, for tests of what a reading makes of them.

When it is finished, the same datagrams are also read in bulk, which must say the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.protocols.flow import Datagram, Verdict
from analyzer.protocols.teeworlds import PROTOCOL
from analyzer.protocols.teeworlds.codes import CODES, PACKET_CODES, PACKET_KINDS
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.store.rows import PacketLate, Rows, SessionRow, SnapshotRow
from tests.encoder import SNAP, SNAPEMPTY, SNAPSINGLE, Items, chunk, control, crc, message, pack_varints, packet
from tests.encoder import snapshot as snapshot_of
from tests.protocols.teeworlds.both_readings import Sent, check
from tests.row_views import amended, messages

CLIENT, SERVER = 0, 1
TOKEN = 0x12345678
SIZES = default_schema().sizes
SECOND = 1_000_000_000


class Played:
    """One flow. Sequence numbers of vital messages count by themselves unless a test gives them."""

    def __init__(self, dialect: str = "ddnet", token: int | None = TOKEN, server: int = SERVER) -> None:
        self.rows = Rows(0, 0)
        self.played = 0
        """Datagrams so far."""
        self.variant = DIALECTS[dialect].variant
        self.token = token
        self.verdict = Verdict(dialect, 1.0, server)
        self.reading = PROTOCOL.open_reading(self.rows, self.verdict)
        self.datagrams: list[Sent] = []
        self.sent = [0, 0]
        self.acks = [0, 0]

    def raw(self, payload: bytes, direction: int, *, keep: int | None = None, time_ns: int | None = None) -> PacketLate:
        """Play a datagram, of which the capture kept `keep` bytes."""
        number = self.played
        self.played += 1
        at = number * SECOND // 50 if time_ns is None else time_ns
        self.datagrams.append(Sent(at, direction, payload[:keep], len(payload)))
        late = self.rows.begin(number)
        self.reading.receive(Datagram(number, at, direction, payload[:keep], len(payload)))
        return late

    def send(self, direction: int, *chunks: bytes, ack: int | None = None, token: int | None = None) -> PacketLate:
        given = self.token if token is None else token
        acked = self.acks[direction] if ack is None else ack
        return self.raw(packet(chunks, ack=acked, token=given, variant=self.variant), direction)

    def vital(self, direction: int, body: bytes, sequence: int | None = None, *, resend: bool = False) -> bytes:
        """A vital chunk, the sender's next one if no number is given."""
        if sequence is None:
            self.sent[direction] = sequence = (self.sent[direction] + 1) % 1024
            self.acks[1 - direction] = sequence
        return chunk(body, vital=True, sequence=sequence, resend=resend, size_shift=self.variant.size_shift)

    def control(self, direction: int, number: int, body: bytes = b"", *, token: int | None = None) -> PacketLate:
        given = self.token if token is None else token
        return self.raw(control(number, body, token=given, variant=self.variant), direction)

    def handshake(self) -> None:
        """CONNECT, CONNECTACCEPT, ACCEPT as a DDNet or 0.6.4 peer sends them; numbers start again."""
        if self.token is not None:
            self.raw(control(1, b"TKEN", token=0xFFFFFFFF, variant=self.variant), CLIENT)
            self.raw(control(2, b"TKEN", token=self.token, variant=self.variant), SERVER)
        else:
            self.control(CLIENT, 1)
            self.control(SERVER, 2)
        self.control(CLIENT, 3)
        self.sent, self.acks = [0, 0], [0, 0]

    def login(self, map_name: str = "dm1") -> None:
        """INFO, MAP_CHANGE and ENTERGAME, each in a packet of its own."""
        self.send(CLIENT, self.vital(CLIENT, INFO))
        self.send(SERVER, self.vital(SERVER, map_change(map_name)))
        self.send(CLIENT, self.vital(CLIENT, ENTERGAME))

    def snap(self, tick: int, base_tick: int, base: Items, new: Items) -> list[PacketLate]:
        """A snapshot, each part in a packet of its own."""
        return self.messages(snapshot_of(tick, base_tick, base, new, SIZES))

    def messages(self, bodies: Sequence[bytes]) -> list[PacketLate]:
        """Messages of the server that are not vital, each in a packet of its own."""
        return [self.send(SERVER, chunk(body)) for body in bodies]

    def ack(self, tick: int) -> PacketLate:
        return self.send(CLIENT, chunk(input_message(tick)))

    def finish(self) -> Played:
        self.reading.finish()
        check(self.verdict, self.datagrams, (len(self.datagrams) // 2,))
        return self

    @property
    def snapshots(self) -> list[SnapshotRow]:
        """Snapshot rows so far with what became known later."""
        return amended(self.rows)

    @property
    def sessions(self) -> list[SessionRow]:
        for amend in self.rows.session_amendments:
            setattr(self.rows.sessions[amend.local], amend.column, amend.value)
        return self.rows.sessions

    @property
    def codes(self) -> list[tuple[int, str]]:
        """Tick and report code of every snapshot row."""
        return [(row.tick, CODES[row.code].name) for row in self.snapshots]

    @property
    def rules(self) -> list[str]:
        return [finding.rule for finding in self.rows.findings]

    @property
    def numbers(self) -> list[tuple[int, int, int]]:
        """Number, generation and epoch of every session."""
        return [(session.number, session.generation, session.epoch) for session in self.sessions]

    def names(self, late: PacketLate) -> list[tuple[str, int]]:
        """Names and flags of a packet's messages."""
        own = [message for message in messages(self.rows) if message.packet == late.packet]
        return [(self.rows.names[message.name], message.flags) for message in own]


def kind(late: PacketLate) -> tuple[str, str]:
    """Kind and code of a packet, as words."""
    return PACKET_KINDS[late.kind], PACKET_CODES[late.code].partition(":")[0]


def map_change(name: str) -> bytes:
    return message(2, True, name.encode() + b"\0" + pack_varints((1, 1000)))


def input_message(tick: int) -> bytes:
    return message(16, True, pack_varints((tick, tick + 5, 40, *range(10))))


def snap_empty(tick: int, base_tick: int) -> bytes:
    return message(SNAPEMPTY, True, pack_varints((tick, tick - base_tick)))


def snap_single(tick: int, delta_tick: int, data: bytes, checksum: int) -> bytes:
    return message(SNAPSINGLE, True, pack_varints((tick, delta_tick, checksum, len(data))) + data)


def snap_part(tick: int, base_tick: int, parts: int, part: int, data: bytes, checksum: int = 0) -> bytes:
    return message(SNAP, True, pack_varints((tick, tick - base_tick, parts, part, checksum, len(data))) + data)


def big_items(seed: int, count: int = 150) -> dict[int, tuple[int, ...]]:
    """Pickups that take three parts or so."""
    return {4 << 16 | item: (seed * 7 + item * 1000, -777 * item, item % 4, 31 * item * item) for item in range(count)}


INFO = message(1, True, b"0.6 626fce9a778df4d4\0\0")
ENTERGAME = message(15, True)
READY = message(14, True)
EMPTY: Items = {}
A: Items = {4 << 16 | 3: (100, 200, 2, 3), 6 << 16: (0, 0, 0, 0, 20, 0, 1, 1)}
B: Items = {4 << 16 | 3: (101, 200, 2, 3), 6 << 16: (0, 0, 0, 0, 20, 0, 1, 1)}
CRC_A, CRC_B = crc(A), crc(B)


def in_game(dialect: str = "ddnet", map_name: str = "dm1") -> Played:
    """Logged in, with one full snapshot of tick 100."""
    play = Played(dialect, TOKEN if dialect != "0.6" else None)
    play.handshake()
    play.login(map_name)
    play.snap(100, -1, EMPTY, A)
    return play
