"""The data is found from a checkout, an installed package and a frozen build."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from analyzer import resources
from analyzer.resources import resource

SAMPLE = "samples/ddnet_learntoplay.pcap.gz"


def test_checkout() -> None:
    assert resource(SAMPLE).read_bytes()[:2] == b"\x1f\x8b"
    assert resource("samples") == Path(__file__).resolve().parent.parent / "resources" / "samples"


def test_missing_file_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"samples/absent\.pcap"):
        resource("samples/absent.pcap")


def installed(site: Path) -> ModuleType:
    """The module as it lies in a wheel's package folder."""
    (site / "analyzer").mkdir(parents=True)
    copy = Path(shutil.copy(resources.__file__, site / "analyzer" / "resources.py"))
    spec = importlib.util.spec_from_file_location("installed_resources", copy)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"here")
    return path


def test_installed_package_ignores_a_foreign_folder_beside_it(tmp_path: Path) -> None:
    module = installed(tmp_path)
    data = put(tmp_path / "analyzer" / "_resources" / "schemas" / "x.json")
    put(tmp_path / "resources" / "schemas" / "x.json")
    assert module.resource("schemas/x.json") == data


@pytest.mark.parametrize("unpacked", [True, False], ids=["one file", "one folder"])
def test_frozen_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unpacked: bool) -> None:
    data = put(tmp_path / "analyzer" / "_resources" / "schemas" / "x.json")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    if unpacked:
        monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    else:
        monkeypatch.setattr(sys, "executable", str(tmp_path / "snapscope"))
    assert resource("schemas/x.json") == data
