"""The columns of the table of clients: heads, texts, what they sort by, and the tool tip of a client."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from analyzer.expert.rule import Severity as Found
from analyzer.protocols.base import Pace
from analyzer.snapshots.status import LostBy
from analyzer.stats.clients import SLOW_ACK_MS, ClientStats, Concern, Severity
from ui.models.client_names import bare_name
from ui.models.column_model import Column
from ui.models.finding_text import counted
from ui.views.cells import Cell
from ui.words import DOT, UNKNOWN, count, decimal, number, percent, quantity

SIGNS = {Severity.ERROR: "error", Severity.WARNING: "warn", Severity.UNPROVED: "note", Severity.PROVED: "ok"}
FOUND_SIGNS = {Found.ERROR: "error", Found.WARNING: "warn", Found.NOTE: "note"}
_WORST_FIRST = ("error", "warn", "note", "ok")
_SHORT = {LostBy.CAPTURE: "cap", LostBy.NETWORK: "net", LostBy.UNKNOWN: "?"}
"""Where several lost something."""
_CONCERNS = {"full": Concern.FULL, "ack": Concern.SLOW_ACKS, "base-age": Concern.OLD_BASES}
"""Column -> the concern that its number is the reason for."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a row of the table is made from."""

    stats: ClientStats
    pace: Pace | None
    """None while unknown, or of a protocol without states."""
    dialect: str
    """For people."""
    several: bool
    """The client's flow has more than one session."""
    apart: str = ""
    """Part of an address, where a client on another flow has the same name."""
    found: tuple[tuple[Found, int], ...] = ()
    """How many findings its session has, the worst severity first."""

    @property
    def name(self) -> str:
        """What the client is called."""
        return client_name(self.stats, several=self.several, apart=self.apart)


ClientColumn = Column[Row]


def tr(text: str) -> str:
    """Strings of the table of clients."""
    return QCoreApplication.translate("Clients", text)


def client_name(stats: ClientStats, *, several: bool = False, apart: str = "") -> str:
    """Player's name, `:port` until it is known; with the session's number where the flow has several."""
    name = bare_name(stats)
    name = f"{name} ({number(stats.number + 1)})" if several else name
    return f"{name}{DOT}{apart}" if apart else name


def milliseconds(value: float | None) -> str:
    """Whole milliseconds."""
    return UNKNOWN if value is None else number(round(value))


def pace_text(pace: Pace | None) -> str:
    """FULL, 25/s."""
    if pace is None or not pace.state:
        return UNKNOWN
    return pace.state if pace.per_second is None else f"{pace.state}, {pace.per_second:g}/s"


def losers_text(stats: ClientStats) -> str:
    """Who lost snapshots, the worst first."""
    losers = [loser for loser, _ in stats.losers]
    if len(losers) > 1:
        return ", ".join(_SHORT.get(loser, loser.word) for loser in losers)
    return losers[0].word if losers else UNKNOWN


def lost_text(stats: ClientStats) -> str:
    """Share of the snapshots that could not be rebuilt, in percent; never nothing where one was lost."""
    share = stats.lost_share
    if share is None:
        return UNKNOWN
    if not stats.lost:
        return "0"
    return decimal(100 * share, 1) if share >= 0.0005 else "<0.1"


def cell_of(row: Row, column: ClientColumn, *, left_out: bool) -> Cell:
    """A cell; the number that is the reason of a concern carries its sign.

    `left_out`: other panes show another session only.
    """
    text = column.text(row)
    tone = "text3" if text == UNKNOWN and column.name != "client" else "text"
    sign = ""
    if column.name == "client":
        sign = min(SIGNS[row.stats.severity], _worst(row), key=_WORST_FIRST.index)
    elif column.name == "failed" and row.stats.failed:
        tone = "error" if row.stats.severity is Severity.ERROR else "warn"
    elif _CONCERNS.get(column.name) in row.stats.concerns:
        tone, sign = "warn", "warn"
    elif column.name == "findings" and row.found:
        sign = FOUND_SIGNS[row.found[0][0]]
    if left_out:
        tone = "text3"
    # What tells clients of one name apart stands at the end.
    is_long = column.name == "client" and (row.several or bool(row.apart))
    return Cell(text, tone, right=column.right, sign=sign, middle=column.name == "address" or is_long)


def found_text(row: Row) -> str:
    """How many findings there are of the worst severity."""
    return quantity(row.found[0][1]) if row.found else "0"


def _worst(row: Row) -> str:
    """Sign of what was found in the session; a note says nothing against it."""
    worst = row.found[0][0] if row.found else Found.NOTE
    return "ok" if worst is Found.NOTE else FOUND_SIGNS[worst]


