"""Captures that tests made are closed when they end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.expert.made import OPEN


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()
