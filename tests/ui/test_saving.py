"""Save as: what can be chosen, how much it is, how it is written and what stands in its way."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QFileDialog, QStatusBar, QWidget
from pytestqt.qtbot import QtBot

from analyzer.engine.capture import Capture
from analyzer.export.formats import Format
from tests.file_limit import file_limit
from tests.ui.conftest import Opener, find_capture
from ui import saving
from ui.dialogs.save import SaveDialog
from ui.main_window import MainWindow

SAMPLE = "ddnet_learntoplay"

Ask = Callable[..., SaveDialog]


@pytest.fixture
def ask(window: MainWindow, qtbot: QtBot) -> Ask:
    """`ask()` shows the dialog and waits until it has counted."""

    def show() -> SaveDialog:
        window.actions_by_name["save_as"].trigger()
        dialog = window.saving.dialog
        assert dialog is not None
        counted(dialog, qtbot)
        return dialog

    return show


def counted(dialog: SaveDialog, qtbot: QtBot) -> str:
    qtbot.waitUntil(lambda: dialog.sentence.text() != "Counting...")
    return dialog.sentence.text()


def choose(dialog: SaveDialog, qtbot: QtBot, words: str) -> str:
    """Take the choice that begins so; what the dialog says then."""
    button = next(one for one in dialog.buttons if one.text().replace("&", "").startswith(words))
    button.setChecked(True)
    return counted(dialog, qtbot)


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path | None], None]:
    """What a person answers the system's dialog, which no test can press."""

    def set_answer(path: Path | None) -> None:
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **options: (str(path or ""), ""))

    return set_answer


Answer = Callable[[Path | None], None]


def saved(window: MainWindow, dialog: SaveDialog, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.saving.told):
        dialog.save.click()
    assert window.saving.dialog is None


def test_the_whole_capture(
    window: MainWindow, opened: Opener, ask: Ask, answer: Answer, qtbot: QtBot, tmp_path: Path
) -> None:
    assert not window.actions_by_name["save_as"].isEnabled()
    document = opened(SAMPLE)
    dialog = ask()
    # What it is, is offered.
    assert (dialog.form, dialog.packed.isChecked()) == (Format.PCAP, True)
    assert dialog.buttons[0].text() == "The &whole capture, 1\u202f752 packets"
    assert dialog.sentence.text() == "1\u202f752 packets."
    answer(tmp_path / "copy")
    saved(window, dialog, qtbot)
    assert "copy.pcap.gz" in os.listdir(tmp_path)
    said = [bar.currentMessage() for bar in window.findChildren(QStatusBar)]
    assert "1\u202f752 packets saved in copy.pcap.gz" in said
    with Capture.open(tmp_path / "copy.pcap.gz") as copy:
        copy.decode()
        assert len(copy.tables.snapshots) == len(document.tables.snapshots)


def test_a_marked_time_is_saved_and_opened(
    window: MainWindow, opened: Opener, ask: Ask, answer: Answer, qtbot: QtBot, tmp_path: Path
) -> None:
    opened(SAMPLE)
    qtbot.waitUntil(lambda: not window.charts.is_stale)
    window.charts.select_range(5.0, 6.0)
    dialog = ask()
    assert dialog.buttons[1].isChecked()
    assert dialog.buttons[1].text() == "The &marked time, 5.000 to 6.000 s"
    assert dialog.form is Format.PCAPNG
    assert dialog.sentence.text() == (
        "146 packets. 3 full snapshots are made for them, so that they decode by themselves."
    )
    dialog.format.setCurrentIndex(1)
    assert counted(dialog, qtbot) == (
        "146 packets. 75 snapshots will not decode: pcap has no place for the full snapshots they need. Choose pcapng."
    )
    dialog.format.setCurrentIndex(0)
    dialog.packed.setChecked(False)
    counted(dialog, qtbot)
    dialog.opens.setChecked(True)
    answer(tmp_path / "part.pcapng")
    saved(window, dialog, qtbot)
    part = window.document
    assert part is not None
    assert part.path == tmp_path / "part.pcapng"
    qtbot.waitUntil(lambda: part.is_decoded)
    assert len(part.tables.frames) == 149
    assert set(part.tables.snapshots.array("status").tolist()) == {0}


