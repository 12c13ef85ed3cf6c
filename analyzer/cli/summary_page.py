"""The summary as a page to read: sections with aligned numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from analyzer.cli.absent import not_decoded
from analyzer.cli.output import Column, counted, one_line, table_lines
from analyzer.snapshots.status import ClientHas, LostBy, Status
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


def page_lines(record: Record, stats: CaptureStats, legends: Mapping[str, str]) -> Iterator[str]:
    """The page; `record` is the summary as JSON has it, `stats` the same numbers typed, `legends` explain codes."""
    yield one_line(str(record["file"]))
    yield from _head(record, stats)
    yield from _packets(stats)
    yield from _flows(stats)
    yield from _undecoded(stats)
    yield from _snapshots(stats.snapshots, legends)
    yield from _sizes(stats.snapshots)
    yield from _items(stats.item_types)
    yield from _sessions(stats.sessions)
    yield from _memory(record)


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
    yield f"  frames    {stats.frames:,} ({stats.frame_bytes:,} bytes)" if stats.frames else "  frames    no frames"
    others = record["frame_kinds"]
    if isinstance(others, dict) and len(others) > 1:
        yield "            " + ", ".join(f"{count:,} {name}" for name, count in others.items())
    if stats.made_frames:
        yield f"  made      {counted(stats.made_frames, 'frame')} by snapscope for an excerpt; counted with the others"
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


def _undecoded(stats: CaptureStats) -> Iterator[str]:
    sentence = not_decoded(stats.flows)
    if sentence:
        yield ""
        yield sentence


def _snapshots(stats: SnapshotStats, legends: Mapping[str, str]) -> Iterator[str]:
    total = sum(stats.statuses.values())
    if not total:
        yield ""
        yield "No snapshots."
        return
    ends = f"{stats.rebuilt:,} rebuilt, {stats.failed:,} failed, {stats.repeated:,} repeated"
    rows = [row for status, count in stats.statuses.items() if count for row in _status_rows(stats, status, legends)]
    columns = (Column("status"), Column("snapshots", True), Column("by code"))
    yield from _section(f"Snapshots: {total:,} seen, {ends}", columns, rows)
    if stats.rebuilt:
        has = stats.client_has
        yield f"  of the rebuilt ones {stats.proved:,} are proved, {stats.unproven:,} unproven"
        acked, later, never = (has[word.word] for word in (ClientHas.ACKED, ClientHas.LATER, ClientHas.NEVER))
        yield f"  of the rebuilt ones the client acknowledged {acked:,}, only a later one {later:,}, none {never:,}"
    if stats.not_kept:
        yield f"  dropped by the client, a newer tick had begun: {stats.not_kept:,}"
    lost_by = {word: count for word, count in stats.lost_by.items() if word != LostBy.NOBODY.word}
    if any(lost_by.values()):
        yield f"  failures put down to: {_words(lost_by)}"
    if stats.failed or stats.statuses[Status.CRC.word]:
        if stats.partial:
            yield f"  of the failed ones {stats.partial:,} are known in part, from deltas alone"
        yield "  see: snapscope-cli snapshots FILE --all (or --failed for these alone)"


def _status_rows(stats: SnapshotStats, status: str, legends: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """A line for each code of a status; the first has the status and its count."""
    head = status, f"{stats.statuses[status]:,}"
    for name, number in stats.codes[status].items():
        legend = legends.get(name, "")
        yield *head, f"{name} {number:,} ({legend})" if legend else f"{name} {number:,}"
        head = "", ""


def _words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{word} {count:,}" for word, count in counts.items() if count) or "-"


def _sizes(stats: SnapshotStats) -> Iterator[str]:
    if not stats.rebuilt:
        return
    columns = (Column("bytes"), *(Column(title, True) for title in ("mean", "p50", "p95", "max", "total")))
    rows = [(name, *_size_cells(size), f"{size.total:,}") for name, size in stats.sizes.items()]
    yield from _section("Sizes of rebuilt snapshots", columns, rows)
    counts = (f"{count:,} in {counted(parts, 'part')}" for parts, count in stats.parts.items())
    yield f"  parts: {', '.join(counts)}"


def _size_cells(size: Sizes) -> tuple[str, str, str, str]:
    if size.mean is None:
        return "-", "-", "-", "-"
    return f"{size.mean:,.1f}", f"{size.p50:,}", f"{size.p95:,}", f"{size.max:,}"


def _items(types: Sequence[ItemType]) -> Iterator[str]:
    columns = (Column("type"), Column("updates", True), Column("values", True), Column("share of values", True))
    total = sum(entry.values for entry in types) or 1
    rows = [
        (entry.name, f"{entry.updates:,}", f"{entry.values:,}", f"{100 * entry.values / total:.1f} %")
        for entry in types[:MAX_ITEM_TYPES]
    ]
    yield from _section("Most sent item types", columns, rows)
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
        Column("repeated", True),
        Column("mean wire", True),
        Column("mean delta", True),
        Column("most parts", True),
        Column("top item type"),
    )
    yield from _section("Sessions", columns, [_session_cells(session) for session in sessions[:MAX_SESSIONS]])
    yield from _more(len(sessions), MAX_SESSIONS)


def _session_cells(session: SessionStats) -> tuple[str, ...]:
    stats = session.snapshots
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
        f"{stats.failed:,}",
        f"{stats.repeated:,}",
        _size_cells(stats.sizes["wire_bytes"])[0],
        _size_cells(stats.sizes["delta_bytes"])[0],
        str(max(stats.parts, default=0)),
        session.item_types[0].name if session.item_types else "-",
    )


def _more(total: int, shown: int) -> Iterator[str]:
    if total > shown:
        yield f"  and {total - shown:,} more (--json lists all)"


def _memory(record: Record) -> Iterator[str]:
    memory, limit = record.get("memory"), record.get("memory_limit")
    if not isinstance(memory, dict):
        return
    titles = ("rows", "bytes", "bytes a row", "in the file")
    columns = (Column("table"), *(Column(title, True) for title in titles))
    rows: list[tuple[str, ...]] = []
    for name, size in memory.items():
        rows.append((name, *_memory_cells(size["rows"], size)))
        rows += [(f"  {group}", *_memory_cells(size["rows"], part)) for group, part in size["groups"].items()]
    whole = {key: sum(size[key] for size in memory.values()) for key in ("bytes", "in_file")}
    rows.append(("all", "", f"{whole['bytes']:,}", "", f"{whole['in_file']:,}"))
    yield from _section("Memory", columns, rows)
    if isinstance(limit, int):
        yield f"  past {limit:,} bytes in memory, tables move to a temporary file"
    yield f"  with room for more: {record['memory_held']:,} bytes in memory, {record['memory_moved']:,} in the file"
    if isinstance(record["memory_resident"], int):
        yield f"  the whole program: {record['memory_resident']:,} bytes in memory"


def _memory_cells(rows: int, size: Mapping[str, int]) -> tuple[str, ...]:
    return f"{rows:,}", f"{size['bytes']:,}", f"{size['bytes'] / max(1, rows):.1f}", f"{size['in_file']:,}"
