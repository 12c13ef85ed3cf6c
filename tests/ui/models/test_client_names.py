"""Clients of one name in the table: what is added to tell them apart, and where it is cut."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from analyzer.stats.clients import ClientStats, client_stats
from analyzer.stats.flows import Ends
from tests.stats.hand_made import tables
from ui.models.clients import ClientModel
from ui.views.cells import CELL_ROLE, Cell

HOME, AWAY = "10.0.0.9", "10.0.0.10"


def clients(*given: tuple[str, str, str]) -> tuple[ClientStats, ...]:
    """Each with a flow of its own: player, client and server."""
    (one, *_) = client_stats(tables()).stats
    return tuple(
        replace(one, session=number, number=0, player=player, ends=Ends(client, server))
        for number, (player, client, server) in enumerate(given)
    )


def shown(model: ClientModel, stats: tuple[ClientStats, ...]) -> list[str]:
    model.show(stats)
    return [str(model.index(model.row_of(entry.session), 0).data()) for entry in stats]


def test_what_differs_is_added_where_names_are_equal(qtbot: QtBot) -> None:
    model = ClientModel()
    one = f"{HOME}:50000"
    servers = clients(("bot", one, f"{AWAY}:8303"), ("bot", one, f"{AWAY}:8304"), ("tee", one, f"{AWAY}:8305"))
    assert shown(model, servers) == ["bot · :8303", "bot · :8304", "tee"]
    hosts = clients(("bot", one, f"{AWAY}:8303"), ("bot", one, f"{HOME}:8303"))
    assert shown(model, hosts) == [f"bot · {AWAY}:8303", f"bot · {HOME}:8303"]
    ports = clients(("bot", one, f"{AWAY}:8303"), ("bot", f"{HOME}:50001", f"{AWAY}:8303"))
    assert shown(model, ports) == ["bot · :50000", "bot · :50001"]
    homes = clients(("", one, f"{AWAY}:8303"), ("", f"{AWAY}:50000", f"{AWAY}:8303"))
    assert shown(model, homes) == [f":50000 · {one}", f":50000 · {AWAY}:50000"]
    mixed = clients(
        *(("bot", client, f"{AWAY}:{port}") for client in (one, f"{HOME}:50001") for port in (8303, 8304)),
    )
    assert shown(model, mixed)[:2] == [f"bot · {one} {AWAY}:8303", f"bot · {one} {AWAY}:8304"]
    assert shown(model, clients(("bot", one, f"{AWAY}:8303"))) == ["bot"]


def test_sessions_of_one_flow_are_told_apart_by_their_numbers(qtbot: QtBot) -> None:
    first, other = clients(("bot", f"{HOME}:50000", f"{AWAY}:8303"), ("bot", f"{HOME}:50000", f"{AWAY}:8304"))
    second = replace(first, session=9, number=1)
    model = ClientModel()
    assert shown(model, (first, second)) == ["bot (1)", "bot (2)"]
    assert shown(model, (first, second, other)) == ["bot (1) · :8303", "bot (2) · :8303", "bot · :8304"]


def test_a_name_is_cut_in_its_middle_where_its_end_matters(qtbot: QtBot) -> None:
    model = ClientModel()
    shown(model, clients(("bot", f"{HOME}:1", f"{AWAY}:8303"), ("bot", f"{HOME}:1", f"{AWAY}:2"), ("tee", ":3", ":4")))
    cells = [model.index(row, 0).data(CELL_ROLE) for row in range(3)]
    cut = {cell.text: cell.middle for cell in cells if isinstance(cell, Cell)}
    assert cut == {"bot · :8303": True, "bot · :2": True, "tee": False}
    tip = str(model.index(model.row_of(0), 0).data(Qt.ItemDataRole.ToolTipRole))
    assert f"On the server {AWAY}:8303" in tip.splitlines()
