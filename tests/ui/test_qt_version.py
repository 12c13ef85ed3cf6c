"""The binding to Qt keeps every reference to None: PySide6 6.12.0 loses one a call, which ends CPython 3.11."""

from __future__ import annotations

import itertools
import sys
import tomllib
from collections.abc import Callable

import PySide6
import pytest
from capture_files import ROOT
from packaging.requirements import Requirement
from packaging.version import Version
from PySide6.QtCore import QAbstractListModel, QIdentityProxyModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from pytestqt.qtbot import QtBot

CALLS = 2000
ROOM = 50
"""Far below one reference a call, and above what else comes and goes meanwhile."""


class _Rows(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self._count = 0

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._count

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> None:
        return None

    def add_row(self) -> None:
        self.beginInsertRows(QModelIndex(), self._count, self._count)
        self._count += 1
        self.endInsertRows()


def call_a_slot() -> Callable[[], object]:
    """A signal of Qt itself calls a slot that gives back None."""
    sender = QObject()
    sender.objectNameChanged.connect(lambda _name: None)
    names = itertools.count()
    return lambda: sender.setObjectName(str(next(names)))


def insert_rows() -> Callable[[], object]:
    return _Rows().add_row


def ask_for_data() -> Callable[[], object]:
    """Qt asks a model, which answers None."""
    rows, proxy = _Rows(), QIdentityProxyModel()
    rows.add_row()
    proxy.setSourceModel(rows)
    return lambda: (proxy.data(proxy.index(0, 0)), rows)


def test_version_is_below_the_faulty_one() -> None:
    assert Version(PySide6.__version__) < Version("6.12")
    with (ROOT / "pyproject.toml").open("rb") as file:
        lines = tomllib.load(file)["project"]["dependencies"]
    (binding,) = (one for one in map(Requirement, lines) if one.name == "PySide6-Essentials")
    assert "6.11.3" in binding.specifier
    assert "6.12.0" not in binding.specifier


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal there, its references are not counted")
@pytest.mark.parametrize("prepare", [call_a_slot, insert_rows, ask_for_data], ids=lambda prepare: prepare.__name__)
def test_no_reference_to_none_is_lost(qtbot: QtBot, prepare: Callable[[], Callable[[], object]]) -> None:
    call = prepare()
    call()
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        call()
    assert abs(sys.getrefcount(None) - before) < ROOM
