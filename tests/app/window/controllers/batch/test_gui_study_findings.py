"""The results of a study in the window: table and plot have the same rows, and hints are true."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.report.plot import PrintPlot
from app.report.plots import all_plots
from app.window.application import Application
from app.window.controllers.batch import study_work as work
from gpu.core.errors import FormicariumError
from gpu.studies.results.analysis import analyse
from tests.hands import choose, settle
from tests.study_results import runs as done
from tests.study_results import study
from views.batch.study_view import StudyView

FILE = Path("ants.sqlite")


Drawn = tuple[QImage, dict[str, tuple[float, float]]]


class Results:
    """A file of results that grows, and plots that are drawn when the test lets them be."""

    def __init__(self) -> None:
        self.runs = 0  # in the file
        self.begun: set[int] = set()  # of how many runs plots were begun
        self.pictures: list[tuple[str, int]] = []  # each picture's plot, and the runs in it
        self.may_draw = threading.Event()
        self.may_draw.set()
        self._runs: dict[int, int] = {}  # by the plot's identity

    def find(self, path: Path) -> work.StudyFindings:
        analysis = analyse(study(done("ring", "acs", range(101, 101 + self.runs))))
        plots = {plot.name: plot for plot in all_plots(analysis)}
        self._runs |= {id(plot): self.runs for plot in plots.values()}
        return work.StudyFindings(analysis, plots, 0, 0)

    def draw(self, plot: PrintPlot, size: QSize, dots: float, *, dark: bool) -> Drawn:
        self.begun.add(self._runs[id(plot)])
        assert self.may_draw.wait(60.0)
        self.pictures.append((plot.name, self._runs[id(plot)]))
        picture = QImage(size, QImage.Format.Format_RGB32)
        picture.setText("runs", str(self._runs[id(plot)]))
        return picture, {}


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> Results:
    made = Results()
    monkeypatch.setattr(work, "find_results", made.find)
    monkeypatch.setattr(work, "drawn", made.draw)
    return made


@pytest.fixture
def view(opened: Application, results: Results) -> StudyView:
    opened.window.dashboard.show_view("study")
    view = opened.window.view(StudyView)
    view.show_page("results")
    return view


def in_table(view: StudyView) -> str:
    return view.results.table.texts(0)[2] if view.results.table.content.rows else ""


def wait_for_table(qtbot: QtBot, view: StudyView, runs: int) -> None:
    qtbot.waitUntil(lambda: in_table(view) == str(runs), timeout=60_000)


def in_plot(view: StudyView) -> str:
    return view.results.picture.picture.text("runs")


def grow(application: Application, results: Results, runs: int) -> None:
    results.runs = runs
    application.findings.refresh()


@pytest.fixture
def of_two(qtbot: QtBot, opened: Application, results: Results, view: StudyView) -> StudyView:
    """The same, which shows two runs."""
    opened.findings.show(FILE)
    grow(opened, results, 2)
    qtbot.waitUntil(lambda: in_plot(view) == "2", timeout=60_000)
    return view


def test_table_and_plot_always_have_the_same_rows(
    qtbot: QtBot, opened: Application, results: Results, of_two: StudyView
) -> None:
    view = of_two
    results.may_draw.clear()
    for runs in (3, 4):  # of 3 runs a plot is being drawn, and of 4 only later
        grow(opened, results, runs)
        qtbot.waitUntil(lambda: 3 in results.begun)
        settle()
        assert (in_table(view), in_plot(view)) == ("2", "2")
    seen = set()

    def ended() -> bool:
        seen.add((in_table(view), in_plot(view)))
        return in_plot(view) == "4"

    results.may_draw.set()
    qtbot.waitUntil(ended, timeout=60_000)
    assert seen <= {("2", "2"), ("3", "3"), ("4", "4")}


def test_a_plot_that_was_out_of_sight_is_shown_with_the_newest_runs(
    qtbot: QtBot, opened: Application, results: Results, of_two: StudyView
) -> None:
    view = of_two
    view.show_page("form")
    grow(opened, results, 3)
    wait_for_table(qtbot, view, 3)
    view.show_page("results")
    assert in_plot(view) == ""  # that of two runs is not shown beside the table of three
    qtbot.waitUntil(lambda: in_plot(view) == "3", timeout=60_000)
    qtbot.waitUntil(lambda: opened.background.idle)
    assert [runs for _, runs in results.pictures].count(3) == 1


def test_a_plot_that_is_chosen_while_another_is_drawn_follows(
    qtbot: QtBot, opened: Application, results: Results, of_two: StudyView
) -> None:
    view = of_two
    box = view.results.choice.kind
    first, second = box.itemText(0), box.itemText(1)
    results.may_draw.clear()
    for text in (second, first):
        choose(box, text)
        box.activated.emit(box.currentIndex())
        assert in_plot(view) == ""
    results.may_draw.set()
    qtbot.waitUntil(lambda: in_plot(view) == "2", timeout=60_000)
    assert [name for name, _ in results.pictures][-1] == view.results.plot


def test_a_plot_that_cannot_be_drawn_holds_up_no_table(
    qtbot: QtBot,
    opened: Application,
    results: Results,
    view: StudyView,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tries: list[object] = []

    def draw(*arguments: Any, **named: Any) -> Drawn:
        tries.append(arguments)
        raise FormicariumError("it cannot be drawn")

    monkeypatch.setattr(work, "drawn", draw)
    opened.findings.show(FILE)
    for runs in (2, 3):
        grow(opened, results, runs)
        wait_for_table(qtbot, view, runs)
    qtbot.waitUntil(lambda: "cannot be drawn" in opened.window.banner.text, timeout=60_000)
    qtbot.waitUntil(lambda: opened.background.idle)
    assert len(tries) <= 2  # it is not tried again and again


@pytest.mark.parametrize(
    ("state", "hint"),
    [
        ("", "Fill in the set-up"),
        ("running", "as soon as a run has ended."),
        ("paused", "The study is paused"),
        ("stopping", "being ended"),
    ],
)
def test_where_there_are_no_results_the_hint_says_what_the_study_does(
    view: StudyView, state: str, hint: str
) -> None:
    view.show_state("The study", state)
    note = view.results.note
    assert note.isVisible()
    assert hint in note.text()
    assert ("Fill in" in note.text()) is (state == "")


def test_while_results_are_read_nobody_is_told_to_fill_in_the_set_up(
    qtbot: QtBot,
    opened: Application,
    results: Results,
    view: StudyView,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go_on = threading.Event()

    def slowly(find: Callable[[Path], work.StudyFindings], path: Path) -> work.StudyFindings:
        assert go_on.wait(60.0)
        return find(path)

    monkeypatch.setattr(work, "find_results", lambda path: slowly(results.find, path))
    opened.findings.show(FILE)
    grow(opened, results, 2)
    note = view.results.note
    qtbot.waitUntil(lambda: note.text() == "The results are being read …", timeout=20_000)
    go_on.set()
    wait_for_table(qtbot, view, 2)
    assert not note.isVisible() or "read" not in note.text()
