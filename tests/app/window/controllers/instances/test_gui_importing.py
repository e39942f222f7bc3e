"""The sheet on which a user says how a file is to be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.core.instance import Instance
from gpu.problems.tsp.instance import TspInstance
from tests.app.in_window import GRID, open_, sheet_of
from tests.hands import choose, click, drop, press, settle, write
from views.importing.import_sheet import ImportSheet

TIMES = "von/nach;Depot;Nord;Süd\nDepot;0;12,5;7\nNord;11;0;4,5\nSüd;8;5;0\n"
PLACES = "Ort;Rechts;Hoch;Zahl\nA;1,5;2;7\nB;3;4,25;8\nC;5;0;9\nD;6;1;3\n"


def reread(qtbot: QtBot, application: Application, box_name: str, text: str) -> ImportSheet:
    """Choose something in a list of the sheet; return the sheet once the file is read anew."""
    choose(application.importing.sheet.choices[box_name], text)
    return sheet_of(qtbot, application)


def in_sight(application: Application) -> Instance | None:
    return application.instance.value


def loaded(application: Application) -> TspInstance:
    instance = application.importing._reading.instance
    assert isinstance(instance, TspInstance)
    return instance


def test_a_matrix_is_seen_and_what_is_said_of_it_follows_at_once(
    qtbot: QtBot, opened: Application, tmp_path: Path
) -> None:
    file = tmp_path / "times.csv"
    file.write_text(TIMES, "utf-8")
    drop(opened.window, file)
    sheet = sheet_of(qtbot, opened)
    assert in_sight(opened) is None
    assert "3 × 3" in sheet.seen.text()
    assert "directed" in sheet.seen.text()
    assert sheet.table.headings == ["name", "distances", "distances", "distances"]
    assert sheet.table.texts(1) == ["Depot", "0", "12,5", "7"]
    qtbot.waitUntil(lambda: not sheet.picture.pixmap().isNull())
    assert not sheet.choices["coordinates"].isVisible()
    write(sheet.units.line, "min")
    qtbot.waitUntil(lambda: not sheet.bar.isVisible() and loaded(opened).unit == "min")
    sheet = reread(qtbot, opened, "separator", "Comma")
    assert not sheet.open_button.isEnabled()
    assert sheet.seen.property("role") == "problem"
    assert sheet.picture.pixmap().isNull()
    sheet = reread(qtbot, opened, "separator", "Semicolon")
    sheet = reread(qtbot, opened, "encoding", "Windows, Western")
    assert loaded(opened).names == ("Depot", "Nord", "SÃ¼d")
    sheet = reread(qtbot, opened, "encoding", "UTF-8")
    with qtbot.waitSignal(opened.files.ready):
        press(sheet, Qt.Key.Key_Return)
    shown = in_sight(opened)
    assert isinstance(shown, TspInstance)
    assert (shown.names, shown.unit) == (("Depot", "Nord", "Süd"), "min")
    assert "unit=min" in shown.read_as


def test_columns_and_what_numbers_are_can_be_chosen(
    qtbot: QtBot, opened: Application, tmp_path: Path
) -> None:
    file = tmp_path / "places.csv"
    file.write_text(PLACES, "utf-8")
    opened.files.open(file)
    sheet = sheet_of(qtbot, opened)
    assert not sheet.open_button.isEnabled()  # which columns count is not said
    assert "None of its columns" in sheet.seen.text()
    choose(sheet.columns[0], "2: Rechts")
    choose(sheet.columns[1], "3: Hoch")
    sheet = sheet_of(qtbot, opened)
    if sheet.question.isVisible():
        click(sheet.answers[0])
        sheet = sheet_of(qtbot, opened)
    assert sheet.table.headings == ["name", "x", "y", "–"]
    sheet = reread(qtbot, opened, "coordinates", "Latitude and longitude")
    assert sheet.table.headings[1:3] == ["latitude", "longitude"]
    sheet = reread(qtbot, opened, "coordinates", "Plain numbers, x and y")
    sheet = reread(qtbot, opened, "header", "Values")
    assert not sheet.open_button.isEnabled()  # "Rechts" is no number
    sheet = reread(qtbot, opened, "header", "Names of columns")
    sheet = reread(qtbot, opened, "decimal", "Comma")
    choose(sheet.columns[2], "4: Zahl")
    sheet = sheet_of(qtbot, opened)
    assert sheet.table.headings == ["–", "x", "y", "name"]
    with qtbot.waitSignal(opened.files.ready):
        click(sheet.open_button)
    instance = opened.instance.value
    assert isinstance(instance, TspInstance)
    assert instance.display.tolist() == [[1.5, 2.0], [3.0, 4.25], [5.0, 0.0], [6.0, 1.0]]
    assert instance.names == ("7", "8", "9", "3")


def test_a_file_that_is_given_up_leaves_everything_as_it_was(
    qtbot: QtBot, opened: Application, tmp_path: Path
) -> None:
    open_(qtbot, opened, GRID)
    before = opened.instance.value
    file = tmp_path / "times.csv"
    file.write_text(TIMES, "utf-8")
    opened.files.open(file)
    sheet = sheet_of(qtbot, opened)
    with qtbot.waitSignal(opened.importing.given_up):
        press(sheet, Qt.Key.Key_Escape)
    assert opened.instance.value is before
    assert opened.importing.sheet is None
    opened.files.open(file)
    first = sheet_of(qtbot, opened)
    opened.files.open(file)  # another one takes its place
    qtbot.waitUntil(lambda: opened.importing.sheet not in (None, first))
    assert sheet_of(qtbot, opened) is not first
    press(opened.importing.sheet, Qt.Key.Key_Escape)


def test_a_file_that_says_all_itself_is_asked_about_if_that_is_wanted(
    qtbot: QtBot, opened: Application
) -> None:
    press(
        opened.window,
        Qt.Key.Key_O,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    dialog = opened.window.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(GRID))
    dialog.reject()
    sheet = sheet_of(qtbot, opened)
    assert not sheet.table.isVisible()
    assert not sheet.choices["kind"].isVisible()
    qtbot.waitUntil(lambda: not sheet.picture.pixmap().isNull())
    with qtbot.waitSignal(opened.files.ready):
        click(sheet.open_button)


def test_a_file_that_was_looked_at_opens_as_last_time_with_its_route(
    qtbot: QtBot, opened: Application, tmp_path: Path
) -> None:
    card = opened.window.setup.instance
    file = tmp_path / "times.csv"
    file.write_text(TIMES, "utf-8")
    opened.files.open(file)
    sheet = sheet_of(qtbot, opened)
    assert sheet.units.line.text() == "Automatic: none"
    write(sheet.units.line, "min")
    qtbot.waitUntil(lambda: not sheet.bar.isVisible() and loaded(opened).unit == "min")
    with qtbot.waitSignal(opened.files.ready):
        click(sheet.open_button)
    with qtbot.waitSignal(opened.files.ready):
        choose(card.route.start, "Depot")
    open_(qtbot, opened, GRID)
    assert not card.reading_button.isVisible()  # it says itself what it is
    open_(qtbot, opened, file)
    assert opened.importing.sheet is None
    shown = in_sight(opened)
    assert isinstance(shown, TspInstance)
    assert (shown.unit, shown.wish) == ("min", "from Depot")
    assert "directed, 3 cities, lengths in min" in card.facts.text()
    click(card.reading_button)
    sheet = sheet_of(qtbot, opened)
    assert sheet.units.text == "min"
    choose(sheet.units, "Automatic: none")
    sheet = sheet_of(qtbot, opened)
    with qtbot.waitSignal(opened.files.ready):
        click(sheet.open_button)
    assert (in_sight(opened).unit, in_sight(opened).wish) == ("", "from Depot")
    open_(qtbot, opened, file)
    assert (in_sight(opened).unit, in_sight(opened).wish) == ("", "from Depot")
    file.write_text("a,b\n", "utf-8")  # it cannot be read so any more
    opened.files.open(file)
    sheet = sheet_of(qtbot, opened)
    assert not sheet.open_button.isEnabled()
    press(sheet, Qt.Key.Key_Escape)


def test_what_can_be_chosen_is_called_as_in_the_sheet(
    qtbot: QtBot, opened: Application, tmp_path: Path
) -> None:
    file = tmp_path / "courses.csv"
    file.write_text("course,clashes with\nMaths,Art\nMaths,Law\n", "utf-8")
    opened.files.open(file)
    sheet = sheet_of(qtbot, opened)
    assert "is a header (“First row: Values” makes it an edge)" in sheet.seen.text()
    with qtbot.waitSignal(opened.files.ready):
        click(sheet.open_button)
    assert "“First row: Values”" in opened.window.setup.instance.warning.text()
    assert "“First row: Values”" in opened.window.banner.text
    table = tmp_path / "route.csv"
    table.write_text("order,number,leg,total\n1,1,0,0\n2,3,5,5\n3,2,6,11\n", "utf-8")
    opened.files.open(table)
    sheet = sheet_of(qtbot, opened)
    assert "open its instance first, and then this file" in sheet.seen.text()
    press(sheet, Qt.Key.Key_Escape)


def test_the_third_coordinate_is_marked(qtbot: QtBot, opened: Application, tmp_path: Path) -> None:
    file = tmp_path / "holes.csv"
    file.write_text("hole,x,y,z\nA,1,2,3\nB,4,5,6\nC,7,8,0\n", "utf-8")
    opened.files.open(file)
    sheet = sheet_of(qtbot, opened)
    assert sheet.table.headings == ["name", "x", "y", "z"]
    press(sheet, Qt.Key.Key_Escape)


@pytest.mark.parametrize("size", [(520, 330), (980, 640)])
def test_nothing_in_the_sheet_is_cut(
    qtbot: QtBot, opened: Application, tmp_path: Path, size: tuple[int, int]
) -> None:
    file = tmp_path / "times.csv"
    file.write_text(TIMES, "utf-8")
    opened.files.open(file)
    sheet = sheet_of(qtbot, opened)
    sheet.resize(*size)
    settle()
    for box in sheet.choices.values():
        if box.isVisible():
            assert box.width() >= box.minimumSizeHint().width()
            assert (
                box.mapTo(sheet, box.rect().topRight()).x()
                < sheet.picture.mapTo(sheet, sheet.picture.rect().topLeft()).x()
            )
    for button in (sheet.open_button, sheet.cancel_button):
        assert sheet.rect().contains(button.geometry())
    press(sheet, Qt.Key.Key_Escape)
