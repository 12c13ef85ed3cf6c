"""A mod of 0.7 whose PlayerInfo is as long as a ClientInfo of 0.6, which has the same number: it holds no name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.protocols.teeworlds.codec import TeeworldsCodec
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.mods import Mods, use
from analyzer.protocols.teeworlds.players import CLIENT_INFO, NAME_INTS, PLAYER_INFO, name_in_state
from analyzer.protocols.teeworlds.schemas import SCHEMAS
from analyzer.protocols.teeworlds.state import make_state
from tests.encoder import Items, chunk, snapshot
from tests.modded import packed, write_schema
from tests.protocols.teeworlds.played import CLIENT, SERVER
from tests.protocols.teeworlds.test_seven import ENTERGAME, INFO, Seven, client_info, map_change

NAMES = ("flags", "score", "latency", *(f"more{number}" for number in range(NAME_INTS)))
LONGER = {"type": 11, "name": "PlayerInfo", "ids": "client", "fields": [{"name": n, "kind": "int"} for n in NAMES]}
ID = 3
# Where 0.6 has the PlayerInfo of the local player and its ClientInfo, 0.7 has a Character and a PlayerInfo.
STATE: Items = {
    PLAYER_INFO << 16 | ID: (1, *range(100, 121)),
    CLIENT_INFO << 16 | ID: (*packed("no name", NAME_INTS), 1, 2, 3),
}


@pytest.fixture(autouse=True)
def longer_info(tmp_path: Path) -> Iterator[None]:
    SCHEMAS.use(
        [write_schema(tmp_path / "m.json", {"format": 1, "title": "m", "dialects": ["0.7"], "items": [LONGER]})]
    )
    yield
    use(Mods())


def test_a_longer_player_info_names_nobody() -> None:
    """Read plainly and in bulk: `finish` compares the two."""
    assert name_in_state(make_state(dict(STATE))) == "no name"  # as 0.6 would read it
    sizes = DIALECTS["0.7"].schema.sizes
    assert sizes[CLIENT_INFO] == len(NAMES)
    play = Seven()
    play.handshake()
    play.send(CLIENT, play.vital(CLIENT, INFO))
    play.send(SERVER, play.vital(SERVER, map_change("dm1")))
    play.send(CLIENT, play.vital(CLIENT, ENTERGAME))
    for body in snapshot(100, -1, {}, STATE, sizes, seven=True):
        play.send(SERVER, chunk(body, size_shift=6))
    play.finish()
    assert play.codes == [(100, "OK")]
    assert [session.player for session in play.sessions] == [""]
    facts = play.sessions[0].facts
    items = TeeworldsCodec().items(make_state(dict(STATE)), facts, 100)
    assert [(item.name, item.owner) for item in items] == [("Character", ""), ("PlayerInfo", "")]
    play.send(SERVER, play.vital(SERVER, client_info(local=True, name="tee")))
    assert [session.player for session in play.sessions] == ["tee"]
