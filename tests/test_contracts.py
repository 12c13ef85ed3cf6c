"""The import contracts hold, and each of them notices the import that it forbids."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from capture_files import ROOT

CONTRACTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"
IDS = ["stages", "tables-only", "headless", "protocols", "plain", "kernels", "window"]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the code that a test may spoil."""
    for name in ("analyzer", "ui"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def broken(folder: Path, *contracts: str) -> set[str]:
    """Ids of the contracts that do not hold in this folder."""
    chosen = [argument for contract in contracts for argument in ("--contract", contract)]
    command = [sys.executable, "-c", CONTRACTS, "--no-logo", "--no-cache", *chosen]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    names = set(re.findall(r"^(.+) BROKEN\b", done.stdout, re.MULTILINE))
    assert (done.returncode == 0) == (not names), done.stdout + done.stderr
    settings = (folder / "pyproject.toml").read_text(encoding="utf-8")
    by_name = {name: key for key, name in re.findall(r'^id = "(.+)"\nname = "(.+)"$', settings, re.MULTILINE)}
    assert list(by_name.values()) == IDS
    return {by_name[name] for name in names}


def add(folder: Path, module: str, line: str) -> None:
    path = folder / module
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")


def test_contracts_hold_also_for_a_second_protocol(copy: Path) -> None:
    add(copy, "analyzer/protocols/pong/__init__.py", "import analyzer.protocols.base, analyzer.transports")
    assert broken(copy) == set()


@pytest.mark.parametrize(
    ("contract", "module", "line"),
    [
        ("stages", "analyzer/wire/reader.py", "import analyzer.engine"),
        ("stages", "analyzer/stage_of_its_own/__init__.py", "import analyzer.wire"),
        ("tables-only", "analyzer/stats/__init__.py", "import analyzer.net"),
        ("headless", "analyzer/engine/__init__.py", "import ui.app"),
        ("headless", "analyzer/engine/__init__.py", "from PySide6.QtCore import QObject"),
        ("protocols", "analyzer/protocols/pong/__init__.py", "import analyzer.protocols.ping"),
        ("plain", "analyzer/capture/frames.py", "from scapy.sendrecv import AsyncSniffer"),
        ("plain", "analyzer/capture/live/control.py", "from scapy.config import conf"),
        ("plain", "analyzer/wire/huffman.py", "import numba"),
        ("kernels", "analyzer/wire/huffman.py", "from analyzer.kernel import kernel"),
        ("headless", "analyzer/cli/app.py", "import qtawesome"),
        ("window", "ui/models/steps.py", "import ui.views.packet_list"),
        ("window", "ui/views/cells.py", "import ui.main_window"),
        ("window", "ui/charts/chart.py", "import ui.app"),
    ],
)
def test_forbidden_import_is_noticed(copy: Path, contract: str, module: str, line: str) -> None:
    add(copy, "analyzer/protocols/ping/__init__.py", "")
    add(copy, module, line)
    assert broken(copy, contract) == {contract}
