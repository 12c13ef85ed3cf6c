"""One snapshot in words, as `explain` and `changes` say it."""

from __future__ import annotations

from analyzer.cli.output import counted
from analyzer.engine.query import Query
from analyzer.protocols.base import SnapshotView
from analyzer.snapshots.model import PartialItems
from analyzer.snapshots.status import REBUILT, REPEATED, ClientHas, LostBy, Proof, Status, is_judged
from analyzer.stats.flows import FlowEnds, flow_ends, session_flow
from analyzer.stats.parts import part_frames
from analyzer.store.tables import Tables

PROOFS = {
    Proof.NONE: "not proved",
    Proof.OWN: "proved by its own checksum",
    Proof.BASE: "proved: unchanged on a proved base",
}
CLIENT_HAS = {
    ClientHas.NEVER: "never acknowledged by the client, nor any later one",
    ClientHas.LATER: "the client acknowledged a later one",
    ClientHas.ACKED: "acknowledged by the client",
}
REPEAT = "a repeat; see frame {frame} for what the client made of it"
WRONG = {
    LostBy.CAPTURE: "the client acknowledged it, so it had other bytes",
    LostBy.GAME: "wrong as sent by the server",
}
"""Why something that arrived whole, but wrong, is put down to somebody."""
Row = dict[str, object]


class Described:
    """The numbers of a snapshot row, with the words for them."""

    def __init__(self, tables: Tables, query: Query, snapshot: int) -> None:
        view: SnapshotView[object] = query.view(snapshot)
        self._tables = tables
        self._snapshot = snapshot
        self._flow: FlowEnds = flow_ends(tables)[session_flow(tables, self._integer("session"))]
        self.tick = self._integer("tick")
        self.base_tick = self._integer("base_tick")
        self.status = Status(self._integer("status"))
        self.frame = view.frame
        self.session = view.session
        self.client = view.client
        self.server = view.server
        self.code = view.code.name
        self.reason = view.reason
        self.cause_frame = view.cause_frame
        self.kind = self._kind(query)
        self.rebuilt = self.status in REBUILT
        self.partial: PartialItems | None = query.partial(snapshot)
        """What is known of it, where its base is not."""

    def record(self) -> Row:
        """Everything about the snapshot but its changes, for JSON."""
        numbers = ("part_count", "parts", "wire_bytes", "delta_bytes", "state_bytes", "items")
        counts = ("added", "changed", "removed", "deleted", "updated")
        return {
            "frame": self.frame,
            "client": self.client,
            "server": self.server,
            "session": self.session,
            "tick": self.tick,
            "base_tick": self.base_tick,
            "base_frame": self.base_frame,
            "kind": self.kind,
            "status": self.status.word,
            "code": self.code,
            "reason": self.reason,
            "cause_frame": self.cause_frame,
            "proof": Proof(self._integer("proof")).name.lower(),
            "client_kept": bool(self._tables.snapshots.get("client_kept", self._snapshot)),
            "client_has": ClientHas(self._integer("client_has")).word,
            "lost_by": LostBy(self._integer("lost_by")).word,
            "part_frames": self.part_frames,
            **{name: self._integer(name) for name in numbers + counts},
        }

    def title(self) -> str:
        """Tick, base and outcome in one line."""
        base = "the empty snapshot" if self.base_tick < 0 else f"tick {self.base_tick}"
        if self.base_frame is not None:
            base += f" (frame {self.base_frame})"
        return f"Snapshot of tick {self.tick} on {base}: {self.kind}, {self.status.word} ({self.code})"

    def part_sentence(self, number: int) -> str:
        """What a packet that carried part `number`, but decided nothing, is to this snapshot."""
        end = "is completed by" if self.rebuilt else f"ends as {self.status.word} with"
        return f"carries part {number + 1} of the snapshot of tick {self.tick}, which {end} frame {self.frame}."

    def lines(self) -> list[str]:
        """The title, then who, why, how big, and what the client made of it."""
        lines = [self.title(), f"  client   {self.client}, session {self.session}, server {self.server}"]
        if self.reason:
            lines.append(f"  reason   {self.reason}")
        if self.cause_frame is not None:
            lines.append(f"  cause    frame {self.cause_frame}")
        if self.part_frames:
            received, announced = self._integer("part_count"), self._integer("parts")
            frames = ", ".join(map(str, self.part_frames))
            lines.append(f"  parts    {received} of {announced}, in frame {frames}")
        lines.append(f"  bytes    {self._sizes()}")
        if self.rebuilt:
            lines.append(f"  items    {self._counts()}")
            lines.append(f"  proof    {PROOFS[Proof(self._integer('proof'))]}")
        elif self.partial is not None:
            lines.append(f"  known    {self._known(self.partial)}")
        fate = self._fate()
        return [*lines, f"  fate     {fate}"] if fate else lines

    @property
    def base_frame(self) -> int | None:
        """Frame that completed the base, from 1; None where the base is empty or not known."""
        base = self._integer("base")
        if base < 0:
            return None
        return self._tables.packets.integer("frame", self._tables.snapshots.integer("packet", base)) + 1

    @property
    def part_frames(self) -> list[int]:
        """Frames of the parts received, in the order of the parts."""
        return part_frames(self._tables, self._snapshot)

    def _sizes(self) -> str:
        text = f"{self._integer('wire_bytes'):,} on the wire, delta {self._integer('delta_bytes'):,}"
        return f"{text}, state {self._integer('state_bytes'):,}" if self.rebuilt else text

    def _counts(self) -> str:
        words = ", ".join(f"{self._integer(word):,} {word}" for word in ("added", "changed", "removed"))
        return f"{self._integer('items'):,}: {words}"

    def _known(self, partial: PartialItems) -> str:
        """From deltas alone, of a snapshot without a base."""
        words = [f"{counted(len(partial.known), 'item')} from deltas alone"]
        if partial.unknown:
            words.append(f"at least {len(partial.unknown)} more without values")
        if partial.absent:
            words.append(f"{len(partial.absent)} not there")
        return f"{', '.join(words)}; of all others nothing is known"

    def _fate(self) -> str:
        """What the client made of it, and to whom a failure is put down; empty where nobody can say."""
        if self.status in REPEATED:
            return "" if self.cause_frame is None else REPEAT.format(frame=self.cause_frame)
        judged = is_judged(self.status, self._integer("parts"))
        words = [CLIENT_HAS[ClientHas(self._integer("client_has"))]] if judged else []
        if judged and not self._tables.snapshots.get("client_kept", self._snapshot) and self.rebuilt:
            words.append("a newer tick had begun, the client drops it")
        lost_by = LostBy(self._integer("lost_by"))
        if lost_by is not LostBy.NOBODY:
            why = WRONG.get(lost_by) if self.status in (Status.CRC, Status.MALFORMED) else None
            words.append(f"put down to: {lost_by.word}{f' ({why})' if why else ''}")
        return "; ".join(words)

    def _integer(self, column: str) -> int:
        return self._tables.snapshots.integer(column, self._snapshot)

    def _kind(self, query: Query) -> str:
        protocol = query.protocol(self._integer("packet"))
        return protocol.snapshot_kinds[self._integer("kind")] if protocol is not None else ""
