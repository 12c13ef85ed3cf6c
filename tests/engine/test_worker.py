"""The threads of a capture: the newest question wins, a failing one fails alone, closing never waits, loss is said."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue

import pytest
from capture_files import BUNDLED, SAMPLE

from analyzer.capture.frames import CaptureError
from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.engine.worker import Worker
from tests.engine.test_capture import ToyFile
from tests.engine.toy import RAISE, SURE, TOY

WAIT_S = 60.0
PLAIN = BUNDLED / "serverinfo_and_play_head.pcap"
Opener = Callable[..., Worker]


class Answers:
    """What came back, in order."""

    def __init__(self) -> None:
        self._came: Queue[object] = Queue()

    def take(self) -> object:
        """The next answer or failure."""
        return self._came.get(timeout=WAIT_S)

    def ask(self, worker: Worker, topic: str, question: Callable[[Query], object], *, gives_way: bool = False) -> None:
        worker.ask(topic, question, self._came.put, self._came.put, gives_way=gives_way)

    @property
    def none(self) -> bool:
        return self._came.empty()


class Gate:
    """A question that says when it runs and ends when it may."""

    def __init__(self, value: str) -> None:
        self.entered = threading.Event()
        self.leave = threading.Event()
        self._value = value

    def __call__(self, query: Query) -> str:
        self.entered.set()
        assert self.leave.wait(WAIT_S)
        return self._value


@pytest.fixture
def worker() -> Iterator[Opener]:
    """Opens and starts; everything is closed when the test ends."""
    opened: list[Worker] = []

    def open_worker(path: Path = PLAIN, *, decoded: bool = True, start: bool = True) -> Worker:
        made = Worker.open(path)
        opened.append(made)
        if start:
            made.start()
            if decoded:
                assert made.decoded.wait(WAIT_S)
        return made

    yield open_worker
    for made in opened:
        made.close()
        assert made.wait(WAIT_S)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    path = tmp_path / "copied.pcap"
    path.write_bytes(PLAIN.read_bytes())
    return path


def threads() -> set[str]:
    return {thread.name for thread in threading.enumerate()} & {"decode", "query"}


def test_decoding_gives_what_it_gives_without_threads(worker: Opener) -> None:
    found = worker()
    assert found.failure is None
    assert not found.cancelled
    with Capture.open(PLAIN) as alone:
        alone.decode()
        assert [len(table) for table in found.capture.tables] == [len(table) for table in alone.tables]


def test_a_question_that_takes_long_does_not_hold_up_the_decoding(worker: Opener) -> None:
    found, answers = worker(start=False), Answers()
    answers.ask(found, "long", lambda query: found.decoded.wait(WAIT_S))
    found.start()
    assert answers.take() is True
    assert found.failure is None


def test_what_gives_way_holds_up_no_question(worker: Opener) -> None:
    found, answers, gate = worker(), Answers(), Gate("late")
    answers.ask(found, "long", gate, gives_way=True)
    assert gate.entered.wait(WAIT_S)
    answers.ask(found, "click", lambda query: "at once")
    assert answers.take() == "at once"
    gate.leave.set()
    assert answers.take() == "late"


def test_what_gives_way_is_overtaken_and_ends_as_others_do(worker: Opener) -> None:
    found, answers, gate = worker(), Answers(), Gate("stale")
    answers.ask(found, "same", gate, gives_way=True)
    assert gate.entered.wait(WAIT_S)
    answers.ask(found, "same", lambda query: "new")
    assert answers.take() == "new"
    answers.ask(found, "other", lambda query: "never", gives_way=True)
    found.close()
    gate.leave.set()
    assert found.wait(WAIT_S)
    assert answers.none


def test_rules_are_applied_by_one_thread_and_said_in_words_by_the_other(worker: Opener) -> None:
    found, answers = worker(), Answers()
    answers.ask(found, "rules", lambda query: query.findings, gives_way=True)
    answers.ask(found, "words", lambda query: query.findings)
    assert answers.take() is answers.take()


def test_of_a_topic_the_newest_question_is_answered(worker: Opener) -> None:
    found, answers, gate = worker(), Answers(), Gate("late")
    ran: list[int] = []
    answers.ask(found, "first", gate)
    assert gate.entered.wait(WAIT_S)
    for number in range(100):
        answers.ask(found, "second", lambda query, number=number: ran.append(number) or number)
    gate.leave.set()
    assert [answers.take(), answers.take()] == ["late", 99]
    assert ran == [99]


def test_an_answer_that_was_overtaken_while_it_was_made_never_comes(worker: Opener) -> None:
    found, answers, gate = worker(), Answers(), Gate("stale")
    answers.ask(found, "same", gate)
    assert gate.entered.wait(WAIT_S)
    answers.ask(found, "same", lambda query: "new")
    gate.leave.set()
    assert answers.take() == "new"
    assert answers.none


def test_a_failure_that_was_overtaken_is_not_told(worker: Opener, caplog: pytest.LogCaptureFixture) -> None:
    found, answers, gate = worker(), Answers(), Gate("")
    answers.ask(found, "same", lambda query: 1 // len(gate(query)))
    assert gate.entered.wait(WAIT_S)
    answers.ask(found, "same", lambda query: "new")
    gate.leave.set()
    assert answers.take() == "new"
    assert answers.none
    assert "ZeroDivisionError" in caplog.text


def test_topics_take_turns(worker: Opener) -> None:
    found, answers, gate = worker(), Answers(), Gate("gate")
    answers.ask(found, "gate", gate)
    assert gate.entered.wait(WAIT_S)
    for topic in ("a", "b", "a", "c"):
        answers.ask(found, topic, lambda query, topic=topic: topic)
    gate.leave.set()
    assert [answers.take() for _ in range(4)] == ["gate", "b", "a", "c"]


def test_a_question_that_raises_fails_alone(worker: Opener, caplog: pytest.LogCaptureFixture) -> None:
    found, answers = worker(), Answers()

    def question(query: Query) -> None:
        raise ArithmeticError("no such number")

    answers.ask(found, "one", question)
    error = answers.take()
    assert isinstance(error, ArithmeticError)
    assert "no such number" in caplog.text
    answers.ask(found, "one", lambda query: len(query.payload(0)))
    assert answers.take() == found.capture.tables.packets.integer("length", 0)


def test_questions_that_race_end_with_the_newest(worker: Opener) -> None:
    found = worker(SAMPLE, decoded=False)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        came: list[int] = []
        last = threading.Event()

        def answer(number: int) -> None:
            came.append(number)
            if number == 2999:
                last.set()

        for number in range(3000):
            found.ask("raced", lambda query, number=number: number, answer, pytest.fail)
        assert last.wait(WAIT_S)
    finally:
        sys.setswitchinterval(interval)
    assert came == sorted(set(came))
    assert came[-1] == 2999


def test_asked_before_the_start_it_waits(worker: Opener) -> None:
    found, answers = worker(start=False), Answers()
    answers.ask(found, "early", lambda query: "here")
    assert answers.none
    found.start()
    assert answers.take() == "here"


def test_asked_after_the_end_it_is_never_answered(worker: Opener) -> None:
    found, answers = worker(), Answers()
    found.close()
    answers.ask(found, "late", lambda query: "here")
    assert answers.none


def test_cancelled_before_the_start_nothing_is_decoded(worker: Opener) -> None:
    found = worker(start=False)
    found.cancel()
    found.start()
    assert found.decoded.wait(WAIT_S)
    assert found.cancelled
    assert len(found.capture.tables.packets) == 0
    assert found.failure is None


def test_closed_before_the_start(worker: Opener) -> None:
    found = worker(start=False)
    found.close()
    with pytest.raises(CaptureError):
        found.capture.source.file.read(0, 1)


def test_closing_does_not_wait_for_a_question_and_drops_its_answer(worker: Opener) -> None:
    found, answers, gate = worker(), Answers(), Gate("too late")
    answers.ask(found, "long", gate)
    answers.ask(found, "behind", lambda query: "never")
    assert gate.entered.wait(WAIT_S)
    found.close()
    assert threads() >= {"query"}
    found.capture.source.file.read(0, 1)
    gate.leave.set()
    assert found.wait(WAIT_S)
    assert not threads()
    assert answers.none
    with pytest.raises(CaptureError):
        found.capture.source.file.read(0, 1)


def test_closing_twice_does_nothing(worker: Opener) -> None:
    found = worker(SAMPLE, decoded=False)
    found.close()
    found.close()
    assert found.wait(WAIT_S)
    assert not threads()


@pytest.mark.parametrize("path", [PLAIN, SAMPLE])
def test_progress_is_what_is_decoded_and_never_falls(path: Path) -> None:
    found = Worker(Capture.open(path, batch=64))
    shares = [found.progress]
    while found.capture.step():
        shares.append(found.progress)
        frames = found.capture.tables.frames
        reached = frames.integer("offset", len(frames) - 1) + frames.integer("captured", len(frames) - 1)
        assert shares[-1] <= max(0.001, reached / found.capture.source.file.size()) or shares[-1] == shares[-2]
    found.close()
    assert shares[0] == 0.0
    assert shares == sorted(shares)
    assert 0.95 < shares[-1] < 1.0


def test_progress_ends_with_decoding(worker: Opener) -> None:
    assert worker().progress == 1.0


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="handles cannot be counted here")
@pytest.mark.parametrize("path", [PLAIN, SAMPLE])
def test_handles_are_given_back(worker: Opener, path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for decoded in (True, False):
        found, answers = worker(path, decoded=decoded), Answers()
        answers.ask(found, "any", lambda query: "here")
        assert answers.take() == "here"
        found.close()
        assert found.wait(WAIT_S)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_that_is_cut_short_is_said_of_the_packet_that_is_gone(worker: Opener, copied: Path) -> None:
    found, answers = worker(copied), Answers()
    last = len(found.capture.tables.packets) - 1
    os.truncate(copied, copied.stat().st_size // 2)
    answers.ask(found, "gone", lambda query: query.explain(last))
    error = answers.take()
    assert isinstance(error, CaptureError)
    assert "copied.pcap was cut short while it was open" in str(error)
    answers.ask(found, "here", lambda query: len(query.payload(0)))
    assert answers.take() == found.capture.tables.packets.integer("length", 0)


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be deleted there")
def test_a_file_that_is_deleted_stays_readable(worker: Opener, copied: Path) -> None:
    found, answers = worker(copied), Answers()
    copied.unlink()
    answers.ask(found, "any", lambda query: len(query.payload(3)))
    assert answers.take() == found.capture.tables.packets.integer("length", 3)


def test_a_file_that_grows_is_read_to_an_end(worker: Opener, copied: Path) -> None:
    data = PLAIN.read_bytes()
    copied.write_bytes(data[: len(data) // 2])
    found = worker(copied, start=False)
    with copied.open("ab") as more:
        more.write(data[len(data) // 2 :])
    found.start()
    assert found.decoded.wait(WAIT_S)
    assert found.failure is None
    with Capture.open(copied) as alone:
        alone.decode()
        assert len(found.capture.tables.packets) == len(alone.tables.packets)


@pytest.mark.parametrize("strict", [True, False])
def test_a_mistake_of_ours_while_decoding(tmp_path: Path, strict: bool, caplog: pytest.LogCaptureFixture) -> None:
    path = ToyFile(tmp_path / "toy.pcap").write([(1, SURE), (1, bytes((RAISE,))), (1, SURE)])
    found = Worker(Capture.open(path, protocols=(TOY,), batch=1, strict=strict))
    found.start()
    assert found.decoded.wait(WAIT_S)
    answers = Answers()
    answers.ask(found, "any", lambda query: query.payload(0))
    assert answers.take() == SURE
    found.close()
    assert found.wait(WAIT_S)
    assert isinstance(found.failure, RuntimeError) if strict else found.failure is None
    assert any(record.levelno == logging.ERROR for record in caplog.records)
