"""The columns of the table of clients: heads, texts, what they sort by, and the tool tip of a client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from analyzer.protocols.base import Pace
from analyzer.snapshots.status import LostBy
from analyzer.stats.clients import OLD_BASE_MS, SLOW_ACK_MS, ClientStats, Concern, Severity
from ui.views.cells import Cell
from ui.words import UNKNOWN, count, decimal, number, percent, quantity

SIGNS = {Severity.ERROR: "error", Severity.WARNING: "warn", Severity.UNPROVED: "note", Severity.PROVED: "ok"}
Value = float | int | str | None


@dataclass(frozen=True, slots=True)
class Row:
    """What a row of the table is made from."""

    stats: ClientStats
    pace: Pace | None
    """None while unknown, or of a protocol without states."""
    several: bool
    """The client's flow has more than one session."""
    left_out: bool
    """Other panes show another session only."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column."""

    name: str
    """Identifies it in saved layouts."""
    head: str
    tip: str
    width: int
    text: Callable[[Row], str]
    value: Callable[[Row], Value]
    """What it is sorted by; None comes last."""
    right: bool = True
    rising: bool = False
    """The first click sorts the least first."""


def tr(text: str) -> str:
    """Strings of the table of clients."""
    return QCoreApplication.translate("Clients", text)


def client_name(stats: ClientStats, *, several: bool = False) -> str:
    """Player's name, `:port` until it is known; with the session's number where the flow has several."""
    name = stats.player or ":" + stats.ends.client.rpartition(":")[2]
    return f"{name} ({number(stats.number + 1)})" if several else name


def milliseconds(value: float | None) -> str:
    """Whole milliseconds."""
    return UNKNOWN if value is None else number(round(value))


def pace_text(pace: Pace | None) -> str:
    """FULL, 25/s."""
    if pace is None or not pace.state:
        return UNKNOWN
    return pace.state if pace.per_second is None else f"{pace.state}, {pace.per_second:g}/s"


def name_cell(row: Row) -> Cell:
    """Sign and name."""
    tone = "text3" if row.left_out else "text"
    return Cell(client_name(row.stats, several=row.several), tone, sign=SIGNS[row.stats.severity])


def cell(column: Column, row: Row) -> Cell:
    """The cell of any other column."""
    text = column.text(row)
    tone = "text3" if row.left_out or text == UNKNOWN else "text"
    if column.name == "failed" and row.stats.failed and not row.left_out:
        tone = "error" if row.stats.severity is Severity.ERROR else "warn"
    return Cell(text, tone, right=column.right, middle=column.name == "address")


def _share(row: Row) -> str:
    share = row.stats.full_share
    return UNKNOWN if share is None else number(round(100 * share))


def _decimal(places: int, value: Callable[[ClientStats], float | None], scale: float = 1.0) -> Callable[[Row], str]:
    def text(row: Row) -> str:
        found = value(row.stats)
        return UNKNOWN if found is None else decimal(found / scale, places)

    return text


def _lost(loser: LostBy, head: str, tip: str) -> Column:
    return Column(
        f"lost-{loser.word}",
        head,
        tip,
        76,
        lambda row: quantity(row.stats.lost_by[loser]),
        lambda row: row.stats.lost_by[loser],
    )


def _ms(name: str, head: str, tip: str, width: int, value: Callable[[ClientStats], float | None]) -> Column:
    return Column(name, head, tip, width, lambda row: milliseconds(value(row.stats)), lambda row: value(row.stats))


def _quantity(name: str, head: str, tip: str, width: int, value: Callable[[ClientStats], int]) -> Column:
    return Column(name, head, tip, width, lambda row: quantity(value(row.stats)), lambda row: value(row.stats))


def columns() -> tuple[Column, ...]:
    """The columns in their order; the first is the client."""
    return (*_first_columns(), *_snapshot_columns(), *_loss_columns(), *_client_columns())


def _first_columns() -> tuple[Column, ...]:
    return (
        Column(
            "client",
            tr("Client"),
            tr("Player's name, :port until it is known; the worst first unless sorted"),
            0,
            lambda row: client_name(row.stats, several=row.several),
            lambda row: client_name(row.stats).casefold(),
            right=False,
            rising=True,
        ),
        _ms(
            "ack",
            tr("Ack [ms]"),
            tr("Median time until a snapshot was acknowledged"),
            66,
            lambda stats: stats.ack_p50,
        ),
        Column(
            "parts",
            tr("Parts"),
            tr("Mean parts of a snapshot"),
            48,
            _decimal(1, lambda stats: stats.parts_mean),
            lambda row: row.stats.parts_mean,
        ),
        Column(
            "full",
            tr("Full [%]"),
            tr("Snapshots without a baseline, the first not counted"),
            62,
            _share,
            lambda row: row.stats.full_share,
        ),
        _quantity(
            "failed",
            tr("Failed"),
            tr("Wrong, incomplete, or on a baseline that is, where the capture holds the cause"),
            56,
            lambda stats: stats.failed,
        ),
        Column(
            "rate",
            tr("kB/s"),
            tr("UDP payload from the server, mean over the session"),
            52,
            _decimal(1, lambda stats: stats.rate, 1000.0),
            lambda row: row.stats.rate,
        ),
    )