def test_the_session_and_the_packets_that_are_selected(
    window: MainWindow, opened: Opener, ask: Ask, answer: Answer, qtbot: QtBot, tmp_path: Path
) -> None:
    document = opened(SAMPLE)
    table = window.packets.table
    table.selectRow(700)
    dialog = ask()
    assert [button.text() for button in dialog.buttons][2:] == ["The selected pac&ket"]
    assert dialog.buttons[1].text().startswith("&Session 0, 127.0.0.1:")
    packets = document.tables.packets
    session = packets.integer("session", document.selection.place.packet)
    count = int((packets.array("session") == session).sum())
    assert choose(dialog, qtbot, "Session") == f"{count} packets."
    dialog.reject()
    assert window.saving.dialog is None
    rows = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    for row in (800, 900):
        table.selectionModel().select(window.packets.model.index(row, 0), rows)
    dialog = ask()
    assert dialog.buttons[-1].isChecked()
    assert dialog.buttons[-1].text() == "The 3 selected pac&kets"
    dialog.packed.setChecked(False)
    answer(tmp_path / "three.pcapng")
    saved(window, dialog, qtbot)
    with Capture.open(tmp_path / "three.pcapng") as part:
        part.decode()
        assert len(part.tables.packets) >= 3
        assert set(part.tables.snapshots.array("status").tolist()) <= {0}


def test_a_capture_that_has_no_name_yet_is_saved_then(
    window: MainWindow, opened: Opener, ask: Ask, answer: Answer, qtbot: QtBot, tmp_path: Path
) -> None:
    document = opened("ddnet_tsunami_head")
    document.temporary = True
    dialog = ask()
    assert dialog.form is Format.PCAPNG
    dialog.format.setCurrentIndex(1)
    counted(dialog, qtbot)
    answer(tmp_path / "kept.pcap")
    saved(window, dialog, qtbot)
    # What belongs to the packets is not in a pcap file.
    assert document.temporary
    dialog = ask()
    answer(tmp_path / "kept.pcapng")
    saved(window, dialog, qtbot)
    assert not document.temporary
    assert document.path == tmp_path / "kept.pcapng"
    assert (tmp_path / "kept.pcapng").read_bytes() == document.worker.capture.path.read_bytes()


