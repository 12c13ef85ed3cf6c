"""Small captures, cut once a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from capture_files import SAMPLE

from tests.cli.cut_capture import RECONNECT, RECONNECT_FRAMES, SLICES, first_records

SAMPLE_FRAMES = 300


@pytest.fixture(scope="session")
def head(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first 300 frames of the sample: three clients, handshakes included."""
    path = tmp_path_factory.mktemp("head") / "head.pcap"
    path.write_bytes(first_records(SAMPLE, SAMPLE_FRAMES))
    return path


@pytest.fixture(scope="session")
def reconnect(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The head of the capture in which clients start over from the same port."""
    path = tmp_path_factory.mktemp("reconnect") / "reconnect.pcap"
    path.write_bytes(first_records(RECONNECT, RECONNECT_FRAMES))
    return path


@pytest.fixture(scope="session")
def slices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first 1020 frames of 24 clients on one map: frames 1013 to 1016 carry the four parts of one snapshot."""
    path = tmp_path_factory.mktemp("slices") / "slices.pcap"
    path.write_bytes(first_records(SLICES, 1020))
    return path


@pytest.fixture(scope="session")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A capture that ends in the middle of a record."""
    path = tmp_path_factory.mktemp("cut") / "cut.pcap"
    path.write_bytes(first_records(SAMPLE, 60)[:-7])
    return path
