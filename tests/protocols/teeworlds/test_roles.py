"""The messages that a reading acts on, against the schema of each dialect."""

from __future__ import annotations

import pytest

from analyzer.protocols.teeworlds.dialects import DIALECTS, Dialect
from analyzer.protocols.teeworlds.roles import Role

NAMES = {
    Role.SNAPEMPTY: {"NETMSG_SNAPEMPTY"},
    Role.SNAPSINGLE: {"NETMSG_SNAPSINGLE"},
    Role.SNAP: {"NETMSG_SNAP"},
    Role.INPUT: {"NETMSG_INPUT"},
    Role.MAP_CHANGE: {"NETMSG_MAP_CHANGE"},
    Role.ENTERGAME: {"NETMSG_ENTERGAME"},
    Role.OWN_NAME: {"Cl_StartInfo", "Cl_ChangeInfo"},
    Role.CLIENT_INFO: {"Sv_ClientInfo"},
}


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_every_message_of_such_a_name_has_its_role(dialect: Dialect) -> None:
    for from_server in (False, True):
        sent = {"both", "server" if from_server else "client"}
        for (system, number), known in dialect.schema.by_message_number.items():
            role = next((role for role, names in NAMES.items() if known.name in names), Role.NONE)
            expected = role if known.direction in sent else Role.NONE
            assert dialect.roles.of(system, number, from_server=from_server) is expected, known.name
    assert dialect.schema.by_message_number[True, dialect.roles.info].name == "NETMSG_INFO"


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_numbers_have_their_roles_again(dialect: Dialect) -> None:
    for role in (Role.SNAPEMPTY, Role.SNAPSINGLE, Role.SNAP, Role.MAP_CHANGE):
        assert dialect.roles.of(True, dialect.roles.number(role), from_server=True) is role


def test_snapshot_messages_are_the_three_kinds() -> None:
    assert [role for role in Role if role.is_snap] == [Role.SNAPEMPTY, Role.SNAPSINGLE, Role.SNAP]
