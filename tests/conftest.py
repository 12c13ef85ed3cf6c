"""Hypothesis profiles, and the captures that tests ask for by the argument `capture`."""

from __future__ import annotations

import os

import pytest
from capture_files import capture_paths
from hypothesis import HealthCheck, settings

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
