"""`docs/filters.md` says what is: its tables are those of the registry, and its examples run."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from capture_files import SAMPLE

from analyzer.engine import filtering
from analyzer.engine.capture import Capture
from analyzer.filters.fields import FIXED
from analyzer.filters.parse import parse
from analyzer.filters.registry import Registry
from analyzer.filters.view import View
from analyzer.protocols import PROTOCOLS
from scripts._field_table import BEGIN, PAGE, renewed

TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def sample() -> Iterator[tuple[View, Registry, int]]:
    registry = filtering.registry(PROTOCOLS)
    with Capture.open(SAMPLE) as capture:
        capture.decode()
        query = capture.query()
        yield filtering.view(capture.tables, query, registry), registry, len(capture.tables.packets)
        query.close()


def test_the_tables_of_fields_are_current() -> None:
    assert renewed(TEXT) == TEXT, "run scripts/field_table"


def counted_examples() -> list[tuple[str, int]]:
    found = re.findall(r"^\| `(.+)` \| (\d+) \|", TEXT.split(BEGIN)[0], re.MULTILINE)
    return [(text.replace("\\|", "|"), int(count)) for text, count in found]


def test_the_sample_has_as_many_packets_as_the_page_says(sample: tuple[View, Registry, int]) -> None:
    assert f"which has {sample[2]} packets" in TEXT
    assert len(counted_examples()) > 10


@pytest.mark.parametrize(("text", "count"), counted_examples())
def test_examples_choose_as_many_packets_as_they_say(sample: tuple[View, Registry, int], text: str, count: int) -> None:
    view, registry, packets = sample
    assert int(parse(text, registry).packets(view, 0, packets).sum()) == count


def test_the_example_of_every_field_stands_there_and_runs(sample: tuple[View, Registry, int]) -> None:
    view, registry, packets = sample
    tables = TEXT.split(BEGIN)[1].replace("\\|", "|")
    for info in FIXED:
        assert f"| `{info.example}` |" in tables, info.name
        assert len(parse(info.example, registry).packets(view, 0, packets)) == packets


def test_filters_in_sentences_are_filters(sample: tuple[View, Registry, int]) -> None:
    """Whatever is written as code and has an operator in it."""
    _, registry, _ = sample
    prose = re.sub(r"^\|.*$", "", TEXT.split(BEGIN)[0], flags=re.MULTILINE)
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]
    filters = [span for span in spans if re.search(r"[\w)] (==|!=|&&|>) [\w\"]", span)]
    assert len(filters) > 4
    for text in filters:
        assert parse(text, registry).fields
