"""The cells of the list of runs, which the list draws itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gpu.run.log.archive import RunRow
from gpu.run.log.notes import Note
from gpu.run.log.summary import summary_of_log
from tests.hands import press
from tests.logs import outcome, written
from tests.views.sight import in_sight
from views.runs.run_table import RUN_COLUMNS, RUN_PLACES, RunTableModel
from views.runs.runs_view import RunsView
from views.widgets.table import PADDING
from views.widgets.theme import DARK

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


def colours(picture: QImage) -> set[str]:
    places = [(x, y) for x in range(picture.width()) for y in range(picture.height())]
    return {picture.pixelColor(x, y).name() for x, y in places}


def row_of(view: RunsView, seed: int) -> int:
    return next(at for at, row in enumerate(view.model.rows) if row.run.seed == seed)


def test_cells_have_the_colours_of_what_they_say(view: RunsView) -> None:
    starred, other = (cell(view, row_of(view, seed), "★") for seed in (STARRED, STARRED + 1))
    assert DARK.colour("best").name() in colours(starred)
    assert DARK.colour("best").name() not in colours(other)
    assert DARK.colour("text").name() in colours(cell(view, 5, "Best"))


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
    assert text in colours(cell(view, 1, "Instance"))
    assert cell(view, 1, "Instance").pixelColor(0, 0).name() == text  # its frame
    assert cell(view, 2, "Instance").pixelColor(0, 0).name() != text


def test_a_long_text_ends_within_its_cell(view: RunsView) -> None:
    view.table.setColumnWidth(RUN_PLACES["Note"], 80)
    view.table.scrollTo(view.model.index(1, RUN_PLACES["Note"]))
    picture = cell(view, 1, "Note")
    edge = picture.copy(picture.width() - PADDING + 1, 0, PADDING - 1, picture.height())
    assert len(colours(edge)) == 1
    assert len(colours(picture)) > 1


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
    assert first_column("Instance") <= PADDING + 2


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
