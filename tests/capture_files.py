"""Where the captures and their oracles lie: the bundled ones, and more in `shared/captures` beside a checkout."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BUNDLED = ROOT / "tests" / "captures"
SAMPLE = ROOT / "resources" / "samples" / "ddnet_learntoplay.pcap.gz"
SHARED = ROOT.parent / "shared" / "captures"
ORACLE = ".expected.jsonl.gz"


def capture_paths() -> list[Path]:
    """Every capture once by its name, bundled ones first."""
    found = {SAMPLE.name: SAMPLE}
    for folder in (BUNDLED, SHARED):
        for path in sorted(folder.glob("*.pcap*")):
            if not path.name.endswith(ORACLE):
                found.setdefault(path.name, path)
    return list(found.values())


def oracle_path(capture: Path) -> Path:
    """The oracle of a capture; the sample's lies among the bundled captures."""
    folder = BUNDLED if capture == SAMPLE else capture.parent
    return folder / (capture.name + ORACLE)


def oracle_records(capture: Path) -> Iterator[dict[str, Any]]:
    """What the independent decoder rebuilt, in capture order."""
    with gzip.open(oracle_path(capture), "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
