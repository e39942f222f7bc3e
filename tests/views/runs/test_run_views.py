"""The list of runs, the device and the log."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from gpu.core.formats import whole
from gpu.core.snapshot import MovesMade, Wanted
from gpu.run.log.archive import summary_of_log
from gpu.run.log.rows import Note, RunRow
from tests.hands import click, press
from tests.logs import outcome, written
from tests.systems import take_time_zone
from tests.views.conftest import CPU, GPU
from tests.views.scenes import colours_in, feed, in_sight, show_state, snapshot, uniform
from views.runs.device_view import DeviceView
from views.runs.log_view import MOST_LOG_LINES, LogView, in_words
from views.runs.run_table import RUN_COLUMNS, RUN_PLACES, RunTableModel
from views.runs.runs_view import RunsView
from views.widgets.table import CELL_PADDING
from views.widgets.theme import DARK

INSTANCE = uniform(80)


@pytest.fixture
def device(qtbot: QtBot) -> DeviceView:
    return in_sight(qtbot, DeviceView(), 420, 600)


def test_the_device_and_where_its_time_goes(device: DeviceView) -> None:
    device.show_device(GPU, {"numpy": "2.0", "platform": "Linux"})
    feed(device, INSTANCE)
    texts = [label.text() for label in device.findChildren(QLabel)]
    assert "NVIDIA H100 80GB HBM3" in texts
    assert "CUDA 13.0" in texts
    assert "numpy 2.0" in texts
    assert [bar.name for bar in device.phases.bars] == ["construction", "update", "lengths"]
    assert "ms an iteration" in device.phases_title.text()
    assert len(device.curve.points) == 30
    assert device.wanted == Wanted.BRANCHING
    device.begin_run()
    assert not device.phases.bars
    show_state(device, dataclasses.replace(snapshot(INSTANCE, 5), branching=None))
    assert device.phases.bars
    assert "and this view is in sight" in device.plot.hint.text()


def test_a_device_that_is_told_again_is_not_written_anew_nor_a_version_twice(
    device: DeviceView,
) -> None:

    def labels() -> list[QWidget | None]:
        items = map(device.facts.itemAt, range(device.facts.count()))
        return [item.widget() for item in items if item is not None]

    device.show_device(CPU, {"numpy": "2.0"})
    before = labels()
    device.show_device(CPU, {"numpy": "2.0"})
    assert labels() == before
    device.show_device(GPU, {"numpy": "2.0"})
    assert labels() != before
    device.show_device(CPU, {"python": "3.11", "numpy": "2.0"})
    texts = " ".join(label.text() for label in device.findChildren(QLabel))
    assert texts.count("3.11") == 1


def test_any_colonys_phases_are_shown_in_their_order(device: DeviceView) -> None:
    phases = {"choice info": 1.0, "construction": 8.0, "update": 0.5, "local search": 0.5}
    show_state(device, dataclasses.replace(snapshot(INSTANCE, 5), phases=phases))
    assert [(bar.name, bar.value) for bar in device.phases.bars] == list(phases.items())
    assert device.phases.bars[0].text.endswith("10 %")
    assert "10.0" in device.phases_title.text()
    assert len({bar.role for bar in device.phases.bars}) == len(phases)


def test_moves_of_local_search_are_told_where_there_is_one(device: DeviceView) -> None:
    show_state(device, snapshot(INSTANCE, 5))
    assert device.moves.isHidden()
    show_state(device, snapshot(INSTANCE, 6, improved=True))
    n = INSTANCE.n
    assert [(bar.name, bar.value) for bar in device.moves.bars] == [
        ("2-opt", 31 * n),
        ("Or-opt", 12 * n),
    ]
    assert device.moves_title.isVisible()
    assert f"{whole(43 * n)} moves" in device.moves_title.text()
    assert "local search" in [bar.name for bar in device.phases.bars]
    few = dataclasses.replace(snapshot(INSTANCE, 7), moves=MovesMade(1, 0))
    show_state(device, few)
    assert "1 move in" in device.moves_title.text()
    device.begin_run()
    assert device.moves_title.isHidden()
    show_state(device, few)  # a run that has made no Or-opt move does not speak of it
    assert [bar.name for bar in device.moves.bars] == ["2-opt"]


def test_limits_of_trails_are_told_where_there_are_any(device: DeviceView) -> None:
    shown = snapshot(INSTANCE, 5)
    show_state(device, shown)
    assert device.limits_note.isHidden()
    show_state(device, dataclasses.replace(shown, iteration=6, limits=(2e-5, 1.25)))
    assert device.limits_note.isVisible()
    assert "between 2.0·10⁻⁵ and 1.25 of" in device.limits_note.text()
    device.begin_run()
    assert device.limits_note.isHidden()


def test_the_log_in_words_and_as_in_the_file(qtbot: QtBot) -> None:
    view = LogView()
    qtbot.addWidget(view)
    view.resize(420, 300)
    view.show()
    lines = [
        '{"kind": "improvement", "seconds": 0, "iteration": 0, "best": 52000, "gap_percent": 4}',
        '{"kind": "improvement", "seconds": 1.5, "iteration": 12, "best": 51000, "gap_percent": 2,'
        ' "found_by": "an explorer"}',
        '{"kind": "outcome", "seconds": 3, "ending": "finished", "reason": "done", "best": null}',
        "not JSON",
    ]
    view.add_lines(lines)
    assert "↓ the run begins  best 52\u202f000 (4.00\u202f%)" in view.text.toPlainText()
    assert (
        "↓ iteration 12  best 51\u202f000 (2.00\u202f%) by an explorer" in view.text.toPlainText()
    )
    assert "finished: done" in view.text.toPlainText()
    click(view.form.buttons["file"])
    assert view.text.toPlainText().split("\n") == lines
    view.hide()
    view.add_lines([str(number) for number in range(2 * MOST_LOG_LINES)])
    view.show()
    assert view.text.blockCount() == MOST_LOG_LINES
    assert view.text.toPlainText().endswith(str(2 * MOST_LOG_LINES - 1))


@pytest.mark.parametrize(
    "numbers",
    [
        '"iteration": 1e999, "seconds": 1, "best": 5',
        f'"iteration": 1, "seconds": {"9" * 400}, "best": 5',
        '"iteration": 1, "seconds": 1, "best": Infinity',
        '"iteration": [], "seconds": 1, "best": 5',
    ],
)
def test_a_line_with_numbers_that_are_none_is_shown_as_it_is(numbers: str) -> None:
    line = f'{{"kind": "progress", {numbers}}}'
    assert in_words(line) == line


def test_a_session_line_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    line = (
        '{"kind": "session", "started": "2026-01-01T12:30:00+00:00", "instance": {"name": "a280"},'
        ' "session": {"colony": "acs-seq", "device": "cpu:1", "seed": 7}}'
    )
    monkeypatch.setenv("TZ", "UTC-3")  # three hours ahead of it
    try:
        take_time_zone()
        assert in_words(line) == "2026-01-01 15:30:00  acs-seq on cpu:1, a280, seed 7"
    finally:
        monkeypatch.undo()
        take_time_zone()


RUNS, STARRED = 20, 3


@pytest.fixture
def view(qtbot: QtBot, tmp_path: Path) -> RunsView:
    made = RunsView()
    made.apply_theme(DARK)
    log = summary_of_log(written(tmp_path / "log.jsonl", [outcome(10, 123)]))
    rows = [
        RunRow(
            replace(log, path=Path(f"{at}.jsonl"), seed=at),
            Note(note=300 * "x", starred=at == STARRED),
        )
        for at in range(RUNS)
    ]
    made.show_rows(rows)
    return in_sight(qtbot, made, 900, 500)


def cell(view: RunsView, row: int, title: str) -> QImage:
    area = view.table.visualRect(view.model.index(row, RUN_PLACES[title]))
    assert not area.isEmpty()
    return view.table.viewport().grab(area).toImage()


def row_of(view: RunsView, seed: int) -> int:
    return next(at for at, row in enumerate(view.model.rows) if row.run.seed == seed)


def test_cells_have_the_colours_of_what_they_say(view: RunsView) -> None:
    starred, other = (cell(view, row_of(view, seed), "★") for seed in (STARRED, STARRED + 1))
    assert DARK.colour("best").name() in colours_in(starred)
    assert DARK.colour("best").name() not in colours_in(other)
    assert DARK.colour("text").name() in colours_in(cell(view, 5, "Best"))


def test_selected_rows_are_filled(view: RunsView) -> None:
    plain = cell(view, 1, "Instance")
    view.table.setFocus()
    press(view.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert cell(view, 1, "Instance").pixelColor(1, 1) != plain.pixelColor(1, 1)
    assert cell(view, 1, "Instance").pixelColor(1, 1) == view.table.palette().highlight().color()


def test_the_cell_with_the_focus_is_as_readable_as_the_others(view: RunsView) -> None:
    view.table.setFocus()
    press(view.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    view.table.setCurrentIndex(view.model.index(1, RUN_PLACES["Instance"]))
    press(view.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    text = view.table.palette().highlightedText().color().name()
    assert text in colours_in(cell(view, 1, "Instance"))
    assert cell(view, 1, "Instance").pixelColor(0, 0).name() == text  # its frame
    assert cell(view, 2, "Instance").pixelColor(0, 0).name() != text


def test_a_long_text_ends_within_its_cell(view: RunsView) -> None:
    view.table.setColumnWidth(RUN_PLACES["Note"], 80)
    view.table.scrollTo(view.model.index(1, RUN_PLACES["Note"]))
    picture = cell(view, 1, "Note")
    edge = picture.copy(picture.width() - CELL_PADDING + 1, 0, CELL_PADDING - 1, picture.height())
    assert len(colours_in(edge)) == 1
    assert len(colours_in(picture)) > 1


def test_numbers_are_at_the_right_and_texts_at_the_left(view: RunsView) -> None:
    def first_column(title: str) -> int:
        picture = cell(view, 1, title)
        below = picture.pixelColor(0, 0)
        used = (
            x
            for x in range(picture.width())
            if any(picture.pixelColor(x, y) != below for y in range(picture.height()))
        )
        return next(used)

    view.table.setColumnWidth(RUN_PLACES["Best"], 150)
    view.table.setColumnWidth(RUN_PLACES["Instance"], 150)
    assert first_column("Best") > 75
    assert first_column("Instance") <= CELL_PADDING + 2


def test_painting_asks_the_model_for_no_cell(
    view: RunsView, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    data = RunTableModel.data

    def counted(self: RunTableModel, index: Any, role: int = 0) -> Any:
        asked.append(role)
        return data(self, index, role)

    monkeypatch.setattr(RunTableModel, "data", counted)
    view.table.viewport().repaint()
    assert asked == []
    assert len(RUN_COLUMNS) * RUNS > 200
