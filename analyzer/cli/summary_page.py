"""The summary as a page to read: sections with aligned numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from analyzer.cli.output import Column, counted, one_line, table_lines
from analyzer.snapshots.status import LostBy
from analyzer.stats.capture import CaptureStats
from analyzer.stats.item_types import ItemType
from analyzer.stats.sessions import SessionStats
from analyzer.stats.sizes import Sizes
from analyzer.stats.snapshots import SnapshotStats

MAX_SESSIONS = 64
MAX_FLOWS = 32
MAX_PROBLEMS = 20
MAX_ITEM_TYPES = 12
Record = Mapping[str, object]


def page_lines(record: Record, stats: CaptureStats) -> Iterator[str]:
    """The page; `record` is the summary as JSON has it, `stats` the same numbers typed."""
    yield one_line(str(record["file"]))
    yield from _head(record, stats)
    yield from _packets(stats)
    yield from _flows(stats)
    yield from _snapshots(stats.snapshots)
    yield from _sizes(stats.snapshots)
    yield from _items(stats.item_types)
    yield from _sessions(stats.sessions)
    yield from _memory(record.get("memory"))


def _section(title: str, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if rows:
        yield ""
        yield title
        yield from (f"  {line}" for line in table_lines(columns, rows))


def _head(record: Record, stats: CaptureStats) -> Iterator[str]:
    packing = ", gzip-compressed" if record["compressed"] else ""
    yield f"  format    {record['format']}{packing}"
    if record["start"] is not None:
        yield f"  captured  from {record['start']}, {stats.duration_s:,.3f} s"
    yield f"  frames    {stats.frames:,} ({stats.frame_bytes:,} bytes)"
    others = record["frame_kinds"]
    if isinstance(others, dict) and len(others) > 1:
        yield "            " + ", ".join(f"{count:,} {name}" for name, count in others.items())
    cut = f", {stats.cut_packets:,} of them cut by the capture" if stats.cut_packets else ""
    yield f"  packets   {counted(stats.packets, 'UDP datagram')} in {counted(len(stats.flows), 'flow')}{cut}"
    dropped = record["dropped"]
    if isinstance(dropped, int) and dropped:
        yield f"  dropped   {dropped:,} frames were lost by the capture"
    problems = record["problems"]
    for problem in problems[:MAX_PROBLEMS] if isinstance(problems, list) else ():
        yield f"  problem   {one_line(str(problem['text']))} (at byte {problem['offset']:,})"
    if isinstance(problems, list) and len(problems) > MAX_PROBLEMS:
        yield f"            and {len(problems) - MAX_PROBLEMS:,} more problems"


def _packets(stats: CaptureStats) -> Iterator[str]:
    columns = (Column("protocol"), Column("dialect"), Column("kind"), Column("packets", True), Column("bytes", True))
    yield from _section(
        "Packets",
        columns,
        [
            (group.protocol or "udp", group.dialect or "-", group.kind or "-", f"{group.packets:,}", f"{group.bytes:,}")
            for group in stats.packet_groups
        ],
    )


def _flows(stats: CaptureStats) -> Iterator[str]:
    columns = (Column("client"), Column("server"), Column("protocol"), Column("dialect"), Column("packets", True))
    shown = sorted(stats.flows, key=lambda flow: -flow.packets)[:MAX_FLOWS]
    rows = [
        (flow.client, flow.server if flow.server_known else f"{flow.server} (?)", flow.protocol or "udp",
         flow.dialect or "-", f"{flow.packets:,}")
        for flow in shown
    ]  # fmt: skip
    yield from _section("Flows", columns, rows)
    yield from _more(len(stats.flows), MAX_FLOWS)


def _snapshots(stats: SnapshotStats) -> Iterator[str]:
    total = sum(stats.statuses.values())
    if not total:
        yield ""
        yield "No snapshots."
        return
    rows = []
    for status, count in stats.statuses.items():
        codes = stats.codes.get(status, {})
        if count:
            rows.append((status, f"{count:,}", ", ".join(f"{name} {number:,}" for name, number in codes.items())))
    proof = f"{stats.rebuilt:,} rebuilt, {stats.proved:,} proved, {stats.unproven:,} unproven"
    title = f"Snapshots: {total:,} seen, {proof}"
    yield from _section(title, (Column("status"), Column("snapshots", True), Column("by code")), rows)
    yield f"  client had them: {_words(stats.client_has)}"
    if stats.not_kept:
        yield f"  dropped by the client, a newer tick had begun: {stats.not_kept:,}"
    lost_by = {word: count for word, count in stats.lost_by.items() if word != LostBy.NOBODY.word}
    if any(lost_by.values()):
        yield f"  what the others lack was lost by: {_words(lost_by)}"


def _words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{word} {count:,}" for word, count in counts.items() if count) or "-"


def _sizes(stats: SnapshotStats) -> Iterator[str]:
    if not stats.rebuilt:
        return
    columns = (Column("bytes"), *(Column(title, True) for title in ("mean", "p50", "p95", "max", "total")))
    rows = [(name, *_size_cells(size), f"{size.total:,}") for name, size in stats.sizes.items()]
    yield from _section("Sizes of rebuilt snapshots", columns, rows)
    counts = ", ".join(f"{parts}: {count:,}" for parts, count in stats.parts.items())
    yield f"  parts -> snapshots: {counts}"


def _size_cells(size: Sizes) -> tuple[str, str, str, str]:
    if size.mean is None:
        return "-", "-", "-", "-"
    return f"{size.mean:,.1f}", f"{size.p50:,}", f"{size.p95:,}", f"{size.max:,}"


def _items(types: Sequence[ItemType]) -> Iterator[str]:
    columns = (Column("type"), Column("updates", True), Column("values", True))
    rows = [(entry.name, f"{entry.updates:,}", f"{entry.values:,}") for entry in types[:MAX_ITEM_TYPES]]
    yield from _section("Top item types, as sent in rebuilt snapshots", columns, rows)
    yield from _more(len(types), MAX_ITEM_TYPES)


def _sessions(sessions: Sequence[SessionStats]) -> Iterator[str]:
    columns = (
        Column("client"),
        Column("server"),
        Column("session", True),
        Column("player"),
        Column("map"),
        Column("dialect"),
        Column("frames"),
        Column("seconds", True),
        Column("packets", True),
        Column("rebuilt", True),
        Column("proved", True),
        Column("unproven", True),
        Column("failed", True),
        Column("mean wire", True),
        Column("mean delta", True),
        Column("most parts", True),
        Column("top item type"),
    )
    yield from _section("Sessions", columns, [_session_cells(session) for session in sessions[:MAX_SESSIONS]])
    yield from _more(len(sessions), MAX_SESSIONS)


def _session_cells(session: SessionStats) -> tuple[str, ...]:
    stats = session.snapshots
    failed = sum(stats.statuses.values()) - stats.rebuilt
    return (
        session.client,
        session.server,
        str(session.number),
        session.player or "-",
        session.map or "-",
        session.dialect,
        f"{session.first_frame}-{session.last_frame}",
        f"{session.duration_s:,.3f}",
        f"{session.packets:,}",
        f"{stats.rebuilt:,}",
        f"{stats.proved:,}",
        f"{stats.unproven:,}",
        f"{failed:,}",
        _size_cells(stats.sizes["wire_bytes"])[0],
        _size_cells(stats.sizes["delta_bytes"])[0],
        str(max(stats.parts, default=0)),
        session.item_types[0].name if session.item_types else "-",
    )


def _more(total: int, shown: int) -> Iterator[str]:
    if total > shown:
        yield f"  and {total - shown:,} more (--json lists all)"


def _memory(memory: object) -> Iterator[str]:
    if not isinstance(memory, dict):
        return
    columns = (Column("table"), Column("rows", True), Column("bytes", True), Column("bytes a row", True))
    rows = [
        (name, f"{size['rows']:,}", f"{size['bytes']:,}", f"{size['bytes'] / max(1, size['rows']):.1f}")
        for name, size in memory.items()
    ]
    yield from _section("Memory", columns, rows)