def _share(row: Row) -> str:
    share = row.stats.full_share
    return UNKNOWN if share is None else number(round(100 * share))


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _decimal(places: int, value: Callable[[ClientStats], float | None], scale: float = 1.0) -> Callable[[Row], str]:
    def text(row: Row) -> str:
        found = value(row.stats)
        return UNKNOWN if found is None else decimal(found / scale, places)

    return text


def _lost(loser: LostBy, head: str, tip: str) -> ClientColumn:
    return _quantity(f"lost-{loser.word}", head, tip, 76, lambda stats: stats.lost_by[loser])


def _ms(name: str, head: str, tip: str, width: int, value: Callable[[ClientStats], float | None]) -> ClientColumn:
    return Column(
        name,
        head,
        tip,
        width,
        lambda row: milliseconds(value(row.stats)),
        lambda row: value(row.stats),
        signed=name in _CONCERNS,
    )


def _quantity(name: str, head: str, tip: str, width: int, value: Callable[[ClientStats], int]) -> ClientColumn:
    return Column(name, head, tip, width, lambda row: quantity(value(row.stats)), lambda row: value(row.stats))


def _words(name: str, head: str, tip: str, width: int, text: Callable[[Row], str]) -> ClientColumn:
    return Column(name, head, tip, width, text, text, right=False, rising=True)


def columns() -> tuple[ClientColumn, ...]:
    """The columns in their order: the first is the client, those after it say what is wrong with it."""
    return (*_first_columns(), *_rate_columns(), *_snapshot_columns(), *_loss_columns(), *_client_columns())


def _first_columns() -> tuple[ClientColumn, ...]:
    return (
        Column(
            "client",
            tr("Client"),
            tr(
                "Player's name, :port until it is known; of several of one name also part of an address: "
                "the server's if that differs, else the client's. The worst first unless sorted"
            ),
            0,
            lambda row: row.name,
            lambda row: row.name,
            right=False,
            rising=True,
        ),
        Column(
            "lost",
            tr("Loss [%]"),
            tr("Snapshots that could not be rebuilt"),
            62,
            lambda row: lost_text(row.stats),
            lambda row: _percent(row.stats.lost_share),
        ),
        Column(
            "losers",
            tr("Lost by"),
            tr("Who lost them, the worst first: the capture, the network, the game; ?: the capture cannot tell"),
            68,
            lambda row: losers_text(row.stats),
            lambda row: losers_text(row.stats) if row.stats.lost else None,
            right=False,
            rising=True,
        ),
        _quantity(
            "failed",
            tr("Failed"),
            tr("Wrong, incomplete, or on a baseline that is, where the capture holds the cause"),
            54,
            lambda stats: stats.failed,
        ),
        _ms("ack", tr("Ack [ms]"), tr("Median time until an acknowledgement"), 68, lambda stats: stats.ack_p50),
        _words(
            "state",
            tr("State"),
            tr("State of the server at the selected time, inferred from ticks and baselines"),
            74,
            lambda row: UNKNOWN if row.pace is None or not row.pace.state else row.pace.state,
        ),
    )


def _rate_columns() -> tuple[ClientColumn, ...]:
    return (
        Column(
            "findings",
            tr("Findings"),
            tr("Findings of the worst severity that the session has"),
            72,
            found_text,
            lambda row: 1e9 * row.found[0][0] + row.found[0][1] if row.found else 0.0,
            signed=True,
        ),
        _ms("ack-p99", tr("Ack p99 [ms]"), tr("99 of 100 came no later"), 94, lambda stats: stats.ack_p99),
        _ms(
            "jitter",
            tr("Jitter p99 [ms]"),
            tr("Of 99 of 100 the time since the one before differs no more from what their ticks say"),
            104,
            lambda stats: stats.jitter_p99,
        ),
        Column(
            "full",
            tr("Full [%]"),
            tr("Snapshots without a baseline, the first not counted"),
            64,
            _share,
            lambda row: _percent(row.stats.full_share),
            signed=True,
        ),
        Column(
            "parts",
            tr("Parts"),
            tr("Mean parts of a snapshot"),
            50,
            _decimal(1, lambda stats: stats.parts_mean),
            lambda row: row.stats.parts_mean,
        ),
        Column(
            "rate",
            tr("kB/s"),
            tr("UDP payload from the server, mean over the session"),
            56,
            _decimal(1, lambda stats: stats.rate, 1000.0),
            lambda row: None if row.stats.rate is None else row.stats.rate / 1000,
        ),
        _ms("base-age", tr("Base age [ms]"), tr("Median age of a baseline"), 98, lambda stats: stats.base_age_p50),
        _ms("base-age-p99", tr("Base p99 [ms]"), tr("99 of 100 are no older"), 98, lambda stats: stats.base_age_p99),
    )


