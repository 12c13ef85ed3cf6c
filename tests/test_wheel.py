"""The built wheel works in an empty environment outside the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from capture_files import ROOT

import analyzer

SAMPLE = "samples/ddnet_learntoplay.pcap.gz"


def run(command: list[str | Path], folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that holds the wheel."""
    pytest.importorskip("hatchling", reason="a test tool of the project")
    folder = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], ROOT)
    (wheel,) = folder.glob("snapscope-*.whl")
    place = folder / "empty"
    venv.create(place, with_pip=False)
    scripts = place / ("Scripts" if os.name == "nt" else "bin")
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", scripts / "python", "install", "--quiet"]
    if "CI" in os.environ:
        run([*pip, "--constraint", ROOT / "constraints.txt", wheel], folder)
        return scripts
    # Without the network: this environment's dependencies. Its own .pth file, which names the checkout, is not read.
    run([*pip, "--no-deps", wheel], folder)
    find = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(run([scripts / "python", "-c", find], folder).strip())
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return scripts


def test_summary_of_the_sample(programs: Path, tmp_path: Path) -> None:
    find = f"import analyzer.resources; print(analyzer.resources.resource({SAMPLE!r}))"
    sample = Path(run([programs / "python", "-c", find], tmp_path).strip())
    assert programs.parent in sample.parents
    summary = json.loads(run([programs / "snapscope-cli", "summary", sample, "--json"], tmp_path))
    assert summary["frames"] == 1752
    assert summary["snapshots"]["ok"] == 881


def test_every_resource_is_inside(programs: Path, tmp_path: Path) -> None:
    find = "import analyzer.resources; print(analyzer.resources.resource('icons').parent)"
    installed = Path(run([programs / "python", "-c", find], tmp_path).strip())
    wanted = {path.relative_to(ROOT / "resources") for path in (ROOT / "resources").rglob("*") if path.is_file()}
    assert {path.parent.name for path in wanted} == {"fonts", "icons", "samples", "schemas"}
    assert {path.relative_to(installed) for path in installed.rglob("*") if path.is_file()} == wanted


def test_window_starts(programs: Path, tmp_path: Path) -> None:
    assert run([programs / "snapscope", "--version"], tmp_path).startswith(f"snapscope {analyzer.__version__}, Qt 6.")
