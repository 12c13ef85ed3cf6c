"""What holds for the tree as a whole: version, words, documents, and a test file for each decoding module."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_files import ROOT

import analyzer
from analyzer import cli

FOREIGN = {".git", ".venv", "__pycache__", "build", "dist"}
# Hosts of package registries; folders that exist on one machine only.
REGISTRIES = ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.", "crates" + ".io", "deb." + "debian.org")
UNWANTED = re.compile(
    "|".join(re.escape(host) for host in REGISTRIES)
    + r"|(?<![\w.])/(?:work|root|home/\w+|Users/\w+|tmp/\w+)/|[A-Z]:\\Users"
)
DECODING = ("wire", "transports", "snapshots", "protocols")


def texts() -> Iterator[tuple[Path, str]]:
    """Every text file of the project."""
    for path in sorted(ROOT.rglob("*")):
        inside = path.relative_to(ROOT)
        hidden = any(part in FOREIGN or part.endswith(("_cache", ".egg-info")) for part in inside.parts)
        if hidden or inside.parts[0] == ".hypothesis" or not path.is_file():
            continue
        try:
            yield inside, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def decoding_modules() -> list[Path]:
    found = (path for folder in DECODING for path in (ROOT / "analyzer" / folder).rglob("*.py"))
    return sorted(path.relative_to(ROOT / "analyzer") for path in found if path.name != "__init__.py")


def test_no_registry_host_and_no_path_of_one_machine() -> None:
    found = [f"{path}: {match[0]}" for path, text in texts() for match in UNWANTED.finditer(text)]
    assert found == []


def test_version_is_the_same_everywhere() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    assert analyzer.__version__ == version
    assert f"\n## {version}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_readme_names_what_exists(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    scripts = set(re.findall(r"\bscripts/\w+", readme))
    assert {"scripts/run", "scripts/test"} <= scripts
    documents = set(re.findall(r"`([\w/]+\.md|LICENSE)`", readme))
    assert [name for name in scripts | documents if not (ROOT / name).is_file()] == []
    commands = set(re.findall(r"`snapscope-cli (\w[\w-]*)", readme))
    assert commands == {
        *(
            "summary",
            "packets",
            "snapshots",
            "explain",
            "changes",
            "findings",
            "timeline",
            "save",
            "live",
            "schema",
            "warm-up",
        )
    }
    for command in commands:
        assert cli.main([command, "--help"]) == 0
        options = capsys.readouterr().out
        for line in re.findall(rf"^.*`snapscope-cli {command}\b[^`]*`", readme, re.MULTILINE):
            assert all(option in options for option in re.findall(r"--\w+", line))


def test_every_decoding_module_has_its_own_tests() -> None:
    tests = {module: ROOT / "tests" / module.parent / f"test_{module.name}" for module in decoding_modules()}
    assert [str(module) for module, path in tests.items() if not path.is_file()] == []