def _snapshot_columns() -> tuple[ClientColumn, ...]:
    return (
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
        _quantity("snapshots", tr("Snapshots"), tr("All of the session"), 82, lambda stats: stats.snapshots),
        _quantity("rebuilt", tr("Rebuilt"), tr("Snapshots that could be rebuilt"), 66, lambda stats: stats.rebuilt),
        _quantity("proved", tr("Proved"), tr("Rebuilt, and proved by a checksum"), 66, lambda stats: stats.proved),
    )


def _loss_columns() -> tuple[ClientColumn, ...]:
    return (
        _lost(LostBy.CAPTURE, tr("By capture"), tr("Not rebuilt: the client had what the capture lacks")),
        _lost(LostBy.NETWORK, tr("By network"), tr("Not rebuilt: the client went on without it")),
        _lost(LostBy.GAME, tr("By game"), tr("Not rebuilt: it was sent wrong")),
        _lost(LostBy.UNKNOWN, tr("Unknown"), tr("Not rebuilt: nobody can tell who lost it")),
    )


def _client_columns() -> tuple[ClientColumn, ...]:
    return (
        Column(
            "pace",
            tr("Server rate [1/s]"),
            tr("Snapshots a second at the selected time, inferred from ticks"),
            108,
            lambda row: UNKNOWN if row.pace is None or row.pace.per_second is None else f"{row.pace.per_second:g}",
            lambda row: None if row.pace is None else row.pace.per_second,
        ),
        _words("address", tr("Address"), tr("The client's address and port"), 132, lambda row: row.stats.ends.client),
        _words("dialect", tr("Dialect"), tr("What client and server speak"), 78, lambda row: row.dialect or UNKNOWN),
        _words("map", tr("Map"), tr("Map of the session"), 96, lambda row: row.stats.map or UNKNOWN),
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


def concern_text(concern: Concern, stats: ClientStats, old_base_ms: float) -> str:
    """A reason for the sign, as a sentence without a stop."""
    if concern is Concern.WRONG:
        return tr("Snapshots are wrong: checksum, delta or baseline")
    if concern is Concern.LOST:
        return tr("{count} could not be rebuilt").format(count=count(stats.lost, "snapshot"))
    if concern is Concern.FULL:
        share = percent(stats.full, stats.rebuilt)
        return tr("{share} of the snapshots have no baseline").format(share=share)
    if concern is Concern.OLD_BASES:
        return tr("Half of the baselines are older than {limit:g} ms").format(limit=old_base_ms)
    return tr("Half of the acknowledgements take longer than {limit:g} ms").format(limit=SLOW_ACK_MS)


def tool_tip(row: Row, old_base_ms: float) -> str:
    """Everything about a client, in lines."""
    stats = row.stats
    place = [text for text in (row.dialect, stats.map) if text]
    lines = [
        f"{client_name(stats, several=row.several)}  {stats.ends.client}  {', '.join(place)}",
        *([tr("On the server {0}").format(stats.ends.server)] if row.apart else []),
        *(concern_text(concern, stats, old_base_ms) for concern in stats.concerns),
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
        *_found_lines(row),
        *_loss_lines(stats),
        *_delay_lines(stats),
        *(
            [tr("Server rate {pace}, inferred: {reason}").format(pace=pace_text(row.pace), reason=row.pace.reason)]
            if row.pace is not None and row.pace.state
            else []
        ),
    ]
    return "\n".join(lines)


def _found_lines(row: Row) -> list[str]:
    found = ", ".join(counted(severity, number) for severity, number in row.found)
    return [tr("Findings: {0}").format(found)] if found else []


def _loss_lines(stats: ClientStats) -> list[str]:
    by = {
        LostBy.CAPTURE: tr("{0} by the capture"),
        LostBy.NETWORK: tr("{0} by the network"),
        LostBy.GAME: tr("{0} by the game"),
        LostBy.UNKNOWN: tr("{0} where the capture cannot tell by whom"),
        LostBy.LIMIT: tr("{0} by this program's bound on memory"),
    }
    losses = [by[loser].format(quantity(lost)) for loser, lost in stats.losers if loser in by]
    return [tr("Lost: ") + ", ".join(losses)] if losses else []


def _delay_lines(stats: ClientStats) -> list[str]:
    """What is known of them: median, and what 99 of 100 do not exceed."""
    lines = (
        (tr("Baselines {p50} ms old (median), {p99} ms (99 of 100)"), stats.base_age_p50, stats.base_age_p99),
        (tr("Acknowledged after {p50} ms (median), {p99} ms (99 of 100)"), stats.ack_p50, stats.ack_p99),
        (tr("Jitter {p99} ms (99 of 100)"), stats.jitter_p99, stats.jitter_p99),
    )
    return [
        text.format(p50=milliseconds(p50), p99=milliseconds(p99))
        for text, p50, p99 in lines
        if p50 is not None and p99 is not None
    ]