def _snapshot_columns() -> tuple[Column, ...]:
    return (
        Column(
            "pace",
            tr("Server rate"),
            tr("State of the server at the selected time, inferred from ticks and baselines"),
            112,
            lambda row: pace_text(row.pace),
            lambda row: pace_text(row.pace),
            right=False,
            rising=True,
        ),
        _quantity("snapshots", tr("Snapshots"), tr("All of the session"), 82, lambda stats: stats.snapshots),
        _quantity("rebuilt", tr("Rebuilt"), tr("Snapshots that could be rebuilt"), 66, lambda stats: stats.rebuilt),
        _quantity("proved", tr("Proved"), tr("Rebuilt, and proved by a checksum"), 66, lambda stats: stats.proved),
        Column(
            "size-mean",
            tr("Size mean [B]"),
            tr("Mean UDP payload of the datagrams of a rebuilt snapshot"),
            98,
            _decimal(0, lambda stats: stats.size_mean),
            lambda row: row.stats.size_mean,
        ),
        Column(
            "size-p95",
            tr("Size p95 [B]"),
            tr("95 of 100 snapshots are no larger"),
            92,
            lambda row: UNKNOWN if row.stats.size_p95 is None else quantity(row.stats.size_p95),
            lambda row: row.stats.size_p95,
        ),
        _ms("base-age", tr("Base age [ms]"), tr("Median age of a baseline"), 98, lambda stats: stats.base_age_p50),
        _ms("base-age-p99", tr("Base p99 [ms]"), tr("99 of 100 are no older"), 98, lambda stats: stats.base_age_p99),
        _ms("ack-p99", tr("Ack p99 [ms]"), tr("99 of 100 came no later"), 94, lambda stats: stats.ack_p99),
    )


def _loss_columns() -> tuple[Column, ...]:
    return (
        _lost(LostBy.CAPTURE, tr("By capture"), tr("Not rebuilt: the client had what the capture lacks")),
        _lost(LostBy.NETWORK, tr("By network"), tr("Not rebuilt: the client went on without it")),
        _lost(LostBy.GAME, tr("By game"), tr("Not rebuilt: it was sent wrong")),
        _lost(LostBy.UNKNOWN, tr("Unknown"), tr("Not rebuilt: nobody can tell who lost it")),
    )


def _client_columns() -> tuple[Column, ...]:
    return (
        Column(
            "address",
            tr("Address"),
            tr("The client's address and port"),
            132,
            lambda row: row.stats.ends.client,
            lambda row: row.stats.ends.client,
            right=False,
            rising=True,
        ),
        Column(
            "dialect",
            tr("Dialect"),
            tr("What client and server speak"),
            66,
            lambda row: row.stats.dialect,
            lambda row: row.stats.dialect,
            right=False,
            rising=True,
        ),
        Column(
            "map",
            tr("Map"),
            tr("Map of the session"),
            96,
            lambda row: row.stats.map or UNKNOWN,
            lambda row: row.stats.map,
            right=False,
            rising=True,
        ),
        _quantity("packets", tr("Packets"), tr("Packets of the session"), 70, lambda stats: stats.packets),
        Column(
            "seconds",
            tr("Time [s]"),
            tr("From the session's first packet to its last"),
            70,
            _decimal(2, lambda stats: stats.duration_s),
            lambda row: row.stats.duration_s,
        ),
    )


def concern_text(concern: Concern, stats: ClientStats) -> str:
    """A reason for the sign, as a sentence without a stop."""
    if concern is Concern.WRONG:
        return tr("Snapshots are wrong: checksum, delta or baseline")
    if concern is Concern.LOST:
        return tr("{count} could not be rebuilt").format(count=count(stats.lost, "snapshot"))
    if concern is Concern.FULL:
        share = percent(stats.full, stats.rebuilt)
        return tr("{share} of the snapshots have no baseline").format(share=share)
    if concern is Concern.OLD_BASES:
        return tr("Half of the baselines are older than {limit:g} ms").format(limit=OLD_BASE_MS)
    return tr("Half of the acknowledgements take longer than {limit:g} ms").format(limit=SLOW_ACK_MS)


def tool_tip(row: Row, dialects: Mapping[str, str]) -> str:
    """Everything about a client, in lines."""
    stats = row.stats
    losses = [f"{quantity(lost)} {tr('by')} {loser.word}" for loser, lost in stats.lost_by.items() if lost]
    place = [dialects.get(stats.dialect, stats.dialect), *([stats.map] if stats.map else [])]
    lines = [
        f"{client_name(stats, several=row.several)}  {stats.ends.client}  {', '.join(place)}",
        *(concern_text(concern, stats) for concern in stats.concerns),
    ]
    if stats.severity is Severity.UNPROVED:
        unproved = tr("Rebuilt, but not every snapshot is proved by a checksum")
        lines.append(unproved if stats.snapshots else tr("No snapshot was captured"))
    if stats.severity is Severity.PROVED:
        lines.append(tr("Every snapshot is proved by a checksum"))
    lines += [
        tr("Rebuilt {rebuilt} of {all}, proved {proved}, failed {failed}").format(
            rebuilt=quantity(stats.rebuilt),
            all=count(stats.snapshots, "snapshot"),
            proved=quantity(stats.proved),
            failed=quantity(stats.failed),
        ),
        *([tr("Lost: ") + ", ".join(losses)] if losses else []),
        tr("Base age {p50} ms, p99 {p99} ms").format(
            p50=milliseconds(stats.base_age_p50), p99=milliseconds(stats.base_age_p99)
        ),
        tr("Acknowledged after {p50} ms, p99 {p99} ms").format(
            p50=milliseconds(stats.ack_p50), p99=milliseconds(stats.ack_p99)
        ),
        *(
            [tr("Server rate {pace}, inferred: {reason}").format(pace=pace_text(row.pace), reason=row.pace.reason)]
            if row.pace is not None
            else []
        ),
    ]
    return "\n".join(lines)
