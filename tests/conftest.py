"""Hypothesis profiles, the captures that tests ask for by the argument `capture`, and what a test leaves behind."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from capture_files import capture_paths
from hypothesis import HealthCheck, settings

from analyzer.engine.schemas import use_schemas

# Time limits would make a slow machine fail; `deep` is for a run by hand: --hypothesis-profile=deep
settings.register_profile(
    "fast", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.register_profile("deep", settings.get_profile("fast"), max_examples=5000, derandomize=False)
settings.load_profile("fast")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with an argument `capture` runs on every capture there is."""
    if "capture" in metafunc.fixturenames:
        metafunc.parametrize("capture", capture_paths(), ids=lambda path: path.name)


@pytest.fixture
def no_schemas_left() -> Iterator[None]:
    """Schema files that the test used do not count for the next one."""
    yield
    use_schemas([])