def test_a_spool_that_was_saved_is_not_offered_again_and_a_part_does_not_take_its_place(
    window: MainWindow, ask: Ask, answer: Answer, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A pcap file, as tcpdump writes it into a pipe.
    spool = window.capturing.spools.make("standard input", datetime.now(), ".pcap")
    spool.write_bytes(gzip.decompress(find_capture(SAMPLE).read_bytes()))
    assert window.opening.follow(spool, temporary=True)
    document = window.document
    assert document is not None
    window.opening.finish()
    qtbot.waitUntil(lambda: document.is_decoded)
    dialog = ask()
    proposed: list[Path] = []

    def cancel(parent: QWidget, title: str, path: str, listed: str) -> tuple[str, str]:
        proposed.append(Path(path))
        return "", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", cancel)
    dialog.save.click()
    # What lies beside the spool goes with it.
    assert proposed == [Path.home() / f"{spool.stem}.pcap"]
    target = tmp_path / "kept.pcap"
    answer(target)
    saved(window, dialog, qtbot)
    assert target.read_bytes() == spool.read_bytes()
    assert (document.temporary, document.path) == (False, target)
    # Should the window be killed now, the next one finds that mark.
    assert "saved" in os.listdir(spool.parent)
    qtbot.waitUntil(lambda: not window.charts.is_stale)
    window.charts.select_range(5.0, 6.0)
    dialog = ask()
    dialog.save.click()
    assert dialog.sentence.text() == "kept.pcap is the capture that is being read; choose another name."
    assert target.read_bytes() == spool.read_bytes()
    dialog.reject()


def test_a_temporary_capture_of_which_the_rest_cannot_be_read_is_not_dropped(
    window: MainWindow, ask: Ask, answer: Answer, qtbot: QtBot, tmp_path: Path
) -> None:
    spool = window.capturing.spools.make("lo", datetime.now(), ".pcap")
    data = gzip.decompress(find_capture(SAMPLE).read_bytes())
    # Nothing behind the first half can be found again.
    spool.write_bytes(data[: len(data) // 2] + bytes([0xFF]) * 300_000 + data)
    assert window.opening.follow(spool, temporary=True)
    document = window.document
    assert document is not None
    window.opening.finish()
    qtbot.waitUntil(lambda: document.is_decoded)
    dialog = ask()
    answer(tmp_path / "kept.pcap")
    saved(window, dialog, qtbot)
    assert (tmp_path / "kept.pcap").exists()
    assert (document.temporary, document.path) == (True, spool)
    assert "saved" not in os.listdir(spool.parent)
    document.temporary = False


def test_a_name_that_gets_an_ending_takes_no_other_files_place(
    window: MainWindow, opened: Opener, ask: Ask, answer: Answer, qtbot: QtBot, tmp_path: Path
) -> None:
    opened(SAMPLE)
    for name in ("copy.pcap.gz", "copy.pcap", "other.pcapng.gz"):
        (tmp_path / name).write_text("somebody's")
    for typed in ("copy", "copy.pcap", "other.pcapng"):
        dialog = ask()
        answer(tmp_path / typed)
        saved(window, dialog, qtbot)
    new = {"copy-2.pcap.gz", "copy.pcap-2.gz", "other.pcapng-2.gz"}
    assert set(os.listdir(tmp_path)) >= new
    for name in ("copy.pcap.gz", "copy.pcap", "other.pcapng.gz"):
        assert (tmp_path / name).read_text() == "somebody's"


def test_nothing_is_written_where_nobody_names_a_file(
    window: MainWindow, opened: Opener, ask: Ask, answer: Answer, qtbot: QtBot
) -> None:
    opened(SAMPLE)
    dialog = ask()
    answer(None)
    dialog.save.click()
    assert window.saving.dialog is dialog
    assert not dialog.is_busy
    dialog.reject()


def test_what_cannot_be_written_is_said_and_can_be_tried_again(
    window: MainWindow, opened: Opener, ask: Ask, answer: Answer, qtbot: QtBot, tmp_path: Path
) -> None:
    document = opened(SAMPLE)
    dialog = ask()
    answer(document.path)
    dialog.save.click()
    qtbot.waitUntil(lambda: not dialog.is_busy)
    assert dialog.sentence.text() == f"{document.path.name} is the capture that is being read; choose another name."
    target = tmp_path / "copy.pcap.gz"
    answer(target)
    with file_limit(2000):
        dialog.save.click()
        qtbot.waitUntil(lambda: not dialog.is_busy)
    assert dialog.sentence.text() == "There is no room left for copy.pcap.gz; it was not written."
    assert not target.exists()
    saved(window, dialog, qtbot)
    assert target.exists()


def test_it_can_be_stopped(
    window: MainWindow,
    opened: Opener,
    ask: Ask,
    answer: Answer,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened(SAMPLE)
    real = saving.save

    def slow(
        capture: Capture, query: object, excerpt: object, target: Path, progress: Callable[[float], bool]
    ) -> object:
        while progress(0.5):
            pass
        return real(capture, query, excerpt, target, progress)  # type: ignore[arg-type]

    monkeypatch.setattr(saving, "save", slow)
    dialog = ask()
    answer(tmp_path / "copy.pcap.gz")
    dialog.save.click()
    qtbot.waitUntil(lambda: dialog.progress.value() == 500)
    assert not dialog.save.isEnabled()
    dialog.reject()
    qtbot.waitUntil(lambda: not dialog.is_busy)
    assert dialog.sentence.text() == "Stopped. Nothing was written."
    assert window.saving.dialog is dialog
    assert not (tmp_path / "copy.pcap.gz").exists()
    # The window may go while it runs.
    dialog.save.click()
    qtbot.waitUntil(lambda: dialog.is_busy)
    window.close()
    assert window.saving.wait(60)
    assert not (tmp_path / "copy.pcap.gz").exists()


def test_another_capture_closes_the_dialog(window: MainWindow, opened: Opener, ask: Ask) -> None:
    opened(SAMPLE)
    ask()
    opened("serverinfo_and_play")
    assert window.saving.dialog is None
