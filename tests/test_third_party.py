"""THIRD_PARTY.md says the truth about every distribution that Snapscope brings along, and none forbids shipping scapy.

scapy is GPL-2.0-only, so each licence must be one that may be combined with that.
"""

from __future__ import annotations

import re
import tomllib
from importlib import metadata

import pytest
from capture_files import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

WITH_GPL_2 = {"0BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "PSF-2.0", "Zlib"} | {
    # The exception waives what Apache-2.0 asks beyond GPL-2.0.
    "Apache-2.0 WITH LLVM-exception",
    "GPL-2.0-only",
    "GPL-2.0-or-later",
    "LGPL-2.1-or-later",
    "MPL-2.0",
}
CLASSIFIERS = {
    "License :: OSI Approved :: BSD License": "BSD",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: ISC License (ISCL)": "ISC",
}
SYSTEMS = [
    {"extra": "", "sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    {"extra": "", "sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    {"extra": "", "sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
]


def requirements(lines: list[str]) -> set[str]:
    """Names that any of the supported systems needs."""
    needed = [Requirement(line) for line in lines]
    return {
        canonicalize_name(one.name)
        for one in needed
        if one.marker is None or any(one.marker.evaluate(system) for system in SYSTEMS)
    }


def brought_along() -> set[str]:
    """Direct and transitive dependencies; what only another system needs is not followed further."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        waiting = requirements(tomllib.load(file)["project"]["dependencies"])
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= requirements(requires(name)) - found
    return found


def requires(name: str) -> list[str]:
    try:
        return metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []


def licence_of(name: str) -> str:
    """SPDX expression that an installed distribution gives for itself."""
    about = metadata.metadata(name)
    expression = about.get("License-Expression")
    if expression:
        return expression
    known = [CLASSIFIERS[line] for line in about.get_all("Classifier") or [] if line in CLASSIFIERS]
    if known == ["BSD"]:
        return bsd_variant(name)
    if not known and re.fullmatch(r"[\w.-]+( OR [\w.-]+)*", about.get("License", "")):
        return about["License"]
    assert len(known) == 1, f"{name} does not say its licence in a way known here"
    return known[0]


def bsd_variant(name: str) -> str:
    """The classifier does not tell which BSD licence it is; the text does, by its third clause."""
    files = [path for path in metadata.files(name) or [] if path.name.startswith("LICENSE")]
    assert files, f"{name} has no text of its licence"
    text = " ".join(files[0].read_text(encoding="utf-8").split())
    assert "Redistributions in binary form" in text
    return "BSD-3-Clause" if "Neither the name" in text else "BSD-2-Clause"


def listed() -> dict[str, tuple[str, str]]:
    """Name -> (licence, system) of each row."""
    text = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w[\w.-]*) \| ([^|]+) \| ([^|]*) \|$", text, re.MULTILINE)
    return {name: (licence.strip(), system.strip()) for name, licence, system in rows if name != "distribution"}


def test_every_dependency_is_listed_and_no_other() -> None:
    assert set(listed()) == brought_along()


@pytest.mark.parametrize("name", sorted(listed()))
def test_licence(name: str) -> None:
    licence, system = listed()[name]
    for term in licence.split(" AND "):
        assert WITH_GPL_2 & set(term.strip("()").split(" OR ")), f"{term} cannot be combined with GPL-2.0-only"
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        assert system != "", f"{name} is not installed although every system needs it"
    else:
        assert licence == licence_of(name)


def test_constraints_are_names_and_versions_and_cover_what_is_brought_along() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [re.fullmatch(r"([A-Za-z0-9._-]+)==([0-9][0-9A-Za-z.]*)", line) for line in lines]
    assert all(pinned), lines
    assert brought_along() <= {canonicalize_name(match[1]) for match in pinned if match}


def test_every_font_has_its_licence_beside_it() -> None:
    text = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [\w ]+ \| `([^`]+)` \| OFL-1\.1 \| `([^`]+)` \|$", text, re.MULTILINE)
    fonts = ROOT / "resources" / "fonts"
    covered = [path.name for pattern, _ in rows for path in fonts.glob(pattern)]
    assert sorted(covered) == sorted(path.name for path in fonts.iterdir() if path.suffix in {".otf", ".ttf"})
    for _, licence in rows:
        words = (ROOT / licence).read_text(encoding="utf-8")
        assert words.startswith("Copyright")
        assert "SIL OPEN FONT LICENSE Version 1.1 - 26 February 2007" in words


def test_icons_are_of_the_font_that_is_named() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "ui").rglob("*.py")))
    icons = re.findall(r"""["'](fa5[sb]?|fa6[sb]?|ei|mdi6?|ph|ri|msc)\.[\w-]+["']""", text)
    assert icons
    assert set(icons) == {"ph"}
